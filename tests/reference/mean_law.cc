#include "tests/reference/mean_law.h"

#include <algorithm>
#include <cmath>

namespace muster::reference {
namespace {

constexpr std::size_t kCells = 900;
constexpr double kMaxTerms = 3e6;  // the rounding error grows in proportion to the number of terms
constexpr long double kUlp = 0x1p-63L;
constexpr long double kRatio = 0x1p-56L;  // relative error of a likelihood ratio

// A term y has the label floor(y / h), and a sum has the sum of its terms' labels. Doubling h halves every
// label, rounded down. Cell i holds the sums with the label first + i. q is their mass, and s is the total of
// mass times (sum - label h), which is not negative.
struct Cells {
  long double h = 1;
  long first = 0;
  std::vector<long double> q, s;
  long double slack = 0;
};

long double value(const Cells& c, std::size_t i) {
  return static_cast<long double>(c.first + static_cast<long>(i)) * c.h;
}

Cells one_term(const Pair& message, const MeanLaw& law) {
  std::vector<std::pair<long double, long double>> atoms;  // value, mass
  if (law.absence > 0) atoms.emplace_back(0, law.absence);
  for (const Outcome& o : message) atoms.emplace_back((o.p - o.q) / o.q, law.presence * o.q);
  const auto [low, high] = std::minmax_element(atoms.begin(), atoms.end());
  Cells c;
  c.h = std::max((high->first - low->first) / static_cast<long double>(kCells), 1e-30L);
  const auto label = [&](long double y) { return static_cast<long>(std::floor(y / c.h)); };
  c.first = label(low->first);
  c.q.assign(static_cast<std::size_t>(label(high->first) - c.first + 1), 0);
  c.s.assign(c.q.size(), 0);
  for (const auto& [y, mass] : atoms) {
    const auto at = static_cast<std::size_t>(label(y) - c.first);
    c.q[at] += mass;
    c.s[at] += mass * std::max(0.0L, y - static_cast<long double>(label(y)) * c.h);
  }
  c.slack = (static_cast<long double>(atoms.size()) + 8) * kUlp;
  return c;
}

Cells product(const Cells& a, const Cells& b) {
  Cells c;
  c.h = a.h;
  c.first = a.first + b.first;
  c.q.assign(a.q.size() + b.q.size() - 1, 0);
  c.s.assign(c.q.size(), 0);
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    if (a.q[i] == 0) continue;
    for (std::size_t j = 0; j < b.q.size(); ++j) {
      c.q[i + j] += a.q[i] * b.q[j];
      c.s[i + j] += a.s[i] * b.q[j] + a.q[i] * b.s[j];
    }
  }
  c.slack = a.slack + b.slack + (2 * static_cast<long double>(std::min(a.q.size(), b.q.size())) + 8) * kUlp;
  return c;
}

// Drops cells at each end, as long as they have less than `tail` under both laws together.
void shrink(Cells& c, long double scale, long double tail) {
  const auto weight = [&](std::size_t i) {
    return c.q[i] + std::fabs(scale * (c.s[i] + c.q[i] * value(c, i)));
  };
  std::size_t from = 0, to = c.q.size();
  for (long double left = 0; from + 1 < to && (left += weight(from)) < tail; ++from) {
  }
  for (long double left = 0; to > from + 1 && (left += weight(to - 1)) < tail; --to) {
  }
  c.q = {c.q.begin() + static_cast<long>(from), c.q.begin() + static_cast<long>(to)};
  c.s = {c.s.begin() + static_cast<long>(from), c.s.begin() + static_cast<long>(to)};
  c.first += static_cast<long>(from);
}

long half(long label) { return label >= 0 ? label / 2 : (label - 1) / 2; }

void coarsen(Cells& c) {
  const long first = half(c.first);
  std::vector<long double> q(c.q.size() / 2 + 2, 0), s(q.size(), 0);
  for (std::size_t i = 0; i < c.q.size(); ++i) {
    const long label = c.first + static_cast<long>(i), to = half(label);
    const auto at = static_cast<std::size_t>(to - first);
    q[at] += c.q[i];
    s[at] += c.s[i] + (label == 2 * to ? 0 : c.q[i] * c.h);
  }
  c.q = std::move(q);
  c.s = std::move(s);
  c.first = first;
  c.h *= 2;
  c.slack += 4 * kUlp;
}

Cells multiplied(Cells a, Cells b, long double scale, long double tail) {
  while (a.q.size() > kCells) coarsen(a);
  while (b.q.size() > kCells) coarsen(b);
  while (a.h < b.h * 0.75L) coarsen(a);
  while (b.h < a.h * 0.75L) coarsen(b);
  Cells c = product(a, b);
  shrink(c, scale, tail);
  return c;
}

}  // namespace

Pair pair_of(const Pair& message, const MeanLaw& law, double tail, bool swapped) {
  Pair pair;
  if (law.terms > kMaxTerms || message.empty()) return pair;
  Cells base = one_term(message, law), all;
  bool any = false;
  double copies = law.terms;
  for (auto left = static_cast<unsigned long long>(law.terms); left > 0; left /= 2) {
    const long double each =
        static_cast<long double>(tail) / (32 * static_cast<long double>(std::max(1.0, copies)));
    if (left % 2 == 1) {
      all = any ? multiplied(all, base, law.scale, static_cast<long double>(tail) / 64) : base;
      any = true;
    }
    copies /= 2;
    if (left > 1) base = multiplied(base, base, law.scale, each);
  }
  for (std::size_t i = 0; i < all.q.size(); ++i) {
    if (!(all.q[i] > 0)) continue;
    // The rounding errors of the likelihood ratio, from its terms and from the labels, are
    // relative to `at`.
    const long double at = std::fabs(law.scale * value(all, i)) + 1;
    const long double room = all.slack + kRatio * at;
    const long double p = all.q[i] + law.scale * (all.s[i] + all.q[i] * value(all, i));
    const long double lost = room * (all.q[i] * at + std::fabs(law.scale) * all.s[i]);
    const long double q = all.q[i];
    const Outcome outcome = swapped ? Outcome{q * (1 - room), p + lost} : Outcome{p - lost, q * (1 + room)};
    if (outcome.p > 0 && outcome.q > 0) pair.push_back(outcome);
  }
  return pair;
}

}  // namespace muster::reference
