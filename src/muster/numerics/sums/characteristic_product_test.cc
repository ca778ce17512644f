// Checks, in ball arithmetic, that each term that a walk over frequencies may skip is at most what is charged
// for it, and that RoundOff covers the rounding of large exponents.
#include "muster/numerics/sums/characteristic_product.h"

#include <arb.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>
#include <random>

#include "muster/numerics/slack.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {
namespace {

constexpr double kNegligible = 24;  // terms of modulus at most e^-24 may be skipped

// |cos((t + d) y)|, with the angle in 256 bits.
double modulus_of_cosine(double t, double d, double y) {
  arb_t angle, factor;
  arb_init(angle);
  arb_init(factor);
  arb_set_d(angle, t);
  arb_set_d(factor, d);
  arb_add(angle, angle, factor, 256);
  arb_set_d(factor, y);
  arb_mul(angle, angle, factor, 256);
  arb_cos(angle, angle, 256);
  const double modulus = std::abs(arf_get_d(arb_midref(angle), ARF_RND_NEAR));
  arb_clear(angle);
  arb_clear(factor);
  return modulus;
}

// The characteristic function of the law with mass 1/2 at y and at -y is cos(t y). At a large t, the rounding
// of t y moves its zeros by much more than e^-24.
TEST(CharacteristicProduct, WhatIsSkippedIsNegligible) {
  const double y = std::numbers::sqrt2;
  AtomicLaw law;
  law.add(y, 0.5);
  law.add(-y, 0.5);
  const TiltedLaw tilt(law, 0);
  for (const contour::Skip skip : {contour::Skip::by_one_factor, contour::Skip::by_all_factors}) {
    contour::Product product(0, kNegligible, skip);
    product.add(tilt, 1, 1);
    int skipped = 0;
    for (const double start : {0.0, 1e2, 3e5, 3e6}) {
      for (int i = 0; i < 2000; ++i) {
        const double t = (start + i + 0.5) * std::numbers::pi / y;
        product.visit(0, t, false);
        if (!product.negligible()) continue;
        ++skipped;
        EXPECT_LE(modulus_of_cosine(t, 0, y), std::exp(-kNegligible)) << t;
        EXPECT_LE(modulus_of_cosine(t, product.reach(), y), std::exp(-kNegligible)) << t;
      }
    }
    EXPECT_GT(skipped, 1000);
  }
}

// Returns `rounded` - log E e^{cY}, where the weight that the law lacks up to 1 is at zero.
double error_of_log_mgf(double rounded, const AtomicLaw& law, double c) {
  arb_t sum, term, factor;
  arb_init(sum);
  arb_init(term);
  arb_init(factor);
  arb_one(sum);
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    arb_set_d(term, law.points[i]);
    arb_set_d(factor, c);
    arb_mul(term, term, factor, 256);
    arb_expm1(term, term, 256);
    arb_set_d(factor, law.weights[i]);
    arb_addmul(sum, term, factor, 256);
  }
  arb_log(sum, sum, 256);
  arb_set_d(term, rounded);
  arb_sub(sum, term, sum, 256);
  const double error = arf_get_d(arb_midref(sum), ARF_RND_NEAR);
  arb_clear(sum);
  arb_clear(term);
  arb_clear(factor);
  return error;
}

// A rare atom y makes up most of E e^{cY}, so the rounding of c y changes E e^{cY} relatively by up to half
// an ulp of c y, in every one of the n factors of a term.
TEST(CharacteristicProduct, RoundOffCoversTheRoundingOfLargeExponents) {
  constexpr double kCopies = 1000;
  constexpr int kLaws = 5000;
  std::mt19937_64 bits(23);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(bits);
  };
  int beyond_the_rest = 0;
  for (int i = 0; i < kLaws; ++i) {
    const double c = uniform(0.1, 10), exponent = uniform(300, 690);
    AtomicLaw law;
    law.add(exponent / c, uniform(1, 20) * std::exp(-exponent));
    law.add(-uniform(0, 1) / c, uniform(0, 0.2));
    const TiltedLaw tilt(law, c);
    const double error = kCopies * std::abs(error_of_log_mgf(tilt.log_mgf(), law, c));
    const double bound = contour::RoundOff(tilt, kCopies, c, 0).at(0);
    EXPECT_LE(error, bound) << c << ' ' << exponent;
    const double of_exponents = kUlpAbove * 2 * kCopies * (tilt.far_exponent() + c * tilt.absolute_mean());
    beyond_the_rest += error > bound - of_exponents ? 1 : 0;
  }
  std::printf("%d laws, %d with errors beyond a bound that allows nothing for exponents\n", kLaws,
              beyond_the_rest);
  EXPECT_GT(beyond_the_rest, 100);
}

}  // namespace
}  // namespace muster::numerics
