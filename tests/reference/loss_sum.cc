#include "tests/reference/loss_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::reference {
namespace {

constexpr std::size_t kCells = 2400;
// The bound on the probability that the rounding errors exceed t (loss_sum.h), as a share of `aim`.
constexpr long double kFailure = 1e-3L;
constexpr long double kMargin = 5;  // the s of loss_sum.h

struct Law {
  long double h = 1;
  long first = 0;
  std::vector<long double> mass;
  long double squares = 0;  // sum of the squared ranges of the rounding errors
};

Law rounded(const Pair& pair) {
  Law law;
  std::vector<std::pair<long double, long double>> losses;
  for (const Outcome& o : pair) {
    if (o.p > 0 && o.q > 0) losses.emplace_back(std::log(o.p) - std::log(o.q), o.p);
  }
  if (losses.empty()) return law;
  const auto [low, high] = std::minmax_element(losses.begin(), losses.end());
  law.h = std::max((high->first - low->first) / static_cast<long double>(kCells - 2), 1e-12L);
  law.first = static_cast<long>(std::floor(low->first / law.h));
  law.mass.assign(static_cast<std::size_t>(std::floor(high->first / law.h)) - law.first + 2, 0);
  for (const auto& [loss, p] : losses) {
    const long double at = loss / law.h - static_cast<long double>(law.first), below = std::floor(at);
    const auto cell = static_cast<std::size_t>(below);
    law.mass[cell] += p * (1 - (at - below));
    law.mass[cell + 1] += p * (at - below);
  }
  law.squares = law.h * law.h;
  return law;
}

long half(long label) { return label >= 0 ? label / 2 : (label - 1) / 2; }

void coarsen(Law& law) {
  const long first = half(law.first);
  std::vector<long double> mass(law.mass.size() / 2 + 3, 0);
  for (std::size_t i = 0; i < law.mass.size(); ++i) {
    const long label = law.first + static_cast<long>(i), to = half(label);
    const auto cell = static_cast<std::size_t>(to - first);
    if (label == 2 * to) {
      mass[cell] += law.mass[i];
    } else {
      mass[cell] += law.mass[i] / 2;
      mass[cell + 1] += law.mass[i] / 2;
    }
  }
  law.mass = std::move(mass);
  law.first = first;
  law.h *= 2;
  law.squares += law.h * law.h;
}

// Drops ends with less mass than `tail`. Without this mass, the result is still a lower bound.
void shrink(Law& law, long double tail) {
  std::size_t from = 0, to = law.mass.size();
  for (long double left = 0; from < to && (left += law.mass[from]) < tail; ++from) {
  }
  for (long double left = 0; to > from && (left += law.mass[to - 1]) < tail; --to) {
  }
  law.mass = {law.mass.begin() + static_cast<long>(from), law.mass.begin() + static_cast<long>(to)};
  law.first += static_cast<long>(from);
}

Law sum(Law a, Law b, long double tail) {
  while (a.mass.size() > kCells) coarsen(a);
  while (b.mass.size() > kCells) coarsen(b);
  while (a.h < b.h * 0.75L) coarsen(a);
  while (b.h < a.h * 0.75L) coarsen(b);
  Law c;
  c.h = a.h;
  c.first = a.first + b.first;
  c.squares = a.squares + b.squares;
  if (a.mass.empty() || b.mass.empty()) return c;
  c.mass.assign(a.mass.size() + b.mass.size() - 1, 0);
  for (std::size_t i = 0; i < a.mass.size(); ++i) {
    if (a.mass[i] == 0) continue;
    for (std::size_t j = 0; j < b.mass.size(); ++j) c.mass[i + j] += a.mass[i] * b.mass[j];
  }
  shrink(c, tail);
  return c;
}

// --- cells of different widths ----------------------------------------------------------------------------

using Atoms = std::vector<SummedLosses::Atom>;

struct Spread {
  long double centre, width;
};

Spread spread_of(const Atoms& atoms) {
  long double total = 0, sum = 0, low = 0, middle = 0, high = 0;
  for (const auto& a : atoms) total += a.mass;
  for (const auto& a : atoms) {
    const long double before = sum;
    sum += a.mass;
    if (before < 0.16L * total) low = a.loss;
    if (before < 0.5L * total) middle = a.loss;
    if (before < 0.84L * total) high = a.loss;
  }
  return {middle, (high - low) / 2};
}

// Returns the losses a + b of all pairs of outcomes. The outcomes in one cell are merged: their P-masses add
// up, and so do their Q-masses (a Q-mass is the P-mass times e^-loss).
Atoms convolved(const Atoms& a, const Atoms& b, long double least_width, long double least_mass) {
  const Spread left = spread_of(a), right = spread_of(b);
  const auto centre = static_cast<double>(left.centre + right.centre);
  const auto scale = static_cast<double>(2.5L * std::max(std::hypot(left.width, right.width), least_width));
  constexpr int kMaxLossCells = 1200, kPerUnit = 32;
  struct Cell {
    long double mass = 0, q = 0, at = 0;  // q: sum of mass e^(at - loss)
  };
  std::vector<Cell> cells(2 * kMaxLossCells + 2);
  const bool same = &a == &b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = same ? i : 0; j < b.size(); ++j) {
      const long double mass = a[i].mass * b[j].mass * (same && j > i ? 2 : 1);
      const long double loss = a[i].loss + b[j].loss;
      const double y = (static_cast<double>(loss) - centre) / scale, size = std::min(std::fabs(y), 1e200);
      const double t = std::log(size + std::sqrt(size * size + 1));
      const int from = std::min(static_cast<int>(t * kPerUnit), kMaxLossCells);
      Cell& cell = cells[static_cast<std::size_t>(y < 0 ? kMaxLossCells - from : kMaxLossCells + 1 + from)];
      if (cell.mass == 0) cell.at = loss;
      cell.mass += mass;
      cell.q += mass * std::exp(cell.at - loss);
    }
  }
  Atoms result;
  for (const Cell& c : cells) {
    // A cell so wide that its Q-mass overflows is left out.
    if (c.mass > least_mass && std::isfinite(c.q)) result.push_back({c.mass, c.at - std::log(c.q / c.mass)});
  }
  return result;
}

}  // namespace

