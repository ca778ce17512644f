// Tokens that show that a device is enrolled, without saying which one: Privacy Pass, RFC 9578, issuance
// protocol 2 (type 0x0002, blind RSA of 2048 bits).
//
// A token is for one round. The issuer has one key for each round, and the challenge names task and round:
// its redemption_context is BLAKE2b-256("muster round" | task | round u64, little-endian). With one key for
// all rounds, a device could spend the tokens of ten rounds in one, because a blinded token cannot name its
// round. Numbers within the structures of RFC 9578 are big-endian.
//
//     request  = type u16 | last byte of the key id u8 | blinded message 256                        259 bytes
//     response = blind signature 256
//     token    = type u16 | nonce 32 | digest of the challenge 32 | key id 32 | signature 256       354 bytes
//
// The functions are pure but for the randomness of begin_token(), and may be called from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "muster/wire/blind_rsa.h"
#include "muster/wire/bytes.h"

namespace muster::wire {

inline constexpr std::size_t kToken = 354, kTokenRequest = 259, kTokenResponse = kRsa;
using Token = std::array<std::uint8_t, kToken>;
using TokenRequest = std::array<std::uint8_t, kTokenRequest>;
using TokenResponse = RsaBlock;

// TokenChallenge of RFC 9577: the issuer's name, what the token is bound to, and for whom it is. The name and
// the origin have at most 65,535 bytes; the context has none or 32.
Buffer token_challenge(std::string_view issuer, Bytes redemption_context, std::string_view origin);
// SHA-256 of the challenge of one round: issuer "muster", no origin, and the context described above.
Hash round_challenge_digest(const Hash& task, std::uint64_t round);

// What the client keeps between its request and the issuer's response. With the response it gives one token.
struct PendingToken {
  std::array<std::uint8_t, 32> nonce{};
  Hash challenge_digest{};
  TokenRequest request{};
  SecretBytes<kRsa> unblinding;
};

// Begins a token with fresh randomness.
PendingToken begin_token(const RsaPublicKey& key, const Hash& challenge_digest);
// The same with randomness that the caller chooses. Returns nullopt where blind_with() does.
std::optional<PendingToken> begin_token_with(const RsaPublicKey& key, const Hash& challenge_digest,
                                             const std::array<std::uint8_t, 32>& nonce,
                                             std::span<const std::uint8_t, kSalt> salt,
                                             const RsaBlock& factor);
// Returns the issuer's answer, or nullopt for a request of another length, type or key, or whose blinded
// message is not below the modulus.
std::optional<TokenResponse> issue_token(const RsaSecretKey& key, Bytes request);
// Returns the token, or nullopt if the response does not give a valid one.
std::optional<Token> finish_token(const RsaPublicKey& key, const PendingToken& pending, Bytes response);
// Whether this is a token of the key for the challenge.
bool verify_token(const RsaPublicKey& key, const Hash& challenge_digest, Bytes token);

}  // namespace muster::wire
