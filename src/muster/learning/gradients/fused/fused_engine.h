// The engine for the papers' CNN: one example at a time through kernels written for its shape (cnn_kernel.h).
//
// It agrees with the reference engine to rounding (fused_engine_test.cc) and breaks ties the same way.
// Buffers that callers pass run fastest when aligned to 64 bytes; any alignment is right. Thread rule: as
// GradientEngine.
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_fused_cnn_engine();

}  // namespace muster::learning
