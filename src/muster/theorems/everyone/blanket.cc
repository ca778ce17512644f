#include "muster/theorems/everyone/blanket.h"

#include <algorithm>
#include <cmath>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

// Returns the number of cells of the Laplace grid per unit of the log-ratio, or per epsilon0 if that is below
// 1, near the largest log-ratio epsilon0. More cells narrow the enclosure (docs/theory/blanket.md says how
// wide it is). There are fewer where hardly any blanket messages are expected, because the contour integral
// over all cells is slow there.
int laplace_cells(double blanket_messages) { return blanket_messages < 2 ? 24 : 160; }

// These two are e^epsilon0 - E and 1 - E e^epsilon0, with E = e^epsilon, computed without cancellation.
long double high_value(long double epsilon0, long double epsilon) {
  return std::exp(epsilon) * std::expm1(epsilon0 - epsilon);
}
long double low_value(long double epsilon0, long double epsilon) { return -std::expm1(epsilon0 + epsilon); }

// These two are q = 1/(e^epsilon0 + 1) and 1 - 2q. At small epsilon0 the second is tiny, and the difference
// 1 - 2q itself would lose its digits.
long double less_likely(long double epsilon0) { return 1 / (std::expm1(epsilon0) + 2); }
long double rest(long double epsilon0) { return std::expm1(epsilon0) * less_likely(epsilon0); }

}  // namespace

numerics::Enclosure pure_blanket_delta(double n, double epsilon0, double epsilon) {
  if (epsilon >= epsilon0) {
    return {0, 0};
  }
  const long double q = less_likely(epsilon0);
  return numerics::mean_of_terms(
      {{high_value(epsilon0, epsilon), q}, {low_value(epsilon0, epsilon), q}, {0, rest(epsilon0)}}, n);
}

numerics::Enclosure thinned_blanket_delta(double n, double chance, double epsilon0, double epsilon) {
  if (epsilon >= epsilon0) return {0, 0};
  const long double q = chance * less_likely(epsilon0);
  const long double neither = (1 - static_cast<long double>(chance)) + chance * rest(epsilon0);
  const numerics::Enclosure mean = numerics::mean_of_terms(
      {{high_value(epsilon0, epsilon), q}, {low_value(epsilon0, epsilon), q}, {0, neither}}, n);
  const double upper = mean.upper / chance * (1 + numerics::kEightRoundings);
  return {mean.lower / chance * (1 - numerics::kEightRoundings), upper < 1 ? upper : 1};
}

// Let l in [0, epsilon0] be the logarithm of the ratio of the two end records' densities, the larger over
// the smaller. On each side of the interval's middle, the blanket mass has density
// e^{-(epsilon0 + l)/2} / 4 in l and an atom e^{-epsilon0} / 2 at l = epsilon0. G is e^l - E on one side
// and 1 - E e^l on the other, both linear in v = e^l. A cell [v, v r^2] has the mean v r, so the split puts
// the share 1/(1+r) at its upper end.
LaplaceBlanket::LaplaceBlanket(double n, double epsilon0) : n_(n), epsilon0_(epsilon0) {
  const long double top = epsilon0;
  const long double finest = numerics::smaller(1.0L, top) / laplace_cells(n * std::exp(-epsilon0 / 2));
  levels_.push_back(top);
  while (levels_.back() > 0) {  // cells grow wider as their share of the variance falls
    const long double l = levels_.back();
    levels_.push_back(numerics::larger(0.0L, l - numerics::smaller(1.0L, finest * std::exp((top - l) / 2))));
  }
  std::reverse(levels_.begin(), levels_.end());
  split_masses_.assign(levels_.size(), 0);
  for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
    const long double half = (levels_[i + 1] - levels_[i]) / 2;
    const long double mass = -std::exp(-(top + levels_[i]) / 2) * std::expm1(-half) / 2;
    const long double share = 1 / (1 + std::exp(half));
    split_masses_[i] += mass * (1 - share);
    split_masses_[i + 1] += mass * share;
    merged_levels_.push_back(levels_[i] + half);
    merged_masses_.push_back(mass);
  }
  split_masses_.back() += std::exp(-top) / 2;
  merged_levels_.push_back(top);
  merged_masses_.push_back(std::exp(-top) / 2);
}

numerics::Enclosure LaplaceBlanket::delta(double epsilon) const {
  if (epsilon >= epsilon0_) {
    return {0, 0};
  }
  const auto terms = [epsilon](const std::vector<long double>& levels,
                               const std::vector<long double>& masses) {
    std::vector<numerics::Term> all{{0, -std::expm1(-levels.back() / 2)}};
    for (std::size_t i = 0; i < levels.size(); ++i) {
      all.push_back({high_value(levels[i], epsilon), masses[i]});
      all.push_back({low_value(levels[i], epsilon), masses[i]});
    }
    return all;
  };
  const double upper = numerics::mean_of_terms(terms(levels_, split_masses_), n_).upper;
  return {numerics::smaller(upper, numerics::mean_of_terms(terms(merged_levels_, merged_masses_), n_).lower),
          upper};
}

numerics::UpperAndEstimate approximate_blanket_delta(double n, double epsilon0, double delta0,
                                                     double epsilon) {
  if (epsilon >= epsilon0) {  // the randomizer's own guarantee, which shuffling keeps for any n
    const double own = numerics::as_upper_bound(delta0);
    return {own, own};
  }
  const long double grown = std::exp(static_cast<long double>(epsilon));
  const long double penalty = delta0 + 2 * (1 + grown) * static_cast<long double>(n - 1) *
                                           std::exp(-static_cast<long double>(epsilon0)) * delta0;
  if (!(penalty < 1)) {
    return {1, 1};
  }
  const auto outside = static_cast<double>(penalty);
  const long double q = less_likely(epsilon0);
  const long double shift = delta0 / std::expm1(2 * static_cast<long double>(epsilon0));
  const long double moved = shift * std::exp(static_cast<long double>(epsilon0));
  const long double high = q + shift, low = numerics::larger(0.0L, q - moved);
  // This is 1 - low - high, without the cancellation at small epsilon0.
  const long double neither = low > 0 ? rest(epsilon0) + (moved - shift) : 1 - high;
  if (!(neither >= 0)) {
    return {1, 1};
  }
  const numerics::Enclosure inside = numerics::mean_of_terms(
      {{high_value(epsilon0, epsilon), high}, {low_value(epsilon0, epsilon), low}, {0, neither}}, n);
  return {.upper = numerics::smaller(1.0, (inside.upper + outside) * (1 + numerics::kEightRoundings)),
          .estimate = numerics::smaller(1.0, inside.lower + outside)};
}

}  // namespace muster::accounting
