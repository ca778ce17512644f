// What the clients compute for a plan's model.kind, and how the result is evaluated.
//
//     cnn, logistic, mlp   the gradient of the loss on the client's example
//     features+linear      the gradient of the loss of a linear layer on features of the client's example,
//                          computed by a cnn that was trained without noise on public data and then frozen
//     mean                 the example's inputs; with laplace, one number computed from them (statistics.h)
//     histogram            the indicator of the example's class
//
// Everything is determined by the plan, its seed and the data. Called from one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

using MakeEvaluator =
    std::function<std::unique_ptr<Evaluator>(const learning::Dataset& test, WorkerTeam& team)>;

struct ModelTask {
  std::unique_ptr<learning::ClientFunction> function;
  std::vector<float> initial;    // the server's parameters before round 1
  MakeEvaluator make_evaluator;  // refers to `function`
  // The model with these parameters, for other programs: its tensors, and what says how they are used. A model
  // features+linear is stored as the cnn whose last layer was trained.
  std::function<StoredModel(std::span<const float> parameters)> stored;
  // For features+linear, the features that the clients hold in place of the data: 32 floats per example
  // (9 MB for MNIST's 70,000).
  std::optional<learning::DataSplit> features;

  // The data on which the function is evaluated. `data` must be what the task was made from.
  const learning::DataSplit& inputs(const learning::DataSplit& data) const {
    return features ? *features : data;
  }
};

// Throws Error(plan) if the model does not support the shape of the data. For features+linear, Error(data)
// refuses a shape of the public or private data that does not fit, and expect_disjoint (data_source.h)
// is called.
ModelTask make_model_task(const protocols::Plan& plan, const learning::DataSplit& data);

// The number of entries of the vector that a client of the plan randomizes, task.function->dimension(), for
// records of the given shape. Throws Error(plan) for a shape that the model does not support.
std::size_t client_dimension(const protocols::Plan& plan, const learning::Shape& inputs, std::size_t classes);

}  // namespace muster::simulation
