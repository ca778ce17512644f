// The engine for Architecture::cnn: one example at a time through kernels written for it (cnn_kernel.h).
//
// It agrees with the reference engine up to rounding (fused_engine_test.cc) and breaks ties the same
// way. Callers' buffers are fastest when aligned to 64 bytes, but any alignment works. Thread rule: as
// for GradientEngine.
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_fused_cnn_engine();

}  // namespace muster::learning
