#include "muster/composition/convex_profile.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>

#include "muster/core/error.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using Extended = long double;
using numerics::larger;

constexpr Extended kUnit = std::numeric_limits<Extended>::epsilon() / 2;
// More than the relative error of rounding to a double, which is at most 2^-53.
constexpr Extended kRounding = 0x1p-52L;
// If the sum of the masses differs from 1 by more than this, rounding does not explain the difference.
constexpr Extended kNotConserved = 1e-9L;
// Every mass is rounded up, so in exact arithmetic a law's profile is at least as large as its hull. The
// check of this in losses_dominating() has roundings of its own, at most a dozen per atom, which this
// relative difference covers for 10^6 atoms. A larger difference can only come from a defect.
constexpr Extended kShort = 1e-12L;

class Lattice {
 public:
  explicit Lattice(double spacing) : spacing_(spacing) {}
  Extended width(std::int64_t from, std::int64_t to) const {
    return static_cast<Extended>(spacing_) * static_cast<Extended>(to - from);
  }
  // The value of f at a node on either side of alpha = 1. seen_from_left() is the value of r at such a node.
  Extended seen_from_right(const ProfilePoint& p) const {
    return p.index >= 0 ? p.value : through(width(0, p.index), p.value);
  }
  Extended seen_from_left(const ProfilePoint& p) const {
    return p.index <= 0 ? p.value : through(width(p.index, 0), p.value);
  }

 private:
  // The map between f and r (convex_profile.h): 1 - alpha + alpha v for alpha = e^l, l <= 0.
  static Extended through(Extended l, Extended v) { return -std::expm1(l) + std::exp(l) * v; }
  double spacing_;
};

// For three nodes at the losses l_a < l_b < l_c, the position of the middle one in alpha, as a fraction of
// the way from the first to the last: (e^{l_b - l_a} - 1) / (e^{l_c - l_a} - 1). `first` is l_b - l_a, and
// `both` is l_c - l_a.
Extended share(Extended first, Extended both) {
  return std::exp(first - both) * std::expm1(-first) / std::expm1(-both);
}

bool on_or_above_chord(const Lattice& lattice, const ProfilePoint& a, const ProfilePoint& b,
                       const ProfilePoint& c) {
  if (c.index <= 0) {  // compares values of r; the argument of r increases from c to a
    const Extended at = share(lattice.width(b.index, c.index), lattice.width(a.index, c.index));
    return b.value >= c.value + (a.value - c.value) * at;
  }
  const Extended left = lattice.seen_from_right(a), right = lattice.seen_from_right(c);
  const Extended at = share(lattice.width(a.index, b.index), lattice.width(a.index, c.index));
  return lattice.seen_from_right(b) >= left + (right - left) * at;
}

void refuse(const char* why, const std::string& value) {
  throw Error(ErrorCode::internal, "profile", value, "finite, falling, of mass 1", why);
}

// A kink at a node of f or r, whichever is stored there. `mass` is the change of slope times the
// argument (alpha for f, 1/alpha for r). This is the P-mass of a kink right of alpha = 1, and the
// Q-mass of a kink left of it. `rounding` bounds the rounding error of `mass`. The arguments of kink():
// `here` is the value at the node, `before` the value at its neighbour towards alpha = 1, and `after`
// the value at the other neighbour. The widths are those of the two cells; an outer width of 0 means
// that there is no other neighbour.
struct Kink {
  Extended mass, rounding;
};
Kink kink(Extended before, Extended here, Extended after, Extended inner_width, Extended outer_width) {
  const Extended inner = (before - here) / -std::expm1(-inner_width);
  const Extended outer = outer_width > 0 ? (here - after) / std::expm1(outer_width) : 0;
  // Each slope takes at most nine roundings (numerics/slack.h): one for a difference, one for a quotient, six
  // for expm1 of a long double, and one for the difference of both slopes. The rounding of a width w changes
  // e^w - 1 by another 1 + w roundings, and 1 - e^-w by at most one.
  return {inner - outer, kUnit * (12 * (inner + outer) + outer_width * outer)};
}

double rounded(Extended x, bool up) { return static_cast<double>(x * (up ? 1 + kRounding : 1 - kRounding)); }

}  // namespace

