#include "muster/wire/signature.h"

#include <sodium.h>

#include "muster/random/os_bytes.h"

namespace muster::wire {
namespace {

static_assert(crypto_sign_SECRETKEYBYTES == 64 && crypto_sign_SEEDBYTES == SigningKey::kSeed &&
              crypto_sign_BYTES == 64 && crypto_sign_PUBLICKEYBYTES == 32);

Buffer signed_bytes(std::string_view kind, Bytes body) {
  constexpr std::string_view kPrefix = "muster v1 ";
  return FieldWriter(kPrefix.size() + kind.size() + 1 + body.size())
      .bytes(bytes_of(kPrefix))
      .bytes(bytes_of(kind))
      .integer(std::uint8_t{0})
      .bytes(body)
      .take();
}

}  // namespace

SigningKey SigningKey::fresh() { return from_seed(SecretBytes<kSeed>::fresh()); }

SigningKey SigningKey::from_seed(const SecretBytes<kSeed>& seed) {
  SigningKey key;
  crypto_sign_seed_keypair(key.identity_.data(), key.secret_.data(), seed.data());
  return key;
}

Signature SigningKey::sign(std::string_view kind, Bytes body) const {
  const Buffer message = signed_bytes(kind, body);
  Signature signature;
  crypto_sign_detached(signature.data(), nullptr, message.data(), message.size(), secret_.data());
  return signature;
}

bool verify(const IdentityKey& identity, std::string_view kind, Bytes body, const Signature& signature) {
  random::start_libsodium();
  const Buffer message = signed_bytes(kind, body);
  return crypto_sign_verify_detached(signature.data(), message.data(), message.size(), identity.data()) == 0;
}

Buffer with_signature(Buffer body, std::string_view kind, const SigningKey& key) {
  const Signature signature = key.sign(kind, body);
  body.insert(body.end(), signature.begin(), signature.end());
  return body;
}

bool signature_holds(Bytes document, std::string_view kind, const IdentityKey& identity) {
  Signature signature;
  std::ranges::copy(document.last(signature.size()), signature.begin());
  return verify(identity, kind, document.first(document.size() - signature.size()), signature);
}

}  // namespace muster::wire
