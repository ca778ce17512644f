#include "muster/numerics/sums/rare_mixture.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/numerics/sums/contour.h"
#include "muster/numerics/sums/excess_bounds.h"

namespace muster::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kOutward = 1e-11;  // margin for the round-off of sums of products of positive factors

// Tuning: every choice gives a valid bound; these constants trade its height for work. kChances are the
// values of n p that are tried, where n p (rare_mixture.h) bounds the probability that at least one term
// exceeds B. Each value costs a call of worst_mixture_excess(), so there are fewer values than in
// rare_terms.cc.
constexpr std::array kChances{1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-13, 1e-17, 1e-22, 1e-28};
// The most that the part with two or more large terms and the mass above B that is moved to zero may add
// together, relative to the value. It is below the 1e-3 by which bounds on mixtures of few terms are
// uncertain (docs/theory/notes/class-c.md, "Width and time").
constexpr double kMostLost = 3e-4;
// If rounding makes the mean of upper_law() too small, it is raised by the missing part times 1 +
// kMoreThanLacks.
constexpr long double kMoreThanLacks = 1e-9L;
// If the relative width of the result for the bulk (the terms up to B) is above this, no larger B is tried,
// because the bulk then has too heavy a tail itself.
constexpr double kWide = 1e-2;

// The weights of both laws at the union of their points.
struct Common {
  std::vector<double> points, first, second;
};

Common merge(const AtomicLaw& a, const AtomicLaw& b) {
  Common all;
  std::size_t i = 0, j = 0;
  while (i < a.points.size() || j < b.points.size()) {
    const double x = i < a.points.size() ? a.points[i] : kInfinity;
    const double y = j < b.points.size() ? b.points[j] : kInfinity;
    all.points.push_back(x < y ? x : y);
    all.first.push_back(x <= y ? a.weights[i++] : 0);
    all.second.push_back(y <= x ? b.weights[j++] : 0);
  }
  return all;
}

// A law whose expected excess is at least that of both laws at every threshold. At the points it is the
// larger one of the two laws' expected excesses, and in between it is interpolated linearly. So the law's
// mass at a point other than 0 is the change of slope there.
AtomicLaw upper_law(const Common& laws) {
  using Extended = long double;
  const std::size_t count = laws.points.size();
  std::size_t right = 0;  // the index of the first point above 0
  while (right < count && laws.points[right] < 0) ++right;
  // At 0 and right of it, `value` is the expected excess at x. Left of 0 it is the expected deficit plus the
  // mean, which is the expected excess plus x.
  const auto excess_at = [&](const std::vector<double>& weights, double x) {
    Extended sum = 0;
    for (std::size_t k = count; k-- > 0 && laws.points[k] > x;) {
      sum += weights[k] * (static_cast<Extended>(laws.points[k]) - x);
    }
    return sum;
  };
  const auto deficit_at = [&](const std::vector<double>& weights, double x) {
    Extended sum = 0;
    for (std::size_t k = 0; k < count && laws.points[k] < x; ++k) {
      sum += weights[k] * (static_cast<Extended>(x) - laws.points[k]);
    }
    return sum;
  };
  const auto mean_of = [&](const std::vector<double>& weights) {
    Extended sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += static_cast<Extended>(weights[k]) * laws.points[k];
    return sum;
  };
  const Extended mean = larger(mean_of(laws.first), mean_of(laws.second));
  std::vector<Extended> value;
  std::vector<double> at;
  for (std::size_t k = 0; k <= count; ++k) {
    if (k == right) {
      at.push_back(0);
      value.push_back(larger(excess_at(laws.first, 0), excess_at(laws.second, 0)));
    }
    if (k == count) break;
    const double x = laws.points[k];
    at.push_back(x);
    value.push_back(x > 0 ? larger(excess_at(laws.first, x), excess_at(laws.second, x))
                          : larger(deficit_at(laws.first, x), deficit_at(laws.second, x)) + mean);
  }
  AtomicLaw law;
  Extended found = 0;
  double raised = 0;  // the first point right of 0, where a missing part of the mean is added
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] == 0) continue;
    const Extended left = k == 0 ? 0 : (value[k] - value[k - 1]) / (static_cast<Extended>(at[k]) - at[k - 1]);
    const Extended next =
        k + 1 == at.size() ? 0 : (value[k + 1] - value[k]) / (static_cast<Extended>(at[k + 1]) - at[k]);
    const Extended mass = larger<Extended>(0, next - left) * (1 + kExtendedRoundings) + 1e-30L;
    law.add(at[k], static_cast<double>(mass));
    found += mass * at[k];
    if (at[k] > 0 && raised == 0) raised = at[k];
  }
  if (found < mean && raised > 0) {
    law.add(raised, static_cast<double>((mean - found) / raised * (1 + kMoreThanLacks)));
  }
  return law;
}

