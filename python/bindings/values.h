// Turns objects of Python into the values that a plan or a question states, and texts into str.
//
// A number becomes the text that a flag would state it by, so that Python and the command accept and refuse
// alike: 1e6 is a whole number; 1.5 clients, -1, nan and 2**64 are refused in the command's words. A bool is
// never a number. Callers hold the GIL.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "muster/plan/source.h"
#include "muster/plan/values.h"

namespace muster::python {

// Returns the value of `object`, of any type. A type that no key takes is refused later, with an error that
// names the type.
protocols::RawValue raw_of(pybind11::handle object);
// Returns the same value, but numbers have the types that they have in a file.
protocols::RawValue typed_raw_of(pybind11::handle object);
// Returns an object from which typed_raw_of makes the same value again.
pybind11::object object_of(const protocols::RawValue& raw);

// The next functions read an argument that is no plan key, by the rules of keys. They throw Error(plan),
// which names the argument.
double number_of(const char* argument, pybind11::handle object, const protocols::Interval& range);
std::uint64_t count_of(const char* argument, pybind11::handle object, std::uint64_t least,
                       std::uint64_t most);
// Returns how many threads the argument `threads` asks for; if None, as many as the process has cores.
unsigned threads_of(pybind11::handle threads);
std::string text_of(const char* argument, pybind11::handle object, const std::string& allowed);

// Returns `text` as a str; bytes that are not UTF-8 become U+FFFD.
pybind11::str str_of(std::string_view text);

}  // namespace muster::python
