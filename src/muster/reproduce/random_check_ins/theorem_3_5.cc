// Reproduces Theorem 3.5: the excess population risk of check-ins with a fixed window, with the theorem's
// learning rate, and its comparison with averaged updates.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/random_check_ins/excess_risk_curves.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"
#include "muster/reproduce/random_check_ins/trade_off.h"

namespace muster::reproduce {
namespace {

const std::vector<double> kSlots = {64, 128, 256, 512, 1024, 2048, 4096};
constexpr double kManyClients = 100;  // n/m of the second curve
constexpr double kFewCheckIns = 0.5;  // n p0/m of the curves at which the printed learning rate is negative

// Returns 1 - 2 e^(-n p0/m), as a function of c = n p0/m.
double printed_factor(double c) { return 1 - number_of("002-theorem-3-5-rate", 0) * std::exp(-c); }
// Returns the expected share of slots with a client, for many slots.
double share_of_real_updates(double c) { return 1 - std::exp(-c); }

// Returns the printed bound, taking 2 + log m as the factor that the paper's O~ hides. Shamir and Zhang (ICML
// 2013), Theorem 2, have this factor for the last iterate of stochastic gradient descent.
double printed_bound(const DescentSetup& setup, double slots, double c) {
  const std::vector<double>& powers = numbers_of("002-theorem-3-5-risk");
  return std::pow(slots, powers[0]) * std::pow(kDiameter, powers[1]) *
         std::pow(setup.noise() + kLipschitz * kLipschitz, powers[2]) *
         std::pow(printed_factor(c), powers[3]) * (2 + std::log(slots));
}

Finding theorem_holds(const DescentSetup& setup, const Curve& bound, const std::vector<Curve>& curves) {
  const Curve &as_many = curves[0], &many = curves[1], &negative = curves[2], &repaired = curves[3];
  const Spread first = margins(bound, as_many), second = margins(bound, many);
  const bool below = first.low >= 1 && second.low >= 1;
  const Estimate exponents[] = {exponent_of(as_many), exponent_of(many)};
  const bool rate = is_half_power(exponents[0]) && is_half_power(exponents[1]);
  const std::size_t last = kSlots.size() - 1;
  return {
      "002-theorem-3-5-holds",
      !below ? Verdict::is_false : (rate ? Verdict::holds_with_a_note : Verdict::not_reproduced),
      fmt::format(
          "Where n p0 = m, the excess risk falls like m to the power {} with n = m, and {} with n = {} m "
          "(95% intervals in brackets). The printed bound, times 2 + log m for its logarithm, is {:.0f} to "
          "{:.0f} times the upper ends of the intervals. But the printed learning rate and bound are "
          "positive only if n p0 > m log 2. At n p0 = {} m and m = {} they are {:.3f} and {:.2f}, and the "
          "excess risk is {:.3f}, above the {:.3f} of the start; with 1 - e^(-n p0/m), the share of slots "
          "with a client, in place of 1 - 2 e^(-n p0/m) it is {:.4f}.",
          words_of(exponents[0]), words_of(exponents[1]), kManyClients,
          std::floor(std::min(first.low, second.low)), std::ceil(std::max(first.high, second.high)),
          kFewCheckIns, kSlots[last],
          fixed_window(setup.absolute(), kSlots[last], kSlots[last], kFewCheckIns, setup.sigma,
                       printed_factor(kFewCheckIns))
              .learning_rate(kSlots[last]),
          printed_bound(setup, kSlots[last], kFewCheckIns), value_at(negative, last),
          setup.absolute().excess_risk(std::vector<double>(setup.dimension, 0.0)), value_at(repaired, last))};
}

}  // namespace

PaperFigure random_check_ins_theorem_3_5() {
  const DescentSetup setup;
  const ConvexTask task = setup.absolute();
  const auto simulated = [&](const std::string& name, double per_slot, double c, double factor) {
    return excess_risk_curve(name, task, kSlots, [&](double slots) {
      return fixed_window(task, slots * per_slot, slots, c / per_slot, setup.sigma, factor);
    });
  };
  const std::vector<Curve> curves = {
      simulated("n = m, p0 = 1", 1, 1, printed_factor(1)),
      simulated(fmt::format("n = {} m, p0 = m/n", kManyClients), kManyClients, 1, printed_factor(1)),
      simulated(fmt::format("n p0 = {} m, printed learning rate, which is negative", kFewCheckIns), 1,
                kFewCheckIns, printed_factor(kFewCheckIns)),
      simulated(fmt::format("n p0 = {} m, 1 - e^(-n p0/m) in place of 1 - 2 e^(-n p0/m)", kFewCheckIns), 1,
                kFewCheckIns, share_of_real_updates(kFewCheckIns))};
  const Curve bound =
      curve_of("the bound at n p0 = m, times 2 + log m", Kind::published, kSlots, [&](double m) {
        return Point{m, printed_bound(setup, m, 1), ""};
      });
  PaperFigure figure;
  figure.x = {"m, slots of a run", true};
  figure.y = {"excess population risk of the last model", true};
  figure.settings = setup.settings();
  figure.curves = {
      bound, fitted_rate(
                 "the rate 1/sqrt(m) through the first value of n = m",
                 [](double m) { return std::pow(m, number_of("002-theorem-3-5-risk", 0)); }, curves[0])};
  figure.curves.insert(figure.curves.end(), curves.begin(), curves.end());
  figure.findings = {theorem_holds(setup, bound, curves), non_smooth_trade_off()};
  return figure;
}

}  // namespace muster::reproduce
