// Tests that every Evaluator must pass: scores are in their ranges whatever the parameters are, NaN included,
// and depend on nothing else. Each check is a function of an evaluator. The last test shows that each check
// refuses faulty evaluators. That a score is the right one is tested in evaluation_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/gradients/engine.h"
#include "muster/learning/statistics/statistics.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/worker_team.h"
#include "tests/support/class_name.h"

namespace muster::simulation {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;
using Parameters = std::vector<float>;
using Maker = std::function<std::shared_ptr<Evaluator>(const learning::Dataset& test)>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kFeatures = 2, kClasses = 3;

// Returns more rows than the evaluator of a classifier gives to a worker at a time.
learning::Dataset rows() {
  learning::Dataset data;
  data.shape = {1, 1, kFeatures};
  data.classes = kClasses;
  std::mt19937 bits(1);
  std::normal_distribution<float> normal(0, 2);
  for (std::size_t i = 0; i < 300; ++i) {
    data.labels.push_back(static_cast<std::uint8_t>(i * i % kClasses));
    for (std::size_t f = 0; f < kFeatures; ++f) data.values.push_back(normal(bits));
  }
  return data;
}

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  Maker make;
  std::size_t parameters;  // the number of parameters
  bool is_classifier = false;
};

void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

// An evaluator of a classifier, with the objects that must outlive it.
struct Classifier {
  Classifier(const learning::Dataset& test, unsigned threads)
      : engine(learning::make_engine({learning::ArchitectureKind::logistic, test.shape, test.classes})),
        team(threads),
        evaluator(make_classifier_evaluator(*engine, test, team)) {}
  std::unique_ptr<learning::GradientEngine> engine;
  WorkerTeam team;
  std::unique_ptr<Evaluator> evaluator;
};

Maker classifier(unsigned threads) {
  return [threads](const learning::Dataset& test) {
    const auto made = std::make_shared<Classifier>(test, threads);
    return std::shared_ptr<Evaluator>(made, made->evaluator.get());
  };
}

std::vector<Contract> contracts() {
  using learning::Dataset;
  constexpr std::size_t kWeights = (kFeatures + 1) * kClasses;
  return {
      {.name = "classifier_of_one_thread",
       .type = "ClassifierEvaluator",
       .make = classifier(1),
       .parameters = kWeights,
       .is_classifier = true},
      {.name = "classifier_of_three_threads",
       .type = "ClassifierEvaluator",
       .make = classifier(3),
       .parameters = kWeights,
       .is_classifier = true},
      {.name = "histogram",
       .type = "HistogramEvaluator",
       .make =
           [](const Dataset& test) {
             return make_histogram_evaluator(*learning::make_histogram(test), test);
           },
       .parameters = kClasses},
      {.name = "vector_mean",
       .type = "MeanEvaluator",
       .make =
           [](const Dataset& test) {
             return make_mean_evaluator(*learning::make_vector_mean(test), test, 10);
           },
       .parameters = kFeatures},
      {.name = "scalar_mean",
       .type = "MeanEvaluator",
       .make =
           [](const Dataset& test) {
             return make_mean_evaluator(*learning::make_scalar_mean(test), test, 2);
           },
       .parameters = 1},
  };
}

std::vector<Parameters> ordinary_parameters(const Contract& contract) {
  std::mt19937 bits(2);
  std::vector<Parameters> all;
  for (const float scale : {0.0F, 0.1F, 0.3F, 1.0F, 100.0F}) {
    std::normal_distribution<float> normal(0, 1);
    Parameters parameters(contract.parameters);
    for (float& parameter : parameters) parameter = scale * normal(bits);
    all.push_back(parameters);
  }
  return all;
}

// Returns parameters of which one is extreme, and parameters that are all extreme.
std::vector<Parameters> with_extremes(const Contract& contract, const std::vector<float>& extremes) {
  std::vector<Parameters> all;
  for (const float extreme : extremes) {
    all.emplace_back(contract.parameters, extreme);
    for (std::size_t i = 0; i < contract.parameters; ++i) {
      all.push_back(ordinary_parameters(contract)[1]);
      all.back()[i] = extreme;
    }
  }
  return all;
}

// Returns whether two scores agree in everything. A NaN agrees with nothing.
bool same(const TestScore& a, const TestScore& b) {
  bool equal = a.accuracy == b.accuracy && a.loss == b.loss && a.labels.size() == b.labels.size();
  for (std::size_t label = 0; equal && label < a.labels.size(); ++label) {
    equal = a.labels[label].examples == b.labels[label].examples &&
            a.labels[label].right == b.labels[label].right;
  }
  return equal;
}

