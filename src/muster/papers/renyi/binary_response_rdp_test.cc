// Tests both directions of the homogeneous pair under binary response against the enumeration of all
// histograms, and the forward direction against the power series of homogeneous_rdp.h.
#include "muster/papers/renyi/binary_response_rdp.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "muster/papers/renyi/homogeneous_rdp.h"
#include "tests/oracle/enumeration.h"

namespace muster::accounting {
namespace {

TEST(BinaryResponseRdp, EqualsEnumeratedHistograms) {
  for (const double epsilon0 : {0.05, 1.0, 4.0}) {
    const long double q = 1 / (std::exp(static_cast<long double>(epsilon0)) + 1);
    const oracle::Law a{1 - q, q}, b{q, 1 - q};
    for (const int n : {1, 2, 5, 17}) {
      const std::vector<oracle::Law> others(static_cast<std::size_t>(n - 1), b);
      for (const int k : {1, (n + 1) / 2, n}) {
        const auto pair = oracle::subset(others, a, b, k);
        for (const double order : {1.01, 1.5, 2.0, 3.0, 7.5, 60.0}) {
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << k << " " << order);
          const auto check = [&](Direction direction, const oracle::OutputPair& way) {
            const long double exact = oracle::renyi(way, static_cast<long double>(order)),
                              noise = 2e-17L / (static_cast<long double>(order) - 1);
            const auto found = binary_response_rdp(direction, n, k, epsilon0, order);
            EXPECT_LE(found.lower, exact + noise);
            EXPECT_GE(found.upper, exact - noise);
            EXPECT_LE(found.upper - found.lower, 1e-10L * exact);
          };
          check(Direction::forward, pair);
          check(Direction::reverse, pair.swapped());
        }
      }
    }
  }
}

TEST(BinaryResponseRdp, ForwardIsThePowerSeries) {
  for (const double n : {100.0, 5000.0}) {
    for (const double k : {50.0, 100.0}) {
      for (const double epsilon0 : {0.1, 2.0}) {
        auto series = HomogeneousRdp::subset(n, k, RatioMoments::binary_response(epsilon0));
        for (const std::uint64_t order : {2, 3, 30, 99, 400}) {
          const auto one = series.divergence(order);
          const auto other =
              binary_response_rdp(Direction::forward, n, k, epsilon0, static_cast<double>(order));
          EXPECT_LE(one.lower, other.upper);
          EXPECT_LE(other.lower, one.upper);
        }
      }
    }
  }
}

// Let r be the likelihood ratio of one report. To second order in 1/n,
//     forward - reverse = (C(l,3) + C(l+1,3)) (E(r-1)^3 - 3 Var(r)^2) / (n^2 (l-1)).
// For binary response, E(r-1)^3 = Var(r)^2 = w^2 with w = 4 sinh^2(eps0 / 2), so the reverse direction is
// larger.
TEST(BinaryResponseRdp, ReverseIsLargerForLargeCrowds) {
  const double n = 1e5, w = 4 * std::pow(std::sinh(0.5), 2);
  for (const double l : {2.0, 5.0, 10.0}) {
    const auto forward = binary_response_rdp(Direction::forward, n, n, 1, l);
    const auto reverse = binary_response_rdp(Direction::reverse, n, n, 1, l);
    EXPECT_LT(forward.upper, reverse.lower);
    const double threes = l * (l - 1) * (l - 2) / 6 + (l + 1) * l * (l - 1) / 6;
    const double predicted = -2 * w * w * threes / (n * n * (l - 1));
    EXPECT_NEAR(forward.upper - reverse.upper, predicted, -0.01 * predicted);
  }
  EXPECT_TRUE(std::isinf(binary_response_rdp(Direction::reverse, 1e9, 1e9, 1, 2).upper));
}

}  // namespace
}  // namespace muster::accounting
