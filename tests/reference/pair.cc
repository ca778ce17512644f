#include "tests/reference/pair.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace muster::reference {
namespace {

constexpr std::size_t kCells = 700;
constexpr long double kUlp = 0x1p-63L;
// To keep ratios in range, a Q-mass below kMinQ is raised to it, and a P-mass below kMinP is left out.
constexpr long double kMinQ = 1e-4890L, kMinP = 1e-2400L;
constexpr long kFarthest = 1L << 60;  // the largest label: the sum of two must not overflow

// Masses by cell of the loss. Cell i has the label first + i, which stands for losses of about label h. `p`
// is the P-mass, and `w` the Q-mass times e^{label h}, which neither overflows nor vanishes.
struct Cells {
  long double h = 1;
  long first = 0;
  std::vector<long double> p{1}, w{1};
  long double slack = 0;  // relative error of any mass
};

// Returns the Q-mass as a number in (0, 1]; Outcome::q may be any upper bound of it, even infinity.
long double q_of(const Outcome& o) { return std::min(1.0L, std::max(o.q, kMinQ)); }

Cells sorted(const Pair& pair, long double tail) {
  // The cells span the losses, except for ends with a P-mass below `tail`.
  std::vector<std::pair<long double, long double>> losses;  // each loss with its P-mass
  for (const Outcome& o : pair) {
    if (o.p > kMinP && o.q > 0) losses.emplace_back(std::log(o.p / q_of(o)), o.p);
  }
  std::sort(losses.begin(), losses.end());
  Cells cells;
  cells.p.clear();
  cells.w.clear();
  if (losses.empty()) return cells;
  std::size_t from = 0, to = losses.size() - 1;
  for (long double left = 0; from < to && (left += losses[from].second) < tail; ++from) {
  }
  for (long double left = 0; to > from && (left += losses[to].second) < tail; --to) {
  }
  const long double span = losses[to].first - losses[from].first;
  const long double reach = std::max(std::fabs(losses[from].first), std::fabs(losses[to].first));
  cells.h = std::max({span / kCells, std::ldexp(reach, -50), 1e-25L});
  // If the bulk is much narrower than the span, the cells are made narrower, as long as there are
  // not too many.
  long double mean = 0, square = 0, mass = 0;
  for (std::size_t i = from; i <= to; ++i)
    mass += losses[i].second, mean += losses[i].second * losses[i].first;
  mean /= mass;
  for (std::size_t i = from; i <= to; ++i)
    square += losses[i].second * (losses[i].first - mean) * (losses[i].first - mean);
  const long double deviation = std::sqrt(square / mass);
  if (deviation > 0)
    cells.h = std::max({std::min(cells.h, deviation / 20), span / (4 * kCells), std::ldexp(reach, -50)});
  const auto label = [&](long double loss) { return static_cast<long>(std::floor(loss / cells.h)); };
  cells.first = label(losses[from].first);
  const auto size = static_cast<std::size_t>(label(losses[to].first) - cells.first + 1);
  cells.p.assign(size, 0);
  cells.w.assign(size, 0);
  for (const Outcome& o : pair) {
    if (!(o.p > kMinP && o.q > 0)) continue;
    const long double loss = std::log(o.p / q_of(o));
    if (loss < losses[from].first || loss > losses[to].first) continue;
    const long at = label(loss);
    cells.p[static_cast<std::size_t>(at - cells.first)] += o.p;
    cells.w[static_cast<std::size_t>(at - cells.first)] +=
        q_of(o) * std::exp(static_cast<long double>(at) * cells.h);
  }
  cells.slack = (static_cast<long double>(pair.size()) + 4 + reach) * kUlp;
  return cells;
}

Cells product(const Cells& a, const Cells& b) {
  Cells c;
  c.h = a.h;
  c.first = a.first + b.first;
  const std::size_t size = a.p.empty() || b.p.empty() ? 0 : a.p.size() + b.p.size() - 1;
  c.p.assign(size, 0);
  c.w.assign(size, 0);
  for (std::size_t i = 0; i < a.p.size(); ++i) {
    if (a.p[i] == 0) continue;
    for (std::size_t j = 0; j < b.p.size(); ++j) {
      c.p[i + j] += a.p[i] * b.p[j];
      c.w[i + j] += a.w[i] * b.w[j];
    }
  }
  c.slack = a.slack + b.slack + (static_cast<long double>(std::min(a.p.size(), b.p.size())) + 4) * kUlp;
  return c;
}

// Drops cells at the ends that together hold less than `tail`.
void shrink(Cells& c, long double tail) {
  std::size_t from = 0, to = c.p.size();
  for (long double left = 0; from < to && (left += c.p[from]) < tail; ++from) {
  }
  for (long double left = 0; to > from && (left += c.p[to - 1]) < tail; --to) {
  }
  c.p = {c.p.begin() + static_cast<long>(from), c.p.begin() + static_cast<long>(to)};
  c.w = {c.w.begin() + static_cast<long>(from), c.w.begin() + static_cast<long>(to)};
  c.first += static_cast<long>(from);
}

long half(long label) { return label >= 0 ? label / 2 : (label - 1) / 2; }

void coarsen(Cells& c) {
  const long first = half(c.first);
  const long double last_half = std::exp(-c.h);
  std::vector<long double> p((c.p.size() + 2) / 2 + 1, 0), w(p.size(), 0);
  for (std::size_t i = 0; i < c.p.size(); ++i) {
    const long label = c.first + static_cast<long>(i), to = half(label);
    p[static_cast<std::size_t>(to - first)] += c.p[i];
    // w = q e^{label h}, and the new label is at most one cell lower.
    w[static_cast<std::size_t>(to - first)] += label == 2 * to ? c.w[i] : c.w[i] * last_half;
  }
  c.p = std::move(p);
  c.w = std::move(w);
  c.first = first;
  c.h *= 2;
  c.slack += 6 * kUlp;
}

void align(Cells& a, Cells& b, std::size_t most) {
  while (a.p.size() > most || std::labs(a.first) > kFarthest) coarsen(a);
  while (b.p.size() > most || std::labs(b.first) > kFarthest) coarsen(b);
  while (a.h < b.h * 0.75L) coarsen(a);
  while (b.h < a.h * 0.75L) coarsen(b);
}

// Rounds h up to a power of two, so that the lattices of different rounds nest.
void to_power_of_two(Cells& c) {
  int exponent = 0;
  std::frexp(c.h, &exponent);
  const long double h = std::ldexp(1.0L, exponent);  // >= c.h
  Cells d;
  d.h = h;
  d.slack = c.slack + 8 * kUlp;
  const auto label = [&](long at) {
    return static_cast<long>(std::floor(static_cast<long double>(at) * c.h / h));
  };
  d.first = label(c.first);
  d.p.assign(static_cast<std::size_t>(label(c.first + static_cast<long>(c.p.size())) - d.first + 2), 0);
  d.w.assign(d.p.size(), 0);
  for (std::size_t i = 0; i < c.p.size(); ++i) {
    const long at = c.first + static_cast<long>(i), to = label(at);
    const auto slot = static_cast<std::size_t>(to - d.first);
    const long double moved = static_cast<long double>(to) * h - static_cast<long double>(at) * c.h;
    d.p[slot] += c.p[i];
    d.w[slot] += c.w[i] * std::exp(moved);
    d.slack = std::max(d.slack, c.slack + (8 + std::fabs(static_cast<long double>(at) * c.h)) * kUlp);
  }
  c = std::move(d);
}

Cells multiplied(Cells a, Cells b, long double tail) {
  align(a, b, kCells);
  Cells c = product(a, b);
  shrink(c, tail);
  return c;
}

Cells power(Cells base, double rounds, long double tail) {
  auto left = static_cast<unsigned long long>(rounds);
  Cells result;
  bool any = false;
  long double copies = static_cast<long double>(rounds);
  while (left > 0 && !base.p.empty()) {
    const long double each = tail / (2 * copies) / 8;
    if (left % 2 == 1) {
      result = any ? multiplied(result, base, tail / 128) : base;
      any = true;
    }
    left /= 2;
    copies /= 2;
    if (left > 0) base = multiplied(base, base, each);
  }
  return any ? result : base;
}

}  // namespace

