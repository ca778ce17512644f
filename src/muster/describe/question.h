// What the accountant is asked. An immutable value. The accountant throws Error(plan) for a `fixed` that is
// not a Delta or an Epsilon (core/types.h).
#pragma once

namespace muster::accounting {

// A question for epsilon at a fixed delta, or for delta at a fixed epsilon.
struct Question {
  enum class Kind { epsilon_at_delta, delta_at_epsilon };
  Kind kind;
  double fixed;  // the given delta for epsilon_at_delta, the given epsilon for delta_at_epsilon

  bool asks_epsilon() const { return kind == Kind::epsilon_at_delta; }
};

}  // namespace muster::accounting
