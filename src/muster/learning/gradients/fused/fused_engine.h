// Makes the engine for Architecture::cnn, which computes one example at a time with specialized kernels
// (cnn_kernel.h).
//
// It agrees with the reference engine up to rounding (fused_engine_test.cc) and breaks ties in the same way.
// Callers' buffers may have any alignment; 64 bytes are fastest. The engine is immutable and may be shared
// between threads; each thread needs its own Workspace (client_function.h).
#pragma once

#include <memory>

#include "muster/learning/gradient_engine.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_fused_cnn_engine();

}  // namespace muster::learning