std::vector<ProfilePoint> lower_convex_hull(double spacing, const std::vector<ProfilePoint>& points) {
  const Lattice lattice(spacing);
  std::vector<ProfilePoint> hull;
  for (const ProfilePoint& next : points) {
    while (hull.size() >= 2 && on_or_above_chord(lattice, hull[hull.size() - 2], hull.back(), next)) {
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

LossLaw losses_of(double spacing, const std::vector<ProfilePoint>& hull, bool above) {
  const Lattice lattice(spacing);
  LossLaw law{{}, rounded(hull.back().index >= 0 ? hull.back().value : 0, above)};
  Extended total = law.infinity, at_zero = 0;
  bool has_zero = false;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const ProfilePoint& here = hull[i];
    if (!(here.value >= 0 && here.value <= 1 + kNotConserved) || (i > 0 && hull[i - 1].index >= here.index)) {
      refuse("nodes or values out of order",
             fmt::format("{} at {}", static_cast<double>(here.value), here.index));
    }
    const double loss = spacing * static_cast<double>(here.index);
    if (here.index > 0 && i > 0) {
      const bool last = i + 1 == hull.size();
      const Kink k = kink(lattice.seen_from_right(hull[i - 1]), here.value, last ? 0 : hull[i + 1].value,
                          lattice.width(hull[i - 1].index, here.index),
                          last ? 0 : lattice.width(here.index, hull[i + 1].index));
      const Extended mass = larger<Extended>(0, above ? k.mass + k.rounding : k.mass - k.rounding);
      law.losses.add(loss, rounded(mass, above));
      total += mass;
    } else if (here.index < 0 && i + 1 < hull.size()) {
      const bool last = i == 0;
      const Kink k = kink(lattice.seen_from_left(hull[i + 1]), here.value, last ? 0 : hull[i - 1].value,
                          lattice.width(here.index, hull[i + 1].index),
                          last ? 0 : lattice.width(hull[i - 1].index, here.index));
      const Extended mass = larger<Extended>(0, above ? k.mass - k.rounding : k.mass + k.rounding) *
                            std::exp(lattice.width(0, here.index));
      law.losses.add(loss, rounded(mass, !above));
      total += mass;
    } else if (here.index == 0) {
      has_zero = true;
      Extended right = 0, left = -1;  // slopes of f right and left of alpha = 1
      if (i + 1 < hull.size()) {
        right = (hull[i + 1].value - here.value) / std::expm1(lattice.width(0, hull[i + 1].index));
      }
      if (i > 0) {
        const Extended l = lattice.width(0, hull[i - 1].index);
        left = (here.value - std::exp(l) * hull[i - 1].value) / -std::expm1(l) - 1;
      } else {
        left = here.value - 1;  // no node to the left: f falls from 1 at alpha = 0
      }
      at_zero = right - left;
    }
  }
  // The mass of the kink at zero loss, computed from the slopes, and the other masses must sum to 1.
  const Extended missing = 1 - total - (has_zero ? at_zero : 0);
  if (!(std::fabs(missing) <= kNotConserved)) {
    if (!above) return {{}, 0};
    law.infinity = numerics::as_upper_bound(rounded(law.infinity + std::fabs(missing), true));
    if (!(missing > 0)) law.infinity = 1;
  }
  return law;
}

LossLaw losses_dominating(double spacing, const std::vector<ProfilePoint>& hull,
                          const std::vector<ProfilePoint>& required) {
  const Lattice lattice(spacing);
  LossLaw law = losses_of(spacing, hull, true);
  // Computes the law's profile f from right to left: f(l) = f(l') + (1 - e^{-(l'-l)}) S(l') for
  // neighbouring losses l < l', where S(l') is the sum of mass times e^{l'-y} over losses y >= l'. The
  // atoms of `law` are in increasing order of loss, so they are taken from the last to the first.
  Extended value = law.infinity, sum = 0, shortfall = 0;
  std::size_t atom = law.losses.points.size();
  std::int64_t at = required.empty() ? 0 : required.back().index;
  for (std::size_t i = required.size(); i-- > 0 && required[i].index >= 0;) {
    const ProfilePoint& point = required[i];
    // Adds the law's losses right of this node one by one.
    while (atom > 0 && law.losses.points[atom - 1] > spacing * (static_cast<double>(point.index) + 0.5)) {
      const auto index = static_cast<std::int64_t>(std::llround(law.losses.points[atom - 1] / spacing));
      const Extended width = lattice.width(index, at);
      value += -std::expm1(-width) * sum;
      sum = sum * std::exp(-width) + law.losses.weights[atom - 1];
      at = index;
      --atom;
    }
    const Extended width = lattice.width(point.index, at);
    value += -std::expm1(-width) * sum;
    sum *= std::exp(-width);
    at = point.index;
    if (!(value >= point.value * (1 - kShort))) {
      shortfall = larger(shortfall, point.value - value);
    }
  }
  if (!(shortfall <= 0)) {
    law.infinity = rounded(numerics::as_upper_bound(static_cast<double>(law.infinity + shortfall)), true);
  }
  return law;
}

}  // namespace muster::accounting
