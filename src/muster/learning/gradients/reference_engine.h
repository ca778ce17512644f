// The engine that all others are checked against: im2col and Eigen's matrix products, for any architecture.
//
// It is itself checked against finite differences (network_test.cc). The last bits of its results may differ
// between builds for different instruction sets, because Eigen's do. In one build, equal inputs give equal
// bits. The thread rule is that of GradientEngine.
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_reference_engine(const Architecture& architecture);

}  // namespace muster::learning
