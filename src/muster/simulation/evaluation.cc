#include "muster/simulation/evaluation.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "muster/core/error.h"
#include "muster/randomizers/aligned.h"

namespace muster::simulation {
namespace {

constexpr std::size_t kBatch = 64;  // examples a worker takes at a time

}  // namespace

Evaluator::Evaluator(const learning::GradientEngine& gradients, const learning::Dataset& test,
                     WorkerTeam& team)
    : gradients_(gradients), test_(test), team_(team) {
  if (test.size() == 0) {
    throw Error(ErrorCode::data, "population.data", "", "at least one test example", "no test examples");
  }
  for (unsigned worker = 0; worker < team.size(); ++worker) {
    workspaces_.push_back(gradients.make_workspace());
  }
}

double Evaluator::accuracy(std::span<const float> parameters) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> correct{0};
  team_.run([&](unsigned worker) {
    std::uint64_t mine = 0;
    randomizers::AlignedVector<float> inputs(test_.shape.size());
    for (std::size_t first = next.fetch_add(kBatch); first < test_.size(); first = next.fetch_add(kBatch)) {
      const std::size_t last = std::min(first + kBatch, test_.size());
      for (std::size_t i = first; i < last; ++i) {
        const learning::Example example = test_.example(i, inputs);
        mine += gradients_.predict(parameters, example.inputs, *workspaces_[worker]) == example.label ? 1 : 0;
      }
    }
    correct += mine;
  });
  return static_cast<double>(correct.load()) / static_cast<double>(test_.size());
}

}  // namespace muster::simulation
