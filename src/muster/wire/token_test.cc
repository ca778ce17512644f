// Compares every step of a token with the published bytes of RFC 9578. A token must be good for one round of
// one task and one key, and no changed byte may pass.
#include "muster/wire/token.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include "muster/core/error_of_test.h"
#include "muster/wire/issuer_keys_test.h"

namespace muster::wire {
namespace {

Hash digest_of(const Buffer& challenge) {
  Hash digest;
  crypto_hash_sha256(digest.data(), challenge.data(), challenge.size());
  return digest;
}

TEST(Token, EachStepGivesThePublishedBytes) {
  const std::vector<Vector> vectors = published_tokens();
  ASSERT_EQ(vectors.size(), 5u);
  for (const Vector& v : vectors) {
    const RsaSecretKey secret = key_of(v);
    const RsaPublicKey& key = secret.public_key();
    const auto encoded = key.encoded();
    EXPECT_EQ(Buffer(encoded.begin(), encoded.end()), v.at("pkS"));
    const Hash digest = digest_of(v.at("token_challenge"));
    const auto pending = begin_token_with(key, digest, array_of<32>(v.at("nonce")),
                                          array_of<kSalt>(v.at("salt")), array_of<kRsa>(v.at("blind")));
    ASSERT_TRUE(pending.has_value());
    EXPECT_EQ(Buffer(pending->request.begin(), pending->request.end()), v.at("token_request"));
    const auto response = issue_token(secret, pending->request);
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(Buffer(response->begin(), response->end()), v.at("token_response"));
    const auto token = finish_token(key, *pending, *response);
    ASSERT_TRUE(token.has_value());
    EXPECT_EQ(Buffer(token->begin(), token->end()), v.at("token"));
    EXPECT_TRUE(verify_token(key, digest, *token));
  }
}

TEST(Token, ChallengesHaveThePublishedForm) {
  const Vector v = published_tokens().at(0);
  const Bytes challenge = v.at("token_challenge");
  EXPECT_EQ(token_challenge("issuer.example", challenge.subspan(19, 32), "origin.example"),
            v.at("token_challenge"));
  EXPECT_EQ(token_challenge("issuer.example", {}, ""), published_tokens().at(3).at("token_challenge"));
  EXPECT_ERROR(ErrorCode::internal, token_challenge("issuer.example", Buffer(31), ""));
  EXPECT_ERROR(ErrorCode::internal, token_challenge(std::string(65'536, 'x'), {}, ""));
}

// A token of one round of a task, which tests change.
struct Fetched {
  RsaSecretKey secret = stored_issuer_key();
  Hash task{7}, digest = round_challenge_digest(task, 3);
  PendingToken pending = begin_token(secret.public_key(), digest);
  TokenResponse response = issue_token(secret, pending.request).value();
  Token token = finish_token(secret.public_key(), pending, response).value();
};

TEST(Token, IsForOneRoundOfOneTaskAndOneKey) {
  const Fetched f;
  const RsaPublicKey& key = f.secret.public_key();
  EXPECT_TRUE(verify_token(key, f.digest, f.token));
  EXPECT_FALSE(verify_token(key, round_challenge_digest(f.task, 4), f.token));
  EXPECT_FALSE(verify_token(key, round_challenge_digest(Hash{8}, 3), f.token));
  EXPECT_FALSE(verify_token(other_issuer_key().public_key(), f.digest, f.token));
}

TEST(Token, NoByteMayChangeAndNoneMayBeMissing) {
  const Fetched f;
  for (std::size_t i = 0; i < kToken; ++i) {
    Token changed = f.token;
    changed[i] ^= static_cast<std::uint8_t>(1 << i % 8);
    EXPECT_FALSE(verify_token(f.secret.public_key(), f.digest, changed)) << i;
  }
  EXPECT_FALSE(verify_token(f.secret.public_key(), f.digest, Bytes(f.token).first(kToken - 1)));
  EXPECT_FALSE(verify_token(f.secret.public_key(), f.digest, {}));
}

TEST(Token, RequestsOfAnotherLengthTypeOrKeyAreRefused) {
  const Fetched f;
  EXPECT_FALSE(issue_token(f.secret, Bytes(f.pending.request).first(kTokenRequest - 1)).has_value());
  EXPECT_FALSE(issue_token(f.secret, {}).has_value());
  for (const std::size_t field : {0u, 1u, 2u}) {
    TokenRequest changed = f.pending.request;
    changed[field] ^= 1;
    EXPECT_FALSE(issue_token(f.secret, changed).has_value()) << field;
  }
  EXPECT_FALSE(finish_token(f.secret.public_key(), f.pending, Bytes(f.response).first(kRsa - 1)).has_value());
  TokenResponse changed = f.response;
  changed.back() ^= 1;
  EXPECT_FALSE(finish_token(f.secret.public_key(), f.pending, changed).has_value());
}

TEST(Token, TheSameRequestGetsTheSameResponse) {
  const Fetched f;
  EXPECT_EQ(issue_token(f.secret, f.pending.request), f.response);
}

}  // namespace
}  // namespace muster::wire
