#include "muster/reproduce/random_check_ins/excess_risk_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"

namespace muster::reproduce {

namespace {

// Returns p sigma^2, the expected squared length of a message's noise.
double noise_of(std::size_t dimension, double sigma) {
  return static_cast<double>(dimension) * sigma * sigma;
}

}  // namespace

double DescentSetup::noise() const { return noise_of(dimension, sigma); }

std::vector<Setting> DescentSetup::settings() const {
  return {
      {"model space", fmt::format("a ball, R = {}, L = {}, p = {}", kDiameter, kLipschitz, dimension), true},
      {"sigma =", fmt::format("{}", sigma), true},
      {"absolute loss",
       fmt::format("sum_j |t_j - a d_j| / sqrt(p), d_j = 1 with probability 3/4 and -1 "
                   "otherwise, minimum at distance {} from the start",
                   reach),
       true},
      {"simulated curves", fmt::format("mean of {} runs with Student's 95% interval", kDescentRuns), true}};
}

namespace {

// Returns the descent with the learning rate first * step^power.
Descent descent_of(SlotUpdates updates, double clients, double slots, double check_in, double sigma,
                   double first, double power) {
  Descent descent;
  descent.updates = updates;
  descent.clients = whole(clients);
  descent.slots = whole(slots);
  descent.check_in = check_in;
  descent.sigma = sigma;
  descent.learning_rate = [first, power](double step) { return first * std::pow(step, power); };
  return descent;
}

}  // namespace

Descent fixed_window(const ConvexTask& task, double clients, double slots, double check_in, double sigma,
                     double factor) {
  const double first =
      kDiameter * factor / std::sqrt(noise_of(task.dimension(), sigma) + kLipschitz * kLipschitz);
  return descent_of(SlotUpdates::fixed_window, clients, slots, check_in, sigma, first,
                    number_of("002-theorem-3-5-rate", 1));
}

Descent averaged_updates(const ConvexTask& task, double clients, double slots, double check_in,
                         double sigma) {
  const double first =
      kDiameter *
      std::sqrt(clients / (slots * noise_of(task.dimension(), sigma) + clients * kLipschitz * kLipschitz));
  return descent_of(SlotUpdates::averaged, clients, slots, check_in, sigma, first,
                    number_of("002-theorem-4-2-rate"));
}

Curve excess_risk_curve(const std::string& name, const ConvexTask& task, const std::vector<double>& xs,
                        const std::function<Descent(double x)>& descent) {
  Curve curve = curve_of(name, Kind::simulated, xs, [&](double x) {
    const Estimate mean = mean_excess_risk(task, descent(x), kDescentRuns);
    return Point{x, mean.value, "", mean.interval};
  });
  curve.joined = true;
  curve.name += ": exponent " + words_of(exponent_of(curve));
  return curve;
}

bool is_half_power(const Estimate& exponent) {
  constexpr double kHalf = -0.5, kTolerance = 0.1;
  return std::fabs(exponent.value - kHalf) <= kTolerance;
}

Spread margins(const Curve& bound, const Curve& curve) {
  Spread spread{std::numeric_limits<double>::infinity(), 0};
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const double ratio = value_at(bound, i) / curve.points[i].spread.value().high;
    spread = {std::min(spread.low, ratio), std::max(spread.high, ratio)};
  }
  return spread;
}

Curve fitted_rate(const std::string& name, const std::function<double(double x)>& rate, const Curve& curve) {
  std::vector<double> xs;
  for (const Point& point : curve.points) xs.push_back(point.x);
  const double scale = value_at(curve, 0) / rate(xs.front());
  return curve_of(name, Kind::published, xs, [&](double x) { return Point{x, scale * rate(x), ""}; });
}

}  // namespace muster::reproduce
