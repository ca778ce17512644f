// The parts of the extension `muster._muster`, each of which adds its classes and functions to the module.
//
// Bindings convert arguments and results, and let other threads of Python run; they decide nothing. What
// Python sees of them is documented in muster/_muster.pyi, which mypy's stubtest compares with the built
// module.
#pragma once

#include <pybind11/pybind11.h>

namespace muster::python {

void bind_plan(pybind11::module_& module);        // Plan, and the table of keys
void bind_answers(pybind11::module_& module);     // Statement, Calibration, Curve, and what asks for them
void bind_account(pybind11::module_& module);     // OpenAccount
void bind_losses(pybind11::module_& module);      // the dominating pair of an OpenAccount
void bind_population(pybind11::module_& module);  // Population
void bind_messages(pybind11::module_& module);    // Messages, and the secret order
void bind_model(pybind11::module_& module);       // Model
void bind_run(pybind11::module_& module);         // Run
void bind_training(pybind11::module_& module);    // train, sweep
void bind_watch(pybind11::module_& module);       // Watch
void bind_digits(pybind11::module_& module);      // digits

}  // namespace muster::python
