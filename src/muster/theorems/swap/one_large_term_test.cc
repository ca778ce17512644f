// Checks that the bound by one large term and its estimate enclose sums over all combinations of terms
// and, for Gaussian noise, a quadrature. A wrong variant that replaces D by its mean must be too small.
#include "muster/theorems/swap/one_large_term.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "muster/describe/gaussian_divergence.h"
#include "muster/describe/mechanism.h"
#include "tests/oracle/profile_of_laws.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting {
namespace {

using oracle::Law;

// Returns the shape of a check-in of n clients, whose sum is divided by n.
LargeTermShape check_in(int n, double rate) {
  const double count = n;
  return {1 / count, count, rate, (1 - rate) * (1 - 1e-15), count};
}

TEST(OneLargeTerm, EnclosesTheSumOverAllCompositions) {
  for (const double epsilon0 : {4.0, 12.0, 25.0}) {
    const Profile profile = Profile::pure(epsilon0);
    const OneLargeTerm large(tail_of(profile), profile);
    for (const int n : {1, 2, 7, 30}) {
      for (const double rate : {0.05, 0.5, 0.97}) {
        for (const double share : {0.3, 0.6, 0.8, 0.95}) {
          const double epsilon = share * epsilon0;
          const long double slow = oracle::swap_sum(oracle::pure_law(epsilon0, epsilon), n, rate, epsilon, 0);
          const numerics::UpperAndEstimate found = large.at(check_in(n, rate), epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << rate << " " << epsilon);
          EXPECT_GE(found.upper, std::min(1.0L, slow * (1 - 1e-14L)));
          EXPECT_LE(found.estimate, slow);
          // Where the sum is below 1e-12, the bound is dominated by the charge for two positive terms, which
          // the negative terms do not reduce.
          if (epsilon0 > 20 && share > 0.5 && slow > 1e-12L) {
            EXPECT_LE(found.upper, slow * 1.01L);
            EXPECT_GE(found.estimate, slow * 0.97L);
          }
        }
      }
    }
  }
}

// The profiles have kinks on both sides of every epsilon, so the terms of reports may also be negative.
TEST(OneLargeTerm, EnclosesTheSumOfRandomRandomizers) {
  std::mt19937_64 engine(17);
  int compared = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const std::vector<Law> laws = oracle::random_randomizer(oracle::Family::extreme, 2, 3, engine);
    const Profile profile = oracle::profile_of_laws(laws);
    const OneLargeTerm large(tail_of(profile), profile);
    const double top = static_cast<double>(oracle::largest_log_ratio(laws));
    for (const int n : {2, 5, 9}) {
      for (const double rate : {0.2, 0.9}) {
        for (const double share : {0.5, 0.7, 0.9}) {
          const double epsilon = share * top;
          if (epsilon < 1) continue;
          const long double slow = oracle::swap_sum(oracle::profile_law(laws, epsilon), n, rate, epsilon, 0);
          const numerics::UpperAndEstimate found = large.at(check_in(n, rate), epsilon);
          SCOPED_TRACE(::testing::Message() << trial << " " << n << " " << rate << " " << epsilon);
          EXPECT_GE(found.upper, std::min(1.0L, slow * (1 - 1e-12L)));
          EXPECT_LE(found.estimate, slow + 1e-15L);
          ++compared;
        }
      }
    }
  }
  EXPECT_GE(compared, 50);
}

