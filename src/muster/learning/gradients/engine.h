// Makes the engine to train with: the fastest one that exists for an architecture. Thread rule: as
// for GradientEngine.
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"
#include "muster/learning/models/architecture.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_engine(const Architecture& architecture);

}  // namespace muster::learning
