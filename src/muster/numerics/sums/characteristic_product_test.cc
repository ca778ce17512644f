// Checks, in ball arithmetic, that each term that a walk over frequencies may skip is at most what is charged
// for it.
#include "muster/numerics/sums/characteristic_product.h"

#include <arb.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

}  // namespace
}  // namespace muster::numerics
