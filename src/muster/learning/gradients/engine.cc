#include "muster/learning/gradients/engine.h"

#include "muster/learning/gradients/fused/fused_engine.h"
#include "muster/learning/gradients/reference_engine.h"

namespace muster::learning {

std::unique_ptr<GradientEngine> make_engine(const Architecture& architecture) {
  return architecture == Architecture::cnn ? make_fused_cnn_engine() : make_reference_engine(architecture);
}

}  // namespace muster::learning
