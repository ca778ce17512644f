// Checks that the swap bound encloses its formula summed directly, and that it is at least the divergence of
// every enumerated data set and, by quadrature, of two clients with Gaussian noise.
#include "muster/theorems/check_in/swap_profile.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/oracle/profile_of_laws.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting {
namespace {

using oracle::Law;

const std::vector<double> kRates = {0.1, 0.3, 0.5, 0.8};
const std::vector<double> kShares = {0, 0.15, 0.4, 0.7, 0.9, 0.98};  // epsilon / the largest log-ratio

ShuffledCheckIn protocol(int n, double rate) {
  return {ClientCount::of(static_cast<std::uint64_t>(n)), Rate::of(rate)};
}

TEST(SwapProfile, EqualsTheSlowFormulaForPureRandomizers) {
  for (const double epsilon0 : {0.5, 2.0}) {
    const Profile profile = Profile::pure(epsilon0);
    for (const int n : {1, 3, 8, 16}) {
      for (const double rate : kRates) {
        for (const double share : kShares) {
          const double epsilon = share * epsilon0;
          const long double at_all = (std::exp(static_cast<long double>(epsilon0)) - std::exp(epsilon)) /
                                     (std::exp(static_cast<long double>(epsilon0)) + 1);
          const long double slow =
              std::min(1.0L, oracle::swap_sum(oracle::pure_law(epsilon0, epsilon), n, rate, epsilon, at_all));
          const numerics::UpperAndEstimate fast = swap_delta(profile, protocol(n, rate), epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << rate << " " << epsilon);
          EXPECT_GE(fast.upper, slow * (1 - 1e-14L));
          // With few clients the contour sum converges most slowly, but `upper` exceeds the formula by no
          // more than its distance from the estimate.
          EXPECT_LE(fast.upper, slow + (fast.upper - fast.estimate) + 1e-15L);
          EXPECT_LE(fast.estimate, slow);
          if (n >= 8 && share < 0.8) {
            EXPECT_LE(fast.upper, slow * (1 + 2e-3L));
          }
        }
      }
    }
  }
}

// For the exact profile of a random randomizer, the bound must be at least the divergence of every data set
// and every ordered pair of records.
TEST(SwapProfile, DominatesEveryDatasetOfRandomRandomizers) {
  std::mt19937_64 engine(31);
  int cases = 0;
  long double tightest = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const auto family = trial % 2 ? oracle::Family::smooth : oracle::Family::extreme;
    const std::vector<Law> laws = oracle::random_randomizer(family, 2 + trial % 2, 2 + trial / 4, engine);
    const Profile profile = oracle::profile_of_laws(laws);
    const long double top = oracle::largest_log_ratio(laws);
    for (int n = 3; n <= 5; ++n) {
      for (const double rate : kRates) {
        for (const double share : kShares) {
          const double epsilon = static_cast<double>(share * top);
          const numerics::UpperAndEstimate fast = swap_delta(profile, protocol(n, rate), epsilon);
          const long double truth = oracle::worst_check_in(laws, n, rate, epsilon);
          SCOPED_TRACE(::testing::Message() << trial << " " << n << " " << rate << " " << epsilon);
          EXPECT_GE(fast.upper, truth);
          if (n <= 4 && laws.size() == 2) {
            const long double slow = oracle::swap_sum(oracle::profile_law(laws, epsilon), n, rate, epsilon,
                                                      oracle::profile(laws, std::exp(epsilon)));
            EXPECT_GE(fast.upper, slow * (1 - 1e-12L));
            EXPECT_LE(fast.upper, slow + (fast.upper - fast.estimate) + 1e-13L + std::pow(rate, n));
          }
          if (truth > 1e-9L) tightest = std::max(tightest, truth / fast.upper);
          ++cases;
        }
      }
    }
  }
  EXPECT_EQ(cases, 8 * 3 * 4 * 6);
  EXPECT_GT(tightest, 0.5L);
}

// Returns the divergence of two clients with Gaussian noise on a line, by quadrature over the messages of one
// and of two reports. The victim's records are at mu/2 and -mu/2, and the other client's record is at
// `other`.
long double gaussian_pair_truth(double mu, double other, double rate, double epsilon) {
  const auto density = [](long double x) {
    return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846L);
  };
  const long double a = mu / 2, b = -mu / 2, g = rate, grown = std::exp(static_cast<long double>(epsilon));
  const long double h = 0.05L, reach = 8 + mu / 2;
  long double one = 0, two = 0;
  for (long double x = -reach; x <= reach; x += h) {
    const long double ax = density(x - a), bx = density(x - b), ux = density(x - other);
    one += std::max(0.0L, ax + ux - grown * (bx + ux)) * h;
    for (long double y = -reach; y <= reach; y += h) {
      const long double uy = density(y - other);
      const long double p = (ax * uy + ux * density(y - a)) / 2, q = (bx * uy + ux * density(y - b)) / 2;
      two += std::max(0.0L, p - grown * q) * h * h;
    }
  }
  return g * (1 - g) * one + g * g * two;
}

TEST(SwapProfile, DominatesTheGaussianPairByQuadrature) {
  long double tightest = 0;
  for (const double mu : {0.4, 2.0}) {
    for (const double rate : {0.1, 0.9}) {
      const ReportingSum sum(GaussianLocal{2 / mu});
      for (const double epsilon : {0.0, 0.2 * mu}) {
        const double upper = swap_delta(sum, protocol(2, rate), epsilon).upper;
        for (const double share : {-1.0, -0.4, 0.3, 1.0}) {
          const long double truth = gaussian_pair_truth(mu, share * mu / 2, rate, epsilon);
          SCOPED_TRACE(::testing::Message() << mu << " " << rate << " " << epsilon << " " << share);
          EXPECT_GE(upper, truth * (1 - 1e-3L));  // 1e-3 allows for the quadrature's error
          if (truth > 1e-9L) tightest = std::max(tightest, truth / upper);
        }
      }
    }
  }
  EXPECT_GT(tightest, 0.6L);
}

TEST(SwapProfile, RefusesCertainParticipation) {
  EXPECT_ERROR(ErrorCode::uncovered, swap_delta(Profile::pure(1), protocol(10, 1), 0.5));
}

}  // namespace
}  // namespace muster::accounting
