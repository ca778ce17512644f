#include "muster/describe/profile.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "muster/core/error.h"
#include "muster/describe/gaussian_divergence.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using numerics::larger;
using numerics::smaller;

constexpr Extended kUnit = std::numeric_limits<Extended>::epsilon() / 2;
// The error that the roundings of a chord's slope cause, relative to either of its values. The differences of
// the logarithms and of the values take one rounding each, expm1 takes six, and the quotient and the
// difference of two slopes take one each.
constexpr Extended kErrorOfSlope = 12 * kUnit;
// For Gaussians at this distance mu and beyond, f(e^Profile::kMaxLoss) lies within e^{-1e11} of 1. It is
// taken as 1, because the rounding error of its formula grows with mu^2.
constexpr double kRevealing = 1e6;
// If the sum of the P-masses falls short of 1 by more than this, rounding does not explain it.
constexpr Extended kMissing = 1e-9L;
// Covers the conversion of a long double to double, which takes half of this margin, and up to two thousand
// roundings of a long double before it.
constexpr Extended kRounding = 0x1p-52L;
// A computed upper bound may be larger than 1 by this much because of its own rounding.
constexpr Extended kSlightly = 1e-12L;

void refuse(const char* what, double log_alpha, Extended value) {
  throw Error(ErrorCode::internal, "profile",
              fmt::format("f = {} at ln alpha = {}", static_cast<double>(value), log_alpha),
              "a finite, falling function within [0, 1]", what);
}

double up(Extended x) { return static_cast<double>(x * (1 + kRounding)); }

// Rounds up a sum of `terms` positive terms with at most ten roundings each. The sum takes one more rounding
// for each term. kExtendedRoundings covers ten thousand roundings and the conversion to double, which is
// enough for the 8,201 kinks of a Laplace profile. kUlpAbove is twice the error of the conversion.
double up_sum(Extended sum, std::size_t terms) {
  const Extended counted = numerics::kUlpAbove + kUnit * static_cast<Extended>(terms + 16);
  return static_cast<double>(sum * (1 + larger(numerics::kExtendedRoundings, counted)));
}

using Value = Profile::Value;

// The values of f at the nodes. Throws Error(internal) if they cannot be a profile.
std::vector<Value> values_at(const std::vector<double>& log_alphas, const std::function<Value(double)>& f) {
  if (log_alphas.empty() || log_alphas.front() != 0) {
    throw Error(ErrorCode::internal, "profile", "", "", "the first node must be alpha = 1");
  }
  std::vector<Value> at;
  for (const double l : log_alphas) {
    at.push_back(f(l));
    if (at.back().value > 1 && at.back().value < 1 + kSlightly) at.back().value = 1;
    const Extended value = at.back().value;
    if (!std::isfinite(l) || !(value >= 0 && value <= 1 && at.back().error < 1e-6L)) {
      refuse("not a profile", l, value);
    }
    if (at.size() > 1 &&
        !(value <= at[at.size() - 2].value * (1 + kRounding) && l > log_alphas[at.size() - 2])) {
      refuse("nodes or values out of order", l, value);
    }
  }
  return at;
}

// The P-masses of the kinks at l > 0, each raised by a bound on its error. The errors come from the values
// and from the rounding of their differences. The entry for l = 0 is 0. Take two neighbouring nodes at
// distance w in ln alpha, with the value f at the left one and f' at the right one. The slope of their chord
// in alpha is (f' - f) / (e^w - 1) divided by the left node's alpha, or (f' - f) / (1 - e^{-w}) divided by
// the right node's alpha. So the P-mass of an inner node, alpha times the change of slope, is computed
// without alpha.
std::vector<Extended> masses_of_kinks(const std::vector<double>& log_alphas, const std::vector<Value>& at) {
  const std::size_t top = log_alphas.size() - 1;
  std::vector<Extended> mass(top + 1, 0);
  for (std::size_t i = 1; i <= top; ++i) {
    const Extended before = static_cast<Extended>(log_alphas[i]) - log_alphas[i - 1];
    const Extended inner = -std::expm1(-before);
    Extended kink = (at[i - 1].value - at[i].value) / inner;
    const auto error = [](const Value& of) { return of.value * (of.error + kErrorOfSlope); };
    Extended lost = (error(at[i - 1]) + error(at[i])) / inner;
    if (i < top) {
      const Extended after = static_cast<Extended>(log_alphas[i + 1]) - log_alphas[i];
      const Extended outer = std::expm1(after);
      kink -= (at[i].value - at[i + 1].value) / outer;
      lost += (error(at[i]) + error(at[i + 1])) / outer;
    }
    mass[i] = larger<Extended>(0, kink) + lost;
  }
  return mass;
}

// The mass at alpha = 1: the change of slope there, or 0 if f is not convex there. It equals 1 minus all
// other masses before these are raised.
Extended mass_at_one(const std::vector<double>& log_alphas, const std::vector<Value>& at) {
  if (log_alphas.size() == 1) return 1 - at[0].value;
  const Extended w = log_alphas[1];
  const Extended fall = (at[0].value - at[1].value) * (1 + std::exp(-w)) / -std::expm1(-w);
  return larger<Extended>(0, 1 - at[1].value - fall);
}

}  // namespace

