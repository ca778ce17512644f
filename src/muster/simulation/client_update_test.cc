// Compares a client's vector, for every engine, with the sum of its records' gradients, or with gradient
// descent done step by step in the test.
#include "muster/simulation/client_update.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "muster/learning/data/digits.h"
#include "muster/learning/gradients/engine.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/clip.h"

namespace muster::simulation {
namespace {

using learning::Architecture;

const random::RunKey kKey = random::RunKey::from_seed(4);

// Provides a model, its data, and the vectors that clients compute from their records.
class ClientUpdateTest : public ::testing::TestWithParam<learning::ArchitectureKind> {
 protected:
  std::vector<float> update(const std::vector<Record>& records, const LocalSgd& local = {},
                            std::uint64_t round = 1) const {
    const ClientUpdate update(*engine_, data_, local);
    const auto workspace = update.make_workspace();
    update.prepare(parameters_, *workspace);
    random::KeyedStream batches(kKey, {random::Purpose::local_batches, round, 0});
    std::vector<float> out(engine_->dimension(), 99.0f);
    update.evaluate(parameters_, records, update.draws(records.size()) ? &batches : nullptr, *workspace, out);
    return out;
  }

  std::vector<float> gradient(Record record, const std::vector<float>& parameters) const {
    const auto workspace = engine_->make_workspace();
    std::vector<float> buffer(data_.shape.size()), out(engine_->dimension());
    engine_->evaluate(parameters, data_.example(record, buffer), *workspace, out);
    return out;
  }

  // Returns the mean gradient of the records, in double precision.
  std::vector<double> mean(const std::vector<Record>& records, const std::vector<float>& parameters) const {
    std::vector<double> mean(engine_->dimension(), 0);
    for (const Record record : records) {
      const std::vector<float> one = gradient(record, parameters);
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] += static_cast<double>(one[i]) / static_cast<double>(records.size());
      }
    }
    return mean;
  }

  // Each entry of `is` may differ from that of `should` by at most `relative` times the norm of `should`.
  static void expect_close(const std::vector<float>& is, const std::vector<double>& should, double relative) {
    const double norm = std::sqrt(std::inner_product(should.begin(), should.end(), should.begin(), 0.0));
    ASSERT_GT(norm, 0);
    for (std::size_t i = 0; i < is.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(is[i]), should[i], relative * norm) << i;
    }
  }

  learning::DataSplit split_ = learning::draw_digits(40, 0, 1);
  learning::Dataset& data_ = split_.train;
  Architecture architecture_{GetParam(), data_.shape, data_.classes};
  std::unique_ptr<learning::GradientEngine> engine_ = learning::make_engine(architecture_);
  std::vector<float> parameters_ = learning::initial_parameters(architecture_, kKey);
};

TEST_P(ClientUpdateTest, OfOneRecordIsItsGradientBitForBit) {
  for (const Record record : {0U, 7U, 39U}) EXPECT_EQ(update({record}), gradient(record, parameters_));
}

TEST_P(ClientUpdateTest, OfSeveralRecordsIsTheirMeanGradient) {
  for (const std::vector<Record>& records :
       {std::vector<Record>{3, 4}, std::vector<Record>{1, 1, 30}, std::vector<Record>{9, 8, 7, 6, 5, 4, 3}}) {
    // Each addition rounds by at most 2^-24 of the sum so far.
    expect_close(update(records), mean(records, parameters_), 1e-5);
  }
  // The comparison above can fail: a mean that misses one record is different.
  EXPECT_NE(update({3, 4}), update({3, 4, 5}));
}

TEST_P(ClientUpdateTest, GradientsAreAddedInTheOrderOfTheRecordsBitForBit) {
  const auto added = [&](const std::vector<Record>& records) {
    std::vector<float> sum = gradient(records.front(), parameters_);
    for (const Record record : std::span(records).subspan(1)) {
      const std::vector<float> one = gradient(record, parameters_);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i];
    }
    for (float& value : sum) value *= 1.0f / static_cast<float>(records.size());
    return sum;
  };
  for (const std::vector<Record>& records :
       {std::vector<Record>{3, 4}, std::vector<Record>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 11, 10}}) {
    EXPECT_EQ(update(records), added(records));
  }
  // The comparison above can fail: another order rounds differently.
  EXPECT_NE(update({3, 4, 5}), added({5, 4, 3}));
}

