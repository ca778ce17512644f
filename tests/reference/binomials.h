// Binomial probabilities P(Bin(m, c) = j) for successive j: the first one comes from Arb, and each further
// one from the one before.
//
// error() bounds the relative error of value(), and grows by a few units in the last place with every step.
// Use an object on one thread at a time.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/reference/real.h"

namespace muster::reference {

// Returns a number of ones so far below the mean that Bin(m, c) is smaller
// only with a probability below e^-2000. The probabilities of such numbers are
// still far above the smallest long double. Sums begin here instead of at 0.
inline double far_below_mean(double m, const Real& c, const Real& not_c) {
  const double mean = m * c.middle();
  return std::max(0.0, std::floor(mean - 70 * (std::sqrt(mean * not_c.middle()) + 1)));
}

// Returns an upper bound of P(Bin(m, c) < j) for j below the mean, given `at_j`,
// an upper bound of P(Bin(m, c) = j). From j towards 0 the probabilities fall at
// least geometrically, so a geometric series bounds their sum.
inline long double mass_below(double m, const Real& c, const Real& not_c, double j, long double at_j) {
  const long double ratio = j > 0 ? static_cast<long double>(j) / (m - j + 1) * (not_c / c).above() : 0;
  return ratio < 1 ? at_j * ratio / (1 - ratio) * (1 + 1e-15L) : 1;
}

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
