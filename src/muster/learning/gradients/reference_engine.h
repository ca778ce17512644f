// Makes the reference engine, against which the fused engine is checked. It uses im2col and Eigen's matrix
// products, and supports any architecture.
//
// The reference engine is itself checked against finite differences (network_test.cc). The last bits of its
// results may differ between builds for different instruction sets, because those of Eigen's results do. In
// one build, equal inputs give equal bits. The engine is immutable and may be shared between threads; each
// thread needs its own Workspace (client_function.h).
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_reference_engine(const Architecture& architecture);

}  // namespace muster::learning
