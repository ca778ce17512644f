// What the accountant is asked: epsilon at a fixed delta, or delta at a fixed epsilon. An immutable value, valid
// once it is made.
#pragma once

namespace muster::accounting {

class Question {
 public:
  enum class Kind { epsilon_at_delta, delta_at_epsilon };
  // `fixed` is a delta for epsilon_at_delta, 0 < delta < 1, and an epsilon for delta_at_epsilon, 0 <= epsilon <=
  // infinity. Throws Error(plan) for any other number.
  Question(Kind kind, double fixed);

  Kind kind() const { return kind_; }
  double fixed() const { return fixed_; }
  bool asks_epsilon() const { return kind_ == Kind::epsilon_at_delta; }

 private:
  Kind kind_;
  double fixed_;
};

}  // namespace muster::accounting
