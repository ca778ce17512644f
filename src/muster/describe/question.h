// What the accountant is asked: epsilon at a fixed delta, or delta at a fixed epsilon. A question is an
// immutable value and always valid.
#pragma once

namespace muster::accounting {

class Question {
 public:
  enum class Kind { epsilon_at_delta, delta_at_epsilon };
  // `fixed` is a delta in (0, 1) for epsilon_at_delta, and an epsilon in [0, infinity] for
  // delta_at_epsilon. Throws Error(plan) for any other number.
  Question(Kind kind, double fixed);

  Kind kind() const { return kind_; }
  double fixed() const { return fixed_; }
  bool asks_epsilon() const { return kind_ == Kind::epsilon_at_delta; }

 private:
  Kind kind_;
  double fixed_;
};

}  // namespace muster::accounting
