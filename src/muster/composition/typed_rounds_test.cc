// Compares the recursion over adaptive choices of types with a search over all strategies, and the
// composition of blocks with one recursion over all rounds.
#include "muster/composition/typed_rounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "muster/composition/adaptive_rounds.h"
#include "tests/oracle/ball.h"

namespace muster::accounting {
namespace {

// Adds the losses a > 0 and -b < 0, in units of the spacing, with a total mass of `weight` under P and under
// Q.
void add_pair(RoundType& type, double spacing, std::int64_t a, std::int64_t b, double weight) {
  const double down = -std::expm1(-spacing * static_cast<double>(a)),
               up = std::expm1(spacing * static_cast<double>(b));
  type.losses.insert(type.losses.end(), {-b, a});
  type.masses.insert(type.masses.end(), {weight * down / (down + up), weight * up / (down + up)});
}

RoundType sorted(const RoundType& type) {
  std::vector<std::size_t> order(type.losses.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return type.losses[i]; });
  RoundType result = type;
  for (std::size_t i = 0; i < order.size(); ++i) {
    result.losses[i] = type.losses[order[i]];
    result.masses[i] = type.masses[order[i]];
  }
  return result;
}

// The type with P and Q exchanged.
RoundType exchanged(const RoundType& type, double spacing) {
  RoundType result;
  for (std::size_t i = type.losses.size(); i-- > 0;) {
    result.losses.push_back(-type.losses[i]);
    result.masses.push_back(type.masses[i] * std::exp(-spacing * static_cast<double>(type.losses[i])));
  }
  return result;
}

RoundTypes random_types(std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(0, 1);
  RoundTypes types;
  types.spacing = 0.05 + 0.2 * uniform(engine);
  for (int i = 0; i < 2; ++i) {
    RoundType type;
    double left = 1;
    for (int pair = 0; pair < 2; ++pair) {
      const double weight = left * (0.1 + 0.7 * uniform(engine));
      left -= weight;
      // In one pair of losses, the positive loss is drawn from a range of larger numbers; in the other pair,
      // the negative loss.
      const auto small = static_cast<std::int64_t>(1 + 2 * uniform(engine));
      const auto large = static_cast<std::int64_t>(2 + 5 * uniform(engine));
      add_pair(type, types.spacing, pair == i ? large : small, pair == i ? small : large, weight);
    }
    type.losses.push_back(0);
    type.masses.push_back(left);
    types.types.push_back(sorted(type));
    types.types.push_back(exchanged(types.types.back(), types.spacing));
  }
  return types;
}

// The largest divergence over all strategies. A strategy chooses the type of each round from the history of
// all earlier rounds. p and q are the probabilities of the history so far under the two data sets.
double every_strategy(const RoundTypes& types, double p, double q, int rounds, double alpha) {
  if (rounds == 0) return std::fmax(0.0, p - alpha * q);
  double best = 0;
  for (const RoundType& type : types.types) {
    double sum = p * type.infinity;
    for (std::size_t a = 0; a < type.losses.size(); ++a) {
      const double next = p * type.masses[a];
      const double other =
          q * type.masses[a] * std::exp(-types.spacing * static_cast<double>(type.losses[a]));
      sum += every_strategy(types, next, other, rounds - 1, alpha);
    }
    best = std::fmax(best, sum);
  }
  return best;
}

// The largest divergence if the same type is used in all rounds.
double fixed_type(const RoundTypes& types, int rounds, double alpha) {
  double best = 0;
  for (const RoundType& type : types.types) {
    RoundTypes alone = types;
    alone.types = {type};
    best = std::fmax(best, every_strategy(alone, 1, 1, rounds, alpha));
  }
  return best;
}

// For up to three rounds, the recursion gives the divergence of the best of all strategies, and this is
// often larger than that of any fixed type.
TEST(AdaptiveRounds, EqualsEveryStrategyTriedOut) {
  std::mt19937_64 engine(4);
  int cases = 0, above_fixed = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const RoundTypes types = random_types(engine);
    const AdaptiveRounds rounds(types, 60);
    for (const int count : {1, 2, 3}) {
      const std::vector<double> values = rounds.after(static_cast<std::uint64_t>(count));
      for (const std::size_t index : {0u, 1u, 3u, 6u}) {
        const double alpha = std::exp(types.spacing * static_cast<double>(index));
        const double truth = every_strategy(types, 1, 1, count, alpha);
        EXPECT_GE(values[index], truth * (1 - 1e-15) - 1e-16) << trial << ' ' << count << ' ' << index;
        EXPECT_LE(values[index], truth * (1 + 1e-11) + 1e-14) << trial << ' ' << count << ' ' << index;
        above_fixed += truth > fixed_type(types, count, alpha) * (1 + 1e-6);
        ++cases;
      }
      // Between lattice points the chord lies above the truth, which is convex.
      const double epsilon = 1.37 * types.spacing;
      EXPECT_GE(AdaptiveRounds::between(values, types.spacing, epsilon),
                every_strategy(types, 1, 1, count, std::exp(epsilon)) * (1 - 1e-14));
    }
  }
  std::printf("%d values, each that of the best strategy; %d of them above every fixed type's\n", cases,
              above_fixed);
  EXPECT_GT(above_fixed, 10);
}

