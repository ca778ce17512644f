// Learns features from public data without noise, for models of which only the last layer is
// trained privately.
//
// Training is plain minibatch gradient descent, one example after another, so the result depends on the
// arguments alone. All functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

inline constexpr std::size_t kMinibatch = 32;

// Makes one pass over the data in order: for every kMinibatch examples (a remainder is left out),
// parameters -= rate times the mean gradient.
void descend(const GradientEngine& engine, const Dataset& data, double rate, std::vector<float>& parameters);

// The fraction of examples whose predicted class is the label.
double fraction_right(const GradientEngine& engine, const std::vector<float>& parameters,
                      const Dataset& data);

// Returns the parameters after passes of rate 0.1 / (1 + epoch) for epoch = 0, ..., epochs - 1. They start
// from initial_parameters at the address {initialize, round 1}, another stream than that of the model trained
// privately afterwards. The data must have the architecture's shape and classes, else Error(internal).
std::vector<float> pretrain(const Architecture& architecture, const Dataset& data, std::size_t epochs,
                            const random::RunKey& key);

// The inputs of the network's last layer for every example: rows of floats, with the labels of `data`.
// The work is split over `threads`; the result does not depend on their number. None is Error(internal).
Dataset features_of(const Architecture& architecture, const std::vector<float>& parameters,
                    const Dataset& data, unsigned threads);

}  // namespace muster::learning
