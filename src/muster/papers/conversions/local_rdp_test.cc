// Tests the bounds on the Renyi divergence of one message against its definition, and shows that no bound
// follows from (epsilon, delta) with delta > 0.
#include "muster/papers/conversions/local_rdp.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace muster::accounting {
namespace {

using Law = std::vector<long double>;

// Returns the divergence log(sum_i p_i^l q_i^(1-l)) / (l-1) of order l, summed in logarithms.
long double renyi(const Law& log_p, const Law& log_q, long double order) {
  long double top = -INFINITY, sum = 0;
  for (std::size_t i = 0; i < log_p.size(); ++i)
    top = std::max(top, order * log_p[i] + (1 - order) * log_q[i]);
  for (std::size_t i = 0; i < log_p.size(); ++i)
    sum += std::exp(order * log_p[i] + (1 - order) * log_q[i] - top);
  return (top + std::log(sum)) / (order - 1);
}

TEST(LocalRdp, PureIsBinaryResponse) {
  for (const double epsilon : {1e-6, 1e-3, 0.3, 1.0, 4.0, 20.0}) {
    for (const double order : {1.01, 1.5, 2.0, 7.0, 100.0, 1e4, 1e6}) {
      SCOPED_TRACE(::testing::Message() << epsilon << " " << order);
      // The divergence is log(1 + (e^{l eps} - e^eps) (1 - e^{-l eps}) / (e^eps + 1)) / (l - 1). The
      // differences are computed by expm1 of long doubles.
      const long double e = epsilon, l = order;
      const long double log_share = std::log(-std::expm1(-l * e)) - std::log1p(std::exp(-e));
      const long double m = (l - 1) * e;
      const long double moment = m < 11000 ? std::log1p(std::expm1(m) * std::exp(log_share)) : m + log_share;
      const double found = pure_rdp_upper(epsilon, order);
      EXPECT_GE(found, std::min(e, moment / (l - 1)) * (1 - 1e-18L));
      EXPECT_LE(found, moment / (l - 1) * (1 + 1e-14L) + 1e-15L * e);
      EXPECT_LE(found, epsilon);
      // Where long double has enough digits, the value is also compared with the definition.
      if (epsilon >= 0.3) {
        const long double q = 1 / (std::exp(e) + 1), log_q = std::log(q), log_p = log_q + e;
        const long double exact = renyi({log_p, log_q}, {log_q, log_p}, l);
        EXPECT_NEAR(found, static_cast<double>(exact), 1e-13 * found);
      }
    }
  }
}

TEST(LocalRdp, NoPurePairExceedsIt) {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int tight = 0;
  for (int trial = 0; trial < 400; ++trial) {
    Law p(4), q(4);
    long double sum_p = 0, sum_q = 0, largest = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      q[i] = std::exp(3 * uniform(engine));
      // In half of the trials, every ratio p/q is e or 1/e before the laws are normalized.
      const double loss = trial % 2 ? uniform(engine) : (i % 2 ? 1.0 : -1.0);
      p[i] = q[i] * std::exp(loss);
      sum_p += p[i], sum_q += q[i];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      p[i] = std::log(p[i] / sum_p), q[i] = std::log(q[i] / sum_q);
      largest = std::max(largest, std::fabs(p[i] - q[i]));
    }
    const double epsilon = static_cast<double>(largest) * (1 + 1e-15);
    for (const double order : {1.5, 2.0, 6.0, 40.0}) {
      const double bound = pure_rdp_upper(epsilon, order);
      EXPECT_LE(renyi(p, q, order), bound);
      EXPECT_LE(renyi(q, p, order), bound);
      tight += renyi(p, q, order) > 0.9L * bound;
    }
  }
  EXPECT_GT(tight, 20);  // the number of pairs that nearly attain the bound
}

TEST(LocalRdp, GaussianByQuadrature) {
  for (const long double mu : {0.1L, 1.0L, 2.5L}) {
    for (const int order : {2, 3, 9}) {
      long double moment = 0;
      for (long double z = -14; z < 14 + order * mu; z += 0.01L) {
        moment +=
            0.01L / std::sqrt(2 * std::acos(-1.0L)) * std::exp(order * (mu * z - mu * mu / 2) - z * z / 2);
      }
      const double found = gaussian_rdp_upper(static_cast<double>(mu), order);
      EXPECT_NEAR(found, static_cast<double>(std::log(moment) / (order - 1)), 1e-13 * found);
    }
  }
}

