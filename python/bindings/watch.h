// What a monitor of check-ins has seen, as Python gets it. Callers hold the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include "muster/protocols/monitor/check_in_monitor.h"

namespace muster::python {

// A dict of "blind", "rounds", "alarm" (a reason, or None) and "rate" (low, estimate and high, or None).
pybind11::dict watched_by(const protocols::CheckInMonitor& monitor);

}  // namespace muster::python
