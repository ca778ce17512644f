// Compares the reference with closed forms, and its methods with one another.
#include "tests/reference/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reference/counted_bits.h"
#include "tests/reference/enumeration.h"
#include "tests/reference/local.h"
#include "tests/reference/mean_law.h"
#include "tests/reference/noisy_sums.h"
#include "tests/reference/theorem.h"

namespace muster::reference {
namespace {

using Kind = Randomizer::Kind;
using Shape = Experiment::Shape;
using Seen = Experiment::Seen;

Experiment check_in(const Randomizer& randomizer, double clients, double rate) {
  return {
      .randomizer = randomizer, .shape = Shape::coins, .clients = clients, .coin = rate, .least_coin = rate};
}

double certified(const Experiment& e, double rounds, double epsilon, double aim) {
  return static_cast<double>(certified_delta({{e, rounds}}, epsilon, aim));
}

// Returns 1 - e^x without cancellation.
double one_less(double x) { return -std::expm1(x); }

TEST(Reference, OneMessageOfRandomizedResponse) {
  for (const double epsilon0 : {1e-9, 1e-3, 1.0, 20.0, 60.0}) {
    for (const double share : {0.0, 0.3, 0.999}) {
      const Experiment e{.randomizer = {.epsilon0 = epsilon0}, .clients = 1};
      const double epsilon = share * epsilon0,
                   exact = one_less(epsilon - epsilon0) / (1 + std::exp(-epsilon0));
      const double value = certified(e, 1, epsilon, exact);
      EXPECT_LE(value, exact * (1 + 1e-13));
      EXPECT_GE(value, exact * (1 - 1e-9)) << epsilon0 << " " << share;
    }
  }
}

TEST(Reference, RoundsOfANormalMessageAreOneOfMoreDeviations) {
  for (const double sigma : {0.5, 2.0, 40.0, 1e6}) {
    for (const double rounds : {2.0, 7.0, 1000.0}) {
      Experiment e{
          .randomizer = {.kind = Kind::gaussian, .sigma = sigma}, .seen = Seen::own_message, .clients = 5};
      const double mu = 2 / sigma * std::sqrt(rounds), epsilon = mu * 2 + mu * mu / 2;
      const long double exact = gaussian_delta(Real(mu), Real(epsilon)).below;
      EXPECT_NEAR(certified(e, rounds, epsilon, 1e-3) / static_cast<double>(exact), 1, 1e-12);
      // The value from cells and convolution is lower, by at most 12 %.
      Experiment coins = e;
      coins.shape = Shape::coins;
      coins.coin = 1 - 1e-9;
      const double value = certified(coins, rounds, epsilon, static_cast<double>(exact));
      EXPECT_LE(value, static_cast<double>(exact));
      EXPECT_GE(value, 0.88 * static_cast<double>(exact)) << sigma << " " << rounds;
    }
  }
}

// One of six clients reports in each round, so in two rounds the victim sends two messages with probability
// 1/36 and one with probability 10/36.
TEST(Reference, RoundsOfASubsetAreSeenByChance) {
  Experiment e{.randomizer = {.kind = Kind::gaussian, .sigma = 8}, .seen = Seen::own_message, .clients = 6};
  e.shape = Shape::subset;
  e.subset = 1;
  const auto normal = [](double rounds) {
    return static_cast<double>(gaussian_delta(Real(0.25 * std::sqrt(rounds)), Real(0.6)).above);
  };
  const double exact = normal(2) / 36 + normal(1) * 10 / 36;
  const double value = certified(e, 2, 0.6, exact);
  EXPECT_LE(value, exact);
  EXPECT_GE(value, 0.9 * exact);
}

TEST(Reference, RoundsOfResponsesBySummingAndByConvolution) {
  for (const double rounds : {1.0, 2.0, 3.0, 50.0, 4000.0}) {
    for (const double epsilon0 : {1e-4, 0.1, 2.0}) {
      const double epsilon = std::min(0.9 * rounds * epsilon0, epsilon0 * std::sqrt(rounds));
      const Interval exact = response_delta(epsilon0, rounds, epsilon);
      ASSERT_GT(exact.below, 0);
      EXPECT_LT(exact.above / exact.below - 1, 1e-9L);
      const Experiment e{.randomizer = {.epsilon0 = epsilon0}, .seen = Seen::own_message, .clients = 9};
      const double value = certified(e, rounds, epsilon, static_cast<double>(exact.above));
      EXPECT_LE(value, static_cast<double>(exact.above));
      EXPECT_GE(value, 0.9 * static_cast<double>(exact.below)) << rounds << " " << epsilon0;
    }
  }
}

// Far below the mean loss, where the probabilities of the first terms underflow, the enclosures
// must stay tight.
TEST(Reference, FarBelowTheMeanLoss) {
  const Interval sure = response_delta(9.15, 34036, 567);
  EXPECT_GT(sure.below, 0.999L);
  EXPECT_GE(sure.above, sure.below);
  Experiment sums = check_in({.kind = Kind::gaussian, .sigma = 3}, 900, 1 - 1e-15);
  sums.seen = Seen::sums;
  const Interval delta = sums_delta(sums, 0.001);
  EXPECT_GT(delta.below, 1e-3L);
  EXPECT_LT(delta.above / delta.below - 1, 1e-9L);
}

// Three extremes: exponentials beyond the range of a long double; likelihood ratios beyond that range, with
// an infinite upper bound on one mass; and a law of one outcome, whose cells could become arbitrarily narrow.
TEST(Reference, NumbersBeyondTheRangeOfTheirType) {
  EXPECT_TRUE(std::isinf(exp(Real(5.09e9)).above()));
  EXPECT_GT(exp(Real(5.09e9)).below(), 1e4000L);
  EXPECT_EQ(exp(Real(-5.09e9)).below(), 0);
  EXPECT_GE(exp(Real(-5.09e9)).above(), 0);
  // Two ratios are outside the range of normal long doubles, and one Q-mass has no finite upper bound.
  const Pair far{{0.5L, 0.5L}, {0.4L, 1e-4945L}, {1e-4940L, 0.1L}, {1e-9L, INFINITY}};
  EXPECT_NEAR(static_cast<double>(composed_delta(far, 3, 1, 1e-10)), 0.9 * 0.9 * 0.9 - 0.5 * 0.5 * 0.5, 1e-3);
  const Pair certain{{1 - 0x1p-60L, 1e-43L}};
  const long double loss = -std::log(1e-43L);
  for (const double rounds : {3.0, 1e6, 1e9}) {
    const auto total = static_cast<long double>(rounds) * loss;
    EXPECT_EQ(composed_delta(certain, rounds, static_cast<double>(total * (1 + 1e-9L)), 1e-10), 0) << rounds;
    EXPECT_GT(composed_delta(certain, rounds, static_cast<double>(total * (1 - 1e-9L)) - 1, 1e-10), 0.6)
        << rounds;
  }
}

// Two methods give the divergence of one data set: every multiset of messages is enumerated, or the law of
// the likelihood ratio is computed. The whole reference has more data sets, so its value is not smaller.
TEST(Reference, RoutesAgreeOnHomogeneousDataSets) {
  for (const double clients : {2.0, 5.0, 9.0}) {
    for (const double epsilon : {0.0, 0.4, 0.9}) {
      const Experiment e{.randomizer = {.epsilon0 = 1}, .clients = clients};
      const std::vector<Pair> pairs = enumerated_pairs(e);
      ASSERT_EQ(pairs.size(), 2 * clients);
      const long double exact = delta_of(pairs[0], epsilon), worst = certified_delta({{e, 1}}, epsilon, 1e-3);
      const Pair message = message_of(e.randomizer, 0);
      const MeanLaw law{clients, 1, 0, 1 / static_cast<long double>(clients)};
      const long double mean = delta_of(pair_of(message, law, 1e-12, false), epsilon);
      EXPECT_LE(mean, exact * (1 + 1e-12L));
      EXPECT_GE(mean, exact * 0.97L - 1e-12L);
      EXPECT_GE(worst, exact * (1 - 1e-12L));
    }
  }
  // If three clients all report, a mixed data set is worse than both homogeneous ones
  // (docs/theory/homogeneous.md).
  const Experiment three{.randomizer = {.epsilon0 = 1}, .clients = 3};
  const auto pairs = enumerated_pairs(three);
  EXPECT_NEAR(
      static_cast<double>(delta_of(pairs[2], 0) / std::max(delta_of(pairs[0], 0), delta_of(pairs[4], 0))),
      1.135, 1e-3);
}

TEST(Reference, StaysBelowTheSwapTheoremAndNear) {
  for (const double rate : {0.1, 0.5, 0.9}) {
    for (const double clients : {3.0, 8.0, 14.0}) {
      for (const double epsilon : {0.1, 0.5, 0.9}) {
        const Experiment e = check_in({.epsilon0 = 1}, clients, rate);
        const auto bound = swap_bound(e, epsilon);
        ASSERT_TRUE(bound.has_value());
        const double value = certified(e, 1, epsilon, static_cast<double>(bound->below));
        EXPECT_LE(value, bound->above) << rate << " " << clients << " " << epsilon;
        EXPECT_GE(value, 0.005L * bound->below);
      }
    }
  }
}

// The reference is below, and close to, figures of docs/theory that other programs computed.
TEST(Reference, KnownFigures) {
  struct Figure {
    Experiment experiment;
    double rounds, epsilon, delta, share;
  };
  const Randomizer two{.epsilon0 = 2}, noisy{.kind = Kind::gaussian, .sigma = 5};
  Experiment sums = check_in(noisy, 60000, 0.1);
  sums.seen = Seen::sums;
  const Figure figures[] = {{check_in(two, 60000, 0.1), 1, 0.009341, 1e-6, 0.97},
                            {check_in(two, 60000, 0.1), 6800, 0.9274, 1e-5, 0.9},
                            {check_in(noisy, 60000, 0.1), 1, 0.001368, 1e-6, 0.8},
                            {check_in(noisy, 60000, 0.1), 5540, 0.12581, 1e-5, 0.7},
                            {sums, 1, 0.0013055, 1e-6, 0.99}};
  for (const Figure& f : figures) {
    const double value = certified(f.experiment, f.rounds, f.epsilon, f.delta);
    EXPECT_LE(value, f.delta * 1.01) << f.epsilon;
    EXPECT_GE(value, f.delta * f.share) << f.epsilon;
  }
}

// A Q-mass that is too small by a relative 1e-9 is caught, because the divergence then exceeds the exact one.
TEST(Reference, AKnownBadPairIsCaught) {
  const Experiment e{.randomizer = {.epsilon0 = 1}, .clients = 1};
  const long double exact = message_delta(e.randomizer, 0.5).above;
  std::vector<Pair> pairs = enumerated_pairs(e);
  EXPECT_LE(delta_of(pairs[0], 0.5), exact);
  for (Outcome& o : pairs[0]) o.q *= 1 - 1e-9L;
  EXPECT_GT(delta_of(pairs[0], 0.5), exact);
}

}  // namespace
}  // namespace muster::reference
