// Compares several launches with one schedule of all their stages, and with the enumeration of every data set
// of three clients, whose truth must lie between the lower and the upper value.
#include "muster/accounting/launches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const Question kEpsilon{Question::Kind::epsilon_at_delta, 1e-5};

ShuffledCheckIn check_in(std::uint64_t clients, double rate) {
  return {ClientCount::of(clients), Rate::of(rate)};
}

// Launches of one mechanism cost the same as one schedule of all their stages.
TEST(Launches, OfOneMechanismAreItsSchedule) {
  const ShuffledCheckIn often = check_in(20'000, 0.1), rarely = check_in(20'000, 0.02);
  const Question delta{Question::Kind::delta_at_epsilon, 0.03};
  for (const auto& [mechanism, question] : {std::pair<Mechanism, Question>{PureLocal{2}, kEpsilon},
                                            {PureLocal{2}, delta},
                                            {GaussianLocal{4}, kEpsilon}}) {
    const Launches launches({{mechanism, {{often, 40}}}, {mechanism, {{rarely, 60}}}});
    const Accountant schedule(mechanism, {{often, 40}, {rarely, 60}});
    const Statement got = launches.account(question), expected = schedule.account(question);
    EXPECT_EQ(got.best.id, "different-rounds");
    EXPECT_EQ(*got.best.upper, *expected.best.upper);
    EXPECT_EQ(*got.best.lower, *expected.best.lower);
    EXPECT_EQ(got.rounds, 100);
    // The local value of the launches is not larger than that of the schedule, because a schedule charges
    // every round's local guarantee at the highest rate.
    EXPECT_LE(*got.local_upper, *expected.local_upper * 1.001);
    EXPECT_GE(*got.local_upper, *Accountant(mechanism, often).account(40, question).local_upper * 0.999);
  }
}

// The statement names the launch and the rounds that are charged without amplification.
TEST(Launches, NameTheRoundsThatNoTheoremCovers) {
  const Launches launches({{PureLocal{2}, {{check_in(100, 0.1), 4}}},
                           {PureLocal{1}, {{check_in(100, 0.1), 3}, {check_in(100, 1e-16), 2}}}});
  const auto text = HasSubstr(
      "charged without amplification: launch 2, rounds 4 to 5: amplification is not computed for effective "
      "rates below");
  EXPECT_THAT(launches.account(kEpsilon).all.front().assumptions, Contains(text));
  EXPECT_THAT(launches.account_adaptive(Delta::of(1e-5)).best.assumptions, Contains(text));
  const Launches covered(
      {{PureLocal{2}, {{check_in(100, 0.1), 4}}}, {PureLocal{1}, {{check_in(100, 0.1), 2}}}});
  EXPECT_THAT(covered.account(kEpsilon).best.assumptions,
              ::testing::Not(Contains(HasSubstr("without amplification"))));
}

// Enumerates every data set of three clients, for two launches of different randomizers and rates. The
// truth must lie between the lower and the upper value. An account that charged only the more expensive
// launch would fail this test.
TEST(Launches, OfThreeClientsEnumerated) {
  constexpr int kClients = 3;
  struct Side {
    double epsilon0, rate;
  };
  const auto outputs = [](const Side& side) {
    const long double q = 1 / (std::exp(static_cast<long double>(side.epsilon0)) + 1);
    const std::vector<oracle::Law> laws{{1 - q, q}, {q, 1 - q}};
    std::vector<oracle::OutputPair> pairs;
    for (const std::vector<int>& picks : oracle::multisets(2, kClients - 1)) {
      std::vector<oracle::Law> others;
      for (const int pick : picks) others.push_back(laws[static_cast<std::size_t>(pick)]);
      pairs.push_back(oracle::check_in(others, laws[0], laws[1], static_cast<long double>(side.rate)));
    }
    return pairs;
  };
  int caught = 0, cases = 0;
  long double tightest = 0;
  for (const auto& [first, second] : {std::pair{Side{0.5, 0.7}, Side{2, 0.2}},
                                      {Side{1, 0.3}, Side{1.5, 0.9}},
                                      {Side{2, 0.5}, Side{0.3, 1}}}) {
    const Launch one{PureLocal{first.epsilon0}, {{check_in(kClients, first.rate), 1}}},
        two{PureLocal{second.epsilon0}, {{check_in(kClients, second.rate), 1}}};
    const Launches both({one, two});
    for (const double epsilon : {0.0, 0.2, 0.6, 1.2, 2.0}) {
      long double truth = 0;
      for (const oracle::OutputPair& x : outputs(first)) {
        for (const oracle::OutputPair& y : outputs(second)) {
          const oracle::OutputPair product = oracle::product(x, y);
          truth = std::max({truth, oracle::hockey_stick(product, epsilon),
                            oracle::hockey_stick(product.swapped(), epsilon)});
        }
      }
      const Question question{Question::Kind::delta_at_epsilon, epsilon};
      const Statement s = both.account(question);
      SCOPED_TRACE(::testing::Message() << first.epsilon0 << ' ' << epsilon);
      EXPECT_GE(*s.best.upper, truth * (1 - 1e-12L));
      EXPECT_LE(*s.best.lower, truth * (1 + 1e-12L));
      caught += std::max(*both.alone(0, question).best.upper, *both.alone(1, question).best.upper) < truth;
      if (*s.best.upper > 1e-9) tightest = std::max(tightest, truth / *s.best.upper);
      ++cases;
    }
  }
  EXPECT_GE(caught, cases / 3);
  EXPECT_GT(tightest, 0.8L);
}

