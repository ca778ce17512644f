#include "muster/describe/laws/lognormal_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using Extended = long double;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMassError = 4e-16;  // bounds the relative error of a mass after rounding to double

Extended upper_normal(Extended x) { return 0.5L * std::erfc(x / std::numbers::sqrt2_v<Extended>); }

// The ten-point Gauss-Legendre rule on [-1, 1]. Newton's iteration on the Legendre polynomial finds its
// nodes.
struct Rule {
  std::array<Extended, 10> node, weight;
  Rule() {
    constexpr int n = 10;
    for (int i = 0; i < n; ++i) {
      Extended x = std::cos(std::numbers::pi_v<Extended> * (i + 0.75L) / (n + 0.5L));
      Extended slope = 0;
      for (int step = 0; step < 8; ++step) {
        Extended p = 1;
        Extended before = 0;
        for (int k = 1; k <= n; ++k) {
          const Extended next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
          before = p;
          p = next;
        }
        slope = n * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      node[static_cast<std::size_t>(i)] = x;
      weight[static_cast<std::size_t>(i)] = 2 / ((1 - x * x) * slope * slope);
    }
  }
};

// Holds integrals over z in [a, b] of the normal density times a factor.
struct Moments {
  Extended mass = 0;  // the integral with the factor 1
  Extended rise = 0;  // the integral with the factor e^{mu (z - a)} - 1
  Extended fall = 0;  // the integral with the factor e^{mu (b - a)} - e^{mu (z - a)}
};

Moments integrate(Extended mu, Extended a, Extended b) {
  static const Rule rule;
  const Extended steepness = numerics::larger(std::abs(a), std::abs(b)) + mu + 1;
  const int panels = static_cast<int>(numerics::smaller<Extended>(4096, std::ceil((b - a) * steepness)));
  const Extended half = (b - a) / (2 * panels);
  Moments sum;
  for (int panel = 0; panel < panels; ++panel) {
    const Extended middle = a + (2 * panel + 1) * half;
    for (std::size_t i = 0; i < rule.node.size(); ++i) {
      const Extended z = middle + half * rule.node[i];
      const Extended density = rule.weight[i] * std::exp(-z * z / 2);
      sum.mass += density;
      sum.rise += density * std::expm1(mu * (z - a));
      sum.fall += density * std::exp(mu * (z - a)) * std::expm1(mu * (b - z));
    }
  }
  const Extended scale = half / std::sqrt(2 * std::numbers::pi_v<Extended>);
  return {sum.mass * scale, sum.rise * scale, sum.fall * scale};
}

// Returns the z at which ln r has the value `log`.
Extended normal_coordinate(Extended mu, Extended log) { return log / mu + mu / 2; }

// Returns the normal law's mass of [z - mu, z], computed as an integral. Where mu is small against
// z, a difference of two tails would lose all digits, and so would the difference z - (z - mu).
Extended normal_mass_before(Extended z, Extended mu) {
  static const Rule rule;
  const int panels = static_cast<int>(std::ceil(mu * (std::abs(z) + mu + 1)));
  const Extended half = mu / (2 * panels);
  Extended sum = 0;
  for (int panel = 0; panel < panels; ++panel) {
    const Extended middle = (2 * panel + 1) * half;
    for (std::size_t i = 0; i < rule.node.size(); ++i) {
      const Extended at = z - (middle + half * rule.node[i]);
      sum += rule.weight[i] * std::exp(-at * at / 2);
    }
  }
  return sum * half / std::sqrt(2 * std::numbers::pi_v<Extended>);
}

// Describes an infinite cell at an end, below z for lower_end() and above z for upper_end().
struct End {
  Extended mass;    // mass of the normal law in the cell
  Extended ratio;   // mean of r in the cell, accurate where it is small
  Extended excess;  // mean of r - 1 in the cell, accurate where r is near 1
};
End lower_end(Extended mu, Extended z) {
  const Extended mass = upper_normal(-z);
  return {mass, upper_normal(mu - z) / mass, -normal_mass_before(z, mu) / mass};
}
End upper_end(Extended mu, Extended z) {
  const Extended mass = upper_normal(z);
  return {mass, upper_normal(z - mu) / mass, normal_mass_before(z, mu) / mass};
}

// Returns an upper bound of E(a - r)_+ = a f(1/a), where a = 1 + knot <= 1 and f(alpha) is the Gaussian's
// privacy profile. The identity follows from exchanging the two records.
double lognormal_deficit(double mu, double knot) {
  const double log_alpha = -std::log1p(knot);
  return (1 + knot) * gaussian_divergence(mu, log_alpha * (1 - numerics::kThreeRoundings)).upper *
         (1 + numerics::kThreeRoundings);
}

double down(double x) { return std::nextafter(x, -kInfinity); }
double up(double x) { return std::nextafter(x, kInfinity); }

}  // namespace