long double delta_of(const Pair& pair, double epsilon) {
  const long double e = exp(Real(epsilon)).above();
  long double sum = 0;
  for (const Outcome& o : pair) {
    const long double kept = o.p * (1 - 4 * kUlp), paid = e * o.q * (1 + 4 * kUlp);
    if (kept > paid) sum += (kept - paid) * (1 - 4 * kUlp);
  }
  return sum * (1 - static_cast<long double>(pair.size() + 4) * kUlp);
}

long double composed_delta(const std::vector<Repeated>& stages, double epsilon, double tail) {
  Cells all;
  bool any = false;
  double total = 0;
  for (const Repeated& stage : stages) total += stage.rounds;
  for (const Repeated& stage : stages) {
    Cells one = sorted(*stage.pair, static_cast<long double>(tail) / static_cast<long double>(total) / 16);
    if (one.p.empty()) return 0;
    to_power_of_two(one);
    one = power(one, stage.rounds, tail);
    all = any ? multiplied(all, one, static_cast<long double>(tail) / 128) : one;
    any = true;
  }
  if (!any || !(all.slack < 0.01L)) return 0;
  long double sum = 0;
  for (std::size_t i = 0; i < all.p.size(); ++i) {
    const long double exponent = static_cast<long double>(epsilon) -
                                 static_cast<long double>(all.first + static_cast<long>(i)) * all.h;
    const long double kept = all.p[i] * (1 - all.slack);
    const long double room =
        1 + all.slack + (std::fabs(exponent) + static_cast<long double>(epsilon) + 4) * 2 * kUlp;
    const long double paid =
        std::exp(exponent) * std::max(all.w[i], std::numeric_limits<long double>::min()) * room;
    if (kept > paid) sum += kept - paid;
  }
  return sum * (1 - static_cast<long double>(all.p.size() + 8) * kUlp);
}

long double composed_delta(const Pair& pair, double rounds, double epsilon, double tail) {
  return composed_delta({{&pair, rounds}}, epsilon, tail);
}

}  // namespace muster::reference
