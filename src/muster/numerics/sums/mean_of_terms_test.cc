// Compares mean_of_terms() with exact enumeration in ball arithmetic, also for sums that differ from the
// threshold by a rounding error alone.
#include "muster/numerics/sums/mean_of_terms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/support/arb_ball.h"

namespace muster::numerics {
namespace {

using Ball = ArbBall<512>;

Ball exactly(long double x) {
  const auto high = static_cast<double>(x);
  return Ball(high) + Ball(static_cast<double>(x - static_cast<long double>(high)));
}

// Returns (1/n) E( X_1 + ... + X_count + (n - count) constant )_+ by enumerating all sequences of values. The
// X_i are independent; each has the values and masses of `terms`, and is 0 with the remaining probability.
Ball enumerated(const std::vector<Term>& terms, int n, int count, long double constant) {
  Ball total = 0.0, rest = 1.0;
  for (const Term& term : terms) rest = rest - exactly(term.mass);
  const auto visit = [&](auto&& self, int left, const Ball& sum, const Ball& p) -> void {
    if (left == 0) {
      total = total + p * positive_part(sum);
      return;
    }
    self(self, left - 1, sum, p * rest);
    for (const Term& term : terms) {
      self(self, left - 1, sum + exactly(term.value), p * exactly(term.mass));
    }
  };
  visit(visit, count, Ball(1.0 * (n - count)) * exactly(constant), Ball(1.0));
  return total / Ball(1.0 * n);
}

// Each of the three random terms is `common`, except with the small probability `rare`. If all three are
// `common`, they and the seven constant terms sum to 0 up to a few units in the last place of `constant`,
// which alone decide whether the sum is positive.
TEST(MeanOfTerms, EnclosesASumThatReachesTheThresholdUpToARounding) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(0.5, 1);
  int exceeded = 0;
  for (int i = 0; i < 400; ++i) {
    const long double common = uniform(engine) / 3.0L, rare = std::ldexp(1.0L, -20 - i % 25);
    const std::vector<Term> terms{{common, 1 - rare}, {2 * common, rare}};
    const int count = 3, n = 10;
    const long double constant = -3 * common / 7 * (1 + (i % 5 - 2) * 0x1p-63L);
    const Ball exact = enumerated(terms, n, count, constant);
    exceeded += exact.surely_above(exactly(rare * common * 0.3L * (1 + 1e-6L))) ? 1 : 0;
    const Enclosure got = mean_of_terms(terms, n, count, constant);
    EXPECT_GE(static_cast<long double>(got.upper), exact.above()) << i;
    EXPECT_LE(static_cast<long double>(got.lower), exact.below()) << i;
    EXPECT_LE(static_cast<long double>(got.upper), exact.above() * (1 + 1e-8L) + 1e-15L * common) << i;
  }
  RecordProperty("exceeded", exceeded);
}

TEST(MeanOfTerms, EnclosesTheExactValueForFewTerms) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 300; ++i) {
    const int count = 1 + i % 5, n = count + i % 3;
    // `rare` is a multiple of 2^-41, so that the masses sum to 1 without rounding.
    const long double rare = std::ldexp(std::round(0x1p20L * (1 + uniform(engine) / 2)), -24 - i % 18);
    const std::vector<Term> terms{{uniform(engine), 1 - 2 * rare}, {uniform(engine), rare}, {0, rare}};
    const long double constant = uniform(engine);
    const Ball exact = enumerated(terms, n, count, constant);
    const Enclosure got = mean_of_terms(terms, n, count, constant);
    EXPECT_GE(static_cast<long double>(got.upper), exact.below()) << i;
    EXPECT_LE(static_cast<long double>(got.lower), exact.above()) << i;
  }
}

// The exact mean of these terms is 0 or a rounding error of the constant. Where rounding makes the computed
// mean too large, it must not become the lower end.
TEST(MeanOfTerms, TheMeanOfTermsThatCancelIsNoLowerEnd) {
  for (int i = 1; i < 400; ++i) {
    const long double value = 1 + i / 3.0L;
    const int count = 3, n = 10;
    const Ball exact = enumerated({{value, 1}}, n, count, -3 * value / 7);
    const Enclosure got = mean_of_terms({{value, 1}}, n, count, -3 * value / 7);
    EXPECT_GE(static_cast<long double>(got.upper), exact.above()) << i;
    EXPECT_LE(static_cast<long double>(got.lower), exact.below()) << i;
  }
}

}  // namespace
}  // namespace muster::numerics
