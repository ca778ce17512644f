// Makes numpy arrays of one dimension.
//
// pybind11's own constructors from a count read numpy's description of the type, which numpy 2 lays out in
// another way than pybind11 before 2.12 expects: all elements would then seem to be the first. Callers hold
// the GIL.
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>

namespace muster::python {

// Returns an array with a copy of `count` values, or without values if `from` is null.
template <typename T>
pybind11::array_t<T> array_of(std::size_t count, const T* from = nullptr) {
  return pybind11::array_t<T>(pybind11::array::ShapeContainer{static_cast<pybind11::ssize_t>(count)}, from);
}

}  // namespace muster::python
