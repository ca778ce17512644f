// Compares the values of theorem_value.h with sums over every combination of terms, with closed forms and
// with another discretisation.
#include "tests/reference/theorem_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/reference/local.h"
#include "tests/reference/loss_sum.h"
#include "tests/reference/theorem.h"

namespace muster::reference {
namespace {

using Kind = Randomizer::Kind;
using Shape = Experiment::Shape;

Experiment check_in(const Randomizer& randomizer, double clients, double rate) {
  return {
      .randomizer = randomizer, .shape = Shape::coins, .clients = clients, .coin = rate, .least_coin = rate};
}

Experiment part(const Randomizer& randomizer, double clients, double subset) {
  Experiment e{.randomizer = randomizer, .shape = Shape::subset, .clients = clients};
  e.subset = subset;
  return e;
}

SwapSum sum_of(const Experiment& e, const std::string& theorem) {
  return swap_sums_of(e, theorem).front().sum;
}

// Returns the sum over every combination of terms of up to
// nine clients, without the case that all of them report.
Interval enumerated(const Experiment& e, double epsilon) {
  Interval bound = swap_bound(e, epsilon).value();
  if (e.shape == Shape::coins) {
    const long double all = std::pow(static_cast<long double>(e.coin), static_cast<long double>(e.clients)) *
                            message_delta(e.randomizer, epsilon).above;
    bound.below -= all * (1 + 1e-12L);
    bound.above -= all * (1 - 1e-12L);
  }
  return bound;
}

TEST(TheoremValue, EveryCombinationOfTermsOfFewClients) {
  int compared = 0;
  for (const double epsilon0 : {0.5, 2.0, 12.0}) {
    const Randomizer pure{.epsilon0 = epsilon0};
    for (const Experiment& e :
         {check_in(pure, 3, 0.2), check_in(pure, 9, 0.6), part(pure, 5, 2), part(pure, 9, 8)}) {
      const SwapSum sum = sum_of(e, e.shape == Shape::coins ? "swap-profile" : "subset-swap");
      const Pair pair = swap_pair(sum, 1e-12);
      for (const double share : {0.05, 0.4, 0.8}) {
        const double epsilon = share * epsilon0;
        const Interval exact = enumerated(e, epsilon);
        const long double tiny = 1e-11L;
        EXPECT_LE(delta_of(pair, epsilon), exact.above + 1e-16L);
        EXPECT_GE(delta_of(pair, epsilon), exact.below * (1 - 1e-6L) - tiny) << epsilon0 << " " << share;
        // Repeated squaring on cells gives a lower bound, which is at most 1 % below the exact value.
        EXPECT_LE(swap_value(sum, epsilon, 1e-9L), exact.above + 1e-16L);
        EXPECT_GE(swap_value(sum, epsilon, 1e-9L), exact.below * 0.99L - tiny) << epsilon0 << " " << share;
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 36);
}

// Returns the profile f(ratio) of one message; ratios below 1 follow by symmetry.
long double message_delta_at(const Randomizer& r, long double ratio) {
  if (!(ratio > 0)) return 1;
  if (ratio < 1) return 1 - ratio + ratio * message_delta_at(r, 1 / ratio);
  return message_delta(r, static_cast<double>(std::log(ratio))).above;
}

// Returns the mean of (X* - c)_+ as docs/theory/profile-only.md states it.
long double excess(const Randomizer& r, double epsilon, long double c) {
  const auto e = std::exp(static_cast<long double>(epsilon));
  const auto profile = [&](long double ratio) { return message_delta_at(r, ratio); };
  return c >= 0 ? profile(e + c) : (1 - c) * profile(e / (1 - c));
}

// Returns the expected excess of the sum of two terms at the threshold k. The law
// of one term comes from second differences of its stop-loss transform on a grid.
// The result is an upper bound, because chords of a convex function lie above it.
long double two_terms(const Randomizer& r, double epsilon, long double k) {
  const auto e = std::exp(static_cast<long double>(epsilon));
  std::vector<long double> at, excesses;
  for (int i = -1200; i <= 1200; ++i) {
    at.push_back(e * std::sinh(static_cast<long double>(i) / 20) / 5);
    excesses.push_back(excess(r, epsilon, at.back()));
  }
  long double sum = excesses.back();  // the excess beyond the grid
  for (std::size_t i = 1; i + 1 < at.size(); ++i) {
    const long double right = (excesses[i + 1] - excesses[i]) / (at[i + 1] - at[i]);
    const long double left = (excesses[i] - excesses[i - 1]) / (at[i] - at[i - 1]);
    if (right > left) sum += (right - left) * excess(r, epsilon, k - at[i]);
  }
  return sum;
}

TEST(TheoremValue, OneAndTwoNormalTerms) {
  for (const double sigma : {0.3, 1.0, 3.0}) {
    const Randomizer normal{.kind = Kind::gaussian, .sigma = sigma};
    for (const double share : {0.1, 0.5, 1.0}) {
      const double mu = 2 / sigma, epsilon = share * (mu * mu / 2 + mu);
      const auto e = std::exp(static_cast<long double>(epsilon));
      // If one of four clients reports, the exact value is f(E + 3 (E - 1)) / 4, with E = e^epsilon.
      const SwapSum one = sum_of(part(normal, 4, 1), "subset-swap");
      const long double exact = message_delta_at(normal, e + 3 * (e - 1)) / 4;
      EXPECT_LE(swap_value(one, epsilon, 1e-12L), exact * (1 + 1e-12L));
      EXPECT_GE(swap_value(one, epsilon, 1e-12L), exact * 0.99L - 1e-12L) << sigma << " " << share;
      // Two of four clients report.
      const SwapSum two = sum_of(part(normal, 4, 2), "subset-swap");
      const long double above = two_terms(normal, epsilon, 2 * (e - 1)) / 4;
      EXPECT_LE(swap_value(two, epsilon, 1e-12L), above * (1 + 1e-9L));
      EXPECT_GE(swap_value(two, epsilon, 1e-12L), above * 0.99L - 1e-11L) << sigma << " " << share;
    }
  }
}

// A threshold A that is too small by one client gives more than the exact value, and is caught.
TEST(TheoremValue, AKnownBadThresholdIsCaught) {
  const Randomizer normal{.kind = Kind::gaussian, .sigma = 0.6};
  const double epsilon = 4;
  const auto e = std::exp(4.0L);
  SwapSum sum = sum_of(part(normal, 4, 2), "subset-swap");
  const long double above = two_terms(normal, epsilon, 2 * (e - 1)) / 4;
  EXPECT_LE(swap_value(sum, epsilon, 1e-12L), above);
  sum.threshold = Real(3.0);
  EXPECT_GT(swap_value(sum, epsilon, 1e-12L), above);
}

// Lines stay below the curve that they touch, to the left and to the right.
TEST(TheoremValue, LinesLieBelowTheCurve) {
  const SwapSum sum = sum_of(check_in({.kind = Kind::gaussian, .sigma = 0.7}, 40, 0.3), "swap-profile");
  for (const double epsilon : {0.2, 1.0, 3.0}) {
    const Line line = supporting_line(sum, epsilon, epsilon + 0.3, 1e-9L);
    for (const double at : {0.01, 0.1, 0.5, 1.0, 1.2, 3.0, 3.2}) {
      if (at > line.valid) continue;
      const long double here = line.p - std::exp(static_cast<long double>(at)) * line.q;
      EXPECT_LE(here, swap_value(sum, at, 1e-9L) * 1.003L) << epsilon << " at " << at;
    }
    EXPECT_GE(line.p - std::exp(static_cast<long double>(epsilon)) * line.q,
              swap_value(sum, epsilon, 1e-9L) * 0.97L);
  }
}

// The divergence of the pair made of lines is below that of the exact pair and close to it, also after
// several rounds.
TEST(TheoremValue, RoundsOfLinesAndOfThePair) {
  const SwapSum sum = sum_of(check_in({.epsilon0 = 4}, 9, 0.4), "swap-profile");
  const Pair exact = swap_pair(sum, 1e-12);
  for (const double rounds : {1.0, 3.0, 40.0}) {
    const double upper = 3 * std::sqrt(rounds);
    const Pair lines = dominated_pair({{sum, 0}}, rounds, upper, 1e-5, 60);
    for (const double share : {0.3, 0.6, 1.0}) {
      const long double below = composed_delta(lines, rounds, share * upper, 1e-9),
                        value = composed_delta(exact, rounds, share * upper, 1e-9);
      EXPECT_LE(below, value * 1.01L + 1e-9L) << rounds << " " << share;
      EXPECT_GE(below, value * 0.9L - 1e-9L) << rounds << " " << share;
    }
  }
}

// With a subset of one, several rounds are a mixture over the rounds in which the victim is drawn. The other
// clients hardly hide her message, because all losses are far above the logarithm of the number of clients.
TEST(TheoremValue, RoundsOfOneLargeMessage) {
  Experiment e = part({.kind = Kind::gaussian, .sigma = 0.05}, 2, 1);
  const double rounds = 3, mu = 40;
  const auto value = theorem_epsilon({e, rounds}, "subset-swap", 1e-5, 3000);
  ASSERT_TRUE(value.has_value());
  const double local = 3 * mu * mu / 2 + 6 * mu * std::sqrt(3.0);
  EXPECT_LT(*value, local);
  EXPECT_GT(*value, 0.97 * (3 * mu * mu / 2 + 3.7 * mu * std::sqrt(3.0)));
}

// The lower bounds for small losses (cells of different widths) and for large losses (a lattice) are below
// the closed forms and close to them.
TEST(TheoremValue, SumsOfLossesAgainstClosedForms) {
  for (const double rounds : {3.0, 50.0, 4000.0}) {
    const double epsilon0 = 0.1,
                 epsilon = std::min(0.9 * rounds * epsilon0, 3 * epsilon0 * std::sqrt(rounds));
    const Interval exact = response_delta(epsilon0, rounds, epsilon);
    Pair bit = message_of({.epsilon0 = epsilon0}, 0);
    const SummedLosses losses(bit, rounds, epsilon, static_cast<double>(exact.above));
    EXPECT_LE(losses.delta(epsilon), exact.above) << rounds;
    EXPECT_GE(losses.delta(epsilon), exact.below * 0.97L) << rounds;
    // A known-bad pair, whose Q-masses are too small by one per cent, is caught.
    for (Outcome& o : bit) o.q *= 0.99L;
    EXPECT_GT(SummedLosses(bit, rounds, epsilon, static_cast<double>(exact.above)).delta(epsilon),
              exact.above);
  }
  for (const double mu : {20.0, 90.0}) {
    for (const double rounds : {2.0, 1000.0}) {
      const Pair message = message_of({.kind = Kind::gaussian, .sigma = 2 / mu}, 8);
      const auto exact = [&](double epsilon) {
        return gaussian_delta(Real(mu) * sqrt(Real(rounds)), Real(epsilon)).above;
      };
      const double all = mu * std::sqrt(rounds), epsilon = all * all / 2 + 4 * all;
      EXPECT_LE(large_loss_delta(message, rounds, epsilon, 1e-5), exact(epsilon));
      EXPECT_GE(large_loss_delta(message, rounds, epsilon * 0.985, 1e-5), exact(epsilon) * 0.5L)
          << mu << " " << rounds;
    }
  }
}

// Counting the other clients of a slot lowers the epsilon, and changes almost nothing if there are hardly any
// other clients.
TEST(TheoremValue, CountedSlots) {
  Experiment e = check_in({.epsilon0 = 12}, 60, 0.3);
  e.shape = Shape::fixed_slots;
  e.slots = 5;
  const auto of = [&](const char* theorem) { return theorem_epsilon({e, 1}, theorem, 1e-5, 12).value(); };
  EXPECT_LT(of("slot-swap-counted"), of("slot-swap") - 0.1);
  EXPECT_GT(of("slot-swap-counted"), of("slot-swap") - std::log(1 + 60 * 0.3 / 5) - 0.5);
  e.slots = 6000;
  EXPECT_NEAR(of("slot-swap-counted"), of("slot-swap"), 0.05);
}

TEST(TheoremValue, OfNoOtherTheorem) {
  const Experiment e = check_in({.epsilon0 = 4}, 9, 0.4);
  EXPECT_FALSE(theorem_epsilon({e, 1}, "class-c", 1e-5, 3).has_value());
  EXPECT_FALSE(theorem_epsilon({e, 1}, "gaussian-blanket", 1e-5, 3).has_value());
}

}  // namespace
}  // namespace muster::reference
