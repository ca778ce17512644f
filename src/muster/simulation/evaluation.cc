#include "muster/simulation/evaluation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "muster/core/error.h"
#include "muster/learning/gradients/softmax.h"
#include "muster/learning/statistics/statistics.h"
#include "muster/randomizers/aligned.h"

namespace muster::simulation {
namespace {

constexpr std::size_t kBatch = 64;  // examples that a worker takes at a time

void expect_examples(const learning::Dataset& test) {
  if (test.size() == 0) {
    throw Error(ErrorCode::data, "population.data", "", "at least one test example", "has no test examples");
  }
}

class ClassifierEvaluator final : public Evaluator {
 public:
  ClassifierEvaluator(const learning::GradientEngine& gradients, const learning::Dataset& test,
                      WorkerTeam& team)
      : gradients_(gradients), test_(test), team_(team), labels_(test.classes), right_(team.size()) {
    for (const std::uint8_t label : test.labels) ++labels_[label].examples;
    for (unsigned worker = 0; worker < team.size(); ++worker) {
      workspaces_.push_back(gradients.make_workspace());
    }
  }

  TestScore score(std::span<const float> given) override {
    parameters_.assign(given.begin(), given.end());
    const std::span<const float> parameters = parameters_;
    std::atomic<std::size_t> next{0};
    std::vector<double> losses((test_.size() + kBatch - 1) / kBatch);  // the sum of the losses of each batch
    team_.run([&](unsigned worker) {
      std::vector<std::uint64_t>& right = right_[worker];
      right.assign(test_.classes, 0);
      randomizers::AlignedVector<float> inputs(test_.shape.size());
      for (std::size_t first = next.fetch_add(kBatch); first < test_.size(); first = next.fetch_add(kBatch)) {
        const std::size_t last = std::min(first + kBatch, test_.size());
        for (std::size_t i = first; i < last; ++i) {
          const learning::Example example = test_.example(i, inputs);
          const std::span<const float> logits =
              gradients_.logits(parameters, example.inputs, *workspaces_[worker]);
          right[example.label] += learning::largest_class(logits) == example.label ? 1 : 0;
          losses[first / kBatch] += static_cast<double>(learning::cross_entropy(logits, example.label));
        }
      }
    });
    const auto examples = static_cast<double>(test_.size());
    const double loss = std::accumulate(losses.begin(), losses.end(), 0.0) / examples;
    std::vector<LabelScore> labels = labels_;
    std::uint64_t correct = 0;
    for (std::size_t label = 0; label < labels.size(); ++label) {
      for (const std::vector<std::uint64_t>& right : right_) labels[label].right += right[label];
      correct += labels[label].right;
    }
    return {static_cast<double>(correct) / examples,
            std::isfinite(loss) ? loss : std::numeric_limits<double>::infinity(), std::move(labels)};
  }

 private:
  const learning::GradientEngine& gradients_;
  const learning::Dataset& test_;
  WorkerTeam& team_;
  std::vector<LabelScore> labels_;                 // the test examples per label; `right` stays 0
  std::vector<std::vector<std::uint64_t>> right_;  // correct predictions by worker and label
  randomizers::AlignedVector<float> parameters_;   // a copy of the parameters that starts on a cache line
  std::vector<std::unique_ptr<learning::Workspace>> workspaces_;
};

// Returns 1 minus the distance, or 0 where that is negative or NaN.
double accuracy_at(double distance) { return distance < 1 ? 1 - distance : 0; }

class HistogramEvaluator final : public Evaluator {
 public:
  explicit HistogramEvaluator(std::vector<double> truth) : truth_(std::move(truth)) {}
  TestScore score(std::span<const float> parameters) override {
    double distance = 0;
    for (std::size_t c = 0; c < truth_.size(); ++c) {
      distance += std::abs(static_cast<double>(parameters[c]) - truth_[c]) / 2;
    }
    return {accuracy_at(distance)};
  }

 private:
  std::vector<double> truth_;
};

class MeanEvaluator final : public Evaluator {
 public:
  MeanEvaluator(std::vector<double> truth, double diameter) : truth_(std::move(truth)), diameter_(diameter) {}
  TestScore score(std::span<const float> parameters) override {
    double squares = 0;
    for (std::size_t j = 0; j < truth_.size(); ++j) {
      const double difference = static_cast<double>(parameters[j]) - truth_[j];
      squares += difference * difference;
    }
    return {accuracy_at(std::sqrt(squares) / diameter_)};
  }

 private:
  std::vector<double> truth_;
  double diameter_;
};

}  // namespace

std::unique_ptr<Evaluator> make_classifier_evaluator(const learning::GradientEngine& gradients,
                                                     const learning::Dataset& test, WorkerTeam& team) {
  expect_examples(test);
  return std::make_unique<ClassifierEvaluator>(gradients, test, team);
}

std::unique_ptr<Evaluator> make_histogram_evaluator(const learning::ClientFunction& histogram,
                                                    const learning::Dataset& test) {
  expect_examples(test);
  return std::make_unique<HistogramEvaluator>(learning::mean_over(histogram, test));
}

std::unique_ptr<Evaluator> make_mean_evaluator(const learning::ClientFunction& statistic,
                                               const learning::Dataset& test, double diameter) {
  expect_examples(test);
  return std::make_unique<MeanEvaluator>(learning::mean_over(statistic, test), diameter);
}

}  // namespace muster::simulation
