// Checks that every proven upper bound lies above every lower bound, for all randomizers and protocols, at
// several epsilons.
//
// A lower bound is the exact divergence of one pair of data sets, which no upper bound may be below. If an
// upper bound is below a lower one, one of the two is wrong. The test also checks that curves throw nothing,
// are never NaN, and have 0 <= lower <= upper <= 1.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "muster/theorems/applicable.h"

namespace muster::accounting {
namespace {

ClientCount clients(std::uint64_t n) { return ClientCount::of(n); }

std::vector<Mechanism> mechanisms() {
  return {PureLocal{0.1},
          PureLocal{2},
          PureLocal{8},
          LdpSgdLocal{0.5},
          LdpSgdLocal{2},
          CoordinateLocal{CoordinateLocal::Norm::linf, 4},
          KRandomizedResponse{1, 2},
          KRandomizedResponse{2, 3},
          KRandomizedResponse{4, 100},
          LaplaceLocal{1.5},
          GaussianLocal{1.5},
          GaussianLocal{5}};
}

std::vector<Participation> participations() {
  using R = RandomCheckIn::Kind;
  return {Shuffle{clients(2)},
          Shuffle{clients(1000)},
          Shuffle{clients(100000000)},
          FixedSubset{clients(12), 11},
          FixedSubset{clients(60000), 1000},
          ShuffledCheckIn{clients(3), Rate::of(0.5)},
          ShuffledCheckIn{clients(1000), Rate::of(0.99)},
          ShuffledCheckIn{clients(60000), Rate::of(0.1)},
          ShuffledCheckIn{clients(1000000000), Rate::of(1e-4)},
          ShuffledCheckIn{clients(10000), Rate::of(0.2), Rate::of(0.1)},
          RandomCheckIn{R::fixed, clients(60000), 1000, Rate::of(0.5)},
          RandomCheckIn{R::sliding, clients(60000), 1000, Rate::of(1.0)},
          RandomCheckIn{R::averaged, clients(60000), 100, Rate::of(0.9)},
          AggregatedCheckIn{clients(60000), Rate::of(0.1), 100}};
}

const std::vector<double> kEpsilons = {0, 1e-4, 0.01, 0.1, 0.4, 1.5};

constexpr double kDeep = 1e-30;  // smaller deltas are not compared

struct Tally {
  int uppers = 0, comparisons = 0, uncovered = 0;
};

void compare(const Mechanism& mechanism, const Participation& participation, Tally& tally) {
  const Applicable list = applicable(mechanism, participation);
  SCOPED_TRACE(describe(mechanism) + "; " + name_of(participation) + ", " + describe(participation));
  EXPECT_TRUE(!list.uppers.empty() || !list.missing.empty()) << "neither a bound nor a missing theorem";
  tally.uncovered += list.uppers.empty();
  tally.uppers += static_cast<int>(list.uppers.size());
  for (const double epsilon : kEpsilons) {
    double largest_lower = 0, largest = 0;
    std::string largest_id;
    // The upper end of a pair's minorant bounds no curve and may be any value above the lower end.
    const auto sane = [&](double least, double upper, const std::string& id, double cap) {
      EXPECT_TRUE(least >= 0 && least <= upper && least <= 1 && upper <= cap)
          << id << " at " << epsilon << ": " << least << ", " << upper;
    };
    for (const RoundPair& pair : list.lowers) {
      for (const PairCurve& curve : {pair.forward, pair.reverse}) {
        const EnclosedMinorant delta = curve(epsilon);
        sane(delta.lower, delta.minorant_upper, pair.id, std::numeric_limits<double>::infinity());
        if (delta.lower > largest_lower) largest_lower = delta.lower, largest_id = pair.id;
      }
    }
    for (const RoundBound& bound : list.uppers) {
      const numerics::UpperAndEstimate delta = bound.delta(epsilon);
      sane(delta.estimate, delta.upper, bound.id, 1);
      if (bound.validity != Validity::proven || bound.neighbouring != Neighbouring::replace_one) continue;
      EXPECT_GE(delta.upper, largest_lower) << bound.id << " below " << largest_id << " at " << epsilon;
      largest = std::max(largest, delta.upper);
      ++tally.comparisons;
    }
    if (std::max(largest, largest_lower) < kDeep) break;
  }
}

TEST(BoundsOrder, ATrillionClients) {
  Tally tally;
  compare(PureLocal{2}, ShuffledCheckIn{clients(1000000000000), Rate::of(1e-6)}, tally);
  EXPECT_GT(tally.comparisons, 0);
}

TEST(BoundsOrder, EveryUpperDominatesEveryLower) {
  Tally tally;
  for (const Mechanism& mechanism : mechanisms()) {
    for (const Participation& participation : participations()) compare(mechanism, participation, tally);
  }
  std::cout << tally.uppers << " upper bounds, " << tally.comparisons << " comparisons, " << tally.uncovered
            << " pairs no theorem covers\n";
  EXPECT_GT(tally.comparisons, 500);
}

}  // namespace
}  // namespace muster::accounting
