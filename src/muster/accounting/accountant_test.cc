// Compares the accountant with independent computations, and checks the properties that every statement must
// have.
#include "muster/accounting/accountant.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "muster/composition/dominating_pair.h"
#include "muster/composition/round_curve.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/theorems/applicable.h"

namespace muster::accounting {
namespace {

struct Row {
  std::uint64_t clients;
  double rate;
  Mechanism mechanism;
  std::uint64_t rounds;
  double delta;
  double reference;  // the same bound from an independent computation
  double lower;      // a lower bound on the truth from the same source
  double digit;      // one unit of the last digit of `lower`
};

// Returns the bound that the reference is for. It is the best bound, except for the Gaussian, whose
// references are for the looser profile-only bound.
const Bound& referenced(const Statement& s) {
  for (const Bound& bound : s.all) {
    if (s.best.id == "gaussian-two-types" && bound.id == "swap-profile") return bound;
  }
  return s.best;
}

// The rows hold the results of independent computations; docs/theory/reference-values.md says where each
// comes from. The accountant's upper bound may be smaller than the reference, because its table of the
// curve is finer. The rows of the Gaussian are for the profile-only bound; gaussian_two_types_test.cc has
// references for the smaller bound.
const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {60'000, 0.1, LdpSgdLocal{2}, 6'800, 1e-5, 0.930108, 0.9274, 1e-4},
      {1'000'000, 0.001, LdpSgdLocal{2}, 100'000, 1e-8, 0.109467, 0.10837, 1e-5},
      {60'000, 1.0 / 6, LdpSgdLocal{1.5}, 1'200, 1e-5, 0.322375, 0.32203, 1e-5},
      {1'000'000, 0.01, LdpSgdLocal{2}, 1'000, 1e-8, 0.032559, 0.032472, 1e-6},
      {60'000, 0.1, LdpSgdLocal{2}, 1, 1e-6, 0.009341, 0.009340, 1e-6},
      {60'000, 0.1, PureLocal{2}, 6'800, 1e-5, 1.265918, 0.9274, 1e-4},
      {1'000'000, 0.001, PureLocal{2}, 100'000, 1e-8, 0.145688, 0.10837, 1e-5},
      {60'000, 1.0 / 6, PureLocal{1.5}, 1'200, 1e-5, 0.420880, 0.32203, 1e-5},
      {1'000'000, 0.01, PureLocal{2}, 1'000, 1e-8, 0.043669, 0.032472, 1e-6},
      {60'000, 0.1, PureLocal{2}, 1, 1e-6, 0.012574, 0.009340, 1e-6},
      {60'000, 0.1, GaussianLocal{5}, 1, 1e-6, 0.001583, 0.001367, 1e-6},
      {60'000, 0.1, GaussianLocal{5}, 5'540, 1e-5, 0.14569, 0.12552, 1e-5},
      {60'000, 0.1, GaussianLocal{2}, 1, 1e-6, 0.006547, 0.005078, 1e-6},
      {1'000, 0.1, GaussianLocal{5}, 1, 1e-5, 0.012036, 0.010815, 1e-6},
  };
  return all;
}

TEST(Accountant, ReproducesTheReferenceRows) {
  for (const Row& row : rows()) {
    const Accountant accountant(row.mechanism,
                                ShuffledCheckIn{ClientCount::of(row.clients), Rate::of(row.rate)});
    const Statement s = accountant.account(row.rounds, {Question::Kind::epsilon_at_delta, row.delta});
    const Bound& bound = referenced(s);
    SCOPED_TRACE(row.reference);
    ASSERT_TRUE(s.best.upper && s.best.lower && bound.upper);
    EXPECT_EQ(s.best.validity, Validity::proven);
    EXPECT_LE(*bound.upper, row.reference);
    EXPECT_GE(*bound.upper, row.reference * 0.9995);  // upper may be smaller, because its curve is finer
    EXPECT_GE(*s.best.upper, row.lower - row.digit);  // never below a lower bound on the truth
    EXPECT_LE(*s.best.upper, *bound.upper);
    EXPECT_LE(*s.best.lower, row.lower + row.digit);
    // Between nodes, the accountant's dominated pair takes the smallest values that convexity allows, and
    // the reference does not. The allowance of 3e-3 covers the difference.
    EXPECT_GE(*s.best.lower, row.lower * 0.997);
    EXPECT_LE(s.best.numerical_error, 1e-4 * *s.best.upper);
    EXPECT_GE(s.best.numerical_error, 0);
    EXPECT_EQ(accountant.epsilon_upper(row.rounds, Delta::of(row.delta)), *s.best.upper);
  }
}

// With little noise the terms of the swap theorem's sum have heavy tails. The upper value must be near those
// that other ways of splitting this sum give, which differ from each other by 1 % at most. The lower value
// must not be far below the upper value.
TEST(Accountant, EnclosesHeavyTails) {
  struct Heavy {
    double sigma;
    std::uint64_t rounds;
    double epsilon;
    double error;  // the largest relative numerical error of the upper value
  };
  for (const Heavy& row :
       {Heavy{1.75, 1, 0.0065576, 1e-5}, Heavy{1, 1, 0.11477, 1e-4}, Heavy{0.7, 1, 3.117, 3e-3},
        Heavy{0.5, 1, 11.198, 1e-2}, Heavy{0.7, 1000, 15.837, 1e-3}, Heavy{0.85, 1000, 4.7990, 1e-3},
        Heavy{1, 1000, 1.7810, 1e-3}}) {
    const Accountant accountant(GaussianLocal{row.sigma},
                                ShuffledCheckIn{ClientCount::of(60'000), Rate::of(0.1)});
    const Question question{Question::Kind::epsilon_at_delta, 1e-5};
    const Statement s = accountant.account(row.rounds, question);
    SCOPED_TRACE(::testing::Message() << row.sigma << ' ' << row.rounds);
    ASSERT_TRUE(s.best.upper && s.best.lower);
    EXPECT_NEAR(*s.best.upper, row.epsilon, (row.error + 1e-3) * row.epsilon);
    EXPECT_LE(s.best.numerical_error, row.error * *s.best.upper);
    EXPECT_GT(*s.best.lower, 0.75 * *s.best.upper);
    // The rough bound uses longer chords over the same curve.
    const double rough = accountant.rough_upper(row.rounds, question).value();
    EXPECT_GE(rough, (1 - row.error) * *s.best.upper);
    EXPECT_LE(rough, 1.01 * *s.best.upper);
  }
}

// Each of ten million clients takes part in a round with probability 1e-4. Nearly all of delta comes from
// the few rounds with large losses, and Chernoff's bound on epsilon is up to a hundred times too large. On
// the lattice that suits this bound, the upper values of the four rows would be larger by 7 %, 1 %, 9 % and
// 0.05 %.
TEST(Accountant, RareLargeLossesAreComposedOnAFineLattice) {
  struct Rare {
    double sigma, delta, epsilon;
    double error;  // the largest relative numerical error of the upper value
  };
  for (const Rare& row : {Rare{1, 1e-7, 0.0022715, 4e-3}, Rare{1, 1e-8, 0.0059870, 1e-3},
                          Rare{0.7, 1e-5, 0.020630, 4e-3}, Rare{0.7, 1e-7, 0.48955, 1e-3}}) {
    const Accountant accountant(GaussianLocal{row.sigma},
                                ShuffledCheckIn{ClientCount::of(10'000'000), Rate::of(1e-4)});
    const Statement s = accountant.account(100, {Question::Kind::epsilon_at_delta, row.delta});
    SCOPED_TRACE(::testing::Message() << row.sigma << ' ' << row.delta);
    ASSERT_TRUE(s.best.upper && s.best.lower);
    EXPECT_NEAR(*s.best.upper, row.epsilon, 1e-3 * row.epsilon);
    EXPECT_LE(s.best.numerical_error, row.error * *s.best.upper);
    EXPECT_LE(*s.best.lower, *s.best.upper);
  }
}

// Returns the table of a pair's minorants as if these were the curves of a pair.
EnclosedTable of_minorants(const PairTable& table) {
  const auto enclosures = [](const std::vector<EnclosedMinorant>& values) {
    std::vector<numerics::Enclosure> found;
    for (const EnclosedMinorant& value : values) found.push_back({value.lower, value.minorant_upper});
    return found;
  };
  return {table.spacing, table.index, enclosures(table.forward), enclosures(table.reverse)};
}

// The larger of a pair's two curves at each epsilon makes an envelope that is the curve of no pair of data
// sets. Its composition has an epsilon of 0.1258, while that of either order has 0.1255.
TEST(Accountant, TheEnvelopeOfAPairIsNoLowerBound) {
  const Applicable list =
      applicable(GaussianLocal{5}, ShuffledCheckIn{ClientCount::of(60'000), Rate::of(0.1)});
  const RoundPair& pair = list.lowers.front();
  const auto envelope = [&](double epsilon) {
    const EnclosedMinorant a = pair.forward(epsilon);
    const EnclosedMinorant b = pair.reverse(epsilon);
    return EnclosedMinorant{std::max(a.lower, b.lower), std::max(a.minorant_upper, b.minorant_upper)};
  };
  const std::uint64_t rounds = 5'540;
  const auto upper = [&](const PairTable& curve) {
    return LossDistribution::dominating(of_minorants(curve)).epsilon_upper(rounds, 1e-5);
  };
  const PairTable both = tabulate(pair.forward, pair.reverse, {100, 1e-16, 0.5});
  EXPECT_NEAR(upper(tabulate(envelope, {}, {100, 1e-16, 0.5})), 0.1258, 5e-5);
  EXPECT_LT(upper(both), 0.12553);  // upper bounds on the epsilon of the minorant of each direction
  EXPECT_LT(upper(both.swapped()), 0.12553);
  EXPECT_GT(LossDistribution::dominated(both).epsilon_lower(rounds, 1e-5), 0.1255);
}

// The reference lower values of many rounds are right to the last digit: an upper bound on the epsilon of the
// same pair, in either direction, rounds to the same digits.
TEST(Accountant, ReferenceLowerValuesAreTheirPairs) {
  struct Pair {
    std::uint64_t clients;
    double rate, epsilon0;
    std::uint64_t rounds;
    double delta, given, half_digit;
  };
  for (const Pair& row : {Pair{1'000'000, 0.001, 2, 100'000, 1e-8, 0.10837, 5e-6},
                          Pair{60'000, 1.0 / 6, 1.5, 1'200, 1e-5, 0.32203, 5e-6},
                          Pair{1'000'000, 0.01, 2, 1'000, 1e-8, 0.032472, 5e-7}}) {
    const Applicable list = applicable(LdpSgdLocal{row.epsilon0},
                                       ShuffledCheckIn{ClientCount::of(row.clients), Rate::of(row.rate)});
    const RoundPair& pair = list.lowers.front();
    const double tail = 1e-6 * row.delta / static_cast<double>(row.rounds);
    const double dense_up_to = 5 / std::sqrt(static_cast<double>(row.rounds));
    const PairTable both = tabulate(pair.forward, pair.reverse, {200, tail, dense_up_to});
    const auto upper = [&](const PairTable& curve) {
      return LossDistribution::dominating(of_minorants(curve)).epsilon_upper(row.rounds, row.delta);
    };
    const double larger = std::max(upper(both), upper(both.swapped()));
    EXPECT_LT(larger, row.given + row.half_digit);
    EXPECT_GT(larger, row.given - row.half_digit);
  }
}

// testdata/check_in_profile.txt has values of the bound that referenced() returns, by convolutions on grids,
// computed in Python (tools/golden/check_in_profile.py). Their grid errors are below 5e-4 of epsilon.
TEST(Accountant, AgreesWithGridConvolutions) {
  std::ifstream file("testdata/check_in_profile.txt");
  ASSERT_TRUE(file) << "run from the project's root";
  std::string line;
  int rows_read = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    std::istringstream fields(line);
    std::uint64_t clients = 0;
    std::uint64_t rounds = 0;
    double rate = 0;
    double parameter = 0;
    double delta = 0;
    double reference = 0;
    std::string kind;
    ASSERT_TRUE(fields >> clients >> rate >> kind >> parameter >> rounds >> delta >> reference) << line;
    const Mechanism mechanism =
        kind == "pure" ? Mechanism(PureLocal{parameter}) : Mechanism(GaussianLocal{parameter});
    const Accountant accountant(mechanism, ShuffledCheckIn{ClientCount::of(clients), Rate::of(rate)});
    const Statement s = accountant.account(rounds, {Question::Kind::epsilon_at_delta, delta});
    ASSERT_TRUE(referenced(s).upper);
    EXPECT_NEAR(*referenced(s).upper, reference, 1e-3 * reference) << line;
    ++rows_read;
  }
  EXPECT_EQ(rows_read, 7);
}

TEST(Accountant, TheTwoQuestionsInvertEachOther) {
  const Accountant accountant(LdpSgdLocal{2}, ShuffledCheckIn{ClientCount::of(10'000), Rate::of(0.05)});
  const Statement s = accountant.account(200, {Question::Kind::epsilon_at_delta, 1e-6});
  const Statement t = accountant.account(200, {Question::Kind::delta_at_epsilon, *s.best.upper});
  EXPECT_NEAR(*t.best.upper, 1e-6, 1e-9);
  EXPECT_LE(*t.best.lower, *t.best.upper);
}

TEST(Accountant, AtRateOneAnswersWithTheBlanket) {
  const Accountant accountant(PureLocal{0.5}, ShuffledCheckIn{ClientCount::of(1'000), Rate::of(1)});
  const Statement s = accountant.account(1, {Question::Kind::epsilon_at_delta, 1e-6});
  EXPECT_EQ(s.best.id, "privacy-blanket");
  EXPECT_LT(*s.best.upper, 0.2 * *s.local_upper);
  EXPECT_LE(*s.best.lower, *s.best.upper);
}

TEST(Accountant, NothingReleasedCostsNothing) {
  const Accountant accountant(PureLocal{2}, ShuffledCheckIn{ClientCount::of(100), Rate::of(0.1)});
  EXPECT_EQ(accountant.epsilon_upper(0, Delta::of(1e-5)), 0);
  const Statement s = accountant.account(0, {Question::Kind::epsilon_at_delta, 1e-5});
  EXPECT_EQ(*s.best.upper, 0);
  EXPECT_EQ(*s.local_upper, 0);
}

TEST(Accountant, IsMonotoneInRoundsRateAndClients) {
  const auto epsilon = [](std::uint64_t clients, double rate, std::uint64_t rounds) {
    return Accountant(PureLocal{1}, ShuffledCheckIn{ClientCount::of(clients), Rate::of(rate)})
        .epsilon_upper(rounds, Delta::of(1e-6));
  };
  EXPECT_LT(epsilon(10'000, 0.1, 10), epsilon(10'000, 0.1, 100));
  EXPECT_LT(epsilon(10'000, 0.05, 100), epsilon(10'000, 0.1, 100));
  EXPECT_LT(epsilon(100'000, 0.1, 100), epsilon(10'000, 0.1, 100));
}

// A wider range of rates never costs less, down to rates as small as the smallest double.
TEST(Accountant, RatesNearZeroAreChargedInFull) {
  const Question question{Question::Kind::epsilon_at_delta, 1e-4};
  const auto upper = [&](double lo, double hi) {
    const ShuffledCheckIn range{ClientCount::of(100), Rate::of(hi), Rate::of(lo)};
    return Accountant(LdpSgdLocal{2}, range).upper(6, question).value();
  };
  const double known = upper(0.1, 1);
  for (const double lo : {1e-10, 1e-300, 1e-310, std::numeric_limits<double>::denorm_min()}) {
    EXPECT_GE(upper(lo, 1), known) << lo;
  }
  const Participation none = ShuffledCheckIn{ClientCount::of(100), Rate::of(1e-310)};
  EXPECT_TRUE(applicable(LdpSgdLocal{2}, none).uppers.empty());
  EXPECT_NE(applicable(LdpSgdLocal{2}, none).missing.find("rates below 1e-15"), std::string::npos);
}

// In protocols without slots, the models and counts that a trusted server releases show sums and no single
// message. A lower value for shuffled messages need not hold for them.
TEST(Accountant, ATrustedServersModelsShowTheSums) {
  const Question question{Question::Kind::epsilon_at_delta, 1e-5};
  for (const Participation& protocol :
       {Participation(Shuffle{ClientCount::of(50)}), Participation(FixedSubset{ClientCount::of(50), 20}),
        Participation(ShuffledCheckIn{ClientCount::of(50), Rate::of(0.5)})}) {
    for (const Mechanism& mechanism :
         {Mechanism(LaplaceLocal{2}), Mechanism(GaussianLocal{3}), Mechanism(PureLocal{2})}) {
      const Accountant accountant(mechanism, protocol);
      const Statement sums = accountant.account(1, question, View::sum_only);
      const Statement models = accountant.account(1, question, View::server_trusted);
      SCOPED_TRACE(describe(protocol) + describe(mechanism));
      EXPECT_EQ(models.best.upper, sums.best.upper);
      EXPECT_EQ(models.best.lower, sums.best.lower);
      EXPECT_LE(*models.best.lower, *accountant.account(1, question).best.lower);
    }
  }
}

// The models of averaged slots show each slot's sum, and no single message. The sums of all slots add up to
// the sum of a check-in. So a lower value for that one sum is also a lower value for the slots, but a lower
// value for shuffled messages need not be one.
TEST(Accountant, ModelsOfAveragedSlotsShowSums) {
  const Question question{Question::Kind::epsilon_at_delta, 1e-5};
  const RandomCheckIn slots{RandomCheckIn::Kind::averaged, ClientCount::of(50), 10, Rate::of(0.5)};
  const ShuffledCheckIn coins{slots.clients(), slots.rate()};
  for (const std::uint64_t rounds : {1, 7}) {
    for (const Mechanism& mechanism :
         {Mechanism(GaussianLocal{1}), Mechanism(LaplaceLocal{4}), Mechanism(PureLocal{2})}) {
      SCOPED_TRACE(describe(mechanism));
      const Bound sums = Accountant(mechanism, coins).account(rounds, question, View::sum_only).best;
      const Bound messages = Accountant(mechanism, coins).account(rounds, question).best;
      const Bound models = Accountant(mechanism, slots).account(rounds, question).best;
      EXPECT_EQ(models.view, View::server_trusted);
      EXPECT_EQ(*models.lower, *sums.lower);
      const bool counts_show = std::holds_alternative<PureLocal>(mechanism);
      if (!counts_show) {
        EXPECT_LT(*models.lower, *messages.lower);
      }
      EXPECT_GE(*models.upper, *models.lower);
    }
  }
}

TEST(Accountant, RefusesWhatItDoesNotCover) {
  const ShuffledCheckIn protocol{ClientCount::of(100), Rate::of(0.1)};
  const Accountant accountant(PureLocal{1}, protocol);
  EXPECT_NO_THROW(accountant.account(1, {Question::Kind::epsilon_at_delta, 1e-5}, View::sum_only));
  const Accountant summed(PureLocal{1}, AggregatedCheckIn{ClientCount::of(100), Rate::of(0.1)});
  EXPECT_ERROR(ErrorCode::uncovered,
               summed.account(1, {Question::Kind::epsilon_at_delta, 1e-5}, View::shuffler_honest));
  EXPECT_ERROR(ErrorCode::plan, accountant.account(1, {Question::Kind::epsilon_at_delta, 0}));
  EXPECT_ERROR(ErrorCode::plan, accountant.account(1, {Question::Kind::delta_at_epsilon, -1}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(ErrorCode::plan, Accountant(PureLocal{0.99 * kMinEpsilon0}, protocol));
  for (double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_ERROR(ErrorCode::plan, Accountant(PureLocal{bad}, protocol)) << bad;
    EXPECT_ERROR(ErrorCode::plan, Accountant(GaussianLocal{bad}, protocol)) << bad;
  }
}

// Where no theorem covers a randomizer or a rate, the local composition alone is charged, and the accountant
// says why: for rounds that are all alike, and for a schedule of which one stage is not covered.
TEST(Accountant, SaysWhyRoundsAreNotAmplified) {
  const Shuffle shuffle{ClientCount::of(100)};
  EXPECT_EQ(Accountant(LdpSgdLocal{2}, shuffle).unamplified(), "");
  const Accountant strong(LdpSgdLocal{500}, shuffle);
  EXPECT_EQ(strong.unamplified(), "all rounds: a plain shuffle is not computed for epsilon0 above 100");
  // Two messages reveal the record almost certainly, so that delta is 1 - e^{epsilon - 2 epsilon0}.
  EXPECT_NEAR(strong.epsilon_upper(2, Delta::of(1e-5)), 1000 + std::log1p(-1e-5), 1e-8);
  const ShuffledCheckIn often{ClientCount::of(100), Rate::of(0.1)};
  const ShuffledCheckIn rarely{ClientCount::of(100), Rate::of(1e-16)};
  EXPECT_EQ(Accountant(LdpSgdLocal{2}, {{often, 5}, {often, 5}}).unamplified(), "");
  const Accountant changing(LdpSgdLocal{2}, {{often, 5}, {rarely, 5}});
  const std::string why = "amplification is not computed for effective rates below 1e-15";
  EXPECT_EQ(changing.unamplified(), "rounds 6 to 10: " + why);
  const Statement said = changing.account(10, {Question::Kind::epsilon_at_delta, 1e-5});
  EXPECT_THAT(said.best.assumptions,
              testing::Contains("charged without amplification: rounds 6 to 10: " + why));
  const Accountant twice(LdpSgdLocal{2}, {{rarely, 2}, {often, 5}, {rarely, 1}});
  EXPECT_EQ(twice.unamplified(), "rounds 1 to 2, round 8: " + why);
}

}  // namespace
}  // namespace muster::accounting
