#include "tests/reference/noisy_sums.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/binomials.h"

namespace muster::reference {
namespace {

// Numbers of reports from `first` to `last`. The probability of this range lies between `below` and `above`.
struct Stretch {
  double first, last;
  long double below, above;
};

// Splits the numbers of reports into about `most` ranges or fewer. If the number is random and there are more
// than `most` clients, numbers more than about `reach` standard deviations from the mean are in no range, and
// `complete` becomes false.
std::vector<Stretch> stretches(const Experiment& e, double most, double reach, bool& complete) {
  complete = true;
  if (e.shape == Experiment::Shape::everybody) return {{e.clients, e.clients, 1, 1}};
  if (e.shape == Experiment::Shape::subset) return {{e.subset, e.subset, 1, 1}};
  std::vector<Stretch> list;
  if (!e.absence().surely_positive()) {
    if (e.clients >= e.minimum) list.push_back({e.clients, e.clients, 1, 1});
    return list;
  }
  const double mean = e.clients * e.rate().middle(), deviation = std::sqrt(mean * e.absence().middle()) + 1;
  double first = std::max({1.0, e.minimum, std::floor(mean - reach * deviation)});
  double last = std::min(e.clients, std::ceil(mean + reach * deviation + 40));
  if (e.clients <= most) {
    first = std::max({1.0, e.minimum, far_below_mean(e.clients, e.rate(), e.absence())});
    last = e.clients;
  }
  complete = e.clients <= most;
  if (last - first > 3e6 || first > last) return list;
  const double step = std::max(1.0, std::ceil((last - first + 1) / most));
  Binomials law(e.clients, e.rate(), e.absence(), first);
  // Rounds with fewer than `first` reports count only for the upper end, where they are charged as if the
  // victim surely reported and the sum had the noise of one report only.
  if (first > std::max(1.0, e.minimum) && complete) {
    list.push_back({1, e.clients, 0,
                    mass_below(e.clients, e.rate(), e.absence(), first, law.value() * (1 + law.error()))});
  }
  for (double k = first; k <= last; k += step) {
    Stretch stretch{k, std::min(last, k + step - 1), 0, 0};
    for (double j = k; j <= stretch.last; ++j, law.next()) {
      stretch.below += law.value() * (1 - law.error());
      stretch.above += law.value() * (1 + law.error());
    }
    list.push_back(stretch);
  }
  return list;
}

// Encloses l f(1 + (E - 1)/l), the divergence given the number of reports. Here l = present / clients is the
// probability that the victim is among them, f is the profile of two unit normal laws at distance
// mu / sqrt(noises), and E = e^epsilon.
Interval given_reports(const Experiment& e, double epsilon, double present, double noises) {
  const Real chance = Real(present) / Real(e.clients), mu = e.randomizer.mu() / sqrt(Real(noises));
  const Interval f = gaussian_delta(mu, log1p(expm1(Real(epsilon)) / chance));
  return {chance.below() * f.below, chance.above() * f.above};
}

}  // namespace

Interval sums_delta(const Experiment& e, double epsilon) {
  bool complete = false;
  Interval sum{0, 0};
  for (const Stretch& s : stretches(e, 1000, 9, complete)) {
    // The divergence grows with the probability that the victim reports, and falls with the number of terms
    // of noise.
    sum.below += s.below * given_reports(e, epsilon, s.first, s.last).below;
    if (complete) sum.above += s.above * given_reports(e, epsilon, s.last, s.first).above;
  }
  if (!complete || e.least_coin < e.coin) sum.above = 1;
  return {sum.below * (1 - 1e-15L), std::min(1.0L, sum.above * (1 + 1e-15L))};
}

Pair sums_pair(const Experiment& e, double tail, bool swapped) {
  Pair pair;
  bool complete = false;
  const double reach = std::min(38.0, std::sqrt(-2 * std::log(std::max(tail, 1e-300))) + 1);
  const std::vector<Stretch> list = stretches(e, 48, reach, complete);
  const std::size_t cells = list.size() > 8 ? 64 : 240;
  for (const Stretch& s : list) {
    const Real chance = Real(s.first) / Real(e.clients), mu = e.randomizer.mu() / sqrt(Real(s.last));
    const double width = (mu.middle() + 2 * reach) / static_cast<double>(cells);
    Real edge(-reach), a = upper_normal(edge - mu), b = upper_normal(edge);
    const auto add = [&](const Real& under_a, const Real& under_b) {
      const Real with = chance * under_a + (Real(1.0) - chance) * under_b;
      // The range has the same weight under both laws, so the lower end of the weight may be
      // used for both.
      const Outcome o =
          swapped ? Outcome{under_b.below(), with.above()} : Outcome{with.below(), under_b.above()};
      if (o.p > 0 && o.q > 0)
        pair.push_back({o.p * s.below * (1 - 0x1p-62L), o.q * s.below * (1 + 0x1p-62L)});
    };
    for (std::size_t i = 1; i <= cells; ++i) {
      const Real next(-reach + static_cast<double>(i) * width);
      const Real next_a = upper_normal(next - mu), next_b = upper_normal(next);
      add(a - next_a, b - next_b);
      a = next_a;
      b = next_b;
    }
  }
  return pair;
}

}  // namespace muster::reference
