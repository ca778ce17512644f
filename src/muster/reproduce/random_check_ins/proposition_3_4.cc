// Reproduces Proposition 3.4: how many dummies the server sends in a run of check-ins with a fixed window.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/papers/published/published_random_check_in.h"
#include "muster/protocols/roll_call_slots.h"
#include "muster/reproduce/paper_texts.h"
#include "muster/reproduce/points.h"
#include "muster/reproduce/random_check_ins/dummies.h"
#include "muster/reproduce/random_check_ins/random_check_ins.h"

namespace muster::reproduce {
namespace {

namespace published = accounting::random_check_in;

const std::vector<double> kC = {0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};

struct Sizes {
  double clients, slots;
  double p0(double c) const { return c * slots / clients; }  // at most 1 for each of kC
  std::string name() const { return fmt::format("n = {}, m = {}", clients, slots); }
};
const std::vector<Sizes> kSizes = {{100, 25}, {20, 5}};

double expected(const Sizes& sizes, double c) {
  return published::expected_dummies_fixed(sizes.clients, sizes.slots, sizes.p0(c));
}

double by_c(const Sizes& sizes, double c) {
  return number_of("002-proposition-3-4-c", 1) * sizes.slots * std::exp(-c);
}

DummyCount counted(const Sizes& sizes, double c) {
  const auto clients = static_cast<std::uint64_t>(sizes.clients),
             slots = static_cast<std::uint64_t>(sizes.slots);
  protocols::RollCallOfFixedWindow roll_call(dummy_key(), dummy_coins(sizes.p0(c)), clients, slots, 1);
  return count_dummies(roll_call, slots);
}

Finding bound_holds(const DummyComparison& comparison) {
  return {
      "002-proposition-3-4-holds", comparison.agrees() ? Verdict::holds : Verdict::is_false,
      fmt::format("m (1 - p0/m)^n as the expectation itself, not only as a bound: {}.", comparison.words())};
}

Finding simple_bound_holds() {
  double least = 1, most = 0;
  for (const Sizes& sizes : kSizes) {
    for (const double c : kC) {
      const double share = expected(sizes, c) / by_c(sizes, c);
      least = std::min(least, share);
      most = std::max(most, share);
    }
  }
  return {"002-proposition-3-4-c-holds", most <= 1 ? Verdict::holds : Verdict::is_false,
          fmt::format("m (1 - c/n)^n is between {:.3f} and {:.4f} times m / e^c for c from {} to {}.", least,
                      most, kC.front(), kC.back())};
}

}  // namespace

PaperFigure random_check_ins_proposition_3_4() {
  PaperFigure figure;
  figure.x = {"c, with p0 = c m/n", false};
  figure.y = {"dummies of a run", true};
  std::string sizes_used;
  std::vector<Curve> counts;
  DummyComparison comparison;
  for (const Sizes& sizes : kSizes) {
    sizes_used += (sizes_used.empty() ? "" : " and ") + sizes.name();
    figure.curves.push_back(curve_of("m (1 - p0/m)^n, " + sizes.name(), Kind::published, kC, [&](double c) {
      return Point{c, expected(sizes, c), ""};
    }));
    figure.curves.push_back(curve_of("m / e^c, " + sizes.name(), Kind::published, kC, [&](double c) {
      return Point{c, by_c(sizes, c), ""};
    }));
    counts.push_back(curve_of(fmt::format("mean of {} runs, {}", power_of_ten(kDummyRuns), sizes.name()),
                              Kind::simulated, kC, [&](double c) {
                                const DummyCount count = counted(sizes, c);
                                comparison.add(count, expected(sizes, c));
                                return Point{c, count.mean, ""};
                              }));
  }
  figure.curves.insert(figure.curves.end(), counts.begin(), counts.end());
  figure.settings = {{"sizes", sizes_used, true}, {"simulated runs", power_of_ten(kDummyRuns), true}};
  figure.findings = {bound_holds(comparison), simple_bound_holds()};
  return figure;
}

}  // namespace muster::reproduce
