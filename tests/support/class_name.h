// The name of the class of an object. The list of a contract suite states the class that each of its entries
// makes, and this function shows that the statement is true.
//
// The function is pure; call from any thread.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

namespace muster::testing {

// Returns the name of the object's most derived class, without its namespaces. The class must be polymorphic
// and no template.
template <typename Base>
std::string class_name(const Base& object) {
  const char* mangled = typeid(object).name();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                    std::free);
  const std::string full = status == 0 ? text.get() : mangled;
  const std::size_t colon = full.rfind(':');
  return colon == std::string::npos ? full : full.substr(colon + 1);
}

}  // namespace muster::testing
