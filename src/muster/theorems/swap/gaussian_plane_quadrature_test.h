// Computes the mean of (a/u - E b/u - c)_+ at a message w of law u by quadrature, for spherical normal laws
// a, b and u of unit variance. It shares no code with gaussian_triangle.cc, which is compared with it. Let x,
// x' and t be the centres of the three laws, p = x - t and q = x' - t. Given the component of w along q, the
// mean is the expected excess of a lognormal variable, in closed form. The trapezoidal rule integrates over
// this component. The file is for tests, and its functions are pure.
#pragma once

#include <cmath>

namespace muster::accounting::quadrature {

struct Value {
  double value, error;  // error: twice the change of the value from halving the step
};

// Returns the mean of (y e^{sZ - s^2/2} - k)_+, where Z is standard normal, y > 0 and s >= 0.
inline double lognormal_excess(double y, double s, double k) {
  if (k <= 0) return y - k;
  if (s < 1e-12) return y > k ? y - k : 0;
  const double z = (std::log(y / k)) / s;
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  return y * below(z + s / 2) - k * below(z - s / 2);
}

// Integrates the mean at the top of this file. X, Y and W are |p|^2, |q|^2 and the product p.q in units
// of mu^2, so ln(a/u) and ln(b/u) have the variances mu^2 X and mu^2 Y and the covariance mu^2 W. e is E.
inline Value excess(double mu, double X, double Y, double W, double e, double c) {
  // The component held fixed is along q, or along p where p is longer.
  const bool swapped = Y < X;
  const double first = mu * std::sqrt(swapped ? X : Y);  // deviation of the exponent held fixed
  const double along = first > 0 ? mu * mu * W / first : 0;
  const double total = mu * mu * (swapped ? Y : X);
  const double across = std::sqrt(std::fmax(0.0, total - along * along));
  const auto rule = [&](double h) {
    double sum = 0;
    for (double t = -10; t <= 10 + h / 2; t += h) {
      const double held = std::exp(first * t - first * first / 2),
                   rest = std::exp(along * t - along * along / 2);
      // The positive part of a/u - E b/u - c is an excess of a/u if b/u is held fixed, and a deficit of E b/u
      // if a/u is held fixed.
      const double inner = swapped ? lognormal_excess(e * rest, across, held - c) - (e * rest - (held - c))
                                   : lognormal_excess(rest, across, e * held + c);
      sum += inner * std::exp(-t * t / 2);
    }
    return sum * h / std::sqrt(2 * 3.14159265358979323846);
  };
  const double coarse = rule(0.02), fine = rule(0.01);
  return {fine, 2 * std::fabs(fine - coarse)};
}

// Returns the value of excess() for the three squared distances D, d and S of gaussian_triangle.h.
inline Value excess_of_distances(double mu, double D, double d, double S, double e, double c) {
  return excess(mu, (S + D) / 4 + d / 2, (S + D) / 4 - d / 2, (S - D) / 4, e, c);
}

}  // namespace muster::accounting::quadrature