// If the shufflers collude with the server, the adversary sees what the victim sent in each launch, or that
// she sent nothing.
TEST(Launches, LocalValueOfTwoEnumerated) {
  const auto seen = [](double epsilon0, long double rate) {
    const long double q = rate / (std::exp(static_cast<long double>(epsilon0)) + 1), p = rate - q;
    return oracle::OutputPair{{1 - rate, p, q}, {1 - rate, q, p}};
  };
  const Launches both({{PureLocal{0.7}, {{check_in(50, 0.3), 1}}}, {PureLocal{2}, {{check_in(50, 0.6), 1}}}});
  const oracle::OutputPair product = oracle::product(seen(0.7, 0.3L), seen(2, 0.6L));
  for (const double epsilon : {0.0, 0.4, 1.0, 1.8, 2.5}) {
    const long double truth = oracle::hockey_stick(product, epsilon);
    const double local = *both.account({Question::Kind::delta_at_epsilon, epsilon}).local_upper;
    EXPECT_GE(local, truth * (1 - 1e-12L)) << epsilon;
    EXPECT_LE(local, truth * (1 + 5e-3L)) << epsilon;
  }
}

TEST(Launches, WithoutOneOfTwoLeavesTheOther) {
  const Launches launches(
      {{PureLocal{2}, {{check_in(20'000, 0.1), 50}}}, {GaussianLocal{5}, {{check_in(20'000, 0.05), 30}}}});
  const Statement all = launches.account(kEpsilon);
  for (const std::size_t i : {0U, 1U}) {
    const double other = *launches.alone(1 - i, kEpsilon).best.upper;
    EXPECT_NEAR(*launches.upper_without(i, kEpsilon), other, 2e-3 * other);
    EXPECT_GT(*all.best.upper, other);
  }
}

// Basic composition uses only the epsilons, so it costs more than the composition of dominating pairs.
TEST(Launches, ChosenAfterSeeingResultsCostTheSum) {
  const Launches launches({{PureLocal{2}, {{check_in(20'000, 0.1), 50}}},
                           {LaplaceLocal{1}, {{Shuffle{ClientCount::of(20'000)}, 3}}},
                           {GaussianLocal{5}, {{check_in(20'000, 0.05), 30}}}});
  const Statement chosen = launches.account_adaptive(Delta::of(1e-5)), fixed = launches.account(kEpsilon);
  EXPECT_EQ(chosen.best.id, "basic-composition");
  double sum = 0;
  for (const std::size_t i : {0U, 1U, 2U}) {
    sum += *launches.alone(i, launches.equal_share(Delta::of(1e-5))).best.upper;
  }
  EXPECT_GE(*chosen.best.upper, sum);
  EXPECT_NEAR(*chosen.best.upper, sum, 1e-14 * sum);
  EXPECT_GT(*chosen.best.upper, *fixed.best.upper);
  EXPECT_LE(*chosen.best.lower, *chosen.best.upper);
  EXPECT_GT(*chosen.best.lower, 0);
}

TEST(Launches, EachIsSeenInItsOwnView) {
  const RandomCheckIn slots{RandomCheckIn::Kind::averaged, ClientCount::of(2'000), 50, Rate::of(0.9)};
  const Launches launches({{PureLocal{1}, {{check_in(2'000, 0.1), 10}}}, {PureLocal{1}, {{slots, 2}}}});
  const Statement s = launches.account(kEpsilon);
  EXPECT_EQ(s.best.view, View::server_trusted);
  EXPECT_THAT(s.best.assumptions, Contains(HasSubstr("shuffler-honest, server-trusted")));
  EXPECT_GE(*s.best.upper, *launches.alone(0, kEpsilon).best.lower);
  EXPECT_LE(*s.best.upper, *s.local_upper);
}

TEST(Launches, WithoutRoundsCostNothing) {
  const Launch idle{PureLocal{2}, {{check_in(20'000, 0.1), 0}}};
  const Launch busy{GaussianLocal{5}, {{check_in(20'000, 0.05), 30}}};
  const double alone = *Accountant(busy.mechanism, busy.stages).account(kEpsilon).best.upper;
  EXPECT_NEAR(*Launches({idle, busy}).account(kEpsilon).best.upper, alone, 2e-3 * alone);
  EXPECT_EQ(*Launches({idle, idle}).account(kEpsilon).best.upper, 0);
  EXPECT_EQ(*Launches({idle, idle}).account_adaptive(Delta::of(1e-5)).best.upper, 0);
}

TEST(Launches, RefuseWhatCannotBeComposed) {
  const Launch one{PureLocal{2}, {{check_in(100, 0.5), 5}}};
  const auto refused = [](const char* key, const std::function<void()>& ask) {
    SCOPED_TRACE(key);
    const Error error = error_of(ask);
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), key);
  };
  refused("launches", [] { Launches(std::vector<Launch>{}); });
  refused("launches", [&] { Launches({one}); });
  refused("stages", [&] { Launches({one, {PureLocal{2}, {}}}); });
  const Launch endless{PureLocal{2}, {{check_in(100, 0.5), kMaxRounds}}};
  refused("rounds", [&] { Launches({one, endless}); });
}

}  // namespace
}  // namespace muster::accounting
