#include "values.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/printable.h"
#include "muster/simulation/ranks.h"

namespace muster::python {
namespace {

namespace py = pybind11;

using protocols::RawValue;
using protocols::Stated;

// Schedules are lists of pairs; a list that contains itself must not be followed for ever.
constexpr int kMaxDepth = 4;
constexpr double kExact = 9007199254740992.0;  // below it, a double holds every integer exactly

RawValue stated(decltype(RawValue::value) value, std::string text) {
  return {.value = std::move(value), .text = std::move(text), .origin = {}};
}

RawValue other(py::handle object) {
  const std::string type = py::str(py::type::handle_of(object).attr("__name__"));
  return stated(RawValue::Other{fmt::format("an object of type {}", type)}, "");
}

// Returns the digits of an int, or "inf" if Python refuses to print so long a number, which is too large for
// every key.
std::string digits_of(py::handle whole) {
  PyObject* text = PyObject_Str(whole.ptr());
  if (text == nullptr) {
    PyErr_Clear();
    return "inf";
  }
  return py::reinterpret_steal<py::str>(text);
}

// Returns the number of an object that is one: an int, a float, or an object that converts itself to either.
// Inside a list, numbers are typed, as in a file.
std::optional<RawValue> number(py::handle object, bool inside) {
  if (PyIndex_Check(object.ptr())) {
    const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!whole) throw py::error_already_set();
    const std::string text = digits_of(whole);
    if (!inside) return stated(text, text);
    int overflow = 0;
    const long long integer = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    return overflow == 0 ? stated(std::int64_t{integer}, text) : stated(HUGE_VAL, text);
  }
  const PyNumberMethods* methods = Py_TYPE(object.ptr())->tp_as_number;
  if (methods == nullptr || methods->nb_float == nullptr) return std::nullopt;
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  const std::string text = py::repr(py::float_(value));
  if (!inside) return stated(text, text);
  // A whole float becomes an integer, because the rounds of a schedule may stand in an array of floats.
  const bool whole = std::abs(value) < kExact && value == std::floor(value);
  return whole ? stated(static_cast<std::int64_t>(value), text) : stated(value, text);
}

RawValue raw_within(py::handle object, int depth);

RawValue list_of(py::handle object, int depth) {
  std::vector<RawValue> elements;
  std::string text = "[";
  for (const py::handle each : object) {
    elements.push_back(raw_within(each, depth + 1));
    text += (text.size() > 1 ? ", " : "") + elements.back().text;
  }
  return stated(std::move(elements), text + "]");
}

RawValue raw_within(py::handle object, int depth) {
  if (depth > kMaxDepth) return stated(RawValue::Other{"nested too deeply"}, "");
  if (PyBool_Check(object.ptr())) {
    const bool truth = object.ptr() == Py_True;
    return stated(truth, truth ? "true" : "false");
  }
  if (py::isinstance<py::str>(object)) {
    const std::string text = py::str(py::reinterpret_borrow<py::object>(object));
    return stated(text, printable(text));
  }
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) return list_of(object, depth);
  // Arrays and scalars of numpy and similar packages are read as Python's own objects. Otherwise a scalar
  // that is a bool would convert itself to a number.
  if (py::hasattr(object, "dtype") && py::hasattr(object, "tolist")) {
    const py::object plain = object.attr("tolist")();
    return py::hasattr(plain, "dtype") ? other(object) : raw_within(plain, depth);
  }
  const std::optional<RawValue> converted = number(object, depth > 0);
  return converted ? *converted : other(object);
}

// Returns an argument's value, as if a flag of that name had stated it.
RawValue argument_value(const char* argument, py::handle object) {
  RawValue raw = raw_of(object);
  raw.origin = {.flag = argument, .file = "", .in_code = true};
  return raw;
}

}  // namespace

RawValue raw_of(py::handle object) { return raw_within(object, 0); }
RawValue typed_raw_of(py::handle object) { return raw_within(object, 1); }

py::object object_of(const RawValue& raw) {
  struct Convert {
    py::object operator()(const RawValue::Other&) const { return py::none(); }
    py::object operator()(bool value) const { return py::bool_(value); }
    py::object operator()(std::int64_t value) const { return py::int_(value); }
    py::object operator()(double value) const { return py::float_(value); }
    py::object operator()(const std::string& value) const { return str_of(value); }
    py::object operator()(const std::vector<RawValue>& values) const {
      py::list list;
      for (const RawValue& each : values) list.append(object_of(each));
      return list;
    }
  };
  return std::visit(Convert{}, raw.value);
}

double number_of(const char* argument, py::handle object, const protocols::Interval& range) {
  const RawValue raw = argument_value(argument, object);
  return protocols::number_value(Stated{argument, raw, protocols::Command::account, range.text()}, range);
}

std::uint64_t count_of(const char* argument, py::handle object, std::uint64_t least, std::uint64_t most) {
  const RawValue raw = argument_value(argument, object);
  const Stated stated{argument, raw, protocols::Command::account, fmt::format("integer {}..{}", least, most)};
  const std::uint64_t count = protocols::integer_value(stated, false);
  if (count < least || count > most) protocols::refuse(stated, Reason::out_of_range, "is out of range");
  return count;
}

unsigned threads_of(py::handle threads) {
  constexpr std::uint64_t kMostThreads = 1024;  // as in muster train
  return threads.is_none() ? simulation::usual_threads()
                           : static_cast<unsigned>(count_of("threads", threads, 1, kMostThreads));
}

std::string text_of(const char* argument, py::handle object, const std::string& allowed) {
  const RawValue raw = argument_value(argument, object);
  if (!py::isinstance<py::str>(object)) {
    protocols::refuse(Stated{argument, raw, protocols::Command::account, allowed}, Reason::wrong_type,
                      "is not text");
  }
  return std::get<std::string>(raw.value);
}

py::str str_of(std::string_view text) {
  PyObject* decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

}  // namespace muster::python
