// How good the reported model is, in [0, 1], by the test set alone: nothing of the clients' data is in it.
//
// A classifier: the fraction of test examples whose predicted class is the label, shared out
// over a team; the count is an integer, so it does not depend on the number of workers. A
// histogram: 1 minus the total variation distance to the test set's. A mean: 1 minus the
// distance |theta - test mean|_2 over the diameter of what clipping leaves. The last two are cut
// at 0. Driven by one thread; what an evaluator is given must outlive it.
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
  virtual ~Evaluator() = default;
  virtual double accuracy(std::span<const float> parameters) = 0;
};

// An empty test set is Error(data) for each.
std::unique_ptr<Evaluator> make_classifier_evaluator(const learning::GradientEngine& gradients,
                                                     const learning::Dataset& test, WorkerTeam& team);
// `histogram` gives each record's indicator.
std::unique_ptr<Evaluator> make_histogram_evaluator(const learning::ClientFunction& histogram,
                                                    const learning::Dataset& test);
std::unique_ptr<Evaluator> make_mean_evaluator(const learning::ClientFunction& statistic,
                                               const learning::Dataset& test, double diameter);

}  // namespace muster::simulation