// Far from 0, rounding errors of epsilon are a larger fraction of the spacing: at 90,000 spacings, about
// 2e-11. The values fall by a factor of 1000 in one cell, so that an error in the weights of its chord shows.
TEST(AdaptiveRounds, TheChordIsNotBelowTheLatticeFarFromZero) {
  const double spacing = 0.001;
  std::vector<double> values(100'001, 1.0);
  const std::size_t left = 90'000;
  for (std::size_t i = left + 1; i < values.size(); ++i) values[i] = 1e-3;
  for (double inside = 0.01; inside < 1; inside += 0.01) {
    const double epsilon = spacing * (static_cast<double>(left) + inside);
    const oracle::Ball share =
        expm1(oracle::Ball(epsilon) - oracle::Ball(spacing) * oracle::Ball(static_cast<double>(left))) /
        expm1(oracle::Ball(spacing));
    const oracle::Ball chord = oracle::Ball(1.0) - share * (oracle::Ball(1.0) - oracle::Ball(1e-3));
    const double found = AdaptiveRounds::between(values, spacing, epsilon);
    EXPECT_FALSE(chord.surely_above(oracle::Ball(found))) << inside;
    EXPECT_FALSE(oracle::Ball(found).surely_above(chord + oracle::Ball(1e-10))) << inside;
  }
}

// Tests epsilons just below a lattice point, whose quotient by the spacing is rounded to the point's
// index. The values fall by 18 orders of magnitude over the cell left of the point, so the value at
// the point is far below the chord.
TEST(AdaptiveRounds, AQuotientRoundedUpToALatticePointDoesNotPassIt) {
  const double spacing = 0.1;
  int tested = 0;
  for (std::size_t point = 1; point < 400; ++point) {
    const double epsilon = spacing * static_cast<double>(point);
    // The exact distance of the lattice point from epsilon.
    const double distance = std::fma(spacing, static_cast<double>(point), -epsilon);
    if (!(distance > 0) || epsilon / spacing != static_cast<double>(point)) continue;
    ++tested;
    for (const std::size_t beyond : {0, 3}) {
      std::vector<double> values(point, 1e-2);
      values.resize(point + 1 + beyond, 1e-20);
      // The chord falls with epsilon, and near its right end by at least 1e-2 for each unit of epsilon.
      const double chord = 1e-20 + 1e-2 * distance;
      const double found = AdaptiveRounds::between(values, spacing, epsilon);
      EXPECT_GE(found, chord) << point;
      EXPECT_LE(found, 1e-13) << point;
    }
  }
  EXPECT_GT(tested, 20);
}

// The values of V never rise with epsilon, never fall with the number of rounds, are at most 1, and
// include the mass at infinite loss.
TEST(AdaptiveRounds, OrderRangeAndInfinity) {
  std::mt19937_64 engine(12);
  RoundTypes types = random_types(engine);
  const AdaptiveRounds wide(types, 4000), narrow(types, 300);
  std::vector<double> before(4001, 0.0);
  for (const std::uint64_t count :
       // The numbers of rounds are out of order, so that for 33 and 6 rounds the recursion restarts from a
       // V that AdaptiveRounds has kept.
       {1ull, 5ull, 40ull, 33ull, 70ull, 6ull}) {
    const std::vector<double> values = wide.after(count), short_of = narrow.after(count);
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      ASSERT_GE(values[i], values[i + 1]);
      ASSERT_LE(values[i], 1);
    }
    // Right of the last lattice point, V is taken as its value at the last point, so V is not smaller if it
    // is stored at fewer points.
    for (std::size_t i = 0; i < 300; ++i) ASSERT_GE(short_of[i], values[i] * (1 - 1e-12));
    EXPECT_EQ(AdaptiveRounds::between(values, types.spacing, 1e9), values.back());
  }
  for (std::uint64_t count = 1; count < 60; ++count) {
    const std::vector<double> values = wide.after(count);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_GE(values[i], before[i] * (1 - 1e-13)) << count << ' ' << i;
    before = values;
  }
  types.types[0].infinity = 1e-3;
  const AdaptiveRounds infinite(types, 4000);
  EXPECT_GE(infinite.after(20).back(), 1 - std::pow(1 - 1e-3, 20) - 1e-12);
}

