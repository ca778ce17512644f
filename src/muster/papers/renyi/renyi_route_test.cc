// Tests what the papers' Renyi bounds share: formulas against their printed form in long double, and upper
// bounds against the enumerated divergence of small populations.
#include "muster/papers/renyi/renyi_route.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "muster/papers/renyi/subsampled_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using oracle::Law;

long double choose(int n, int k) {
  long double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

// Evaluates the upper bound of Girgis et al. (CCS 2021), term by term.
long double ccs_2021(long double e0, long double n, int order) {
  const long double grown = std::exp(e0), nbar = std::floor((n - 1) / (2 * grown)) + 1;
  long double sum = 1 + choose(order, 2) * (grown - 1) * (grown - 1) / (nbar * grown);
  for (int i = 3; i <= order; ++i) {
    sum += choose(order, i) * i * std::tgamma(i / 2.0L) *
           std::pow((grown * grown - 1) * (grown * grown - 1) / (2 * grown * grown * nbar), i / 2.0L);
  }
  sum += std::exp(e0 * order - (n - 1) / (8 * grown));
  return std::log(sum) / (order - 1);
}

// Evaluates Theorem 9 of Wang et al. (2019) for a divergence of rho j at order j, like that of a Gaussian.
long double theorem9(long double rate, long double rho, long double largest, int order) {
  const auto factor = [&](int j) { return std::min(2.0L, std::pow(std::exp(largest) - 1, (long double)j)); };
  long double sum =
      rate * rate * choose(order, 2) * std::min(4 * std::expm1(2 * rho), std::exp(2 * rho) * factor(2));
  for (int j = 3; j <= order; ++j) {
    sum += std::pow(rate, j) * choose(order, j) * std::exp((j - 1) * rho * j) * factor(j);
  }
  return std::log1p(sum) / (order - 1);  // log(1 + sum) would lose the digits of a small sum
}

// Evaluates log sum_{j=3..l} C(l,j) j Gamma(j/2) x^j by log-gamma functions. Only the terms within 20,000 of
// the largest one are added, so the result is a lower bound, and for l <= 10^5 all others are negligible.
long double log_series_by_gamma(std::uint64_t order, long double x) {
  const auto l = static_cast<long double>(order), reach = 20'000.0L;
  const auto log_term = [&](long double j) {
    return std::lgamma(l + 1) - std::lgamma(j + 1) - std::lgamma(l - j + 1) + std::log(j) +
           std::lgamma(j / 2) + j * std::log(x);
  };
  long double at = 3, sum = 0;
  for (long double j = 3; j <= l; j += 1 + std::floor(l / 2000)) {
    if (log_term(j) > log_term(at)) at = j;
  }
  for (long double j = std::max(3.0L, at - reach); j <= std::min(l, at + reach); ++j) {
    sum += std::exp(log_term(j) - log_term(at));
  }
  return log_term(at) + std::log(sum);
}

// Long series scale their terms down, often more than a thousand times. If the logarithms of these scales
// were added one by one, all their rounding errors would have the same sign and come to 2e-14 of the sum at
// order 10^5.
TEST(RenyiRoute, LongSeriesAreRoundedUp) {
  for (const std::uint64_t order : {3u, 1000u, 100'000u}) {
    for (const double x : {0.3, 1.0, 3.0, 10.0}) {
      const double value = rdp_detail::log_series(order, x);
      const long double truth = log_series_by_gamma(order, x);
      EXPECT_GE(value, truth * (1 + 1e-18L)) << order << " " << x;
      EXPECT_LE(value, truth + 5e-14L * (1 + std::fabs(truth))) << order << " " << x;
    }
  }
}

TEST(RenyiRoute, EqualsThePrintedFormulas) {
  for (const std::uint64_t order : {2u, 3u, 10u, 40u}) {
    const auto l = static_cast<int>(order);
    for (const double e0 : {0.3, 2.0}) {
      for (const double n : {1.0, 100.0, 60000.0}) {
        const double value = girgis_ccs_2021_upper(e0, n, order);
        const long double printed = ccs_2021(e0, n, l);
        EXPECT_GE(value, printed * (1 - 1e-15L)) << e0 << " " << n << " " << order;
        EXPECT_NEAR(value, static_cast<double>(printed), 1e-9 * static_cast<double>(printed) + 1e-12);
      }
    }
    for (const double largest : {0.4, 3.0, std::numeric_limits<double>::infinity()}) {
      for (const double rate : {0.001, 0.1, 1.0}) {
        const SubsampledRdp sampled(
            rate, [](std::uint64_t j) { return 0.02 * static_cast<double>(j); }, largest);
        const double value = sampled.theorem(order);
        const long double printed = theorem9(rate, 0.02L, largest, l);
        EXPECT_GE(value, printed * (1 - 1e-15L));
        EXPECT_NEAR(value / static_cast<double>(printed), 1, 1e-9);
      }
    }
  }
}

// The bound of Girgis et al. (CCS 2021), by itself and with Theorem 9 of Wang et al. (2019), must hold for
// every data set of small populations with random randomizers.
TEST(RenyiRoute, CoversTheEnumeratedDivergence) {
  std::mt19937_64 engine(5);
  int cases = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const std::vector<Law> laws = oracle::random_randomizer(
        trial % 2 ? oracle::Family::smooth : oracle::Family::extreme, 3, 2 + trial % 2, engine);
    const auto e0 = static_cast<double>(oracle::largest_log_ratio(laws)) * (1 + 1e-15);
    for (int n = 2; n <= 5; ++n) {
      for (const std::uint64_t order : {2u, 3u, 6u}) {
        const double plain = girgis_ccs_2021_upper(e0, n, order);
        const auto l = static_cast<long double>(order);
        for (const auto& dataset : oracle::multisets(3, n - 1)) {
          std::vector<Law> others;
          for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
          EXPECT_LE(oracle::renyi(oracle::check_in(others, laws[0], laws[1], 1.0L), l), plain);
          for (int k = 1; k < n; ++k) {
            const auto shuffle = [&](std::uint64_t j) { return girgis_ccs_2021_upper(e0, k, j); };
            EXPECT_LE(oracle::renyi(oracle::subset(others, laws[0], laws[1], k), l),
                      SubsampledRdp(static_cast<double>(k) / n, shuffle, e0).theorem(order));
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_GT(cases, 1000);
}

TEST(RenyiRoute, CountCellsSumToOne) {
  for (const double fineness : {0.0, 0.2}) {
    for (const double n : {1.0, 50.0, 6e4, 1e9}) {
      if (n > 1e8 && fineness == 0) continue;
      double sum = 0, mean = 0;
      for (const CountCell& cell : count_cells(n, 0.1, fineness)) {
        sum += cell.weight;
        mean += cell.weight * cell.k;
      }
      EXPECT_NEAR(sum, 1, 1e-6);
      EXPECT_NEAR(mean / (n * 0.1), 1, 1e-3);
    }
  }
}

}  // namespace
}  // namespace muster::accounting
