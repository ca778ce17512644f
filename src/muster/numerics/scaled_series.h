// Sequences of non-negative numbers far outside the range of double, each stored as a mantissa times a
// power of two, and sums of their products with a stated relative error.
//
// Moments of high order l need such numbers. For the likelihood ratio of two Gaussians they are about
// e^{l^2 v / 2}, where v is the variance of the ratio's logarithm. At l = 10^4 such a number may have
// hundreds of thousands of digits, while other terms of the same sum are of order 10^-12. Every operation
// works on non-negative terms, so nothing cancels and relative errors only add up; error bounds are in units
// u = 2^-53. A series only grows, by appending elements; it is not thread-safe while it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::numerics {

// mantissa * 2^exponent; the mantissa is 0 or in [1, 2), or NaN if the number is unknown. The sum of an
// unknown number and any other is unknown; so is its product with any number other than 0.
struct Scaled {
  double mantissa = 0;
  std::int32_t exponent = 0;
};

// Returns x * 2^exponent in normalised form, without rounding. The result is unknown (its mantissa is NaN) if
// x is negative, infinite or NaN.
Scaled scaled(double x, std::int32_t exponent = 0);
// Returns e^log_value with a relative error of at most (8 + 2 |log_value|) u. It is 0 at -infinity, and
// unknown at NaN and at any other |log_value| >= 3e8.
Scaled scaled_exp(double log_value);
// Product and sum with a relative error of at most u each.
Scaled operator*(Scaled a, Scaled b);
Scaled operator+(Scaled a, Scaled b);
// The natural logarithm, -infinity for 0, with an absolute error of at most (2 + 2 |log|) u.
double log_of(Scaled a);

class ScaledSeries {
 public:
  void push_back(Scaled value);
  Scaled operator[](std::size_t i) const { return {mantissa_[i], exponent_[i]}; }
  std::size_t size() const { return mantissa_.size(); }
  const double* mantissas() const { return mantissa_.data(); }
  const std::int32_t* exponents() const { return exponent_.data(); }

 private:
  std::vector<double> mantissa_;
  std::vector<std::int32_t> exponent_;
};

// A bound, in units u, on the relative error that each convolution below adds by its own rounding to the
// relative errors of its factors. A term takes at most four roundings (slack.h), and 38 more in the sum of
// its lane, which adds up every eighth term of a block of 256. The total, in extended precision, takes one
// for every 2^16 terms and one when it is converted. Terms that are left out as negligible count as one.
// Together these are 60 for 2^20 terms.
inline constexpr double kConvolutionUlps = 64;

// The sum over j = first..last of a_j b_{l-j}, for last <= l; 0 if first > last.
Scaled convolution(const ScaledSeries& a, const ScaledSeries& b, std::size_t l, std::size_t first,
                   std::size_t last);

// The sequences x_i 2^{e_i} and y_i 2^{e_i}, where x_i and y_i are in [0, 2) and share the exponent e_i.
struct PairSeries {
  std::vector<double> x, y;
  std::vector<std::int32_t> exponent;
};
// The sum over j = first..last of a_j ((w_j - shift) x_{l-j} + c_j y_{l-j}) 2^{e_{l-j}}, for last <= l and
// factors that are all non-negative, where w and c increase. `pairs` holds x, y and e.
Scaled weighted_convolution(const ScaledSeries& a, const std::vector<double>& w, double shift,
                            const std::vector<double>& c, const PairSeries& pairs, std::size_t l,
                            std::size_t first, std::size_t last);

}  // namespace muster::numerics