// The result is not smaller if some types are computed only at every second point.
TEST(AdaptiveRounds, ATypeThatIsRarelyWorstIsNeverMissed) {
  std::mt19937_64 engine(21);
  for (int trial = 0; trial < 5; ++trial) {
    RoundTypes types = random_types(engine);
    const AdaptiveRounds all(types, 2000);
    types.types[1].rarely_worst = types.types[2].rarely_worst = true;
    const AdaptiveRounds some(types, 2000);
    const std::vector<double> exact = all.after(80), above = some.after(80);
    for (std::size_t i = 0; i < 400; ++i) ASSERT_GE(above[i], exact[i] * (1 - 1e-12));
  }
}

// For many rounds the bound is composed from blocks. It is at least the bound of one recursion over all
// rounds, and does not decrease with the number of rounds.
TEST(TypedRounds, BlocksAreAboveTheRecursionAndNearIt) {
  RoundTypes types;
  types.spacing = 2e-3;
  RoundType skew;
  add_pair(skew, types.spacing, 14, 8, 0.6);
  add_pair(skew, types.spacing, 4, 4, 0.3);
  skew.losses.push_back(0);
  skew.masses.push_back(0.1);
  types.types = {sorted(skew)};
  types.types.push_back(exchanged(types.types[0], types.spacing));
  const TypedRounds rounds([&](double, bool) { return std::optional(types); });
  const AdaptiveRounds all(types, 12'000);
  const Question question{Question::Kind::epsilon_at_delta, 1e-6};
  double before = 0;
  for (const std::uint64_t count : {1ull, 2ull, 16ull, 17ull, 300ull, 1023ull, 1024ull, 1025ull, 2047ull,
                                    2048ull, 2049ull, 5000ull, 1'000'000ull}) {
    const double epsilon = rounds.upper(count, question);
    ASSERT_TRUE(std::isfinite(epsilon)) << count;
    EXPECT_GE(epsilon, before * (1 - 1e-6)) << count;
    EXPECT_LE(rounds.estimate(count, question, epsilon), epsilon * (1 + 1e-9));
    EXPECT_LE(rounds.delta_at(count, 1e-6, epsilon), 1e-6 * (1 + 1e-9));
    const double back = rounds.upper(count, {Question::Kind::delta_at_epsilon, epsilon});
    EXPECT_LE(back, 1e-6 * (1 + 1e-3));
    EXPECT_GE(back, 1e-6 * 0.9);
    if (count <= 5000) {
      const double truth = AdaptiveRounds::between(all.after(count), types.spacing, epsilon);
      EXPECT_LE(truth, 1e-6 * (1 + 1e-9)) << count;
      EXPECT_GE(truth, count <= 1024 ? 1e-6 * (1 - 1e-3) : 0.85e-6) << count;
    }
    before = epsilon;
  }
}

// Without types, or without a table with a tail small enough, the answer is an infinite epsilon
// or a delta of 1.
TEST(TypedRounds, SaysNothingWhereThereIsNothing) {
  const TypedRounds none([](double, bool) { return std::optional<RoundTypes>(); });
  EXPECT_TRUE(std::isinf(none.upper(10, {Question::Kind::epsilon_at_delta, 1e-6})));
  EXPECT_EQ(none.upper(10, {Question::Kind::delta_at_epsilon, 1}), 1);
  EXPECT_EQ(none.delta_at(10, 1e-6, 1), 1);
  EXPECT_TRUE(none.charges(10, 1e-6).empty());
  std::mt19937_64 engine(2);
  const RoundTypes types = random_types(engine);
  const TypedRounds rounds([&](double, bool) { return std::optional(types); });
  EXPECT_TRUE(std::isinf(
      // No table has a tail as small as this delta needs.
      rounds.upper(10, {Question::Kind::epsilon_at_delta, 1e-200})));
  EXPECT_EQ(rounds.upper(10, {Question::Kind::delta_at_epsilon, 1e9}) < 1e-10, true);
}

}  // namespace
}  // namespace muster::accounting