numerics::SumLaw lognormal_ratio(double mu, const std::vector<double>& knots, numerics::Side side) {
  const Extended m = mu;
  const std::size_t last = knots.size() - 1;
  numerics::SumLaw law;
  law.mass_error = kMassError;
  law.point_error = 4e-16;
  const auto coordinate = [&](std::size_t i) { return normal_coordinate(m, std::log(Extended(knots[i]))); };
  const End bottom = lower_end(m, coordinate(0));
  const End top = upper_end(m, coordinate(last));
  const auto put = [&law](Extended point, Extended mass) {
    if (mass > 0) {
      law.points.push_back(static_cast<double>(point));
      law.masses.push_back(static_cast<double>(mass));
    }
  };
  if (side == numerics::Side::below) {
    put(bottom.ratio, bottom.mass);
    for (std::size_t i = 0; i < last; ++i) {
      const Moments cell = integrate(m, coordinate(i), coordinate(i + 1));
      put(Extended(knots[i]) * (1 + cell.rise / cell.mass), cell.mass);
    }
    put(top.ratio, top.mass);
    return law;
  }
  std::vector<Extended> masses(knots.size(), 0);
  const Extended share =
      numerics::smaller<Extended>(1, bottom.ratio / knots[0] * (1 + numerics::kExtendedRoundings));
  masses[0] += bottom.mass * share;
  for (std::size_t i = 0; i < last; ++i) {
    const Moments cell = integrate(m, coordinate(i), coordinate(i + 1));
    const Extended width = std::expm1(m * (coordinate(i + 1) - coordinate(i)));
    masses[i] += cell.fall / width;
    masses[i + 1] += cell.rise / width;
  }
  masses[last] += top.mass;
  // The second term gives back what raising `share` has taken from the mass at 0.
  put(0, bottom.mass * (1 - share) + bottom.mass * numerics::kExtendedRoundings);
  for (std::size_t i = 0; i <= last; ++i) {
    put(knots[i], masses[i]);
  }
  law.excess = gaussian_divergence(mu, std::log(knots[last]) * (1 - numerics::kThreeRoundings)).upper;
  return law;
}

std::vector<double> centered_knots(double mu, int per_deviation) {
  // kMinLog is the smallest ln r of a knot; for a smaller ln r, 1 + knot would lose digits.
  constexpr double kReach = 12, kMaxLog = 600, kMinLog = -20;
  std::vector<double> steps;
  for (double x = 0; x < kReach;) {
    x += numerics::larger(1.0, x / 4) / per_deviation;
    steps.push_back(x);
  }
  std::vector<double> knots;
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (-mu * steps[i] >= kMinLog || i == 0) {
      knots.push_back(std::expm1(numerics::larger(-mu * steps[i], kMinLog)));
    }
  }
  knots.push_back(0);
  const double growth = mu > 0.5 ? 8 : 5;
  for (double x = 0; x < kReach + mu && mu * x < kMaxLog;) {
    x += numerics::larger(1.0, x / growth) / per_deviation;
    knots.push_back(std::expm1(mu * x));
  }
  return knots;
}

