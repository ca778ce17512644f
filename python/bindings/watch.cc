// Binds the monitor of check-ins, for rounds whose messages do not come from a Population.
#include "watch.h"

#include "bind.h"
#include "plan.h"

namespace muster::python {
namespace py = pybind11;

py::dict watched_by(const protocols::CheckInMonitor& monitor) {
  py::dict all;
  all["blind"] = monitor.blind();
  all["rounds"] = monitor.rounds_watched();
  const auto& alarm = monitor.alarm();
  all["alarm"] = alarm ? py::object(py::str(alarm->reason)) : py::none();
  const auto estimate = monitor.estimate();
  all["rate"] =
      estimate ? py::object(py::make_tuple(estimate->low, estimate->rate, estimate->high)) : py::none();
  return all;
}

void bind_watch(py::module_& module) {
  py::class_<protocols::CheckInMonitor>(module, "Watch")
      .def_static(
          "made", [](const PlanPointer& plan) { return protocols::CheckInMonitor(plan->whole().stages()); },
          py::arg("plan"))
      .def("round", &protocols::CheckInMonitor::watch_round, py::arg("clients"), py::arg("messages"))
      .def("watched", &watched_by);
}

}  // namespace muster::python
