// The plan as Python holds it: immutable, perhaps without keys that calibration solves for.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "muster/plan/calibration/open_plan.h"

namespace muster::python {

// Shared, because computations on other threads outlive calls (interruptible.h).
using PlanPointer = std::shared_ptr<protocols::OpenPlan>;

// Returns the plan in which `delta` overrides privacy.delta, or the plan itself if `delta` is None.
PlanPointer with_delta(const PlanPointer& plan, pybind11::handle delta);

}  // namespace muster::python