Profile Profile::symmetric(const std::vector<double>& log_alphas, const std::function<Value(double)>& f) {
  const std::vector<Value> at = values_at(log_alphas, f);
  const std::size_t top = log_alphas.size() - 1;
  std::vector<Extended> mass = masses_of_kinks(log_alphas, at);
  Extended total = at[top].value;
  for (std::size_t i = 1; i <= top; ++i) {
    total += mass[i] * (1 + std::exp(-static_cast<Extended>(log_alphas[i])));
  }
  mass[0] = mass_at_one(log_alphas, at);
  Profile profile;
  const Extended missing = 1 - total - mass[0], beyond = at[top].value * (1 + at[top].error);
  if (!(missing <= kMissing)) {
    profile.mass_at_infinity_ = up(beyond + missing);
  } else {
    profile.mass_at_infinity_ = up(beyond);
  }
  const auto add = [&profile](double l, Extended p, Extended q) {
    profile.log_alphas_.push_back(l);
    profile.p_masses_.push_back(up(p));
    profile.q_masses_.push_back(up(q));
  };
  // The Q-mass of a kink's mirror image at -l is the kink's P-mass.
  for (std::size_t i = top; i > 0; --i) {
    add(-log_alphas[i], mass[i] * std::exp(-static_cast<Extended>(log_alphas[i])), mass[i]);
  }
  add(0, mass[0], mass[0]);
  for (std::size_t i = 1; i <= top; ++i) {
    add(log_alphas[i], mass[i], mass[i] * std::exp(-static_cast<Extended>(log_alphas[i])));
  }
  return profile;
}

Profile Profile::pure(double epsilon0) { return k_randomized_response(epsilon0, 2); }

// All kinks are at +-epsilon0 and, if k > 2, at 0, so the chord from ln alpha = 0 to epsilon0 is f itself.
Profile Profile::k_randomized_response(double epsilon0, double k) {
  const Extended e0 = epsilon0, others = static_cast<Extended>(k) - 1;
  // expm1 takes six roundings and the difference in its argument one, the denominator five (two of them by
  // exp), and the quotient one.
  return symmetric({0, smaller(epsilon0, kMaxLoss)}, [=](double l) {
    return Value{-std::expm1(l - e0) / (1 + others * std::exp(-e0)), 16 * kUnit};
  });
}

Profile Profile::laplace(double epsilon0) {
  // With a hundred nodes, the standard deviation of the law X* of Theorem 2 (docs/theory/profile-only.md)
  // is at most a relative 1e-4 too large.
  const double top = smaller(epsilon0, kMaxLoss);
  const int cells = 100 + static_cast<int>(std::ceil(smaller(40 * top, 4000.0)));
  std::vector<double> nodes{0};
  for (int i = 1; i < cells; ++i) {
    const double l = top * i / cells;
    if (l > nodes.back() && l < top) {
      nodes.push_back(l);
    }
  }
  nodes.push_back(top);
  // expm1 takes six roundings, and the difference in its argument one.
  return symmetric(nodes, [epsilon0](double l) {
    return Value{-std::expm1((static_cast<Extended>(l) - epsilon0) / 2), 8 * kUnit};
  });
}

Profile Profile::gaussian(double mu, double tail, int per_deviation) {
  // Nodes are mu / per_deviation apart over three standard deviations of the loss. Further out, the spacing
  // grows in proportion to the loss. A mu below kMinGaussianMu is replaced by kMinGaussianMu, which errs
  // upward, because f increases with mu.
  mu = larger(mu, kMinGaussianMu);
  // kUlpAbove is more than two roundings of a double: mu itself is a rounded quotient.
  const Extended distance = static_cast<Extended>(mu) * (1 + static_cast<Extended>(numerics::kUlpAbove));
  const auto value = [distance](double l) {
    if (distance > kRevealing) return Value{1, 0};
    const ExtendedDivergence at = extended_gaussian_divergence(distance, l);
    return Value{at.value, at.error};
  };
  std::vector<double> nodes{0};
  for (double x = 0; value(nodes.back()).value > tail && nodes.back() < kMaxLoss;) {
    x += larger(1.0, x / 3) / per_deviation;
    if (const double l = smaller(x * mu, kMaxLoss); l > nodes.back()) {
      nodes.push_back(l);
    }
  }
  return symmetric(nodes, value);
}

double Profile::at(long double log_alpha) const {
  if (std::isnan(log_alpha)) return 1;
  if (log_alpha < 0) {
    const Extended alpha = std::exp(log_alpha);
    return numerics::as_upper_bound(up(-std::expm1(log_alpha) + alpha * at(-log_alpha)));
  }
  Extended sum = mass_at_infinity_;
  for (std::size_t i = log_alphas_.size(); i-- > 0 && log_alphas_[i] > log_alpha;) {
    sum -= static_cast<Extended>(p_masses_[i]) * std::expm1(log_alpha - log_alphas_[i]);
  }
  return numerics::as_upper_bound(up_sum(sum, log_alphas_.size() + 1));
}

double Profile::alternative_tail(double log_alpha) const {
  Extended sum = 0;
  for (std::size_t i = log_alphas_.size(); i-- > 0 && log_alphas_[i] > log_alpha;) {
    sum += q_masses_[i];
  }
  return numerics::as_upper_bound(up_sum(sum, log_alphas_.size()));
}

}  // namespace muster::accounting