CenteredLognormal::CenteredLognormal(double mu, const std::vector<double>& knots)
    : mu_(mu), knots_(knots), left_(knots.size(), 0), right_(knots.size(), 0) {
  const Extended m = mu;
  const auto coordinate = [&](std::size_t i) { return normal_coordinate(m, std::log1p(Extended(knots[i]))); };
  for (std::size_t i = 0; i + 1 < knots.size(); ++i) {
    const Moments cell = integrate(m, coordinate(i), coordinate(i + 1));
    const Extended width = std::expm1(m * (coordinate(i + 1) - coordinate(i)));
    left_[i] = static_cast<double>(cell.fall / width);
    right_[i] = static_cast<double>(cell.rise / width);
    mean_.push_back(knots[i] + (1 + Extended(knots[i])) * cell.rise / cell.mass);
    mass_.push_back(cell.mass);
  }
}

CenteredLognormal::Range CenteredLognormal::range(double tail) const {
  // With a = 1 + knot, E(r - a)_+ = f(a) and E(a - r)_+ = a f(1/a), where f is the Gaussian's privacy
  // profile. Both are monotone in a, so bisection finds the cut.
  const auto zero =
      static_cast<std::size_t>(std::lower_bound(knots_.begin(), knots_.end(), 0.0) - knots_.begin());
  std::size_t high = zero + 1;
  for (std::size_t last = knots_.size() - 1; high < last;) {
    const std::size_t middle = (high + last) / 2;
    if (gaussian_divergence(mu_, std::log1p(knots_[middle])).upper <= tail) {
      last = middle;
    } else {
      high = middle + 1;
    }
  }
  std::size_t low = zero - 1;
  for (std::size_t first = 0; first < low;) {
    const std::size_t middle = (first + low + 1) / 2;
    if (lognormal_deficit(mu_, knots_[middle]) <= tail) {
      first = middle;
    } else {
      low = middle - 1;
    }
  }
  return {low, high};
}

CenteredLognormal::Cut CenteredLognormal::above(double tail) const {
  const Range at = range(tail);
  const auto coordinate = [&](std::size_t i) {
    return normal_coordinate(mu_, std::log1p(static_cast<Extended>(knots_[i])));
  };
  Cut cut{{},
          lognormal_deficit(mu_, knots_[at.low]),
          gaussian_divergence(mu_, std::log1p(knots_[at.high]) * (1 - numerics::kThreeRoundings)).upper};
  for (std::size_t i = at.low; i <= at.high; ++i) {
    const double before = i > at.low ? right_[i - 1] : static_cast<double>(upper_normal(-coordinate(at.low)));
    const double after = i < at.high ? left_[i] : static_cast<double>(upper_normal(coordinate(at.high)));
    cut.law.add(knots_[i], before + after);
  }
  return cut;
}

numerics::AtomicLaw CenteredLognormal::below(double tail, bool lower_points) const {
  const Range at = range(tail);
  const auto coordinate = [&](std::size_t i) {
    return normal_coordinate(mu_, std::log1p(static_cast<Extended>(knots_[i])));
  };
  const End bottom = lower_end(mu_, coordinate(at.low));
  const End top = upper_end(mu_, coordinate(at.high));
  std::vector<Extended> points{bottom.excess};
  std::vector<Extended> masses{bottom.mass};
  for (std::size_t i = at.low; i < at.high; ++i) {
    points.push_back(mean_[i]);
    masses.push_back(mass_[i]);
  }
  points.push_back(top.excess);
  masses.push_back(top.mass);
  // The atom nearest 0 becomes an atom at 0, which need not be stored. It is merged with so much mass of its
  // neighbour on the other side of 0 that their mean is 0. Merging lowers the expectation of every convex
  // function (Jensen).
  const auto right =
      static_cast<std::size_t>(std::lower_bound(points.begin(), points.end(), Extended(0)) - points.begin());
  const std::size_t near = points[right] < -points[right - 1] ? right : right - 1;
  const std::size_t other = near == right ? right - 1 : right;
  // The two points have opposite signs, so mass is removed from the neighbour.
  masses[other] += masses[near] * points[near] / points[other];
  masses[near] = 0;
  numerics::AtomicLaw law;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double point = static_cast<double>(points[i]);
    law.add(lower_points ? down(down(point)) : up(up(point)), static_cast<double>(masses[i]));
  }
  return law;
}

}  // namespace muster::accounting
