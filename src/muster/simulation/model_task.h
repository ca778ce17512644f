// Defines what the clients compute for a plan's model.kind, and how the result is evaluated.
//
//     cnn, logistic, mlp   the gradient of the loss on the client's example
//     features+linear      the gradient of the loss of a linear layer on features of the client's example,
//                          computed by a cnn that was trained without noise on public data and then frozen
//     mean                 the example's inputs; with laplace, one number computed from them (statistics.h)
//     histogram            the indicator of the example's class
//
// The plan, its seed and the data determine everything. Call these functions from one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"
#include "muster/learning/models/architecture.h"
#include "muster/plan/plan.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

using MakeEvaluator =
    std::function<std::unique_ptr<Evaluator>(const learning::Dataset& test, WorkerTeam& team)>;

// A network that was trained without noise on public data. Its last layer is that of the public classes, and
// the features are the inputs of that layer.
struct FrozenNetwork {
  learning::Architecture network;
  std::vector<float> parameters;
};

struct ModelTask {
  std::unique_ptr<learning::ClientFunction> function;
  std::vector<float> initial;    // the server's parameters before round 1
  MakeEvaluator make_evaluator;  // refers to `function`
  // Returns the model with these parameters in the form that other programs read: its tensors, and metadata
  // that says how to use them. For features+linear this is the whole cnn, of which the clients trained the
  // last layer.
  std::function<StoredModel(std::span<const float> parameters)> stored;
  // For features+linear, the features that the clients hold in place of the data: 32 floats per example
  // (9 MB for MNIST's 70,000).
  std::optional<learning::DataSplit> features;
  std::optional<FrozenNetwork> frozen;  // for features+linear

  // Returns the examples on which `function` is evaluated. `data` must be the split that the task was made
  // from.
  const learning::DataSplit& inputs(const learning::DataSplit& data) const {
    return features ? *features : data;
  }
};

// Throws Error(plan) if the model does not support the shape of the data. For features+linear, throws
// Error(data) if the public and the private examples differ in shape or are too small for a cnn, and whatever
// expect_disjoint (data_source.h) throws.
ModelTask make_model_task(const protocols::Plan& plan, const learning::DataSplit& data);

// Returns the function of make_model_task() for the shape, classes and normalisation of `inputs`, which may
// hold a single example. For features+linear these are features. Throws Error(plan) as make_model_task()
// does.
std::unique_ptr<learning::ClientFunction> make_client_function(const protocols::Plan& plan,
                                                               const learning::Dataset& inputs);

// Returns the number of entries of the vector that a client of the plan randomizes for records of the given
// shape, which is task.function->dimension(). Throws Error(plan) for a shape that the model does not support.
std::size_t client_dimension(const protocols::Plan& plan, const learning::Shape& inputs, std::size_t classes);

}  // namespace muster::simulation
