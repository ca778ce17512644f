// Asks extreme questions, for which rounding, overflow or a table that is too coarse could give a number
// far below the truth, or even 0. The values that the answers must not be below are computed independently:
// by tools/golden/extremes.py from what one guess of the adversary achieves (every floor that has a label),
// by a closed form, or by enumeration.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/accountant.h"

namespace muster::accounting {
namespace {

using Kind = RandomCheckIn::Kind;

ClientCount clients(std::uint64_t n) { return ClientCount::of(n); }
ShuffledCheckIn check_in(std::uint64_t n, double rate) { return {clients(n), Rate::of(rate)}; }

Statement epsilon_of(const Mechanism& mechanism, const Participation& participation, std::uint64_t rounds,
                     double delta) {
  return Accountant(mechanism, participation).account(rounds, {Question::Kind::epsilon_at_delta, delta});
}
Statement delta_of(const Mechanism& mechanism, const Participation& participation, std::uint64_t rounds,
                   double epsilon) {
  return Accountant(mechanism, participation).account(rounds, {Question::Kind::delta_at_epsilon, epsilon});
}

// Checks that the answer is not below the truth and not above the local guarantee.
void expect_at_least(const Statement& s, double truth, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_TRUE(s.best.upper && s.local_upper);
  EXPECT_EQ(s.best.validity, Validity::proven);
  EXPECT_GE(*s.best.upper, truth);
  EXPECT_LE(*s.best.upper, *s.local_upper * (1 + 1e-12));
  EXPECT_LE(s.best.lower.value_or(0), *s.best.upper);
}

// With losses of a hundred and more in few rounds, the composed delta, as a function of epsilon, is flat and
// then falls steeply. accountant_corners_test.cc asks about more rounds and other sizes.
TEST(Extremes, FlatCurvesAreComposed) {
  expect_at_least(epsilon_of(GaussianLocal{0.15}, check_in(1'000, 0.1), 2, 1e-5), 214.48, "two check-ins");
  expect_at_least(epsilon_of(LdpSgdLocal{25},
                             RandomCheckIn{Kind::averaged, clients(1'000), 100, Rate::of(0.01)}, 3, 1e-5),
                  36.14, "averaged slots");
  expect_at_least(epsilon_of(PureLocal{22}, Shuffle{clients(10)}, 2, 1e-5), 39.39, "ten of 22");
  expect_at_least(epsilon_of(GaussianLocal{0.05}, AggregatedCheckIn{clients(10), Rate::of(0.1)}, 3, 1e-5),
                  2383.22, "a sum of ten");
  expect_at_least(epsilon_of(LdpSgdLocal{30}, AggregatedCheckIn{clients(100), Rate::of(0.5)}, 10, 1e-5),
                  253.93, "a sum of one hundred");
  expect_at_least(delta_of(GaussianLocal{0.002}, AggregatedCheckIn{clients(10'000), Rate::of(0.5)}, 2, 156.7),
                  0.1058, "small noise a client, normal noise in the sum");
  expect_at_least(delta_of(GaussianLocal{0.15}, FixedSubset{clients(1'000), 100}, 2, 130.68), 2.63e-3,
                  "a subset");
  expect_at_least(
      delta_of(GaussianLocal{0.1}, RandomCheckIn{Kind::fixed, clients(1'000), 10, Rate::of(0.5)}, 2, 253.9),
      2.703e-5, "fixed slots");
  expect_at_least(epsilon_of(GaussianLocal{0.15},
                             ShuffledCheckIn{clients(1'000), Rate::of(0.1), Rate::of(0.05)}, 2, 1e-5),
                  215.86, "unequal rates");
  // Only the upper value is computed, because the lower one takes seconds.
  const std::optional<double> laplace =
      Accountant(LaplaceLocal{32.72}, Shuffle{clients(5)}).upper(2, {Question::Kind::epsilon_at_delta, 0.1});
  EXPECT_GE(laplace.value(), 61.81) << "two of Laplace";
  // Ten rounds of epsilon0 = 20 cost at most 200. The privacy blanket's table must be fine enough to show
  // this.
  const Statement twenty = epsilon_of(PureLocal{20}, Shuffle{clients(1'000)}, 10, 1e-5);
  for (const Bound& bound : twenty.all) {
    if (bound.id == "privacy-blanket") {
      ASSERT_TRUE(bound.upper);
      EXPECT_LE(*bound.upper, 201);
    }
  }
}

// Asks for the epsilon at a delta, and then for the delta at this epsilon, which must be at most the first
// delta. This holds only if both answers come from the same table, because a table made for a larger delta
// gives a looser bound.
TEST(Extremes, EpsilonAndDeltaLeadBackAtSmallDeltas) {
  for (const double delta : {1e-5, 1e-15, 1.809380310985051e-28}) {
    const Statement s = epsilon_of(PureLocal{40}, check_in(100, 0.3), 3, delta);
    ASSERT_TRUE(s.best.upper);
    const Statement back = delta_of(PureLocal{40}, check_in(100, 0.3), 3, *s.best.upper);
    ASSERT_TRUE(back.best.upper);
    EXPECT_LE(*back.best.upper, delta * (1 + 1e-6));
  }
}

// Losses may be far below 1e-20, where tables and searches must still find their scale. The standard
// deviation of the losses of all rounds is about sqrt(rounds m)/n epsilon0 for m of n reports.
TEST(Extremes, LossesFarBelowOneHaveTheirOwnScale) {
  const FixedSubset subset{clients(142'152'162'398), 312'691'229};
  for (const double epsilon0 : {1e-12, 1.858e-72, 1e-100}) {
    const KRandomizedResponse mechanism(epsilon0, 2);
    const double scale = std::sqrt(11'830.0 * 312'691'229.0) / 142'152'162'398.0 * epsilon0;
    const Statement s = epsilon_of(mechanism, subset, 11'830, 1e-9 * scale);
    ASSERT_TRUE(s.best.upper && s.best.lower);
    EXPECT_GT(*s.best.upper, 0);
    EXPECT_LE(*s.best.upper, 10 * scale);
    const Statement back = delta_of(mechanism, subset, 11'830, *s.best.upper);
    ASSERT_TRUE(back.best.upper);
    EXPECT_LE(*back.best.upper, 1e-9 * scale * (1 + 1e-6));
  }
}

// With one client the exact answer is optimal composition, averaged over the number of participations. The
// code in theorems/local computes it independently. The upper and the lower value must both be near this
// answer.
TEST(Extremes, OneClientIsItsOwnCrowd) {
  for (const double sigma : {0.03, 0.1, 0.15}) {
    for (const double rate : {0.1, 0.5}) {
      for (const std::uint64_t rounds : {1, 2, 5}) {
        const Statement s = epsilon_of(GaussianLocal{sigma}, check_in(1, rate), rounds, 3e-6);
        SCOPED_TRACE(::testing::Message() << sigma << ' ' << rate << ' ' << rounds);
        ASSERT_TRUE(s.best.upper && s.best.lower && s.local_upper);
        EXPECT_LE(*s.best.lower, *s.local_upper);
        EXPECT_GE(*s.best.lower, 0.98 * *s.local_upper);
        EXPECT_LE(*s.best.upper, *s.local_upper);
        EXPECT_GE(*s.best.upper, 0.9999 * *s.local_upper);
      }
    }
  }
}

// Where e^epsilon is beyond the range of a double, the answer must not become 0.
TEST(Extremes, LossesPastTheRangeOfDoubles) {
  // With one client, delta is the Gaussian's own divergence.
  expect_at_least(delta_of(GaussianLocal{0.05}, Shuffle{clients(1)}, 1, 710), 0.98693, "one client");
  expect_at_least(
      epsilon_of(GaussianLocal{0.03}, RandomCheckIn{Kind::sliding, clients(5), 53, Rate::of(1)}, 1, 1e-6),
      2534.18, "a sliding window");
  expect_at_least(delta_of(GaussianLocal{0.02}, FixedSubset{clients(5), 3}, 1, 1), 0.59999, "three of five");
  const Statement s = epsilon_of(GaussianLocal{0.03}, check_in(1'000, 0.1), 1, 1e-5);
  expect_at_least(s, 2462.275, "a check-in");
  // The bound exceeds what the guess achieves by less than one.
  EXPECT_LE(*s.best.upper, 2463.27);
  expect_at_least(epsilon_of(GaussianLocal{std::ldexp(1.0, -12)}, check_in(1'000, 0.1), 7, 1e-5), 1.67e8,
                  "seven rounds at 2^-12");
  expect_at_least(epsilon_of(PureLocal{700}, check_in(1'000, 0.1), 3, 1e-5), 2079.26, "epsilon0 = 700");
  expect_at_least(epsilon_of(PureLocal{1e6}, check_in(1'000, 0.1), 3, 1e-5), 2999979.2, "epsilon0 = 10^6");
}

// With heavy noise, rounding e^epsilon to a double would change epsilon noticeably.
TEST(Extremes, TinyEpsilonsAreNotRounded) {
  // At mu = 2e-8 the Gaussian's delta at epsilon = 8e-8 is mu (phi(4) - 4 Phi(-4)) to eight digits. For mu
  // this small, the ratio delta / mu depends on epsilon / mu alone to this accuracy.
  const double unit =
      std::exp(-8.0) / std::sqrt(2 * std::acos(-1.0)) - 4 * 0.5 * std::erfc(4 / std::sqrt(2.0));
  for (const double sigma : {1e8, 1e9}) {
    const Statement s = delta_of(GaussianLocal{sigma}, Shuffle{clients(1)}, 1, 8 / sigma);
    const double truth = 2 / sigma * unit;
    SCOPED_TRACE(sigma);
    EXPECT_NEAR(*s.best.upper, truth, 1e-7 * truth);
    EXPECT_LE(*s.best.lower, *s.best.upper);
  }
  const Statement deep = epsilon_of(GaussianLocal{1e4}, Shuffle{clients(1)}, 1, 1e-203);
  expect_at_least(deep, 0.0060078835767, "much noise");
}

// For small epsilon0, a difference of two exponentials near 1 loses all its digits. If it is computed from
// the difference of their logarithms, it keeps its digits.
TEST(Extremes, LowerValuesOfSmallEpsilonsStayBelow) {
  // With one client, delta is (e^epsilon0 - e^epsilon) / (1 + e^epsilon0).
  for (const double epsilon0 : {1e-9, 1e-6, 1e-3, 1.0}) {
    for (const double share : {0.0, 0.5, 0.999, 0.999999}) {
      const double epsilon = share * epsilon0;
      const Statement s = delta_of(PureLocal{epsilon0}, Shuffle{clients(1)}, 1, epsilon);
      const long double e0 = epsilon0, e = epsilon;
      const long double truth = std::exp(e) * std::expm1(e0 - e) / (1 + std::exp(e0));
      SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << epsilon);
      EXPECT_GE(*s.best.upper, truth * (1 - 1e-18L));
      EXPECT_LE(*s.best.lower, truth * (1 + 1e-18L));
      EXPECT_GE(*s.best.lower, truth * (1 - 1e-6L));
    }
  }
  // With one client at rate 1, the sum is the client's message.
  const Statement s = epsilon_of(GaussianLocal{0.5}, AggregatedCheckIn{clients(1), Rate::of(1)}, 1, 1e-5);
  expect_at_least(s, 24.38161088, "a sum of one");
  EXPECT_LE(*s.best.lower, 24.38161088);
  // For a fixed subset of k of n clients, where all others hold the victim's alternative, the truth is (1/n)
  // times the mean of ( sum_{i<=k} (r_i - 1) - n (E - 1) )_+ by the formula of the swap theorem. Here
  // E = e^epsilon, and the r_i are independent: e^epsilon0 with probability q, and e^-epsilon0 otherwise.
  for (const double epsilon0 : {1e-8, 1e-5, 1e-2, 1.0}) {
    for (const int k : {1, 3, 6}) {
      const int n = 7;
      for (const double share : {0.01, 0.1, 0.13}) {
        const long double e0 = epsilon0, e = share * epsilon0, q = 1 / (1 + std::exp(e0));
        long double truth = 0, chance = 1;
        for (int i = 0; i < k; ++i) chance *= q;
        for (int high = k; high >= 0; --high) {  // C(k, high) q^high p^(k-high)
          const long double sum = high * std::expm1(e0) + (k - high) * std::expm1(-e0) - n * std::expm1(e);
          truth += chance * std::max(0.0L, sum) / n;
          chance *= std::exp(e0) * high / static_cast<long double>(k - high + 1);
        }
        const Statement of_subset =
            delta_of(PureLocal{epsilon0}, FixedSubset{clients(n), static_cast<std::uint64_t>(k)}, 1,
                     static_cast<double>(e));
        SCOPED_TRACE(::testing::Message() << epsilon0 << ' ' << k << ' ' << share);
        EXPECT_GE(*of_subset.best.upper, truth * (1 - 1e-17L));
      }
    }
  }
}

// An answer is 0 only where the truth is 0, despite all rounding.
TEST(Extremes, ZeroOnlyWhereNothingIsLeft) {
  EXPECT_EQ(*epsilon_of(GaussianLocal{1}, check_in(100, 0.1), 0, 1e-5).best.upper, 0);
  EXPECT_GT(*epsilon_of(GaussianLocal{1e6}, check_in(1'000'000'000'000, 1e-12), 1, 1e-300).best.upper, 0);
  EXPECT_GT(*epsilon_of(PureLocal{1e-9}, Shuffle{clients(1)}, 1, 1e-12).best.upper, 0);
  EXPECT_EQ(*epsilon_of(PureLocal{1e-9}, Shuffle{clients(1)}, 1, 1e-9).best.upper,
            0);  // the given delta is above the total variation
  EXPECT_EQ(*delta_of(PureLocal{1}, Shuffle{clients(1)}, 1, 1).best.upper, 0);
  EXPECT_GT(*delta_of(GaussianLocal{1}, Shuffle{clients(1)}, 1, 1e6).best.upper, 0);
}

// The integrals of these rounds take too much work on the table's own lattice or lose all digits there. The
// gate confirms an epsilon by the bound's delta at this epsilon or slightly above it (gate.h). On a lattice
// chosen for that one point, the delta would be far too large, although the epsilon is right, and the
// accountant would refuse to answer.
TEST(Extremes, AnswersWhoseDeltaIsHardToConfirm) {
  // The total variation of three rounds is at most 1 - (1 - .4925)^3 = 0.8693.
  EXPECT_EQ(*epsilon_of(LaplaceLocal{528.891559519704},
                        FixedSubset{clients(1'000'000'000'000), 492'473'904'588}, 3, 0.99)
                 .best.upper,
            0);
  const Statement small =
      epsilon_of(LaplaceLocal{1e-9}, Shuffle{clients(1'000'000'000'000)}, 1'000'000, 1e-30);
  expect_at_least(small, 8.509e-12, "losses of the size of rounding errors");
  const Statement heavy =
      epsilon_of(GaussianLocal{574.9635778401002}, Shuffle{clients(1'000'000'000'000)}, 1'000, 1e-30);
  expect_at_least(heavy, 1.0727e-6, "rare large losses");
}

// With noise this small, a message reveals its record, so delta is at least the probability that the victim
// sends one. Epsilon is at least about mu^2/2, which may be above every double. In a sum, the noise of up to
// 1,000 clients adds up. At a slot, the server asks one client of those there. In a fixed window, the victim
// meets Bin(999, .05) others at her slot, and in a sliding window at most Bin(9, .05). With n - 1 of them,
// she is asked with probability (1 - .95^n) / (.05 n) if she checks in.
TEST(Extremes, NoiseThatHidesNothing) {
  struct Case {
    Participation participation;
    double heard;       // probability that the victim sends a message in one round
    double noises = 1;  // the largest number of messages whose noise adds up
  };
  const auto asked = [](double n) { return -0.5 * std::expm1(n * std::log(0.95)) / (0.05 * n); };
  const std::vector<Case> cases = {
      {Shuffle{clients(1'000)}, 1},
      {FixedSubset{clients(1'000), 100}, 0.1},
      {check_in(1'000, 0.1), 0.1},
      {RandomCheckIn{Kind::fixed, clients(1'000), 10, Rate::of(0.5)}, asked(1'000)},
      {RandomCheckIn{Kind::averaged, clients(1'000), 10, Rate::of(0.5)}, 0.5},
      {RandomCheckIn{Kind::sliding, clients(1'000), 10, Rate::of(0.5)}, asked(10)},
      {AggregatedCheckIn{clients(1'000), Rate::of(0.1)}, 0.1, 1'000}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [participation, heard, noises] = cases[i];
    for (const auto& [sigma, rounds] : {std::pair{1e-300, 1}, {1e-200, 3}, {1e-14, 1}, {1e-9, 3}}) {
      SCOPED_TRACE(::testing::Message() << "case " << i << ", sigma " << sigma);
      const auto times = static_cast<std::uint64_t>(rounds);
      const Statement delta = delta_of(GaussianLocal{sigma}, participation, times, 1);
      ASSERT_TRUE(delta.best.upper);
      EXPECT_GE(*delta.best.upper, -std::expm1(rounds * std::log1p(-heard)) * (1 - 1e-9));
      EXPECT_LE(*delta.best.upper, 1);
      const Statement epsilon = epsilon_of(GaussianLocal{sigma}, participation, times, 1e-5);
      const double loss = 2 / sigma / sigma / noises;  // mu^2/2 with mu = 2 / (sigma sqrt(noises))
      EXPECT_EQ(epsilon.best.upper.has_value(), std::isfinite(loss));
      EXPECT_GE(epsilon.best.upper.value_or(loss), loss * (1 - 1e-6));
    }
  }
}

}  // namespace
}  // namespace muster::accounting
