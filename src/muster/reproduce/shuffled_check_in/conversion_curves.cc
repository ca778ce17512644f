#include "muster/reproduce/shuffled_check_in/conversion_curves.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/reproduce/points.h"

namespace muster::reproduce {
namespace {

// In a single round the best order is among the highest, so the bisection visits only high orders.
constexpr double kRate = 0.1, kEpsilon0 = 0.5, kDelta0 = 1e-8, kDelta = 1e-5;
constexpr std::uint64_t kRounds = 1;
const std::vector<double> kClients = {16, 64, 256, 1024};
constexpr double kLastOrder = 16;  // where n varies
const std::vector<double> kOrders = {8, 16, 32, 64, 128, 256};
constexpr double kFewClients = 8;  // where the order varies
const std::vector<double> kPopulations = {1e3, 1e4, 1e5, 1e6, 1e7};
constexpr double kSigma = 8;  // of the accountant's Gaussian messages

ConversionTask task(double clients, double last_order) {
  return {clients, kRate, {kEpsilon0, kDelta0}, kDelta, kRounds, whole(last_order)};
}

const char* name_of(Approach approach) {
  return approach == Approach::shuffling ? "Approach 1" : "Approach 2";
}

// Returns a point whose value is the counted number of evaluations and whose spread comes from measured CPU
// times.
Point cost_point(double x, const ConversionTask& at, Approach approach, OrderSearch search, CountSum sum) {
  Converted converted{};
  const Spread times = timed_in_evaluations([&] { converted = convert(at, approach, search, sum); });
  return {x, converted.evaluations, "", times};
}

// Returns the exponent of a power law that is fitted to the least CPU times of the curve's points.
Estimate timed_exponent(const Curve& curve) {
  std::vector<double> xs, ys;
  for (const Point& point : curve.points) {
    xs.push_back(point.x);
    ys.push_back(point.spread.value().low);
  }
  return exponent_of(xs, ys);
}

std::string exponents_of(const Curve& curve) {
  return fmt::format("exponent {:.3f} counted, {} timed", exponent_of(curve).value,
                     words_of(timed_exponent(curve)));
}

Curve by_cells(Approach approach, OrderSearch search) {
  Curve curve = curve_of(
      fmt::format("{} by cells of the count, in n, orders to {}", name_of(approach), kLastOrder),
      Kind::corrected, kPopulations,
      [&](double n) { return cost_point(n, task(n, kLastOrder), approach, search, CountSum::cells); });
  curve.name += ": " + exponents_of(curve);
  return curve;
}

Curve of_accountant() {
  return timed_curve("the accountant's proof, Gaussian messages, in n", Kind::proven, kPopulations, 1,
                     [](double n) {
                       const accounting::ShuffledCheckIn protocol{ClientCount::of(whole(n)), Rate::of(kRate)};
                       accounting::Accountant(accounting::GaussianLocal(kSigma), protocol)
                           .account(kRounds, {accounting::Question::Kind::epsilon_at_delta, kDelta});
                     });
}

}  // namespace

ConversionCost conversion_cost(Approach approach, OrderSearch search) {
  Curve in_clients = curve_of(
      fmt::format("{}, in n, orders to {}", name_of(approach), kLastOrder), Kind::published, kClients,
      [&](double n) { return cost_point(n, task(n, kLastOrder), approach, search, CountSum::every_count); });
  Curve in_order =
      curve_of(fmt::format("{}, in the highest order, n = {}", name_of(approach), kFewClients),
               Kind::published, kOrders, [&](double order) {
                 return cost_point(order, task(kFewClients, order), approach, search, CountSum::every_count);
               });
  for (Curve* curve : {&in_clients, &in_order}) curve->name += ": " + exponents_of(*curve);
  return {exponent_of(in_clients), exponent_of(in_order), {in_clients, in_order}};
}

const std::vector<double>& conversion_orders() { return kOrders; }

Estimate exponent_over_orders(double (*cost)(double order)) {
  std::vector<double> costs;
  for (const double order : kOrders) costs.push_back(cost(order));
  return exponent_of(kOrders, costs);
}

PaperFigure conversion_figure(OrderSearch search, const ConversionCost& shuffling,
                              const ConversionCost& subsampled_shuffling, const std::vector<Curve>& more) {
  PaperFigure figure;
  figure.x = {"n, clients, or the highest order", true};
  figure.y = {"cost, in evaluations of Lemma 3 (lines: counted; bands: CPU time of three tries)", true};
  figure.settings = {{"search of the order", search == OrderSearch::bisection ? "bisection" : "every order",
                      search == OrderSearch::every_order},
                     {"check-in rate", fmt::format("{}", kRate), true},
                     {"epsilon0 =", fmt::format("{}", kEpsilon0), true},
                     {"delta0 =", power_of_ten(kDelta0), true},
                     {"delta =", power_of_ten(kDelta), true},
                     {"rounds", fmt::format("{}", kRounds), true},
                     {"sigma of the Gaussian messages", fmt::format("{}", kSigma), true}};
  for (const std::vector<Curve>& curves : {shuffling.curves, subsampled_shuffling.curves, more}) {
    figure.curves.insert(figure.curves.end(), curves.begin(), curves.end());
  }
  figure.curves.push_back(by_cells(Approach::shuffling, search));
  figure.curves.push_back(by_cells(Approach::subsampled_shuffling, search));
  figure.curves.push_back(of_accountant());
  return figure;
}

Curve timed_curve(const std::string& name, Kind kind, const std::vector<double>& xs, int calls,
                  const std::function<void(double x)>& compute) {
  Curve curve = curve_of(name, kind, xs, [&](double x) {
    const Spread all = timed_in_evaluations([&] {
      for (int call = 0; call < calls; ++call) compute(x);
    });
    const Spread one{all.low / calls, all.high / calls};
    return Point{x, one.low, "", one};
  });
  curve.name += fmt::format(": exponent {} timed", words_of(timed_exponent(curve)));
  return curve;
}

}  // namespace muster::reproduce
