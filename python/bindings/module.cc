// The private extension of the Python package; muster/_muster.pyi documents what is in it.
#include "bind.h"
#include "errors.h"
#include "interruptible.h"

PYBIND11_MODULE(_muster, module) {
  module.doc() =
      "The compiled part of the package muster. Use the package: its names may change here at any time.";
  module.attr("version") = MUSTER_VERSION;
  muster::python::translate_errors();
  muster::python::bind_plan(module);
  muster::python::bind_answers(module);
  muster::python::bind_account(module);
  muster::python::bind_losses(module);
  muster::python::bind_population(module);
  muster::python::bind_messages(module);
  muster::python::bind_model(module);
  muster::python::bind_run(module);
  muster::python::bind_training(module);
  muster::python::bind_watch(module);
  muster::python::bind_digits(module);
  // A computation that was told to stop must not outlive the interpreter's data, nor be waited for in a child
  // process, which does not have its thread.
  namespace py = pybind11;
  py::module_::import("atexit").attr("register")(py::cpp_function(&muster::python::join_stopped));
  py::module_::import("os").attr("register_at_fork")(py::arg("after_in_child") =
                                                         py::cpp_function(&muster::python::forget_stopped));
}