// The first part of the bound of one_large_term.h for two Gaussian messages (N = 2, g = 1), with
// S = `threshold` and factor 1/S. The other message's term lies d = e^{-l} - e^{-eps} below zero if l < eps
// and d = 0 otherwise, where l is normal with mean mu^2/2 and deviation mu.
struct Quadrature {
  double sum = 0;      // the mean over d of (N g / S) f(E (1 + (S - N) (1 - 1/E) + d))
  double at_mean = 0;  // the same expression with d replaced by its mean
};
Quadrature two_gaussian_messages(double mu, double threshold, double epsilon) {
  const double beyond = (threshold - 2) * -std::expm1(-epsilon);
  const auto f = [&](double d) { return gaussian_divergence(mu, epsilon + std::log1p(beyond + d)).upper; };
  constexpr int kSteps = 20'000;
  double sum = 0, mean = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double z = -14 + 28 * (i + 0.5) / kSteps;
    const double l = mu * mu / 2 + mu * z;
    const double mass = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) * 28 / kSteps;
    const double d = l < epsilon ? std::exp(-l) - std::exp(-epsilon) : 0;
    sum += mass * f(d);
    mean += mass * d;
  }
  return {2 * sum / threshold, 2 * f(mean) / threshold};
}

TEST(OneLargeTerm, EnclosesTwoGaussianMessagesByQuadrature) {
  for (const double mu : {2.2, 3.1, 6.0}) {
    const Profile profile = Profile::gaussian(mu, 1e-44);
    const OneLargeTerm large(
        {[mu](double l) { return gaussian_divergence(mu, l).upper; },
         [mu](double l) { return static_cast<double>(gaussian_alternative_tail(mu, l)); }},
        profile);
    for (const double threshold : {2.0, 3.0, 40.0}) {
      for (const double epsilon : {9.5, 14.0, 25.0}) {
        const Quadrature exact = two_gaussian_messages(mu, threshold, epsilon);
        const numerics::UpperAndEstimate found = large.at({1 / threshold, 2, 1, 0, threshold}, epsilon);
        SCOPED_TRACE(::testing::Message() << mu << " " << threshold << " " << epsilon);
        EXPECT_GE(found.upper, exact.sum * (1 - 1e-6));
        EXPECT_LE(found.estimate, exact.sum);
        // These factors allow for the discretisation of D's law and for two large terms at once.
        EXPECT_LE(found.upper, exact.sum * 1.02);
        EXPECT_GE(found.estimate, exact.sum * 0.9);
        // This variant is wrong: f is convex, so its value at the mean of d is too small.
        EXPECT_LT(exact.at_mean, exact.sum * (1 - 1e-6));
      }
    }
  }
}

// Returns the mean of ( sum of w_i (X_i - (1-E)) - threshold (E-1) )_+, summed over all combinations of the
// atoms X_i and weights w_i of n reports.
long double weighted_sum(const std::vector<oracle::Atom>& law, const TermWeights& weights, int n,
                         long double threshold, long double epsilon) {
  const long double e = std::exp(epsilon);
  long double sum = 0;
  const auto visit = [&](const auto& self, int left, long double value, long double mass) -> void {
    if (left == 0) {
      sum += mass * std::max(0.0L, value);
      return;
    }
    for (const oracle::Atom& atom : law) {
      for (std::size_t a = 0; a < weights.values.size(); ++a) {
        self(self, left - 1, value + weights.values[a] * (atom.value - (1 - e)),
             mass * atom.mass * weights.probabilities[a]);
      }
    }
  };
  visit(visit, n, -threshold * (e - 1), 1);
  return sum;
}

