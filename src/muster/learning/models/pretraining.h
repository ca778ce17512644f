// Learning from public data without noise, and the features it leaves: for models whose last layer alone is
// trained privately.
//
// Plain minibatch descent, one example after another, so the result depends on the arguments and on nothing
// else. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

inline constexpr std::size_t kMinibatch = 32;

// One pass over the data in its order: for every kMinibatch examples (a rest is left out), parameters -=
// rate times the mean gradient.
void descend(const GradientEngine& engine, const Dataset& data, double rate, std::vector<float>& parameters);

// The fraction of examples whose predicted class is the label.
double fraction_right(const GradientEngine& engine, const std::vector<float>& parameters,
                      const Dataset& data);

// The parameters after `epochs` passes of rate 0.1 / (1 + epoch) from initial_parameters at (initialize,
// round 1): another stream than that of the model which is trained afterwards. The data must have the
// architecture's shape and classes, else Error(internal).
std::vector<float> pretrain(const Architecture& architecture, const Dataset& data, std::size_t epochs,
                            const random::RunKey& key);

// What the last layer of the network reads, for every example: rows of floats with the labels of `data`.
// Split over `threads`; the result does not depend on them.
Dataset features_of(const Architecture& architecture, const std::vector<float>& parameters,
                    const Dataset& data, unsigned threads);

}  // namespace muster::learning
