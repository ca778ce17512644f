#include "muster/numerics/sums/sum_by_doubling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"

namespace muster::numerics {
namespace {

// At each end of a row (see Tails), pairs of atoms may be left out whose masses add up to at most this.
constexpr double kNegligible = 1e-46;

// For each cell, the mass, the first moment relative to the left knot, and the number of terms that were
// added.
struct Cells {
  std::vector<double> mass, moment;
  std::vector<double> terms;
  double dropped = 0;         // total mass of the pairs of atoms that were left out
  double dropped_moment = 0;  // upper bound on what these pairs contribute to the mean
};

// The mass and the first moment of a law from each atom on, and its mass before each atom. They show which
// pairs of a row are negligible. A row consists of the pairs of one atom of the other law with all atoms of
// this law.
struct Tails {
  std::vector<double> mass_from, moment_from, mass_before;
  explicit Tails(const SumLaw& law)
      : mass_from(law.points.size() + 1),
        moment_from(law.points.size() + 1),
        mass_before(law.points.size() + 1) {
    for (std::size_t j = law.points.size(); j-- > 0;) {
      mass_from[j] = mass_from[j + 1] + law.masses[j];
      moment_from[j] = moment_from[j + 1] + law.masses[j] * law.points[j];
    }
    for (std::size_t j = 0; j < law.points.size(); ++j) {
      mass_before[j + 1] = mass_before[j] + law.masses[j];
    }
  }
};

// Adds the sums x + b_j for j in [first, end), with masses p times those of b. The sums increase with j,
// so the cell only moves forward.
void add_row(double x, double p, const SumLaw& b, std::size_t first, std::size_t end,
             const std::vector<double>& knots, Cells& cells) {
  if (first >= end) {
    return;
  }
  const std::size_t last = knots.size() - 1;
  std::size_t cell = static_cast<std::size_t>(
      std::upper_bound(knots.begin(), knots.end(), x + b.points[first]) - knots.begin() - 1);
  std::size_t j = first;
  while (true) {
    const double left = knots[cell];
    const double right = cell == last ? std::numeric_limits<double>::infinity() : knots[cell + 1];
    const std::size_t start = j;
    double mass = 0;
    double moment = 0;
    double s = x + b.points[j];
    while (s < right) {
      const double m = p * b.masses[j];
      mass += m;
      moment += m * (s - left);
      if (++j == end) {
        break;
      }
      s = x + b.points[j];
    }
    cells.mass[cell] += mass;
    cells.moment[cell] += moment;
    cells.terms[cell] += static_cast<double>(j - start) + 1;
    if (j == end) {
      return;
    }
    while (cell < last && s >= knots[cell + 1]) {
      ++cell;
    }
  }
}

Cells convolve(const SumLaw& a, const SumLaw& b, const std::vector<double>& knots) {
  Cells cells{std::vector<double>(knots.size()), std::vector<double>(knots.size()),
              std::vector<double>(knots.size()), 0, 0};
  // All atoms of b were left out as negligible, so there are no pairs.
  if (b.points.empty()) {
    return cells;
  }
  // When a law is convolved with itself, each pair of different atoms is added once, with twice the product
  // of their masses. A row that leaves a pair out charges for both orders, because the other atom's row may
  // not charge for this pair.
  const double times = &a == &b ? 2 : 1;
  const Tails tails(b);
  const auto& from = tails.mass_from;
  const auto& before = tails.mass_before;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const double x = a.points[i];
    const double p = a.masses[i];
    const double small = kNegligible / p;
    // All but a negligible mass of b lies in [start, end).
    const std::size_t end = static_cast<std::size_t>(
        std::lower_bound(from.begin(), from.end(), small, [](double f, double v) { return f > v; }) -
        from.begin());
    std::size_t start =
        static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), small) - before.begin() - 1);
    start = smaller(start, end);
    cells.dropped += times * p * (from[end] + before[start]);
    cells.dropped_moment += times * p *
                            (x * (from[end] + before[start]) + tails.moment_from[end] +
                             before[start] * b.points[smaller(start, b.points.size() - 1)]);
    if (&a != &b) {
      add_row(x, p, b, start, end, knots, cells);
      continue;
    }
    if (start <= i && i < end) {
      add_row(x, p, b, i, i + 1, knots, cells);
    }
    add_row(x, 2 * p, b, larger(start, i + 1), end, knots, cells);
  }
  return cells;
}

