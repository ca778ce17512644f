// Compares the swap theorem and its profile-only form, as written in docs/theory, with
// exhaustive enumeration.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tests/oracle/domination.h"
#include "tests/oracle/random_cases.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

constexpr long double kNoise = 1e-16L;  // the round-off of a few thousand additions in long double
const std::vector<long double> kRates = {0.1L, 0.3L, 0.5L, 0.8L};
// Epsilons as fractions of the largest log-ratio.
const std::vector<long double> kShares = {0, 0.15L, 0.4L, 0.7L, 0.9L, 0.98L};

const Domination kCounted = {.relative = 1e-12L, .absolute = kNoise, .negligible = 1e-12L};

// Tests Theorem 1 on one data set at a time, for laws that need not be LDP. If all others are alike, the
// inequality is an equality except for the case that everybody reports.
TEST(SwapTheorem, DominatesEveryDatasetAndIsExactAtHomogeneousOnes) {
  std::mt19937_64 engine(11);
  Domination domination = kCounted;
  long double worst_homogeneous_gap = 0;
  for (const Family family : {Family::smooth, Family::extreme, Family::sparse}) {
    for (int trial = 0; trial < 6; ++trial) {
      const std::vector<Law> laws = random_randomizer(family, 3, 3, engine);
      const long double top = std::min(largest_log_ratio(laws), 3.0L);
      for (int n = 2; n <= 4; ++n) {
        for (const long double rate : kRates) {
          for (const auto& dataset : multisets(3, n - 1)) {
            std::vector<Law> others;
            for (const int r : dataset) others.push_back(laws[static_cast<std::size_t>(r)]);
            const OutputPair pair = check_in(others, laws[0], laws[1], rate);
            for (const long double share : kShares) {
              const long double truth = hockey_stick(pair, share * top);
              const long double bound = swap_dataset(others, laws[0], laws[1], rate, share * top);
              domination.add(truth, bound);
              if (dataset.front() == dataset.back() && family != Family::sparse) {
                // The bound exceeds the truth only by its part for k = n reports, at most rate^n.
                const long double last = bound - truth;
                worst_homogeneous_gap = std::max(worst_homogeneous_gap, last - std::pow(rate, n));
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.cases, 8000);
  EXPECT_GT(domination.tightest, 0.999L);
  EXPECT_LT(worst_homogeneous_gap, 1e-15L);
}

// Tests the profile-only form with the exact profile of each randomizer, on all data sets and ordered pairs.
TEST(ProfileOnly, DominatesEveryDataset) {
  std::mt19937_64 engine(12);
  Domination domination = kCounted;
  for (const Family family : {Family::smooth, Family::extreme}) {
    for (int trial = 0; trial < 4; ++trial) {
      const std::vector<Law> laws = random_randomizer(family, 2 + trial % 2, 2 + trial / 2, engine);
      const long double top = largest_log_ratio(laws);
      for (int n = 3; n <= 4; ++n) {
        for (const long double rate : kRates) {
          for (const long double share : kShares) {
            const long double epsilon = share * top;
            const long double bound =
                swap_sum(profile_law(laws, epsilon), n, rate, epsilon, profile(laws, std::exp(epsilon)));
            domination.add(worst_check_in(laws, n, rate, epsilon), bound);
          }
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.5L);
}

// X* itself is a probability law of mean 1 - e^epsilon with the stop-loss transform that defines it.
TEST(ProfileOnly, LawIsTheOneDefined) {
  std::mt19937_64 engine(13);
  for (int trial = 0; trial < 12; ++trial) {
    const std::vector<Law> laws =
        random_randomizer(trial % 2 ? Family::smooth : Family::extreme, 3, 3, engine);
    for (const long double epsilon : {0.0L, 0.2L, 0.8L}) {
      const std::vector<Atom> law = profile_law(laws, epsilon);
      long double total = 0, mean = 0;
      for (const Atom& atom : law) {
        EXPECT_GE(atom.mass, -1e-14L);
        total += atom.mass, mean += atom.mass * atom.value;
      }
      EXPECT_NEAR(static_cast<double>(total), 1, 1e-14);
      EXPECT_NEAR(static_cast<double>(mean), static_cast<double>(1 - std::exp(epsilon)), 1e-13);
      for (const long double c : {-2.0L, -0.4L, 0.0L, 0.3L, 1.5L}) {
        long double excess = 0;
        for (const Atom& atom : law) excess += atom.mass * std::max(0.0L, atom.value - c);
        const long double grown = std::exp(epsilon);
        const long double defined =
            c >= 0 ? profile(laws, grown + c) : (1 - c) * profile(laws, grown / (1 - c));
        EXPECT_NEAR(static_cast<double>(excess), static_cast<double>(defined), 1e-13);
      }
    }
  }
}

// Tests the three-atom law of any epsilon0-LDP randomizer, for n up to 8, all data sets and epsilon up to
// 0.98 epsilon0. The cases include the worst randomizers: binary response, and records that favour different
// messages.
TEST(PureLaw, DominatesEveryDataset) {
  std::mt19937_64 engine(14);
  Domination domination = kCounted;
  std::vector<std::vector<Law>> randomizers;
  for (const long double epsilon0 : {0.5L, 1.0L, 2.0L}) {
    const long double q = 1 / (std::exp(epsilon0) + 1);
    randomizers.push_back({{1 - q, q}, {q, 1 - q}});
  }
  for (int trial = 0; trial < 4; ++trial)
    randomizers.push_back(random_randomizer(Family::extreme, 3, 2, engine));
  for (const std::vector<Law>& laws : randomizers) {
    const long double epsilon0 = largest_log_ratio(laws);
    for (int n = 3; n <= (laws.size() == 2 ? 8 : 5); ++n) {
      for (const long double rate : kRates) {
        for (const long double share : kShares) {
          const long double epsilon = share * epsilon0;
          const long double at_all = (std::exp(epsilon0) - std::exp(epsilon)) / (std::exp(epsilon0) + 1);
          domination.add(worst_check_in(laws, n, rate, epsilon),
                         swap_sum(pure_law(epsilon0, epsilon), n, rate, epsilon, at_all));
        }
      }
    }
  }
  EXPECT_EQ(domination.violations, 0) << "of " << domination.cases;
  EXPECT_GT(domination.tightest, 0.9L);
}

// The same check fails for two smaller formulas. One has, in place of X*, the law of the data set whose
// others all hold x'. The other is that data set's exact formula without the case that all n report.
TEST(PureLaw, TheCheckRejectsWeakerStatements) {
  Domination without_last = kCounted, one_dataset = kCounted;
  const long double epsilon0 = 1, q = 1 / (std::exp(1.0L) + 1);
  const std::vector<Law> laws = {{1 - q, q}, {q, 1 - q}};
  for (int n = 3; n <= 6; ++n) {
    for (const long double rate : kRates) {
      for (const long double share : kShares) {
        const long double epsilon = share * epsilon0, grown = std::exp(epsilon);
        const std::vector<Atom> homogeneous = {{std::exp(epsilon0) - grown, q},
                                               {std::exp(-epsilon0) - grown, 1 - q}};
        const long double at_all = (std::exp(epsilon0) - grown) * q;
        one_dataset.add(worst_check_in(laws, n, rate, epsilon),
                        swap_sum(homogeneous, n, rate, epsilon, at_all));
        const std::vector<Law> others(static_cast<std::size_t>(n - 1), laws[1]);
        without_last.add(hockey_stick(check_in(others, laws[0], laws[1], rate), epsilon),
                         swap_dataset(others, laws[0], laws[1], rate, epsilon) - std::pow(rate, n) * at_all);
      }
    }
  }
  EXPECT_GT(one_dataset.violations, 0);
  EXPECT_GT(without_last.violations, 0);
}

}  // namespace
}  // namespace muster::accounting::oracle
