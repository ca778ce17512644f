// Estimates a mean from independent values, and a power law from points, each with a 95% confidence interval
// by Student's distribution. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"

namespace muster::reproduce {

struct Estimate {
  double value;
  Spread interval;
};

// Returns the mean of at least two independent values. Its interval is exact where the values are normal.
Estimate mean_of(const std::vector<double>& values);

// Returns the exponent b of y = a x^b: the slope of the least-squares line through at least three points
// (log x, log y). Its interval takes the distances of the points from the line for independent normal errors.
// So it also widens if the points follow no power law, even if they are exact. All x and y must be positive.
Estimate exponent_of(const std::vector<double>& xs, const std::vector<double>& ys);
// Returns the exponent of the curve's values.
Estimate exponent_of(const Curve& curve);

// Returns "0.998 [0.991, 1.005]".
std::string words_of(const Estimate& estimate);

}  // namespace muster::reproduce
