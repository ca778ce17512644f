// Reproduces Proposition 4.4: how many dummies the server sends in a run of random check-ins with sliding
// windows. The paper bounds their expected number; docs/theory/as-published-random-check-in.md derives that
// (n - m + 1) (1 - 1/m)^m is its exact value.
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

const std::vector<double> kClients = {100, 200};
const std::vector<double> kSlots = {2, 3, 5, 10, 20, 50, 100};

DummyCount counted(double clients, double slots) {
  const auto n = static_cast<std::uint64_t>(clients), m = static_cast<std::uint64_t>(slots);
  const auto updates = n - m + static_cast<std::uint64_t>(number_of("002-sliding-updates"));
  protocols::RollCallOfSlidingWindow roll_call(dummy_key(), dummy_coins(number_of("002-averaged-p")), n, m);
  return count_dummies(roll_call, updates);
}

Finding bound_holds(const DummyComparison& comparison) {
  double least = 1, most = 0;
  for (const double n : kClients) {
    for (const double m : kSlots) {
      const double share =
          published::expected_dummies_sliding(n, m) / published::expected_dummies_sliding_printed(n, m);
      least = std::min(least, share);
      most = std::max(most, share);
    }
  }
  return {"002-proposition-4-4-holds", comparison.agrees() && most <= 1 ? Verdict::holds : Verdict::is_false,
          fmt::format(
              "The expectation (n - m + 1) (1 - 1/m)^m is between {:.3f} and {:.4f} times (n - m + 1)/e for "
              "m from {} to {}; {}.",
              least, most, kSlots.front(), kSlots.back(), comparison.words())};
}

}  // namespace

PaperFigure random_check_ins_proposition_4_4() {
  PaperFigure figure;
  figure.x = {"m, slots of a client's window", true};
  figure.y = {"dummies of a run", false};
  std::vector<Curve> exact, counts;
  DummyComparison comparison;
  for (const double n : kClients) {
    const std::string name = fmt::format("n = {}", n);
    figure.curves.push_back(curve_of("(n - m + 1)/e, " + name, Kind::published, kSlots, [&](double m) {
      return Point{m, published::expected_dummies_sliding_printed(n, m), ""};
    }));
    exact.push_back(
        curve_of("(n - m + 1) (1 - 1/m)^m, the expectation, " + name, Kind::corrected, kSlots, [&](double m) {
          return Point{m, published::expected_dummies_sliding(n, m), ""};
        }));
    counts.push_back(curve_of(fmt::format("mean of {} runs, {}", power_of_ten(kDummyRuns), name),
                              Kind::simulated, kSlots, [&](double m) {
                                const DummyCount count = counted(n, m);
                                comparison.add(count, published::expected_dummies_sliding(n, m));
                                return Point{m, count.mean, ""};
                              }));
  }
  figure.curves.insert(figure.curves.end(), exact.begin(), exact.end());
  figure.curves.insert(figure.curves.end(), counts.begin(), counts.end());
  figure.settings = {{"check-in probability", fmt::format("{}", number_of("002-averaged-p")), false},
                     {"n =", fmt::format("{} and {}", kClients.front(), kClients.back()), true},
                     {"m =", fmt::format("{} to {}", kSlots.front(), kSlots.back()), true},
                     {"simulated runs", power_of_ten(kDummyRuns), true}};
  figure.findings = {bound_holds(comparison)};
  return figure;
}

}  // namespace muster::reproduce
