// Measures how good the reported model is on the test set. No client's data is used.
//
// The accuracy of a classifier is the fraction of test examples whose predicted class is the label, and its
// loss is the mean cross-entropy of its logits on the test examples. The examples are divided among a team of
// workers. The number of correct predictions is an integer, and the losses are added up first within batches
// of consecutive examples and then over the batches, so neither result depends on the division. The accuracy
// of a histogram is 1 minus its total variation distance to the histogram of the test set. The accuracy of a
// mean is 1 minus its Euclidean distance to the mean of the test set, divided by the diameter of the set of
// clipped vectors. Where these two differences are negative, or not a number, the accuracy is 0. Histograms
// and means have no loss. An evaluator belongs to one thread, and the arguments from which it is made must
// outlive it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/gradient_engine.h"
#include "muster/simulation/client_accuracy.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

struct TestScore {
  double accuracy = 0;  // the accuracy as defined above, in [0, 1]
  // The mean loss in nats, infinity if the computed mean is infinite or NaN; nullopt for a statistic.
  std::optional<double> loss = std::nullopt;
  // One score per label for a classifier; empty for a statistic.
  std::vector<LabelScore> labels = {};
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual TestScore score(std::span<const float> parameters) = 0;
};

// All three functions throw Error(data) for an empty test set.
std::unique_ptr<Evaluator> make_classifier_evaluator(const learning::GradientEngine& gradients,
                                                     const learning::Dataset& test, WorkerTeam& team);
// `histogram` must map a record to the indicator of its class (learning/statistics/statistics.h).
std::unique_ptr<Evaluator> make_histogram_evaluator(const learning::ClientFunction& histogram,
                                                    const learning::Dataset& test);
// `diameter` is the Euclidean diameter of the set of clipped vectors.
std::unique_ptr<Evaluator> make_mean_evaluator(const learning::ClientFunction& statistic,
                                               const learning::Dataset& test, double diameter);

}  // namespace muster::simulation
