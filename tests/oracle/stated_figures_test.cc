// Recomputes figures that the theory pages state about small or limiting cases, from the definitions.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/oracle/harness_truth.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting::oracle {
namespace {

double normal(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// Everybody may hold any half-set of `cells` equal cells (half_sets.h); delta is the largest hockey-stick
// divergence at epsilon over all data sets and pairs of the victim's records, in both orders.
struct HalfSets {
  int cells, n;
  double epsilon0, rate, epsilon, delta;
};

class EveryHalfSet : public ::testing::TestWithParam<HalfSets> {};

TEST_P(EveryHalfSet, TruthAsStated) {
  const HalfSets& s = GetParam();
  const long double q = 1 / (std::exp(static_cast<long double>(s.epsilon0)) + 1), p = 1 - q;
  Case c;
  for (unsigned mask = 0; mask < (1u << s.cells); ++mask) {
    if (2 * std::popcount(mask) != s.cells) continue;
    Law law;
    for (int w = 0; w < s.cells; ++w) law.push_back((mask >> w & 1 ? 2 * p : 2 * q) / s.cells);
    c.laws.push_back(law);
  }
  const int records = static_cast<int>(c.laws.size());
  for (int y = 1; y < records; ++y) {  // by symmetry the victim holds the first set
    c.pairs.emplace_back(0, y);
    c.pairs.emplace_back(y, 0);
  }
  c.n = s.n;
  c.participation.kind = s.rate < 1 ? Participation::Kind::check_in : Participation::Kind::shuffle;
  c.participation.rate = s.rate;
  c.datasets = multisets(records, s.n - 1);
  c.grid = {s.epsilon};
  EXPECT_NEAR(static_cast<double>(truth(c).front().lower), s.delta, 5.01e-7);
}

// The values are those of tools/golden/class_c.py, which adds up the laws of all data sets.
INSTANTIATE_TEST_SUITE_P(
    All, EveryHalfSet,
    ::testing::Values(HalfSets{4, 5, 1, 1, 0, 0.205868}, HalfSets{4, 5, 1, 1, 0.3, 0.111037},
                      HalfSets{4, 5, 1, 1, 0.7, 0.054121}, HalfSets{6, 4, 1, 1, 0, 0.229425},
                      HalfSets{6, 4, 2, 0.3, 0.6, 0.093393}, HalfSets{4, 5, 2, 0.3, 1.2, 0.002241},
                      HalfSets{6, 4, 1, 0.3, 0.7, 0.000789}));

// The factor, in the limit of many clients, by which the profile-only bound makes epsilon larger for a
// Gaussian. It is the square root of the ratio of two variances: that of the profile's law X*, and that of
// the homogeneous law, e^(mu^2) - 1.
TEST(GaussianProfileOnly, AsymptoticFactorInEpsilon) {
  const auto factor = [](double mu) {
    const auto f = [mu](double alpha) {
      return normal(-std::log(alpha) / mu + mu / 2) - alpha * normal(-std::log(alpha) / mu - mu / 2);
    };
    // The variance is 2 int (mean of (X*-c)_+ - (-c)_+) dc at epsilon 0, where c = e^t - 1 or -(e^t - 1).
    double variance = 0;
    const double h = mu / 400;
    for (double t = h / 2; t < 12 * mu + mu * mu; t += h) {
      const double c = std::expm1(t);
      const double above = f(1 + c), below = (1 + c) * f(1 / (1 + c)) - c;
      variance += 2 * std::exp(t) * h * (above + below);
    }
    return std::sqrt(variance / std::expm1(mu * mu));
  };
  const std::vector<std::pair<double, double>> stated = {
      {0.1, 1.039}, {0.2, 1.077}, {0.4, 1.146}, {0.7, 1.235}, {1, 1.305}, {1.5, 1.377}, {2, 1.406}};
  for (const auto& [mu, value] : stated) EXPECT_NEAR(factor(mu), value, 6e-4) << mu;
}

// The squared signal over the variance of the likelihood ratio as epsilon0 -> 0, for a cap
// of measure Phi(-z).
TEST(Caps, LeadingOrder) {
  const auto figure = [](double z) {
    const double density = std::exp(-z * z / 2) / std::sqrt(2 * 3.14159265358979323846);
    return density * density / (2 * normal(-z));
  };
  EXPECT_NEAR(figure(0), 0.1592, 5e-5);
  EXPECT_NEAR(figure(0.67449), 0.2020, 5e-5);
  double most = 0, at = 0;
  for (double z = 0; z < 2; z += 0.001) {
    if (figure(z) > most) most = figure(z), at = z;
  }
  EXPECT_NEAR(most, 0.2025, 5e-5);
  EXPECT_NEAR(normal(-at), 0.27, 5e-3);
}

// For k-ary randomized response at an epsilon near epsilon0, others that hold the victim's own record can be
// worse than others that hold a third symbol. The values are those of tools/golden/small_truths.py.
TEST(KaryResponse, ThirdSymbolIsNotAlwaysTheWorst) {
  const Law a = k_rr(3, 1, 0), b = k_rr(3, 1, 1), third = k_rr(3, 1, 2);
  const auto delta = [&](const Law& other) {
    const OutputPair pair = check_in(std::vector<Law>(3, other), a, b, 1.0L);
    return static_cast<double>(std::max(hockey_stick(pair, 0.8L), hockey_stick(pair.swapped(), 0.8L)));
  };
  EXPECT_NEAR(delta(a), 0.019969, 1e-6);
  EXPECT_NEAR(delta(third), 0.008503, 1e-6);
}

}  // namespace
}  // namespace muster::accounting::oracle