TEST(OneLargeTerm, EnclosesWeightedSumsOverAllCombinations) {
  const auto weights =
      std::make_shared<const TermWeights>(TermWeights{{1, 0.25, 1.0 / 17}, {0.125, 0.375, 0.5}});
  const auto none = std::make_shared<const TermWeights>(TermWeights{{1}, {1}});
  for (const double epsilon0 : {9.0, 22.0}) {
    const Profile profile = Profile::pure(epsilon0);
    const OneLargeTerm large(tail_of(profile), profile);
    for (const int n : {1, 2, 4}) {
      for (const double places : {0.0, 2.5}) {
        for (const double share : {0.4, 0.7, 0.85}) {
          const double epsilon = share * epsilon0, threshold = n + places, count = n;
          const long double slow = weighted_sum(oracle::pure_law(epsilon0, epsilon), *weights, n, threshold,
                                                static_cast<long double>(epsilon));
          LargeTermShape shape{1 / count, count, 1, 0, threshold, weights};
          const numerics::UpperAndEstimate found = large.at(shape, epsilon);
          SCOPED_TRACE(::testing::Message() << epsilon0 << " " << n << " " << places << " " << epsilon);
          EXPECT_GE(found.upper, std::min(1.0L, slow / n * (1 - 1e-14L)));
          EXPECT_LE(found.estimate, slow / n);
          if (epsilon0 > 20 && share < 0.8) {
            EXPECT_LE(found.upper, slow / n * 1.01L);
            EXPECT_GE(found.estimate, slow / n * 0.97L);
          }
          // Without the weights, even the estimate must exceed the bound, so the test notices if weights are
          // ignored.
          shape.weights = none;
          EXPECT_GT(large.at(shape, epsilon).estimate, found.upper);
        }
      }
    }
  }
}

TEST(OneLargeTerm, OthersHideByWhoIsAbsent) {
  // In one_large_term.h, -E D is the sum of the other clients' negative terms, where E = e^epsilon. Here a
  // client who reports nearly always has the term 0, and each of the about 700,000 absent ones has the term
  // 1 - E. So D is 700,000 (1 - 1/E) within about a thousandth, and the bound is close to 0.3 f(E D).
  const Profile profile = Profile::pure(60);
  const OneLargeTerm large(tail_of(profile), profile);
  const double hidden = large.at(check_in(1'000'000, 0.3), 40).upper;
  const double expected = 0.3 * profile.at(40 + std::log(0.7e6));
  EXPECT_GE(hidden, expected * (1 - 1e-3));
  EXPECT_LE(hidden, expected * (1 + 5e-3));
}

TEST(OneLargeTerm, SaysNothingFalseAtTheEnds) {
  const Profile profile = Profile::pure(1e-9);
  const OneLargeTerm small(tail_of(profile), profile);
  EXPECT_EQ(small.at(check_in(10, 0.5), 1).upper, 0);
  const Profile far = Profile::pure(700);
  const OneLargeTerm large(tail_of(far), far);
  for (const double count : {1.0, 2.0, 1e12}) {
    for (const double rate : {5e-324, 1e-15, 1 - 0x1p-53, 1.0}) {
      for (const double epsilon : {1.0, 44.999999999999, 45.0, 599.0, 699.0, 1e5, 1e300}) {
        const numerics::UpperAndEstimate found =
            large.at({1 / count, count, rate, (1 - rate) * (1 - 1e-15), count}, epsilon);
        SCOPED_TRACE(::testing::Message() << count << " " << rate << " " << epsilon);
        EXPECT_GE(found.estimate, 0);
        EXPECT_LE(found.estimate, found.upper);
        EXPECT_LE(found.upper, 1);
        if (count == 1) {
          EXPECT_GE(found.upper, rate * far.at(epsilon));
        }
      }
    }
  }
}

// The masses must bound the mean of phi(D) for the constant phi = 1 too, so they must sum to at least
// 1, however many clients there are. A client who neither reports nor is absent has a revealed coin.
TEST(OthersBelowZero, MassesOfTheUpperBoundSumToAtLeastOne) {
  const Profile profile = local_profile(PureLocal{450}, 1e-44);
  for (const double rate : {5e-7, 0.1, 0.4}) {
    for (const double silent : {0.0, 0.25, 0.5, 0.6}) {
      for (const double count : {1.0, 3.0, 1000.0, 1e6, 1e12}) {
        const OthersBelowZero others(profile, {count, rate, silent, 1, nullptr},
                                     OthersBelowZero::interval_of(225), numerics::Side::above);
        long double sum = 0;
        for (const double mass : others.masses()) sum += mass;
        EXPECT_GE(sum, 1) << rate << ' ' << silent << ' ' << count;
      }
    }
  }
}

}  // namespace
}  // namespace muster::accounting
