// Checks that every row of a comparison meets the target according to an Accountant made anew from the row's
// plan, and compares messages, bits and references with values computed by hand.
#include "muster/comparison/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/papers/central/sampled_gaussian_rounds.h"
#include "muster/plan/calibration/round_variance.h"

namespace muster::comparison {
namespace {

using protocols::Command;
using protocols::PlanSource;

constexpr const char* kPlan = R"(
population.clients = 60000
population.data = "digits"
participation.protocol = "shuffled-check-in"
participation.rate = 0.1
randomizer.kind = "gaussian"
randomizer.sigma = 5
randomizer.clip = 1.0
rounds.count = 1000
model.kind = "logistic"
privacy.delta = 1e-5
)";

Comparison compared(const Wanted& wanted, double epsilon, Solves solves = Solves::noise,
                    double delta = 1e-5) {
  PlanSource source = PlanSource::from_text(kPlan, "a.toml");
  if (std::ranges::find(wanted.protocols, "subset") != wanted.protocols.end()) {
    source.override_key("participation.subset", "6000");
  }
  const Candidates candidates = candidates_of(source, wanted, Command::compare, solves);
  return compare(candidates, {{.epsilon = epsilon, .delta = delta}, solves, records_of(candidates.own)}, {});
}

// Returns a comparison of two protocols, each with the same two randomizers, at epsilon 0.5.
const Comparison& two_protocols() {
  static const Comparison all = compared({{"shuffle", "shuffled-check-in"}, {"ldp-sgd", "l1"}}, 0.5);
  return all;
}

TEST(Comparison, EveryRowMeetsTheTargetAsTheAccountantSays) {
  const Comparison all = compared({{"shuffle", "subset", "shuffled-check-in"}, {"ldp-sgd"}}, 0.5);
  ASSERT_EQ(all.rows.size(), 3U);
  for (const Row& row : all.rows) {
    ASSERT_TRUE(row.bound && row.plan) << row.protocol << " " << row.randomizer << ": " << row.why_not;
    EXPECT_LE(*row.bound->upper, 0.5);
    EXPECT_GT(*row.bound->upper, 0.45);
    EXPECT_LE(*row.bound->lower, *row.bound->upper);
    const accounting::Accountant accountant(row.plan->mechanism(), row.plan->participation());
    EXPECT_EQ(accountant.upper(1000, {accounting::Question::Kind::epsilon_at_delta, 1e-5}), row.bound->upper);
    EXPECT_EQ(row.trusted, "the shuffler");
    EXPECT_EQ(row.variance, protocols::round_variance(row.plan->values()));
    EXPECT_EQ(row.value, row.knob == "sigma" ? *row.plan->sigma() : *row.plan->epsilon0());
  }
}

TEST(Comparison, MessagesAndBitsAreThoseOfTheRun) {
  const Comparison& all = two_protocols();
  ASSERT_EQ(all.rows.size(), 4U);
  const std::vector<double> messages = {6e7, 6e6};
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    EXPECT_DOUBLE_EQ(all.rows[i].messages, messages[i / 2]);
    // For 7,850 parameters, l1 sends an index of 13 bits and a sign, and ldp-sgd a seed of 128 bits and a
    // sign.
    EXPECT_EQ(all.rows[i].bits, all.rows[i].randomizer == "l1" ? 14U : 129U);
  }
}

TEST(Comparison, WhatNothingMeetsSaysSo) {
  const Comparison all = compared({{"shuffle"}, {"ldp-sgd"}}, 1e-9, Solves::noise, 1e-40);
  const Row& row = all.rows.front();
  EXPECT_FALSE(row.bound);
  EXPECT_FALSE(row.plan);
  EXPECT_THAT(row.why_not, testing::HasSubstr("is out of reach"));
}

TEST(Comparison, ATargetThatIsNoneIsRefused) {
  for (const double epsilon : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_ERROR(ErrorCode::plan, compared({{"shuffle"}, {"ldp-sgd"}}, epsilon));
  }
}

TEST(Comparison, AccuracyChoosesTheRateWhereThereIsOne) {
  // The rows of ldp-sgd are the first of each protocol.
  const Row &shuffle = two_protocols().rows[0], &check_in = two_protocols().rows[2];
  ASSERT_EQ(check_in.randomizer, "ldp-sgd");
  const Comparison both = compared({{"shuffle", "shuffled-check-in"}, {"ldp-sgd"}}, 0.5, Solves::accuracy);
  EXPECT_EQ(both.rows[0].value, shuffle.value);
  EXPECT_FALSE(both.rows[0].rate);
  EXPECT_EQ(check_in.rate, 0.1);
  EXPECT_GT(*both.rows[1].rate, 0.1);
  EXPECT_LT(*both.rows[1].variance, *check_in.variance);
}

TEST(Comparison, LocalTrustsNobodyAndPaysForIt) {
  const Comparison& all = two_protocols();
  std::vector<Row> local;
  for (const Row& row : all.references) {
    if (row.protocol == "local") local.push_back(row);
  }
  ASSERT_EQ(local.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Row& row = local[i];
    ASSERT_TRUE(row.bound && row.plan) << row.why_not;
    EXPECT_EQ(row.randomizer, all.rows[i].randomizer);
    EXPECT_EQ(row.trusted, "nobody");
    EXPECT_EQ(row.bound->view, accounting::View::shuffler_colludes);
    EXPECT_LE(*row.bound->upper, 0.5);
    EXPECT_GT(*row.variance, 10 * *all.rows[2 + i].variance);
    // `local` uses the plan's own protocol, so the number of messages is the same.
    EXPECT_EQ(row.messages, all.rows[2 + i].messages);
  }
}

TEST(Comparison, CentralIsATrustedServerWithTheSameShareOfClients) {
  const Comparison& all = two_protocols();
  ASSERT_GE(all.references.size(), 3U);
  const Row& replaced = all.references[all.references.size() - 2];
  const Row& changed = all.references.back();
  for (const Row* row : {&replaced, &changed}) {
    ASSERT_TRUE(row->bound) << row->why_not;
    EXPECT_EQ(row->protocol, kCentral);
    EXPECT_EQ(row->rate, 0.1);
    EXPECT_LE(*row->bound->upper, 0.5);
    EXPECT_GT(*row->bound->lower, 0.49);
    EXPECT_EQ(row->bound->view, accounting::View::server_trusted);
    EXPECT_EQ(row->messages, 6e6);
    EXPECT_EQ(row->bits, 32U * 7850);
    // The server adds noise once, so its mean has a smaller variance than the mean of a protocol with the
    // same sampling probability.
    EXPECT_LT(*row->variance, *all.rows[2].variance);
    // The next smaller sigma misses the target.
    const accounting::SampledGaussianRounds next(row->value * (1 - 1e-4), 0.1, row->bound->neighbouring);
    EXPECT_GT(next.epsilon(1000, 1e-5).upper, 0.5);
  }
  EXPECT_EQ(replaced.bound->neighbouring, accounting::Neighbouring::replace_one);
  EXPECT_EQ(changed.bound->neighbouring, accounting::Neighbouring::add_remove);
  // Replacing a record moves the sum twice as far as removing one, so it needs more noise.
  EXPECT_GT(replaced.value, changed.value);
}

}  // namespace
}  // namespace muster::comparison
