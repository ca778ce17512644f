// Makes one function object of several lambdas, one for each alternative of a variant, for std::visit:
//
//     std::visit(Overloaded{[](const Shuffle&) { ... }, [](const auto&) { ... }}, participation);
//
// An object holds only the lambdas; it may be called from any thread if they may.
#pragma once

namespace muster {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace muster
