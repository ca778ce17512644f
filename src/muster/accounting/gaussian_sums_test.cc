// Checks what many rounds of a noisy sum cost if they are charged by types. The cost must lie between the
// lower value of one pair of data sets and the upper value of one dominating pair, grow with the number of
// rounds, and be the same from every accountant.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/accounting/running_accountant.h"
#include "muster/theorems/applicable.h"

namespace muster::accounting {
namespace {

constexpr const char* kTypes = "aggregated-gaussian-types";
constexpr const char* kOnePair = "aggregated-gaussian";

AggregatedCheckIn check_in(std::uint64_t clients, double rate, std::uint64_t minimum = 1) {
  return {ClientCount::of(clients), Rate::of(rate), minimum};
}

Question epsilon_at(double delta) { return {Question::Kind::epsilon_at_delta, delta}; }

std::optional<double> upper_of(const Statement& statement, const std::string& id) {
  for (const Bound& bound : statement.all) {
    if (bound.id == id) return bound.upper;
  }
  return std::nullopt;
}

// What one pair of data sets costs is a lower bound, and what one pair that dominates both orders costs is
// an upper bound. tools/golden/aggregated.py computes both costs, and here the first is rounded up and the
// second down. The accountant's lower value must be below the first by at most one part in 10,000, and its
// bound by the dominating pair above the second by at most as much. Charging by types must come within 1 % of
// the lower value.
TEST(GaussianSums, AThousandRoundsWithinOnePerCent) {
  constexpr double kDataSet = 0.7209161, kPair = 0.8271428;
  const Accountant accountant(GaussianLocal{0.004}, check_in(100'000'000, 0.01));
  const Statement s = accountant.account(1000, epsilon_at(1e-6));
  std::printf("lower %.5f, types %.5f, one pair %.5f\n", *s.best.lower, *upper_of(s, kTypes),
              *upper_of(s, kOnePair));
  EXPECT_EQ(s.best.id, kTypes);
  EXPECT_LE(*s.best.lower, kDataSet);
  EXPECT_GE(*s.best.lower, kDataSet * (1 - 1e-4));
  EXPECT_LE(*s.best.upper, 1.01 * *s.best.lower);
  EXPECT_GE(*s.best.upper, *s.best.lower);
  EXPECT_GE(*upper_of(s, kOnePair), kPair);
  EXPECT_LE(*upper_of(s, kOnePair), kPair * (1 + 1e-4));
  // More rounds cost more, also where they are composed in blocks.
  double before = 0;
  for (const std::uint64_t rounds :
       {1ull, 2ull, 16ull, 17ull, 999ull, 1000ull, 1024ull, 1025ull, 2049ull, 8000ull}) {
    const double epsilon = *accountant.upper(rounds, epsilon_at(1e-6));
    EXPECT_GE(epsilon, before) << rounds;
    before = epsilon;
  }
  // The cost of one round is that of the exact worst curve, whether or not the bound has types.
  const Statement one = accountant.account(1, epsilon_at(1e-6));
  EXPECT_EQ(*upper_of(one, kTypes), *upper_of(one, kOnePair));
  // The answers to the two kinds of question agree.
  const double delta = *accountant.upper(1000, {Question::Kind::delta_at_epsilon, *s.best.upper});
  EXPECT_LE(delta, 1.001e-6);
  EXPECT_GE(delta, 0.99e-6);
}

TEST(GaussianSums, BetweenTheLowerPairAndTheDominatingOne) {
  struct Row {
    double sigma;
    std::uint64_t clients;
    double rate;
    std::uint64_t minimum, rounds;
    double delta, within;  // `within` is the largest allowed ratio of the upper to the lower value
  };
  for (const Row& row :
       {Row{0.05, 60'000, 0.1, 1, 500, 1e-6, 1.02}, Row{0.3, 1000, 0.1, 50, 300, 1e-5, 1.06}}) {
    const Accountant accountant(GaussianLocal{row.sigma}, check_in(row.clients, row.rate, row.minimum));
    const Statement s = accountant.account(row.rounds, epsilon_at(row.delta));
    std::printf("sigma %g, n %llu: lower %.5f, types %.5f, one pair %.5f\n", row.sigma,
                static_cast<unsigned long long>(row.clients), *s.best.lower, *upper_of(s, kTypes),
                *upper_of(s, kOnePair));
    EXPECT_EQ(s.best.id, kTypes);
    EXPECT_GE(*s.best.upper, *s.best.lower);
    EXPECT_LE(*s.best.upper, row.within * *s.best.lower);
    EXPECT_LT(*s.best.upper, *upper_of(s, kOnePair));
    EXPECT_EQ(*accountant.upper(row.rounds, epsilon_at(row.delta)), *s.best.upper);
  }
}

TEST(GaussianSums, EveryAccountantChargesTheSame) {
  // With so many clients, the number of reports hardly varies.
  const GaussianLocal mechanism{3e-4};
  const AggregatedCheckIn protocol = check_in(10'000'000'000, 0.02);
  const Delta delta = Delta::of(1e-6);
  const Accountant accountant(mechanism, protocol);
  RunningAccountant running(delta);
  const Accountant scheduled(mechanism, {{protocol, 70}, {protocol, 30}});
  for (const std::uint64_t rounds : {50ull, 100ull}) {
    const double epsilon = accountant.epsilon_upper(rounds, delta);
    running.restart();
    running.charge(mechanism, protocol, 20);
    running.charge(mechanism, protocol, rounds - 20);
    EXPECT_NEAR(running.epsilon().upper, epsilon, 1e-9 * epsilon) << rounds;
    EXPECT_NEAR(scheduled.epsilon_upper(rounds, delta), epsilon, 1e-9 * epsilon) << rounds;
    EXPECT_LE(running.delta_upper(epsilon), 1.001e-6);
  }
  // With other rounds in between, rounds cost at least as much as if they were consecutive, and at most two
  // per cent more.
  const AggregatedCheckIn fewer = check_in(10'000'000'000, 0.015);
  const double together = [&] {
    running.restart();
    running.charge(mechanism, protocol, 100);
    running.charge(mechanism, fewer, 20);
    return running.epsilon().upper;
  }();
  running.restart();
  running.charge(mechanism, protocol, 50);
  running.charge(mechanism, fewer, 20);
  running.charge(mechanism, protocol, 50);
  const numerics::Enclosure apart = running.epsilon();
  EXPECT_GE(apart.upper, together * (1 - 1e-9));
  EXPECT_LE(apart.upper, together * 1.02);
  EXPECT_GE(apart.upper, apart.lower);
}

// Types apply only if all clients have one rate and the sum's noise is neither too large nor too small.
TEST(GaussianSums, TypesWhereTheyApply) {
  const auto has_types = [](const GaussianLocal& mechanism, const Participation& participation) {
    for (const RoundBound& bound : applicable(mechanism, participation, View::sum_only).uppers) {
      if (bound.types) return true;
    }
    return false;
  };
  const AggregatedCheckIn range{ClientCount::of(60'000), Rate::of(0.1), 1, Rate::of(0.05)};
  EXPECT_TRUE(has_types(GaussianLocal{0.1}, check_in(60'000, 0.1)));
  EXPECT_FALSE(has_types(GaussianLocal{0.1}, range));
  EXPECT_FALSE(has_types(GaussianLocal{0.1}, check_in(60'000, 1)));
  EXPECT_FALSE(has_types(GaussianLocal{1e-3}, check_in(60'000, 0.1)));
  EXPECT_FALSE(has_types(GaussianLocal{10}, check_in(60'000, 0.1)));
  EXPECT_FALSE(has_types(GaussianLocal{1}, check_in(1, 0.5)));
  EXPECT_TRUE(has_types(GaussianLocal{0.5}, FixedSubset{ClientCount::of(1000), 100}));
  EXPECT_FALSE(has_types(GaussianLocal{0.5}, FixedSubset{ClientCount::of(1000), 1000}));
  // Extreme numbers of rounds and extreme deltas have valid answers.
  const GaussianLocal close{0.1};
  const Accountant accountant(close, check_in(60'000, 0.1));
  EXPECT_GT(*accountant.upper(2, {Question::Kind::delta_at_epsilon, 0}), 0);
  EXPECT_LE(*accountant.upper(1'000'000, {Question::Kind::delta_at_epsilon, 0}), 1);
  for (const double delta : {0.9, 1e-200}) {
    const std::optional<double> epsilon = accountant.upper(10, epsilon_at(delta));
    ASSERT_TRUE(epsilon.has_value()) << delta;
    EXPECT_GE(*epsilon, 0);
  }
}

}  // namespace
}  // namespace muster::accounting