SummedLosses::SummedLosses(const Pair& pair, double rounds, double upper, double aim) {
  Atoms base;
  for (const Outcome& o : pair) {
    if (o.p > 0 && o.q > 0) base.push_back({o.p, std::log(o.p) - std::log(o.q)});
  }
  const auto in_order = [](const Atom& a, const Atom& b) { return a.loss < b.loss; };
  std::sort(base.begin(), base.end(), in_order);
  // A pair of more than 600 outcomes is merged into cells first.
  const auto width = [&](double copies) { return 1e-3L * upper * std::sqrt(copies / rounds); };
  if (base.size() > 600) base = convolved(base, {{1, 0}}, 0.1L * width(1), 0);
  bool any = false;
  double copies = 1, all = 0;
  for (auto left = static_cast<unsigned long long>(rounds); left > 0; left /= 2) {
    const long double least = aim * 1e-8L * copies / rounds;
    if (left % 2 == 1) {
      atoms_ = any ? convolved(atoms_, base, 0.1L * width(all + copies), aim * 1e-8L) : base;
      any = true;
      all += copies;
    }
    copies *= 2;
    if (left > 1) base = convolved(base, base, 0.1L * width(copies), least);
  }
}

long double SummedLosses::delta(double epsilon) const {
  long double sum = 0;
  for (const Atom& a : atoms_) {
    const long double over = a.loss - static_cast<long double>(epsilon) - 1e-11L * (1 + std::fabs(a.loss));
    if (over > 0) sum += a.mass * -std::expm1(-over);
  }
  return sum * (1 - 1e-9L);
}

long double large_loss_delta(const Pair& pair, double rounds, double epsilon, double aim) {
  Law base = rounded(pair), all;
  bool any = false;
  auto copies = static_cast<long double>(rounds);
  const long double tail = aim * 1e-4L;
  for (auto left = static_cast<unsigned long long>(rounds); left > 0; left /= 2, copies /= 2) {
    if (left % 2 == 1) {
      all = any ? sum(all, base, tail / 64) : base;
      any = true;
    }
    if (left > 1) base = sum(base, base, tail / (32 * copies));
  }
  const long double failure = aim * kFailure;
  const long double t = std::sqrt(all.squares * -std::log(failure) / 2) * (1 + 1e-12L);
  const long double least = (static_cast<long double>(epsilon) + kMargin + t) * (1 + 1e-9L);
  long double passing = 0;
  for (std::size_t i = 0; i < all.mass.size(); ++i) {
    if (static_cast<long double>(all.first + static_cast<long>(i)) * all.h > least) passing += all.mass[i];
  }
  return std::max(0.0L, -std::expm1(-kMargin) * (passing * (1 - 1e-9L) - failure));
}

}  // namespace muster::reference
