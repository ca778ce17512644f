// Benchmarks what a shuffler and an aggregator compute for each upload, as ratios to what the cryptography
// alone takes: X25519 and a verification of RSA-2048, by the same libraries in the same run. Sockets and
// files are not part of it.
//
// `over_floor` is the ratio of the CPU times. The floor of the shuffler is one X25519 and one verification;
// that of the aggregator is one X25519, with the decryption and the adding of the payload for `gaussian`.
#include <benchmark/benchmark.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <sodium.h>

#include <memory>
#include <span>
#include <vector>

#include "cpu_time.h"
#include "muster/randomizers/gaussian.h"
#include "muster/randomizers/ldp_sgd.h"
#include "muster/wire/payload.h"
#include "muster/wire/token.h"
#include "muster/wire/upload.h"

namespace {

using namespace muster;
using namespace muster::wire;

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

const Round& shared_round() {
  static const Round round;
  return round;
}

// One Diffie-Hellman function.
void diffie_hellman(const Round& round) {
  std::array<std::uint8_t, 32> shared;
  benchmark::DoNotOptimize(
      crypto_scalarmult(shared.data(), round.shuffler.secret().data(), round.keys.aggregator.data()));
  benchmark::DoNotOptimize(shared);
}

// One verification of a signature of a digest, with everything made ready before.
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

// Runs `work` and `floor` in turns, and reports the time of `work` and the ratio of the two.
template <typename Work, typename Floor>
void measure(benchmark::State& state, const Work& work, const Floor& floor) {
  constexpr int kTogether = 50;
  double worked = 0, least = 0;
  for (auto _ : state) {
    const double start = bench::thread_cpu_seconds();
    for (int i = 0; i < kTogether; ++i) floor();
    const double middle = bench::thread_cpu_seconds();
    for (int i = 0; i < kTogether; ++i) work();
    worked += bench::thread_cpu_seconds() - middle;
    least += middle - start;
  }
  const double count = static_cast<double>(state.iterations()) * kTogether;
  state.counters["us"] = 1e6 * worked / count;
  state.counters["floor_us"] = 1e6 * least / count;
  state.counters["over_floor"] = worked / least;
}

void shuffler_per_upload(benchmark::State& state) {
  const Round& round = shared_round();
  const Verification verification(round);
  if (!verification(round)) state.SkipWithError("the floor's signature does not verify");
  const Buffer upload = seal_report(round.keys, round.token, Buffer(17));
  const UploadSizes sizes{17};
  OpenedUpload opened;
  measure(
      state,
      [&] {
        const bool valid =
            open_upload(round.shuffler, 7, round.descriptor, sizes, upload, opened) == UploadFault::none &&
            verify_token(round.issuer.public_key(), round.challenge, opened.token);
        if (!valid) state.SkipWithError("the upload is refused");
      },
      [&] {
        diffie_hellman(round);
        benchmark::DoNotOptimize(verification(round));
      });
}
BENCHMARK(shuffler_per_upload);

// Opens, validates and adds one report of the randomizer; the floor is one X25519, and for large payloads the
// decryption and the adding, too.
void aggregate(benchmark::State& state, const randomizers::VectorRandomizer& randomizer, bool large) {
  const Round& round = shared_round();
  const PayloadFormat format(randomizer);
  std::vector<float> gradient(randomizer.dimension(), 0.001f);
  const auto scratch = randomizer.make_scratch();
  randomizers::Message message;
  randomizer.randomize(gradient, random::RunKey::from_seed(1), 0, 0, *scratch, message);
  Buffer payload(format.size());
  format.encode(message, payload);
  OpenedUpload opened;
  open_upload(round.shuffler, 7, round.descriptor, {format.size()},
              seal_report(round.keys, round.token, payload), opened);
  randomizers::MessageSum sum = randomizer.make_sum(), floor_sum = randomizer.make_sum();
  const randomizers::Message sent = message;
  Buffer cipher(payload.size() + 16), plain(payload.size());
  const std::array<std::uint8_t, 32> key{};
  crypto_aead_chacha20poly1305_ietf_encrypt(cipher.data(), nullptr, payload.data(), payload.size(), nullptr, 0,
                                            nullptr, key.data(), key.data());
  measure(
      state,
      [&] {
        const bool valid = open_inner(round.aggregator, round.descriptor, opened.inner, payload) &&
                           format.decode(payload, message) == PayloadFault::none;
        if (!valid) state.SkipWithError("the report is refused");
        randomizer.accumulate(message, *scratch, sum);
      },
      [&] {
        diffie_hellman(round);
        if (!large) return;
        benchmark::DoNotOptimize(crypto_aead_chacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr,
                                                                           cipher.data(), cipher.size(), nullptr,
                                                                           0, key.data(), key.data()));
        randomizer.accumulate(sent, *scratch, floor_sum);
      });
}

void aggregator_per_ldp_sgd_report(benchmark::State& state) {
  aggregate(state, *randomizers::make_ldp_sgd(2, 0.5, 330), false);
}
BENCHMARK(aggregator_per_ldp_sgd_report);

void aggregator_per_gaussian_report(benchmark::State& state) {
  aggregate(state, *randomizers::make_gaussian(5, 0.01, 26'010), true);
}
BENCHMARK(aggregator_per_gaussian_report);

}  // namespace

BENCHMARK_MAIN();