// The law with the mass above `size` moved to zero.
AtomicLaw within_size(const AtomicLaw& law, double size) {
  AtomicLaw bulk;
  for (std::size_t k = 0; k < law.points.size(); ++k) {
    if (law.points[k] <= size) bulk.add(law.points[k], law.weights[k]);
  }
  return bulk;
}

// Upper bounds on what one large term (`one`) and two or more (`two`) add to V_h.
struct Large {
  double chance;  // n p, which bounds the probability that some term is large
  double one, two;
};

Large large_terms(const Common& laws, const AtomicLaw& top, double n, double k, double size, double c) {
  AtomicLaw capped;
  double beyond = 0, passed = 0;
  for (std::size_t i = 0; i < top.points.size(); ++i) {
    if (top.points[i] <= size) {
      capped.add(top.points[i], top.weights[i]);
    } else {
      passed += top.weights[i];
      beyond += top.weights[i] * (top.points[i] - size);
    }
  }
  capped.add(size, passed);
  ExcessBounds others(capped, n - 1, c);
  others.add_deficits(capped);
  const ExcessBounds two_others(capped, n - 2, c);
  Large found{0, 0, 0};
  double each = 0;
  for (std::size_t i = laws.points.size(); i-- > 0 && laws.points[i] > size;) {
    const double w = n * larger(laws.first[i], laws.second[i]);
    found.chance += w;
    found.one += w * (others.above(k - laws.points[i]) + n * beyond);
    each += w * two_others.above(k - 2 * laws.points[i]);
  }
  found.one *= 1 + kOutward;
  found.two = 0.5 * found.chance * (each + found.chance * n * beyond) * (1 + kOutward);
  return found;
}

}  // namespace

WorstMixture worst_mixture_with_rare_terms(const AtomicLaw& first, const AtomicLaw& second, double terms,
                                           double k, Mixing mixing, std::optional<double> absent) {
  WorstMixture best{{.upper = kInfinity, .estimate = 0}, kInfinity};
  // A NaN has no place in the order of points, and merge() would not end.
  if (!std::isfinite(terms) || !std::isfinite(k) || !first.finite() || !second.finite()) return best;
  const Common laws = merge(first, second);
  const AtomicLaw top = upper_law(laws);
  double last_size = kInfinity;
  for (const double chance : kChances) {
    double size = 0, passed = 0;
    for (std::size_t i = laws.points.size(); i-- > 0;) {
      passed += terms * larger(laws.first[i], laws.second[i]);
      size = laws.points[i];
      if (passed > chance) break;
    }
    if (!(size > 0) || size == last_size) continue;
    last_size = size;
    const AtomicLaw bulk[2] = {within_size(first, size), within_size(second, size)};
    const WorstMixture none = worst_mixture_excess(bulk[0], bulk[1], terms, k, mixing, absent);
    const double c = contour::saddle_point(bulk[1], terms, k, [](double at) { return 2 / at; });
    const Large large = large_terms(laws, top, terms, k, size, c);
    const double upper = (none.value.upper + large.one + large.two) * (1 + kEightRoundings);
    if (upper < best.value.upper) {
      best.value.upper = upper;
      best.slack = none.slack;
    }
    best.value.estimate = larger(best.value.estimate, none.value.estimate);
    const double width = none.value.upper - none.value.estimate;
    if (!(width <= kWide * none.value.upper)) break;
    if (large.two + large.chance * none.value.upper <= kMostLost * upper) break;
  }
  best.value.estimate = as_lower_bound(best.value.estimate, best.value.upper);
  return best;
}

}  // namespace muster::numerics
