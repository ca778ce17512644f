#include "tests/reference/theorem.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/noisy_sums.h"

namespace muster::reference {
namespace {

using Shape = Experiment::Shape;

constexpr double kMaxClients = 20;
constexpr double kMaxMixed = 40;  // the most rounds for which all numbers of participations are summed

Real factorial(int n) { return exp(log_gamma(Real(n + 1))); }

// Returns the mean of (sum of `count` independent terms + shift)_+, with E = e^epsilon and
// q = 1 / (e^epsilon0 + 1). A term that is present is e^epsilon0 - E with probability q,
// 1 - E e^epsilon0 with probability q, and otherwise 0. Each term is present with probability
// `present`, and an absent term is 1 - E.
Real excess_of_terms(int count, double epsilon0, double epsilon, const Real& present, const Real& absent,
                     const Real& shift) {
  const Real e = exp(Real(epsilon)), e0 = exp(Real(epsilon0));
  const Real q = Real(1.0) / (e0 + Real(1.0)), middle = Real(1.0) - Real(2.0) * q;
  const Real top = e0 - e, bottom = Real(1.0) - e * e0, away = -expm1(Real(epsilon));
  Real sum(0.0);
  const auto power = [](const Real& x, int n) {
    Real result(1.0);
    for (int i = 0; i < n; ++i) result = result * x;
    return result;
  };
  for (int gone = 0; gone <= (absent.surely_positive() ? count : 0); ++gone) {
    for (int i = 0; i + gone <= count; ++i) {
      for (int j = 0; i + j + gone <= count; ++j) {
        const int zero = count - gone - i - j;
        const Real value = Real(i) * top + Real(j) * bottom + Real(gone) * away + shift;
        if (value.surely_negative()) continue;
        const Real ways =
            factorial(count) / (factorial(gone) * factorial(i) * factorial(j) * factorial(zero));
        sum = sum + ways * power(absent, gone) * power(present * q, i + j) * power(present * middle, zero) *
                        positive_part(value);
      }
    }
  }
  return sum;
}

}  // namespace

Interval message_delta(const Randomizer& r, double epsilon) {
  if (r.kind == Randomizer::Kind::gaussian) return gaussian_delta(r.mu(), Real(epsilon));
  if (epsilon >= r.epsilon0) return {0, 0};
  // The largest divergence of any epsilon0-LDP randomizer, attained by binary randomized response.
  const Real most = -expm1(Real(epsilon) - Real(r.epsilon0)) / (Real(1.0) + exp(-Real(r.epsilon0)));
  return {std::max(0.0L, most.below()), most.above()};
}

std::optional<Interval> swap_bound(const Experiment& e, double epsilon) {
  if (e.randomizer.kind == Randomizer::Kind::gaussian || e.seen == Experiment::Seen::own_message)
    return std::nullopt;
  if (e.clients > kMaxClients || e.least_coin < e.coin) return std::nullopt;
  const int n = static_cast<int>(e.clients);
  Real sum(0.0), last(0.0);
  if (e.shape == Shape::subset || e.shape == Shape::everybody) {
    const int k = e.shape == Shape::subset ? static_cast<int>(e.subset) : n;
    sum = excess_of_terms(k, e.randomizer.epsilon0, epsilon, Real(1.0), Real(0.0),
                          Real(n - k) * -expm1(Real(epsilon)));
  } else if (e.shape == Shape::coins) {
    sum = excess_of_terms(n, e.randomizer.epsilon0, epsilon, e.rate(), e.absence(), Real(0.0));
    const Interval alone = message_delta(e.randomizer, epsilon);
    last = Real(1.0);
    for (int i = 0; i < n; ++i) last = last * e.rate();
    last = last * Real(static_cast<double>(alone.above * (1 + 1e-15L)));
  } else {
    return std::nullopt;
  }
  const Real bound = sum / Real(n) + last;
  return Interval{bound.below(), std::min(1.0L, bound.above())};
}

long double delta_from_above(const Experiment& e, double rounds, double epsilon) {
  using Seen = Experiment::Seen;
  const bool coins = e.shape != Shape::everybody && e.shape != Shape::subset;
  const Real chance = coins                      ? e.rate()
                      : e.shape == Shape::subset ? Real(e.subset) / Real(e.clients)
                                                 : Real(1.0);
  const auto alone = [&](double count) {
    if (e.randomizer.kind == Randomizer::Kind::gaussian) {
      return gaussian_delta(e.randomizer.mu() * sqrt(Real(count)), Real(epsilon)).above;
    }
    return count == 1 ? message_delta(e.randomizer, epsilon).above
                      : response_delta(e.randomizer.epsilon0, count, epsilon).above;
  };
  long double best = 1;
  if (rounds == 1) {
    best = std::min(best, chance.above() * alone(1));
  } else if (e.shape == Shape::everybody || !(Real(1.0) - chance).surely_positive()) {
    best = std::min(best, alone(rounds));
  } else if (rounds <= kMaxMixed) {
    long double sum = 0;
    for (double k = 1; k <= rounds; ++k) {
      sum += exp(log_binomial(rounds, k, chance, Real(1.0) - chance)).above() * alone(k);
    }
    best = std::min(best, sum * (1 + 1e-15L));
  }
  if (rounds > 1 || e.seen == Seen::own_message) return best;
  if (e.seen == Seen::sums && e.randomizer.kind == Randomizer::Kind::gaussian) {
    best = std::min(best, sums_delta(e, epsilon).above);
  }
  if (const auto bound = swap_bound(e, epsilon)) best = std::min(best, bound->above);
  return best;
}

}  // namespace muster::reference
