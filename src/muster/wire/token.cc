#include "muster/wire/token.h"

#include <sodium.h>

#include <algorithm>
#include <utility>

#include "muster/random/os_bytes.h"
#include "muster/wire/hash.h"

namespace muster::wire {
namespace {

constexpr std::array<std::uint8_t, 2> kType{0x00, 0x02};
constexpr std::size_t kSigned = kToken - kRsa;  // bytes of a token that its signature covers
constexpr std::string_view kIssuer = "muster";

Hash sha256(Bytes bytes) {
  Hash digest;
  crypto_hash_sha256(digest.data(), bytes.data(), bytes.size());
  return digest;
}

// What the signature covers.
std::array<std::uint8_t, kSigned> signed_part(const std::array<std::uint8_t, 32>& nonce,
                                              const Hash& challenge_digest, const RsaPublicKey& key) {
  std::array<std::uint8_t, kSigned> part;
  auto out = std::ranges::copy(kType, part.begin()).out;
  out = std::ranges::copy(nonce, out).out;
  out = std::ranges::copy(challenge_digest, out).out;
  std::ranges::copy(key.id(), out);
  return part;
}

PendingToken pending(const RsaPublicKey& key, const std::array<std::uint8_t, 32>& nonce,
                     const Hash& challenge_digest, BlindedMessage blinded) {
  PendingToken token{nonce, challenge_digest, {}, std::move(blinded.unblinding)};
  auto out = std::ranges::copy(kType, token.request.begin()).out;
  *out++ = key.id().back();
  std::ranges::copy(blinded.message, out);
  return token;
}

}  // namespace

Buffer token_challenge(std::string_view issuer, Bytes redemption_context, std::string_view origin) {
  FieldWriter out(7 + issuer.size() + redemption_context.size() + origin.size());
  const auto long_text = [&](std::string_view text) {
    if (text.size() > 0xffff) throw Error(ErrorCode::internal, "token challenge", "", "", "is too long");
    out.integer(static_cast<std::uint8_t>(text.size() >> 8))
        .integer(static_cast<std::uint8_t>(text.size() & 0xff));
    out.bytes(bytes_of(text));
  };
  if (!redemption_context.empty() && redemption_context.size() != 32) {
    throw Error(ErrorCode::internal, "redemption context", "", "0 or 32 bytes", "has the wrong length");
  }
  for (const std::uint8_t byte : kType) out.integer(byte);
  long_text(issuer);
  out.integer(static_cast<std::uint8_t>(redemption_context.size())).bytes(redemption_context);
  long_text(origin);
  return out.take();
}

Hash round_challenge_digest(const Hash& task, std::uint64_t round) {
  const Buffer number = FieldWriter(8).integer(round).take();
  return sha256(token_challenge(kIssuer, hash_of({bytes_of("muster round"), task, number}), ""));
}

PendingToken begin_token(const RsaPublicKey& key, const Hash& challenge_digest) {
  std::array<std::uint8_t, 32> nonce;
  random::fill_from_os(nonce);
  return pending(key, nonce, challenge_digest, blind(key, signed_part(nonce, challenge_digest, key)));
}

std::optional<PendingToken> begin_token_with(const RsaPublicKey& key, const Hash& challenge_digest,
                                             const std::array<std::uint8_t, 32>& nonce,
                                             std::span<const std::uint8_t, kSalt> salt,
                                             const RsaBlock& factor) {
  auto blinded = blind_with(key, signed_part(nonce, challenge_digest, key), salt, factor);
  if (!blinded) return std::nullopt;
  return pending(key, nonce, challenge_digest, *std::move(blinded));
}

std::optional<TokenResponse> issue_token(const RsaSecretKey& key, Bytes request) {
  if (request.size() != kTokenRequest) return std::nullopt;
  FieldReader fields(request);
  if (!std::ranges::equal(fields.bytes(kType.size()), kType)) return std::nullopt;
  if (fields.integer<std::uint8_t>() != key.public_key().id().back()) return std::nullopt;
  return key.blind_sign(fields.array<kRsa>());
}

std::optional<Token> finish_token(const RsaPublicKey& key, const PendingToken& pending, Bytes response) {
  if (response.size() != kTokenResponse) return std::nullopt;
  RsaBlock blind_signature;
  std::ranges::copy(response, blind_signature.begin());
  const auto part = signed_part(pending.nonce, pending.challenge_digest, key);
  const auto signature = finalize(key, part, blind_signature, pending.unblinding);
  if (!signature) return std::nullopt;
  Token token;
  std::ranges::copy(*signature, std::ranges::copy(part, token.begin()).out);
  return token;
}

bool verify_token(const RsaPublicKey& key, const Hash& challenge_digest, Bytes token) {
  if (token.size() != kToken) return false;
  FieldReader fields(token);
  if (!std::ranges::equal(fields.bytes(kType.size()), kType)) return false;
  fields.bytes(32);  // the nonce, which may be anything
  if (!std::ranges::equal(fields.bytes(32), challenge_digest)) return false;
  if (!std::ranges::equal(fields.bytes(32), key.id())) return false;
  return key.verify(token.first(kSigned), fields.array<kRsa>());
}

}  // namespace muster::wire
