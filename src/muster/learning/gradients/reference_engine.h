// The engine every other is checked against: im2col and Eigen matrix products, any architecture.
//
// It is itself checked against finite differences (network_test.cc). Bits may differ between builds for
// different vector sets, as Eigen's do; on one build equal inputs give equal bits. Thread rule: as
// GradientEngine.
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_reference_engine(const Architecture& architecture);

}  // namespace muster::learning
