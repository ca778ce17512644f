// Draws the mean excess risk of simulated runs (descents.h) as curves, and compares it with the rates that
// Theorems 3.5 and 4.2 print. The functions may be called from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "muster/reproduce/paper_figure.h"
#include "muster/reproduce/random_check_ins/descents.h"

namespace muster::reproduce {

constexpr std::uint64_t kDescentRuns = 200;

// The tasks of both figures. The minimum of the absolute loss lies inside the ball.
struct DescentSetup {
  std::size_t dimension = 8;  // p
  double sigma = 0.5;         // the noise's standard deviation of each coordinate
  double reach = 0.5;         // of the absolute loss
  ConvexTask absolute() const { return {ConvexTask::Loss::absolute, dimension, reach}; }
  double noise() const;                   // p sigma^2
  std::vector<Setting> settings() const;  // what was chosen for both
};

// Return runs with the learning rates of Theorems 3.5 and 4.2 for losses that need not be smooth. `factor`
// takes the place of 1 - 2 e^(-n p0/m) in the rate of Theorem 3.5.
Descent fixed_window(const ConvexTask& task, double clients, double slots, double check_in, double sigma,
                     double factor);
Descent averaged_updates(const ConvexTask& task, double clients, double slots, double check_in, double sigma);

// Returns a curve of kind `simulated` with the mean over kDescentRuns runs at each x and its 95% interval.
// The name gets the exponent of x, fitted to the means.
Curve excess_risk_curve(const std::string& name, const ConvexTask& task, const std::vector<double>& xs,
                        const std::function<Descent(double x)>& descent);

// Says whether an exponent is -1/2 within 0.1.
bool is_half_power(const Estimate& exponent);
// Returns the smallest and the largest ratio of `bound` to the upper ends of the curve's intervals. Both
// curves have the same x.
Spread margins(const Curve& bound, const Curve& curve);

// Returns the curve of kind `published` that is proportional to `rate` and equals `curve` at its first x.
Curve fitted_rate(const std::string& name, const std::function<double(double x)>& rate, const Curve& curve);

}  // namespace muster::reproduce
