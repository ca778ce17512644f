// One function object from several lambdas, one per alternative of a variant, for std::visit:
//
//     std::visit(Overloaded{[](const Shuffle&) { ... }, [](const auto&) { ... }}, participation);
#pragma once

namespace muster {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace muster