TEST_P(ClientUpdateTest, OfNoRecordIsZero) {
  EXPECT_EQ(update({}), std::vector<float>(engine_->dimension(), 0.0f));
  EXPECT_EQ(update({}, {.steps = 3, .rate = 0.1f}), std::vector<float>(engine_->dimension(), 0.0f));
}

// The tolerance covers the rounding of parameters of about 1, which is 2^-24 in every coordinate.
TEST_P(ClientUpdateTest, OneLocalStepOnAllRecordsIsTheRateTimesTheMeanGradient) {
  std::vector<double> step = mean({3, 4, 5}, parameters_);
  for (double& value : step) value *= 0.5;
  expect_close(update({3, 4, 5}, {.steps = 1, .rate = 0.5f}), step, 1e-5);
}

TEST_P(ClientUpdateTest, LocalStepsDescendFromWhereTheLastOneEnded) {
  constexpr float kRate = 0.25f;
  std::vector<float> local = parameters_;
  for (int step = 0; step < 3; ++step) {
    const std::vector<double> slope = mean({3, 4, 5}, local);
    for (std::size_t i = 0; i < local.size(); ++i) local[i] -= kRate * static_cast<float>(slope[i]);
  }
  std::vector<double> difference(local.size());
  for (std::size_t i = 0; i < local.size(); ++i) {
    difference[i] = static_cast<double>(parameters_[i]) - static_cast<double>(local[i]);
  }
  expect_close(update({3, 4, 5}, {.steps = 3, .rate = kRate}), difference, 1e-4);
}

// With batches of one record, three steps on three records use each record once, in one of six orders.
TEST_P(ClientUpdateTest, BatchesTakeEachRecordOnceInADrawnOrder) {
  constexpr float kRate = 0.25f;
  const LocalSgd local{.steps = 3, .rate = kRate, .batch = 1};
  std::vector<std::vector<float>> seen;
  for (std::uint64_t round = 1; round <= 40; ++round) {
    const std::vector<float> drawn = update({3, 4, 5}, local, round);
    EXPECT_EQ(drawn, update({3, 4, 5}, local, round));
    if (std::ranges::find(seen, drawn) == seen.end()) seen.push_back(drawn);
  }
  // The probability that one of the six orders is missing among forty draws is at most 6 (5/6)^40 = 0.004.
  // The seed is fixed.
  EXPECT_EQ(seen.size(), 6U);
  std::vector<Record> order = {3, 4, 5};
  int found = 0;
  do {
    std::vector<float> model = parameters_;
    for (const Record record : order) {
      const std::vector<float> slope = gradient(record, model);
      for (std::size_t i = 0; i < model.size(); ++i) model[i] -= kRate * slope[i];
    }
    for (std::size_t i = 0; i < model.size(); ++i) model[i] = parameters_[i] - model[i];
    found += std::ranges::find(seen, model) != seen.end() ? 1 : 0;
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(found, 6);
}

TEST_P(ClientUpdateTest, ABatchOfAllRecordsDrawsNothing) {
  const ClientUpdate update_of_twelve(*engine_, data_, {.steps = 2, .rate = 1, .batch = 12});
  EXPECT_TRUE(update_of_twelve.draws(13));
  EXPECT_FALSE(update_of_twelve.draws(12));
  EXPECT_FALSE(update_of_twelve.draws(3));
  EXPECT_FALSE(ClientUpdate(*engine_, data_, {.steps = 2, .rate = 1}).draws(3));
  EXPECT_FALSE(ClientUpdate(*engine_, data_).draws(3));
  EXPECT_EQ(update({3, 4, 5}, {.steps = 2, .rate = 1, .batch = 12}),
            update({3, 4, 5}, {.steps = 2, .rate = 1}));
}

// If gradients overflow, here because the rate is far too large, the vector must not look finite, because the
// caller then randomizes the zero vector instead.
TEST_P(ClientUpdateTest, WhatIsNotFiniteIsNotHidden) {
  const std::vector<float> diverged = update({3, 4, 5}, {.steps = 8, .rate = 3e38f});
  EXPECT_FALSE(randomizers::is_finite(diverged));
}

INSTANTIATE_TEST_SUITE_P(Engines, ClientUpdateTest,
                         ::testing::Values(learning::ArchitectureKind::cnn,
                                           learning::ArchitectureKind::logistic,
                                           learning::ArchitectureKind::mlp));

}  // namespace
}  // namespace muster::simulation
