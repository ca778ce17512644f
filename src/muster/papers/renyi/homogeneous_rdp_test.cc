// Tests the homogeneous pair's Renyi divergence against closed forms, a sum over integer partitions,
// two-dimensional quadrature, enumerated histograms, and the figures of docs/theory/reference-values.md.
#include "muster/papers/renyi/homogeneous_rdp.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "muster/papers/conversions/rdp_to_dp.h"
#include "tests/oracle/enumeration.h"

namespace muster::accounting {
namespace {

using numerics::Enclosure;

void expect_encloses(const Enclosure& found, long double exact, long double width = 1e-10L) {
  EXPECT_LE(found.lower, exact);
  EXPECT_GE(found.upper, exact);
  EXPECT_LE(found.upper - found.lower, width * exact);
}

// Evaluates Algorithm 1 of Liew and Takahashi (2022), completed by the factors that its printed version
// omits. For every partition of `order` into parts k_1 >= k_2 >= ..., the term is
//     n^-order multinomial(order; parts) n! / (kappa_0! kappa_1! ...) e^{(sum k_i^2 - order) / (2 s^2)},
// where kappa_i counts the parts equal to i, and kappa_0 = n - (number of parts). The logarithm of the sum is
// divided by order - 1.
class Algorithm1 {
 public:
  Algorithm1(int order, long double n, long double s) : order_(order), n_(n), s_(s) {}
  long double divergence() {
    visit(order_, order_);
    return std::log(sum_) / (order_ - 1);
  }

 private:
  int order_;
  long double n_, s_;
  long double sum_ = 0;
  std::vector<int> parts_;

