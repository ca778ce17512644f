#include "muster/describe/question.h"

#include "muster/core/types.h"

namespace muster::accounting {

Question::Question(Kind kind, double fixed)
    : kind_(kind),
      fixed_(kind == Kind::epsilon_at_delta ? Delta::of(fixed).value() : Epsilon::of(fixed).value()) {}

}  // namespace muster::accounting
