// The Profile, and the table of the profile, of a randomizer that is given by its laws, for the accountant's
// code. The Profile consists of chords between nodes, so it is an upper bound for any choice of nodes, and
// exact if all kinks are nodes. Unlike the enumerations and the slow formulas, these functions use the
// accountant's own types.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "muster/describe/profile.h"
#include "muster/describe/tabulated_profile.h"
#include "muster/numerics/ordered.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {

// Returns the Profile. Every other kink is left out until there are at most `most` nodes; `most` must be at
// least 2.
inline Profile profile_of_laws(const std::vector<Law>& laws,
                               std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::vector<double> log_alphas{0};
  for (const Atom& atom : profile_law(laws, 0)) {
    if (atom.value > 1e-12L) log_alphas.push_back(static_cast<double>(std::log1p(atom.value)));
  }
  while (log_alphas.size() > most) {
    std::vector<double> fewer;
    for (std::size_t i = 0; i < log_alphas.size(); ++i) {
      if (i % 2 == 0 || i + 1 == log_alphas.size()) fewer.push_back(log_alphas[i]);
    }
    log_alphas = fewer;
  }
  return Profile::symmetric(log_alphas, [&laws](double l) {
    return Profile::Value{profile(laws, std::exp(static_cast<long double>(l))) * (1 + 1e-15L) + 1e-18L,
                          1e-18L};
  });
}

// Returns the table of upper values of a randomizer's profile that its user would write. The points are the
// profile's kinks, so that only rounding is lost; if losses are bounded, the last point has the value 0.
// Every value but a 0 is multiplied by `factor`; a factor below 1 makes the table false. Returns nullopt if
// the laws are equal.
inline std::optional<TabulatedProfile> table_of_laws(const std::vector<Law>& laws, double factor = 1) {
  std::vector<double> alphas{1};
  long double most = 1;
  bool bounded = true;
  for (const Law& x : laws) {
    for (const Law& y : laws) {
      for (std::size_t w = 0; w < x.size(); ++w) {
        if (y[w] > 0) most = numerics::larger(most, x[w] / y[w]);
        bounded = bounded && !(x[w] > 0 && !(y[w] > 0));
      }
    }
  }
  for (const Atom& atom : profile_law(laws, 0)) {
    if (atom.value > 1e-6L && atom.value + 1 < most * (1 - 1e-6L)) {
      alphas.push_back(static_cast<double>(atom.value + 1));
    }
  }
  std::sort(alphas.begin(), alphas.end());
  alphas.push_back(static_cast<double>(most * (1 + 1e-15L)));
  std::vector<TabulatedProfile::Point> points;
  for (const double alpha : alphas) {
    if (!points.empty() && !(alpha > points.back().alpha * (1 + 1e-9))) continue;
    points.push_back({alpha, static_cast<double>(profile(laws, alpha) * factor * (1 + 1e-15L))});
  }
  if (bounded) points.back().divergence = 0;
  if (points.size() < 2 || !(points.front().divergence > 1e-12)) return std::nullopt;
  for (TabulatedProfile::Point& point : points) point.divergence = numerics::smaller(point.divergence, 1.0);
  return TabulatedProfile::of_table(points);
}

}  // namespace muster::accounting::oracle