  void visit(int left, int largest) {
    if (left == 0) return add();
    for (int part = std::min(left, largest); part >= 1; --part) {
      parts_.push_back(part);
      visit(left - part, part);
      parts_.pop_back();
    }
  }
  void add() {
    const auto count = static_cast<long double>(parts_.size());
    if (count > n_) return;
    long double term = 1, squares = 0, zeros = 1;
    int left = order_, run = 0, previous = 0;
    for (const int part : parts_) {  // the factor order! / (n^order prod part! prod kappa!)
      for (int i = 1; i <= part; ++i) term *= static_cast<long double>(left--) / i / n_;
      run = part == previous ? run + 1 : 1;
      previous = part;
      term /= run;
      squares += static_cast<long double>(part) * part;
    }
    for (long double i = 0; i < count; ++i) zeros *= n_ - i;  // zeros = n! / kappa_0!
    term *= zeros;
    sum_ += term * std::exp((squares - order_) / (2 * s_ * s_));
  }
};

TEST(HomogeneousRdp, OrderTwoKeepsEveryDigit) {
  for (const double n : {1.0, 2.0, 1000.0, 6e4, 1e9, 1e12}) {
    for (const double t : {1e-3, 1 / 9.48, 1.0, 5.0}) {
      SCOPED_TRACE(::testing::Message() << n << " " << t);
      auto rdp = HomogeneousRdp::plain(n, RatioMoments::gaussian(t));
      const long double square = static_cast<long double>(t) * t;
      expect_encloses(rdp.divergence(2), std::log1p(std::expm1(square) / n), 1e-12L);
    }
  }
  auto paper = HomogeneousRdp::plain(60000, RatioMoments::gaussian(1 / 9.48));
  EXPECT_NEAR(paper.divergence(2).upper, 1.86487e-07, 2e-12);
}

TEST(HomogeneousRdp, EqualsTheSumOverPartitions) {
  for (const double n : {1.0, 2.0, 3.0, 7.0, 19.0, 20.0, 1000.0}) {
    for (const double t : {0.3, 1.0}) {
      auto rdp = HomogeneousRdp::plain(n, RatioMoments::gaussian(t));
      for (const int order : {2, 3, 4, 5, 8, 13, 20}) {
        SCOPED_TRACE(::testing::Message() << n << " " << t << " " << order);
        Algorithm1 slow(order, n, 1 / static_cast<long double>(t));
        // The slow sum is near 1, so its logarithm has an absolute error of about 2^-64.
        const long double exact = slow.divergence();
        const Enclosure found = rdp.divergence(static_cast<std::uint64_t>(order));
        const long double noise = 1e-18L * order / (order - 1);
        EXPECT_LE(found.lower, exact + noise);
        EXPECT_GE(found.upper, exact - noise);
        EXPECT_LE(found.upper - found.lower, 1e-11 * found.upper);
      }
    }
  }
}

// The comparison above would notice an error: with s changed by a part in 10^9, the value leaves the
// enclosure.
TEST(HomogeneousRdp, ComparisonIsSharp) {
  Algorithm1 slow(12, 7, 2);
  Algorithm1 wrong(12, 7, 2 * (1 + 1e-9L));
  const Enclosure found = HomogeneousRdp::plain(7, RatioMoments::gaussian(0.5)).divergence(12);
  const long double right = slow.divergence(), other = wrong.divergence();
  EXPECT_TRUE(found.lower <= right && right <= found.upper);
  EXPECT_FALSE(found.lower <= other && other <= found.upper);
}

TEST(HomogeneousRdp, OneClientIsTheLocalDivergence) {
  auto gaussian = HomogeneousRdp::plain(1, RatioMoments::gaussian(0.7));
  auto response = HomogeneousRdp::plain(1, RatioMoments::binary_response(1.5));
  for (const std::uint64_t order : {2, 3, 10, 300, 2000}) {
    const long double l = static_cast<long double>(order), e = 1.5L, t = 0.7;
    expect_encloses(gaussian.divergence(order), l * t * t / 2);
    // One randomized response has the divergence log((e^{l e} + e^{(1-l) e}) / (e^e + 1)) / (l - 1).
    const long double exact =
        (l * e + std::log1p(std::exp((1 - 2 * l) * e)) - std::log1p(std::exp(e))) / (l - 1);
    expect_encloses(response.divergence(order), exact);
  }
}

// For n = 2, the trapezoidal rule over both noises gives E[((r_1 + r_2) / 2)^l].
TEST(HomogeneousRdp, TwoClientsByQuadrature) {
  for (const long double t : {0.4L, 1.3L}) {
    for (const double rate : {1.0, 0.3}) {
      auto rdp = HomogeneousRdp::check_in(2, RatioMoments::gaussian(static_cast<double>(t), rate));
      for (const int order : {2, 3, 7}) {
        const long double step = 0.1L, reach = 11 + order * t;
        std::vector<long double> ratio, weight;
        for (long double z = -reach; z <= reach; z += step) {
          ratio.push_back(std::exp(t * z - t * t / 2));
          weight.push_back(step * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0L)));
        }
        const long double g = rate;
        long double moment = 0;
        for (std::size_t i = 0; i < ratio.size(); ++i) {
          moment += 2 * g * (1 - g) * weight[i] * std::pow((1 + ratio[i]) / 2, order);
          for (std::size_t j = 0; j < ratio.size(); ++j) {
            moment += g * g * weight[i] * weight[j] * std::pow((ratio[i] + ratio[j]) / 2, order);
          }
        }
        moment += (1 - g) * (1 - g);
        const Enclosure found = rdp.divergence(static_cast<std::uint64_t>(order));
        EXPECT_NEAR(found.upper, static_cast<double>(std::log(moment) / (order - 1)),
                    1e-12 * found.upper + 1e-15);
      }
    }
  }
}

// Compares binary and ternary randomized response with the enumeration of all histograms. All other clients
// hold the victim's second record.
TEST(HomogeneousRdp, EqualsEnumeratedHistograms) {
  for (const double epsilon0 : {0.2, 1.0, 3.0}) {
    for (const int k : {2, 3}) {
      const long double grown = std::exp(static_cast<long double>(epsilon0)), base = 1 / (grown + k - 1);
      oracle::Law a(static_cast<std::size_t>(k), base), b = a;
      a[0] = b[1] = grown * base;
      for (const int n : {2, 3, 6, 12}) {
        const std::vector<oracle::Law> others(static_cast<std::size_t>(n - 1), b);
        const auto moments = [&](double rate) {
          return RatioMoments::k_randomized_response(epsilon0, k, rate);
        };
        for (const std::uint64_t order : {2, 3, 5, 9, 14, 40}) {
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << k << " " << n << " " << order);
          const long double l = static_cast<long double>(order);
          const auto near = [&](const Enclosure& found, const oracle::OutputPair& pair) {
            const long double exact = oracle::renyi(pair, l), noise = 1e-17L;
            EXPECT_LE(found.lower, exact + noise);
            EXPECT_GE(found.upper, exact - noise);
            EXPECT_LE(found.upper - found.lower, 1e-11L * exact);
          };
          for (const double rate : {0.1, 0.5, 1.0}) {
            near(HomogeneousRdp::check_in(n, moments(rate)).divergence(order),
                 oracle::check_in(others, a, b, static_cast<long double>(rate)));
          }
          for (const int subset : {1, n / 2, n}) {
            near(HomogeneousRdp::subset(n, subset, moments(1)).divergence(order),
                 oracle::subset(others, a, b, subset));
          }
        }
      }
    }
  }
}

