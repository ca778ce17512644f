// Makes the fastest engine for an architecture. The thread rule is that of GradientEngine.
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_engine(const Architecture& architecture);

}  // namespace muster::learning
