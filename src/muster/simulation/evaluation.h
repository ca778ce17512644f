// Measures the accuracy of the reported model, in [0, 1], on the test set. No client's data is used.
//
// The accuracy of a classifier is the fraction of test examples whose predicted class is the label. The
// examples are divided among a team of workers; the number of correct predictions is an integer, so it does
// not depend on how they were divided. The accuracy of a histogram is 1 minus its total variation distance to
// the histogram of the test set. The accuracy of a mean is 1 minus d / D, where d is its Euclidean distance
// to the mean of the test set and D is the diameter of the set of clipped vectors. Where one of these
// differences is negative, the accuracy is 0. An evaluator belongs to one thread, and the arguments of the
// function that makes it must outlive it.
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

// All three functions throw Error(data) for an empty test set.
std::unique_ptr<Evaluator> make_classifier_evaluator(const learning::GradientEngine& gradients,
                                                     const learning::Dataset& test, WorkerTeam& team);
// `histogram` computes the indicator of each record's class.
std::unique_ptr<Evaluator> make_histogram_evaluator(const learning::ClientFunction& histogram,
                                                    const learning::Dataset& test);
std::unique_ptr<Evaluator> make_mean_evaluator(const learning::ClientFunction& statistic,
                                               const learning::Dataset& test, double diameter);

}  // namespace muster::simulation