// Liew and Takahashi's Conjecture 1, that the divergence falls with n, is a theorem:
// docs/theory/shuffle-gaussian-rdp.md.
TEST(HomogeneousRdp, FallsWithTheNumberOfClients) {
  for (const std::uint64_t order : {2, 5, 30, 200}) {
    double before = std::numeric_limits<double>::infinity();
    for (double n = 1; n < 400; n = std::floor(n * 1.3) + 1) {
      const Enclosure now = HomogeneousRdp::plain(n, RatioMoments::gaussian(0.4)).divergence(order);
      EXPECT_LT(now.upper, before) << n << " " << order;
      before = now.lower;
    }
  }
}

// Reproduces Table 1 of Liew and Takahashi (2022), and the values with orders up to 2000, at n = 60,000, s =
// 9.48 and delta = 1/n.
TEST(HomogeneousRdp, ReferenceTable) {
  struct Row {
    double distance, rounds;
    std::uint64_t highest;
    double epsilon, digits;
  };
  for (const Row& row : {Row{1, 1, 30, 0.2282013305, 2e-10}, Row{1, 7, 30, 0.2282181144, 2e-10},
                         Row{1, 1, 2000, 0.001406, 1e-6}, Row{1, 7, 2000, 0.002512, 1e-6},
                         Row{1, 1000, 2000, 0.041299, 1e-6}, Row{2, 1, 2000, 0.007916, 1e-6},
                         Row{2, 7, 2000, 0.009038, 1e-6}, Row{2, 1000, 2000, 0.089131, 1e-6}}) {
    auto rdp = HomogeneousRdp::plain(60000, RatioMoments::gaussian(row.distance / 9.48));
    double best = 1e9;
    for (std::uint64_t l = 2; l <= row.highest; ++l) {
      const double rho = row.rounds * rdp.divergence(l).upper;
      best =
          std::min(best, epsilon_upper_from_rdp(Conversion::canonne, static_cast<double>(l), rho, 1 / 6e4));
    }
    EXPECT_NEAR(best, row.epsilon, row.digits) << row.distance << " " << row.rounds;
  }
}

TEST(HomogeneousRdp, ExtremesAreTotal) {
  for (const double n : {1.0, 2.0, 1e5, 1e9, 1e12}) {
    for (const double rate : {1e-12, 0.5, 1.0}) {
      for (const RatioMoments& one :
           {RatioMoments::gaussian(1e-6, rate), RatioMoments::gaussian(1e4, rate),
            RatioMoments::gaussian(1e6, rate), RatioMoments::binary_response(1e-9, rate),
            RatioMoments::binary_response(20, rate)}) {
        auto rdp = HomogeneousRdp::check_in(n, one);
        double before = 0;
        for (const std::uint64_t order : {2, 3, 50, 400}) {
          const Enclosure d = rdp.divergence(order);
          EXPECT_FALSE(std::isnan(d.lower) || std::isnan(d.upper));
          EXPECT_LE(0, d.lower);
          EXPECT_LE(d.lower, d.upper);
          EXPECT_GE(d.upper, before);  // divergences rise with the order
          before = d.lower;
        }
      }
    }
  }
  auto rdp = HomogeneousRdp::plain(100, RatioMoments::gaussian(0.1));
  EXPECT_TRUE(std::isinf(rdp.divergence(1'000'000'000).upper));
}

}  // namespace
}  // namespace muster::accounting
