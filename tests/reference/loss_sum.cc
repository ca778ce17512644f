#include "tests/reference/loss_sum.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::reference {
namespace {

constexpr std::size_t kCells = 1500;
constexpr long double kFailure = 1e-3L;  // of the aim: the chance that rounding errors pass t
constexpr long double kMargin = 5;       // s

struct Law {
  long double h = 1;
  long first = 0;
  std::vector<long double> mass;
  long double squares = 0;  // of the ranges of the rounding errors
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

// Ends with less than `tail` are given up: no sum passes anything there.
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

}  // namespace

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
