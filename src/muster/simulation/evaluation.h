// Accuracy on a test set, shared out over a team: the fraction of examples whose predicted class is the
// label.
//
// The count is an integer, so it does not depend on the number of workers. Driven by one thread; what it is
// given must outlive it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/gradient_engine.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

class Evaluator {
 public:
  // An empty test set is Error(data).
  Evaluator(const learning::GradientEngine& gradients, const learning::Dataset& test, WorkerTeam& team);
  double accuracy(std::span<const float> parameters);

 private:
  const learning::GradientEngine& gradients_;
  const learning::Dataset& test_;
  WorkerTeam& team_;
  std::vector<std::unique_ptr<learning::Workspace>> workspaces_;
};

}  // namespace muster::simulation
