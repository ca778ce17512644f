// Measures how good the reported model is, in [0, 1], from the test set alone; no client's data enters.
//
// The accuracy of a classifier is the fraction of test examples whose predicted class is the label. The
// examples are divided among a team; the count is an integer, so it does not depend on the number of
// workers. For a histogram it is 1 minus the total variation distance to the histogram of the test set.
// For a mean it is 1 minus |theta - test mean|_2 divided by the diameter of the set of clipped vectors.
// The last two are at least 0. One thread drives an evaluator; what an evaluator is given must outlive it.
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

// For each of these, an empty test set is Error(data).
std::unique_ptr<Evaluator> make_classifier_evaluator(const learning::GradientEngine& gradients,
                                                     const learning::Dataset& test, WorkerTeam& team);
// `histogram` computes each record's indicator.
std::unique_ptr<Evaluator> make_histogram_evaluator(const learning::ClientFunction& histogram,
                                                    const learning::Dataset& test);
std::unique_ptr<Evaluator> make_mean_evaluator(const learning::ClientFunction& statistic,
                                               const learning::Dataset& test, double diameter);

}  // namespace muster::simulation
