#include "errors.h"

#include <pybind11/pybind11.h>

#include <exception>
#include <filesystem>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

// Makes Python raise the exception for the error, or the failure if the exception cannot be made.
void set_exception(const Error& error) {
  try {
    const py::object made =
        py::module_::import("muster.errors")
            .attr("_error_of")(name_of(error.code()), exit_status(error.code()), name_of(error.reason()),
                               str_of(error.key()), str_of(error.value()), str_of(error.allowed()),
                               str_of(error.what()));
    PyErr_SetObject(py::type::handle_of(made).ptr(), made.ptr());
  } catch (py::error_already_set& failure) {
    failure.restore();
  }
}

}  // namespace

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
      } else {
        set_exception(error);
      }
    } catch (const std::filesystem::filesystem_error& error) {
      set_exception(file_error(error));
    }
  });
}

}  // namespace muster::python