// The accuracy is in [0, 1]. A classifier has a loss of at least 0, which is not NaN, and scores per label
// that add up to the accuracy; a statistic has neither.
AssertionResult is_in_range(const Contract& contract, const TestScore& score, std::size_t examples) {
  if (!(score.accuracy >= 0 && score.accuracy <= 1))
    return AssertionFailure() << "accuracy " << score.accuracy;
  if (!contract.is_classifier) {
    return score.loss || !score.labels.empty() ? AssertionFailure() << "a statistic has a loss or labels"
                                               : AssertionSuccess();
  }
  if (!score.loss || !(*score.loss >= 0)) return AssertionFailure() << "loss " << score.loss.value_or(kNan);
  std::uint64_t all = 0, right = 0;
  for (const LabelScore& label : score.labels) {
    if (label.right > label.examples) return AssertionFailure() << label.right << " of " << label.examples;
    all += label.examples;
    right += label.right;
  }
  if (score.labels.size() != kClasses || all != examples) return AssertionFailure() << all << " examples";
  const double accuracy = static_cast<double>(right) / static_cast<double>(examples);
  return accuracy == score.accuracy ? AssertionSuccess() : AssertionFailure() << "labels say " << accuracy;
}

AssertionResult stays_in_range(const Contract& contract, const Maker& make) {
  const learning::Dataset test = rows();
  const auto evaluator = make(test);
  std::vector<Parameters> all = ordinary_parameters(contract);
  constexpr float kHuge = std::numeric_limits<float>::max(), kInf = std::numeric_limits<float>::infinity();
  for (Parameters& parameters : with_extremes(
           contract, {std::numeric_limits<float>::denorm_min(), 1e30F, kHuge, -kHuge, kInf, -kInf, kNan})) {
    all.push_back(std::move(parameters));
  }
  for (const Parameters& parameters : all) {
    const AssertionResult result = is_in_range(contract, evaluator->score(parameters), test.size());
    if (!result) return AssertionResult(result) << " for " << ::testing::PrintToString(parameters);
  }
  return AssertionSuccess();
}

// A NaN or an infinity anywhere in a statistic makes its accuracy 0. A NaN anywhere in a classifier makes its
// loss infinite. Its accuracy is that of the classes that it still predicts, so it need not be 0.
AssertionResult shows_what_is_not_a_number(const Contract& contract, const Maker& make) {
  const learning::Dataset test = rows();
  const auto evaluator = make(test);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<float> extremes =
      contract.is_classifier ? std::vector{kNan}
                             : std::vector{kNan, static_cast<float>(kInf), static_cast<float>(-kInf)};
  for (const Parameters& parameters : with_extremes(contract, extremes)) {
    const TestScore score = evaluator->score(parameters);
    if (contract.is_classifier ? score.loss == kInf : score.accuracy == 0) continue;
    return AssertionFailure() << "accuracy " << score.accuracy << " for "
                              << ::testing::PrintToString(parameters);
  }
  return AssertionSuccess();
}

// The same parameters must have the same score from an evaluator that has scored others before, from a new
// evaluator, at another address, and after the memory of the earlier parameters was used for others.
AssertionResult repeats_itself(const Contract& contract, const Maker& make) {
  const learning::Dataset test = rows();
  const auto evaluator = make(test);
  const std::vector<Parameters> all = ordinary_parameters(contract);
  std::vector<TestScore> first;
  Parameters place(contract.parameters);
  for (const Parameters& parameters : all) {
    place = parameters;
    first.push_back(evaluator->score(place));
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    if (!same(first[i], evaluator->score(all[i]))) return AssertionFailure() << "scored again: " << i;
    if (!same(first[i], make(test)->score(all[i])))
      return AssertionFailure() << "by another evaluator: " << i;
    for (std::size_t offset = 1; offset <= 5; ++offset) {
      Parameters moved(offset);
      moved.insert(moved.end(), all[i].begin(), all[i].end());
      if (!same(first[i], evaluator->score(std::span(moved).subspan(offset)))) {
        return AssertionFailure() << offset << " floats further on: " << i;
      }
    }
  }
  if (same(first[0], first[2])) return AssertionFailure() << "different parameters have the same score";
  return AssertionSuccess();
}