// The tests below belong to docs/theory/no-conversion-from-approximate-dp.md.

// Computes the moment of Liew, Hasegawa, Takahashi (2022), Lemma 3, equation (4): its minimum over r in
// (delta, 1), on a grid of equal steps in log(r - delta).
long double lemma3_moment(long double order, long double epsilon, long double delta) {
  long double least = INFINITY;
  for (long double s = std::log(delta) - 30; s < std::log1p(-delta) - 1e-9L; s += 1e-3L) {
    const long double y = std::exp(s), r = delta + y;  // r runs over (delta, 1), and y = r - delta
    const long double first = std::exp(order * std::log(r) + (1 - order) * s);
    const long double second =
        std::exp(order * std::log1p(-r) + (1 - order) * std::log(std::exp(epsilon) - y));
    least = std::min(least, first + second);
  }
  return least;
}

// The pair is (0, 1e-5)-DP in both directions, because the total variation distance is below 1e-5, but
// its divergence of order 2 is above 200.
TEST(NoConversion, ApproximateDpBoundsNoDivergence) {
  const long double delta = 1e-5L, log_p = std::log(1e-5L), log_q = std::log(1e-100L);
  const Law p{log_p, std::log1p(-1e-5L)}, q{log_q, -1e-100L};
  const long double variation = std::exp(log_p) - std::exp(log_q);
  EXPECT_LE(variation, delta);  // `variation` is the delta at epsilon 0 in both directions
  EXPECT_NEAR(static_cast<double>(renyi(p, q, 2)), 90 * std::log(10.0), 1e-9);  // P(A)^2 / Q(A) = 1e90
  // The lemma's value is far smaller, both as printed (a moment) and with the logarithm that must have been
  // meant.
  EXPECT_NEAR(static_cast<double>(lemma3_moment(2, 0, delta) - 1), 4e-10, 1e-15);
  EXPECT_LT(std::log(lemma3_moment(2, 0, delta)), 4.1e-10L);
  // No bound holds at any other order either: as Q's probability of the first point tends to 0, the
  // divergence grows without limit.
  for (const long double order : {1.1L, 2.0L, 30.0L}) {
    long double before = 0;
    for (const long double tiny : {1e2L, 1e3L, 1e4L}) {
      const long double now = renyi(p, {-tiny, 0}, order);
      EXPECT_GT(now, before);
      before = now;
    }
    EXPECT_GT(before, 500);
  }
}

// A mechanism that publishes the record with probability delta, and otherwise nothing, is (0, delta)-DP, but
// its Renyi divergence is infinite.
TEST(NoConversion, LeakWithProbabilityDelta) {
  const long double infinity = std::numeric_limits<long double>::infinity();
  const Law x{std::log(1e-5L), -infinity, std::log1p(-1e-5L)},
      y{-infinity, std::log(1e-5L), std::log1p(-1e-5L)};
  long double moment = 0;
  for (std::size_t i = 0; i < 3; ++i) moment += x[i] == -infinity ? 0 : std::exp(2 * x[i] - y[i]);
  EXPECT_TRUE(std::isinf(moment));
}

// With the logarithm that must have been meant, the formula of Lemma 3 is a lower bound: no pair whose
// hockey-stick divergence at epsilon is delta has a smaller Renyi divergence.
TEST(NoConversion, TheFormulaIsALowerBound) {
  for (const long double epsilon : {0.0L, 0.5L}) {
    for (const long double delta : {1e-5L, 0.05L}) {
      for (const long double order : {2.0L, 8.0L}) {
        const long double formula = epsilon + std::log(lemma3_moment(order, epsilon, delta)) / (order - 1);
        for (const long double r : {delta * 1.01L, delta * 2, 0.3L, 0.9L}) {
          // An event A with P(A) = r and Q(A) = a has P(A) - e^eps Q(A) = delta.
          const long double a = (r - delta) * std::exp(-epsilon);
          const Law p{std::log(r), std::log1p(-r)}, q{std::log(a), std::log1p(-a)};
          EXPECT_GE(renyi(p, q, order), formula * (1 - 1e-9L)) << epsilon << " " << delta << " " << order;
        }
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
