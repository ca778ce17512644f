// Compares the steps of gaussian's messages (add_stream_noise) with ball arithmetic of 200 bits, on every
// vector target (instruction set). Each step must be the integer nearest to gradient * factor + deviation N.
// The normal N is made from a uniform number and an angle, which are words of the stream, each continued by
// 192 further bits. exact_gaussian_long_test.cc runs this file with a hundred times as many coordinates.
//
// The reference and the code under test share only the random words. The reference turns them into normals
// itself and does not use the error bounds of that code.
#ifndef MUSTER_EXACT_COORDINATES
#define MUSTER_EXACT_COORDINATES 1'000'000
#endif
#include <arb.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "muster/random/exact_normals.h"
#include "muster/random/vector_targets_test.h"
#include "muster/randomizers/grid_kernels.h"

namespace muster::randomizers {
namespace {

constexpr std::uint64_t kCoordinates = MUSTER_EXACT_COORDINATES;
constexpr slong kBits = 200;

class Reference {
 public:
  Reference(double deviation) : deviation_(deviation) {  // NOLINT
    for (arb_ptr x : {u_, sine_, cosine_, value_}) arb_init(x);
    fmpz_init(whole_);
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;
  ~Reference() {
    for (arb_ptr x : {u_, sine_, cosine_, value_}) arb_clear(x);
    fmpz_clear(whole_);
  }

  // Computes the rounded values of shift + deviation_ N for both normals N of a pair, in the order of the
  // stream.
  void pair(const random::RunKey& key, const random::StreamAddress& address, std::uint64_t pair,
            const double* shifts, std::int64_t* steps) {
    random::PairBits bits = random::drawn_bits(key, address, pair);
    random::KeyedStream further = random::further_bits(key, address, pair);
    // The radius is R = sqrt(-2 ln U) and the angle is pi x. U and x are the words of the pair, each
    // continued by three further words and then by half a unit of the last bit.
    std::uint64_t radius[3], angle[3];
    for (int i = 0; i < 3; ++i) {
      radius[i] = further.next_u64();
      angle[i] = further.next_u64();
    }
    continued(bits.radius & 0x7fffffffu, radius);
    arb_mul_2exp_si(u_, u_, -31 - 192);
    arb_log(u_, u_, kBits);
    arb_mul_si(u_, u_, -2, kBits);
    arb_sqrt(u_, u_, kBits);
    arb_swap(u_, value_);  // value_ holds R
    continued(static_cast<std::int32_t>(bits.angle) >> 1, angle);
    arb_mul_2exp_si(u_, u_, -32 - 192);
    arb_sin_cos_pi(sine_, cosine_, u_, kBits);
    arb_swap(u_, value_);
    arb_mul(sine_, sine_, u_, kBits);
    arb_mul(cosine_, cosine_, u_, kBits);
    if (bits.radius >> 31 != 0) arb_neg(cosine_, cosine_);
    if ((bits.angle & 1) != 0) arb_swap(sine_, cosine_);
    steps[0] = rounded(cosine_, shifts[0]);
    steps[1] = rounded(sine_, shifts[1]);
  }

 private:
  void continued(std::int64_t leading, const std::uint64_t* words) {
    fmpz_set_si(whole_, leading);
    for (int i = 0; i < 3; ++i) {
      fmpz_mul_2exp(whole_, whole_, 64);
      fmpz_add_ui(whole_, whole_, words[i]);
    }
    fmpz_mul_2exp(whole_, whole_, 1);
    fmpz_add_ui(whole_, whole_, 1);
    arb_set_fmpz(u_, whole_);
    arb_mul_2exp_si(u_, u_, -1);
  }

  std::int64_t rounded(arb_ptr normal, double shift) {
    arf_t exact;
    arf_init(exact);
    arf_set_d(exact, deviation_);
    arb_mul_arf(value_, normal, exact, kBits);
    arf_set_d(exact, shift);
    arb_add_arf(value_, value_, exact, kBits);
    arf_set_d(exact, 0.5);
    arb_add_arf(value_, value_, exact, kBits);
    arf_clear(exact);
    arb_floor(value_, value_, kBits);
    // If the ball does not contain exactly one integer, the comparison is undecided.
    if (arb_get_unique_fmpz(whole_, value_) == 0) return INT64_MIN;
    return fmpz_get_si(whole_);
  }

  double deviation_;
  arb_t u_, sine_, cosine_, value_;
  fmpz_t whole_;
};

TEST(ExactGaussian, EveryStepIsTheOneOfTwoHundredBits) {
  const random::RunKey key = random::RunKey::from_seed(77);
  constexpr std::size_t kSize = 50'000;
  std::uint64_t compared = 0, left = 0;
  for (std::uint64_t round = 0; compared < kCoordinates; ++round) {
    // sigma = deviation / clip runs from 1/640 to above 10. The largest product gradient * factor runs from
    // 7.7 to 31 500 steps.
    const double deviation = 64 * std::exp2(static_cast<double>(round % 7) / 7.1);
    const double clip = std::ldexp(10, static_cast<int>(round % 5) * 3);
    const auto factor = static_cast<float>(clip / 1.3);
    const auto bits = static_cast<unsigned>(std::ilogb(std::ceil(clip + 8 * deviation))) + 2;
    std::vector<float> gradient(kSize);
    for (std::size_t i = 0; i < kSize; ++i) {
      gradient[i] = std::sin(static_cast<float>(i)) / (i % 9 == 0 ? 1.0f : 200.0f);
    }
    const random::StreamAddress address{random::Purpose::audit, round, 5};
    std::vector<std::int32_t> steps(kSize), first;
    random::on_every_target([&](const std::string&) {
      left = add_stream_noise(gradient, factor, clip, key, address, deviation, bits, steps.data()) + left;
      if (first.empty()) first = steps;
      ASSERT_EQ(steps, first);
    });
    Reference reference(deviation);
    for (std::size_t i = 0; i + 16 < kSize; i += i % 32 == 15 ? 17 : 1) {
      double shifts[2];
      std::int64_t expected[2];
      for (std::size_t at = 0; at < 2; ++at) {
        shifts[at] = static_cast<double>(gradient[i + 16 * at]) * static_cast<double>(factor);
      }
      reference.pair(key, address, i / 32 * 16 + i % 16, shifts, expected);
      for (std::size_t at = 0; at < 2; ++at) ASSERT_EQ(steps[i + 16 * at], expected[at]) << round << " " << i;
      compared += 2;
    }
  }
  std::printf("%llu coordinates compared; vectors left %llu over all targets\n",
              static_cast<unsigned long long>(compared), static_cast<unsigned long long>(left));
}

}  // namespace
}  // namespace muster::randomizers