SumLaw split(const Cells& cells, const std::vector<double>& knots) {
  const std::size_t last = knots.size() - 1;
  std::vector<double> masses(knots.size());
  for (std::size_t c = 0; c < last; ++c) {
    const double up = smaller(cells.mass[c], cells.moment[c] / (knots[c + 1] - knots[c]));
    // `up` takes one rounding (slack.h) for each of the added terms and five more, and so does the mass. So
    // the mass that stays at the left knot, their difference, may be too small by that many roundings of
    // `up`, even if it is itself far smaller than these. It is raised by as much, because an expected deficit
    // may consist of it.
    const double lacking = up * (cells.terms[c] + 8) * kUlp;
    masses[c] += cells.mass[c] - up + lacking;
    masses[c + 1] += up;
  }
  masses[last] += cells.mass[last];
  SumLaw law;
  for (std::size_t c = 0; c <= last; ++c) {
    if (!(masses[c] <= 0)) {  // a NaN is kept, because an unknown mass must not look like 0
      law.points.push_back(knots[c]);
      law.masses.push_back(masses[c]);
    }
  }
  law.excess = cells.moment[last];
  return law;
}

SumLaw merge(const Cells& cells, const std::vector<double>& knots) {
  SumLaw law;
  for (std::size_t c = 0; c < knots.size(); ++c) {
    if (cells.mass[c] > 0) {
      law.points.push_back(knots[c] + cells.moment[c] / cells.mass[c]);
      law.masses.push_back(cells.mass[c]);
    }
  }
  return law;
}

SumLaw add(const SumLaw& a, const SumLaw& b, Side side, const std::vector<double>& knots) {
  const Cells cells = convolve(a, b, knots);
  SumLaw law = side == Side::above ? split(cells, knots) : merge(cells, knots);
  const double terms = *std::max_element(cells.terms.begin(), cells.terms.end());
  law.excess += a.excess + b.excess + cells.dropped_moment;
  law.dropped = a.dropped + b.dropped + cells.dropped;
  // A cell's mass and moment are sums of at most `terms` positive products, so they take at most terms + 3
  // roundings each. A mass that is split takes three more. A mean is the left knot plus the moment divided by
  // the mass. The left knot is not negative, so a relative error of the moment changes the mean by at most
  // the same relative amount: 2 terms + 6 roundings, two for its quotient and sum, and one for x + b_j. The
  // other ulps are for the functions that use a law.
  law.mass_error = a.mass_error + b.mass_error + (terms + 8) * kUlp;
  law.point_error = larger(a.point_error, b.point_error) + (2 * terms + 16) * kUlp;
  return law;
}

// The factor by which the two functions below move a sum over m atoms outward. There, the shift and its
// product with a point take two roundings of the point. point_error has two to spare unless it is 0, and if
// it is 0, the product is exact.
double outward(double mass_error, std::size_t atoms) {
  // The difference, the product with the mass and the sum take m + 1 roundings, this factor four, and the
  // last product and sum two. These are m + 7, at most the 8 m that are allowed.
  return std::exp(mass_error) * (1 + 4 * kUlp * static_cast<double>(atoms));
}

}  // namespace

double SumLaw::expected_excess(double k, Side side) const {
  const double shift = 1 + (side == Side::above ? point_error : -point_error);
  double sum = 0;
  for (std::size_t i = points.size(); i-- > 0 && points[i] * shift > k;) {
    sum += masses[i] * (points[i] * shift - k);
  }
  const double factor = outward(mass_error, points.size());
  return side == Side::above ? sum * factor + excess * factor : sum / factor;
}

double SumLaw::expected_deficit(double k, Side side) const {
  const double shift = 1 - (side == Side::above ? point_error : -point_error);
  double sum = 0;
  for (std::size_t i = 0; i < points.size() && points[i] * shift < k; ++i) {
    sum += masses[i] * (k - points[i] * shift);
  }
  const double factor = outward(mass_error, points.size());
  return side == Side::above ? (sum + dropped * k) * factor : sum / factor;
}

SumLaw gathered(const SumLaw& law, Side side, const std::vector<double>& knots) {
  return add(SumLaw{{0}, {1}}, law, side, knots);
}

SumLaw sum_by_doubling(const SumLaw& one, std::uint64_t n, Side side, const Knots& knots) {
  SumLaw power = one;
  SumLaw total;
  double power_copies = 1;
  double total_copies = 0;
  for (std::uint64_t rest = n;;) {
    if (rest % 2 == 1) {
      const bool first = total_copies == 0;
      total_copies += power_copies;
      total = first ? power : add(total, power, side, knots(total_copies));
    }
    rest /= 2;
    if (rest == 0) {
      return total;
    }
    power_copies *= 2;
    power = add(power, power, side, knots(power_copies));
  }
}

}  // namespace muster::numerics
