// Makes the fastest engine for an architecture. The engine is immutable and may be shared between threads;
// each thread needs its own Workspace (client_function.h).
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_engine(const Architecture& architecture);

}  // namespace muster::learning
