// The cryptography that no shuffler can do without for one upload: one X25519 function and one verification
// of RSA-2048, by the libraries that the shuffler uses. Benchmarks state their times as ratios to this floor.
// Objects belong to one thread.
#pragma once

#include <benchmark/benchmark.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <sodium.h>

#include <array>
#include <cstdint>
#include <memory>

#include "muster/wire/token.h"
#include "muster/wire/upload.h"

namespace muster::bench {

using namespace wire;

// A round with all its keys.
struct Round {
  HpkeKeyPair shuffler = HpkeKeyPair::fresh(), aggregator = HpkeKeyPair::fresh();
  RsaSecretKey issuer = RsaSecretKey::fresh();
  Hash descriptor{1}, challenge = round_challenge_digest(Hash{2}, 7);
  RoundKeys keys{7, descriptor, shuffler.public_key(), aggregator.public_key()};
  Token token = [this] {
    const PendingToken pending = begin_token(issuer.public_key(), challenge);
    return finish_token(issuer.public_key(), pending, *issue_token(issuer, pending.request)).value();
  }();
};

inline const Round& shared_round() {
  static const Round round;
  return round;
}

// Computes one X25519 function.
inline void diffie_hellman(const Round& round) {
  std::array<std::uint8_t, 32> shared;
  benchmark::DoNotOptimize(
      crypto_scalarmult(shared.data(), round.shuffler.secret().data(), round.keys.aggregator.data()));
  benchmark::DoNotOptimize(shared);
}

// Verifies a signature of a digest; everything that can be prepared is prepared by the constructor.
class Verification {
 public:
  explicit Verification(const Round& round) {
    const auto encoded = round.issuer.encoded();
    const std::uint8_t* in = encoded.data();
    PKCS8_PRIV_KEY_INFO* info = d2i_PKCS8_PRIV_KEY_INFO(nullptr, &in, static_cast<long>(encoded.size()));
    key_.reset(EVP_PKCS82PKEY(info));
    PKCS8_PRIV_KEY_INFO_free(info);
    context_.reset(EVP_PKEY_CTX_new(key_.get(), nullptr));
    EVP_PKEY_verify_init(context_.get());
    EVP_PKEY_CTX_set_rsa_padding(context_.get(), RSA_PKCS1_PSS_PADDING);
    EVP_PKEY_CTX_set_signature_md(context_.get(), EVP_sha384());
    EVP_PKEY_CTX_set_rsa_pss_saltlen(context_.get(), kSalt);
    EVP_Digest(round.token.data(), kToken - kRsa, digest_.data(), nullptr, EVP_sha384(), nullptr);
  }
  bool operator()(const Round& round) const {
    return EVP_PKEY_verify(context_.get(), round.token.data() + kToken - kRsa, kRsa, digest_.data(),
                           digest_.size()) == 1;
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  };
  std::unique_ptr<EVP_PKEY, Free> key_;
  std::unique_ptr<EVP_PKEY_CTX, Free> context_;
  std::array<std::uint8_t, 48> digest_{};
};

}  // namespace muster::bench
