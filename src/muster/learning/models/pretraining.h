// Learns features from public data without noise, for models of which only the last layer is trained
// privately.
//
// Training is plain minibatch gradient descent in the order of the examples, so the result depends on the
// arguments only. All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

inline constexpr std::size_t kMinibatch = 32;

// Makes one pass over the data in order: for every kMinibatch examples, parameters -= rate times the mean
// gradient. A last, incomplete minibatch is left out.
void descend(const GradientEngine& engine, const Dataset& data, double rate, std::vector<float>& parameters);

// Returns the fraction of examples whose predicted class is the label.
double fraction_right(const GradientEngine& engine, const std::vector<float>& parameters,
                      const Dataset& data);

// Returns the parameters after `epochs` passes, with rate 0.1 / (1 + epoch) for epoch = 0, 1, ... The first
// pass starts from initial_parameters at the address {initialize, round 1}; the model that is trained
// privately later starts from another stream. Throws Error(internal) unless the data has the architecture's
// shape and classes.
std::vector<float> pretrain(const Architecture& architecture, const Dataset& data, std::size_t epochs,
                            const random::RunKey& key);

// Returns the inputs of the network's last layer for every example: rows of floats, with the labels of
// `data`. The work is split over `threads` threads, and the result does not depend on their number. Throws
// Error(internal) if `threads` is 0.
Dataset features_of(const Architecture& architecture, const std::vector<float>& parameters,
                    const Dataset& data, unsigned threads);

}  // namespace muster::learning