AssertionResult needs_a_test_example(const Contract&, const Maker& make) {
  learning::Dataset none = rows();
  none.labels.clear();
  return refuses_with(ErrorCode::data, [&] { make(none); });
}

class EvaluatorContract : public ::testing::TestWithParam<Contract> {};

TEST_P(EvaluatorContract, IsTheClassOfTheList) {
  const learning::Dataset test = rows();
  EXPECT_EQ(testing::class_name(*GetParam().make(test)), GetParam().type);
}

TEST_P(EvaluatorContract, ScoresAreInTheirRanges) {
  EXPECT_TRUE(stays_in_range(GetParam(), GetParam().make));
}

TEST_P(EvaluatorContract, WhatIsNotANumberIsNoSuccess) {
  EXPECT_TRUE(shows_what_is_not_a_number(GetParam(), GetParam().make));
}

TEST_P(EvaluatorContract, TheSameParametersHaveTheSameScore) {
  EXPECT_TRUE(repeats_itself(GetParam(), GetParam().make));
}

TEST_P(EvaluatorContract, NeedsATestExample) {
  EXPECT_TRUE(needs_a_test_example(GetParam(), GetParam().make));
}

enum class Fault {
  is_below_zero,
  passes_nan_on,
  has_a_loss_that_is_nan,
  forgets_a_label,
  praises_nan,
  remembers,
  keeps_the_first_address,
  scores_nothing,
};

// Scores as a good evaluator does, except for one fault.
class FaultyEvaluator final : public Evaluator {
 public:
  FaultyEvaluator(std::shared_ptr<Evaluator> good, Fault fault) : good_(std::move(good)), fault_(fault) {}

  TestScore score(std::span<const float> parameters) override {
    bool nan = false;
    double sum = 0;
    for (const float parameter : parameters) {
      nan = nan || std::isnan(parameter);
      sum += static_cast<double>(parameter);
    }
    if (first_.empty()) first_ = parameters;
    TestScore score = good_->score(fault_ == Fault::keeps_the_first_address ? first_ : parameters);
    if (fault_ == Fault::is_below_zero && score.accuracy == 0) score.accuracy = -0.5;
    if (fault_ == Fault::passes_nan_on && nan) score.accuracy = sum;
    if (fault_ == Fault::has_a_loss_that_is_nan && nan) score.loss = kNan;
    if (fault_ == Fault::forgets_a_label && !score.labels.empty()) score.labels.pop_back();
    if (fault_ == Fault::praises_nan && nan) score = {.accuracy = 1, .loss = 0.1};
    if (fault_ == Fault::remembers) score.accuracy = last_ = (last_ + score.accuracy) / 2;
    if (fault_ == Fault::scores_nothing) score.accuracy = 0;
    return score;
  }

 private:
  std::shared_ptr<Evaluator> good_;
  Fault fault_;
  std::span<const float> first_;
  double last_ = 0;
};

TEST_P(EvaluatorContract, FaultyEvaluatorsAreNoticed) {
  std::vector<std::pair<Fault, AssertionResult (*)(const Contract&, const Maker&)>> faults = {
      {Fault::passes_nan_on, stays_in_range},           {Fault::has_a_loss_that_is_nan, stays_in_range},
      {Fault::praises_nan, shows_what_is_not_a_number}, {Fault::remembers, repeats_itself},
      {Fault::keeps_the_first_address, repeats_itself},
  };
  if (GetParam().is_classifier) {
    faults.emplace_back(Fault::forgets_a_label, stays_in_range);
  } else {
    faults.emplace_back(Fault::is_below_zero, stays_in_range);
    faults.emplace_back(Fault::scores_nothing, repeats_itself);
  }
  for (const auto& [fault, check] : faults) {
    const Maker make = [fault = fault](const learning::Dataset& test) {
      return std::make_shared<FaultyEvaluator>(GetParam().make(test), fault);
    };
    EXPECT_FALSE(check(GetParam(), make)) << "fault " << static_cast<int>(fault);
  }
  const learning::Dataset test = rows();
  const Maker takes_nothing = [&](const learning::Dataset&) { return GetParam().make(test); };
  EXPECT_FALSE(needs_a_test_example(GetParam(), takes_nothing));
}

INSTANTIATE_TEST_SUITE_P(Evaluators, EvaluatorContract, ::testing::ValuesIn(contracts()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace muster::simulation
