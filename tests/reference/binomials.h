// P(Bin(m, c) = j) for one j after the other: the first from Arb, each next from the one before.
//
// The relative error of every value is known: a few units in the last place a step. Single thread.
#pragma once

#include "tests/reference/real.h"

namespace muster::reference {

class Binomials {
 public:
  Binomials(double m, const Real& c, const Real& not_c, double first)
      : m_(m), odds_((c / not_c).below()), j_(first), error_(8 * kUlp) {
    if (first >= 0 && first <= m) value_ = exp(log_binomial(m, first, c, not_c)).below();
  }
  long double value() const { return value_; }
  long double error() const { return error_; }
  void next() {
    value_ *= (m_ - j_) / (j_ + 1) * odds_;
    j_ += 1;
    error_ += 6 * kUlp;
  }

 private:
  static constexpr long double kUlp = 0x1p-63L;
  long double m_, odds_, j_;
  long double value_ = 0, error_;
};

}  // namespace muster::reference
