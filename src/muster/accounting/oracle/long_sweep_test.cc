// The wide version of the domination tests: thousands of random randomizers, every dataset, the fast bound on
// top.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "muster/accounting/bounds/swap_profile.h"
#include "muster/accounting/oracle/known_false.h"
#include "muster/accounting/oracle/random_cases.h"
#include "muster/accounting/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

const std::vector<double> kRates = {0.1, 0.3, 0.5, 0.8};
const std::vector<double> kShares = {0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99};

ShuffledCheckIn protocol(int n, double rate) {
  return {ClientCount::of(static_cast<std::uint64_t>(n)), Rate::of(rate)};
}

TEST(LongSweep, ProfileFormDominatesEveryDataset) {
  std::mt19937_64 engine(101);
  int violations = 0, cases = 0;
  long double tightest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const auto family = trial % 2 ? Family::smooth : Family::extreme;
    const std::vector<Law> laws = random_randomizer(family, 2 + trial % 3 / 2, 2 + trial % 3, engine);
    std::vector<double> alphas{1};
    for (const Atom& atom : profile_law(laws, 0)) {
      if (atom.value > 1e-12L) alphas.push_back(static_cast<double>(1 + atom.value));
    }
    const Profile local = Profile::symmetric(
        alphas, [&laws](long double alpha) { return profile(laws, alpha) * (1 + 1e-15L) + 1e-18L; });
    const long double top = largest_log_ratio(laws);
    for (int n = 3; n <= (laws.size() == 2 ? 7 : 5); ++n) {
      for (const double rate : kRates) {
        for (const double share : kShares) {
          const double epsilon = static_cast<double>(share * top);
          const long double truth = worst_check_in(laws, n, rate, epsilon);
          const double upper = swap_delta(local, protocol(n, rate), epsilon).upper;
          violations += truth > upper;
          ++cases;
          if (truth > 1e-9L) tightest = std::max(tightest, truth / upper);
        }
      }
    }
  }
  RecordProperty("cases", cases);
  EXPECT_EQ(violations, 0) << "of " << cases;
  EXPECT_GT(tightest, 0.8L);
}

TEST(LongSweep, PureFormDominatesResponsesUpToTwelveClients) {
  int violations = 0, cases = 0;
  for (const double epsilon0 : {0.5, 1.0, 2.0, 4.0}) {
    const Profile local = Profile::pure(epsilon0);
    for (const int k : {2, 3}) {
      std::vector<Law> laws;
      for (int x = 0; x < k; ++x) laws.push_back(k_rr(k, epsilon0, x));
      for (int n = 3; n <= (k == 2 ? 12 : 6); ++n) {
        for (const double rate : kRates) {
          for (const double share : kShares) {
            const double epsilon = share * epsilon0;
            violations +=
                worst_check_in(laws, n, rate, epsilon) > swap_delta(local, protocol(n, rate), epsilon).upper;
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(violations, 0) << "of " << cases;
}

}  // namespace
}  // namespace muster::accounting::oracle
