// What the clients compute for a plan's model.kind, and how the result is evaluated.
//
//     cnn, logistic, mlp   the gradient of the loss on the client's example
//     features+linear      the gradient of a linear layer on features of the client's example; a cnn computes
//                          them that was trained without noise on public data and then frozen
//     mean                 the example's inputs; with laplace, one number computed from them (statistics.h)
//     histogram            the indicator of its class
//
// Everything is determined by the plan, its seed and the data. Called from one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/simulation/evaluation.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

using MakeEvaluator =
    std::function<std::unique_ptr<Evaluator>(const learning::Dataset& test, WorkerTeam& team)>;

struct ModelTask {
  std::unique_ptr<learning::ClientFunction> function;
  std::vector<float> initial;    // the server's parameters before round 1
  MakeEvaluator make_evaluator;  // refers to `function`
  // For features+linear, the features that the clients hold in place of the data: 32 floats per example
  // (9 MB for MNIST's 70,000).
  std::optional<learning::DataSplit> features;

  // The data on which the function is evaluated. `data` must be what the task was made from.
  const learning::DataSplit& inputs(const learning::DataSplit& data) const {
    return features ? *features : data;
  }
};

// Throws Error(plan) if the model does not support the shape of the data. See expect_disjoint
// for features+linear.
ModelTask make_model_task(const protocols::Plan& plan, const learning::DataSplit& data);

}  // namespace muster::simulation
