// Binds the built-in digits, so that programs have data without a download.
#include "muster/learning/data/digits.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "arrays.h"
#include "bind.h"
#include "muster/core/error.h"
#include "values.h"

namespace muster::python {
namespace {

namespace py = pybind11;

constexpr std::uint64_t kMaxDigits = 1'000'000;

learning::DigitSet set_named(const std::string& name) {
  if (name == "train") return learning::DigitSet::train;
  if (name == "test") return learning::DigitSet::test;
  if (name == "public") return learning::DigitSet::open;
  throw Error(ErrorCode::plan, Reason::out_of_range, "part", name, "train | test | public", "is unknown");
}

py::tuple digits(const std::string& part, const py::object& count, const py::object& seed) {
  const learning::DigitSet set = set_named(part);
  const std::uint64_t many = count_of("count", count, 0, kMaxDigits);
  const std::uint64_t stream = count_of("seed", seed, 0, UINT64_MAX);
  learning::Dataset drawn;
  {
    const py::gil_scoped_release others_run;
    drawn = learning::draw_digit_set(set, many, stream);
  }
  const auto side = static_cast<py::ssize_t>(learning::kImageSide);
  py::array_t<std::uint8_t> images({static_cast<py::ssize_t>(many), side, side});
  std::ranges::copy(drawn.bytes, images.mutable_data());
  return py::make_tuple(images, array_of(many, drawn.labels.data()));
}

}  // namespace

void bind_digits(py::module_& module) {
  module.def("digits", &digits, py::arg("part"), py::arg("count"), py::arg("seed"));
}

}  // namespace muster::python
