// Reproduces Theorem 4.2: the excess population risk of check-ins with averaged updates, with the theorem's
// learning rates for convex losses and for smooth ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/random_check_ins/excess_risk_curves.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"

namespace muster::reproduce {
namespace {

constexpr double kPerSlot = 4;  // n/m of the convex case
const std::vector<double> kClients = {256, 512, 1024, 2048, 4096, 8192, 16384};
const std::vector<double> kClientsOfSmooth = {256, 1024, 4096, 16384};  // squares of m
// How far the minimum of the quadratic risk would be from the start if there were no ball of radius 1.
constexpr double kOutside = 2, kInside = 0.5;
constexpr double kSmoothConstant = 4;  // taken as the constant that the paper's O~ hides

double squared(double x) { return x * x; }

// Returns the first printed bound, taking 2 + log m as the factor that the paper's O~ hides. Shamir and Zhang
// (ICML 2013), Theorem 2, have this factor for the last iterate of stochastic gradient descent.
double convex_bound(const DescentSetup& setup, double clients) {
  const std::vector<double>& powers = numbers_of("002-theorem-4-2-risk");
  const double slots = clients / kPerSlot;
  return std::pow(kDiameter, powers[0]) *
         std::pow(slots * setup.noise() + clients * squared(kLipschitz), powers[1]) *
         std::pow(slots * clients, powers[2]) * (2 + std::log(slots));
}

double smooth_bound(const DescentSetup& setup, const ConvexTask& task, double clients) {
  const std::vector<double>& powers = numbers_of("002-theorem-4-2-smooth-risk");
  const double slots = std::sqrt(clients);
  return kDiameter * std::sqrt(squared(kLipschitz) + setup.noise()) * std::pow(clients, powers[0]) +
         task.smoothness() * squared(kDiameter) * std::pow(slots, powers[1]);
}

// Returns the run with m = sqrt(n) and the learning rate for smooth losses, which releases the average.
Descent smooth_run(const DescentSetup& setup, const ConvexTask& task, double clients) {
  const double slots = std::sqrt(clients), length = kDiameter * std::sqrt(clients);
  Descent descent = averaged_updates(task, clients, slots, number_of("002-averaged-p"), setup.sigma);
  const double rate =
      length / (task.smoothness() * length + slots * std::sqrt(squared(kLipschitz) + setup.noise()));
  descent.learning_rate = [=](double) { return rate; };
  descent.released = Released::average_of_models;
  return descent;
}

Verdict verdict_of(bool below, bool half_power) {
  if (!below) return Verdict::is_false;
  return half_power ? Verdict::holds : Verdict::not_reproduced;
}

Finding convex(const Curve& bound, const Curve& curve) {
  const Spread margin = margins(bound, curve);
  const Estimate exponent = exponent_of(curve);
  return {"002-theorem-4-2-convex", verdict_of(margin.low >= 1, is_half_power(exponent)),
          fmt::format(
              "Absolute loss, n = {} m: the excess risk falls like n to the power {} (95% interval in "
              "brackets). The printed bound, times 2 + log m for its logarithm, is {:.1f} to {:.1f} times "
              "the upper ends of the means' intervals.",
              kPerSlot, words_of(exponent), margin.low, margin.high)};
}

Finding smooth(const Curve& bound, const Curve& boundary, const Curve& inside) {
  const Spread margin = margins(bound, boundary), other = margins(bound, inside);
  const Estimate exponent = exponent_of(boundary);
  return {"002-theorem-4-2-smooth",
          verdict_of(kSmoothConstant * std::min(margin.low, other.low) >= 1, is_half_power(exponent)),
          fmt::format(
              "Quadratic loss, m = sqrt(n), average of the models: with the minimum on the boundary of the "
              "model space the excess risk falls like n to the power {}, and the printed bound is {:.1f} to "
              "{:.1f} times the upper ends of the means' intervals (a constant up to {} is allowed for). "
              "With the minimum inside, it falls faster than the bound: exponent {}.",
              words_of(exponent), margin.low, margin.high, kSmoothConstant, words_of(exponent_of(inside)))};
}

}  // namespace

PaperFigure random_check_ins_theorem_4_2() {
  const DescentSetup setup;
  const ConvexTask absolute = setup.absolute(),
                   outside(ConvexTask::Loss::quadratic, setup.dimension, kOutside),
                   inside(ConvexTask::Loss::quadratic, setup.dimension, kInside);
  const Curve convex_risk = excess_risk_curve(
      fmt::format("absolute loss, n = {} m, last model", kPerSlot), absolute, kClients, [&](double n) {
        return averaged_updates(absolute, n, n / kPerSlot, number_of("002-averaged-p"), setup.sigma);
      });
  const auto smooth_risk = [&](const std::string& name, const ConvexTask& task) {
    return excess_risk_curve(name, task, kClientsOfSmooth,
                             [&](double n) { return smooth_run(setup, task, n); });
  };
  const Curve on_boundary = smooth_risk("quadratic loss, n = m^2, average, minimum on the boundary", outside),
              in_ball = smooth_risk("quadratic loss, n = m^2, average, minimum inside", inside);
  const auto of_smooth = [&](double n) { return smooth_bound(setup, outside, n); };
  const Curve bound =
      curve_of("the convex bound, n = 4 m, times 2 + log m", Kind::published, kClients, [&](double n) {
        return Point{n, convex_bound(setup, n), ""};
      });
  const Curve bound_of_smooth = curve_of("the smooth bound, n = m^2, with the constant 1", Kind::published,
                                         kClientsOfSmooth, [&](double n) {
                                           return Point{n, of_smooth(n), ""};
                                         });
  PaperFigure figure;
  figure.x = {"n, clients", true};
  figure.y = {"excess population risk", true};
  figure.settings = setup.settings();
  figure.settings.push_back(
      {"quadratic loss", fmt::format("beta |t - b d|^2 / 2, minimum at distance {} or {}", kOutside, kInside),
       true});
  figure.curves = {
      bound,
      fitted_rate(
          "the convex rate through the first value",
          [](double n) { return std::pow(n, number_of("002-theorem-4-2-risk", 2)); }, convex_risk),
      bound_of_smooth,
      fitted_rate("the smooth rate through the first value", of_smooth, on_boundary),
      convex_risk,
      on_boundary,
      in_ball};
  figure.findings = {convex(bound, convex_risk), smooth(bound_of_smooth, on_boundary, in_ball)};
  return figure;
}

}  // namespace muster::reproduce
