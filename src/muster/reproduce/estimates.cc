#include "muster/reproduce/estimates.h"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "muster/reproduce/points.h"

namespace muster::reproduce {
namespace {

constexpr double kOutside = 0.05;  // the probability that an interval misses the truth

// Returns the interval around `value` with this standard error, which has `freedom` degrees of freedom.
Estimate with_interval(double value, double standard_error, std::size_t freedom) {
  const boost::math::students_t student(static_cast<double>(freedom));
  const double half = boost::math::quantile(boost::math::complement(student, kOutside / 2)) * standard_error;
  return {value, {value - half, value + half}};
}

double average(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Estimate mean_of(const std::vector<double>& values) {
  const double mean = average(values), count = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return with_interval(mean, std::sqrt(squares / (count - 1) / count), values.size() - 1);
}

Estimate exponent_of(const std::vector<double>& xs, const std::vector<double>& ys) {
  std::vector<double> log_x, log_y;
  for (const double x : xs) log_x.push_back(std::log(x));
  for (const double y : ys) log_y.push_back(std::log(y));
  const double middle_x = average(log_x), middle_y = average(log_y);
  double across = 0, both = 0;
  for (std::size_t i = 0; i < log_x.size(); ++i) {
    across += (log_x[i] - middle_x) * (log_x[i] - middle_x);
    both += (log_x[i] - middle_x) * (log_y[i] - middle_y);
  }
  const double slope = both / across;
  double squares = 0;
  for (std::size_t i = 0; i < log_x.size(); ++i) {
    const double distance = log_y[i] - middle_y - slope * (log_x[i] - middle_x);
    squares += distance * distance;
  }
  const std::size_t freedom = log_x.size() - 2;
  return with_interval(slope, std::sqrt(squares / static_cast<double>(freedom) / across), freedom);
}

Estimate exponent_of(const Curve& curve) {
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    xs.push_back(curve.points[i].x);
    ys.push_back(value_at(curve, i));
  }
  return exponent_of(xs, ys);
}

std::string words_of(const Estimate& estimate) {
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", estimate.value, estimate.interval.low,
                     estimate.interval.high);
}

}  // namespace muster::reproduce
