// Benchmarks what a shuffler and an aggregator compute for each upload, as ratios to the time of the
// cryptography alone: X25519 and a verification of RSA-2048, by the same libraries in the same run. Sockets
// and files are not measured.
//
// `over_floor` is the ratio of the CPU times. The floor of the shuffler is one X25519 and one verification;
// that of the aggregator is one X25519 and, for `gaussian`, also the decryption and the addition of the
// payload.
#include <benchmark/benchmark.h>
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
#include "upload_floor.h"

namespace {

using namespace muster;
using namespace muster::wire;
using bench::Round, bench::Verification, bench::diffie_hellman, bench::shared_round;

// Runs `work` and `floor` in turns, and reports the time of each and the ratio of these times.
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

// Opens, validates and adds one report of the randomizer; the floor is one X25519 and, for large payloads,
// also the decryption and the addition.
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
  crypto_aead_chacha20poly1305_ietf_encrypt(cipher.data(), nullptr, payload.data(), payload.size(), nullptr,
                                            0, nullptr, key.data(), key.data());
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
        benchmark::DoNotOptimize(
            crypto_aead_chacha20poly1305_ietf_decrypt(plain.data(), nullptr, nullptr, cipher.data(),
                                                      cipher.size(), nullptr, 0, key.data(), key.data()));
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
