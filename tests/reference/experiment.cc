#include "tests/reference/experiment.h"

#include <algorithm>
#include <cmath>

namespace muster::reference {
namespace {

// Returns (1 - (1 - x)^n) / (n x), the mean of 1/(1 + c) for c ~ Bin(n - 1, x).
Real mean_share(double n, const Real& x) {
  if (!x.surely_positive()) return Real(1.0);
  return -expm1(Real(n) * log1p(-x)) / (Real(n) * x);
}

long double middle_of(const Real& x) { return (x.below() + x.above()) / 2; }

void add(Pair& pair, const Real& p, const Real& q) {
  const Outcome outcome{middle_of(p), middle_of(q)};
  if (outcome.p > 0 && outcome.q > 0) pair.push_back(outcome);
}

// Returns P(low < Z <= high) of a standard normal Z, computed without a difference of two numbers near 1.
Real normal_between(const Real& low, const Real& high) {
  return low.middle() + high.middle() < 0 ? upper_normal(-high) - upper_normal(-low)
                                          : upper_normal(low) - upper_normal(high);
}

Pair gaussian_message(const Real& mu, double reach) {
  Pair pair;
  constexpr int kCells = 240;
  const double far = reach, width = (mu.middle() + 2 * far) / kCells;
  Real edge(-far);
  add(pair, upper_normal(-(edge - mu)), upper_normal(-edge));
  for (int i = 1; i <= kCells; ++i) {
    const Real next(-far + i * width);
    add(pair, normal_between(edge - mu, next - mu), normal_between(edge, next));
    edge = next;
  }
  add(pair, upper_normal(edge - mu), upper_normal(edge));
  return pair;
}

// The record is 0, the alternative is 1, and the noise has the scale 1/epsilon0.
Pair laplace_message(double epsilon0) {
  Pair pair;
  constexpr int kCells = 64;
  const Real e(epsilon0), half(0.5);
  add(pair, half, half * exp(-e));
  for (int i = 0; i < kCells; ++i) {
    const Real from = Real(i) / Real(kCells), to = Real(i + 1) / Real(kCells);
    // Between `from` and `to` the density is e/2 exp(-e s) under 0 and e/2 exp(-e (1 - s)) under 1.
    const Real p = -half * exp(-e * from) * expm1(-e * (to - from));
    const Real q = -half * exp(-e * (Real(1.0) - to)) * expm1(-e * (to - from));
    add(pair, p, q);
  }
  add(pair, half * exp(-e), half);
  return pair;
}

}  // namespace

Places places_of(const Experiment& e, bool others_rarely) {
  if (e.shape == Experiment::Shape::subset) return {e.subset, Real(e.subset) / Real(e.clients)};
  const Real rate = e.rate();
  if (e.shape == Experiment::Shape::fixed_slots) {
    const Real share = (others_rarely ? e.least_rate() : rate) / Real(e.slots);
    return {e.slots, rate * mean_share(e.clients, share)};
  }
  // With sliding windows of `slots` time steps, one client's window begins at each step, and only the steps
  // from `slots` to `clients` are released. The victim is a client whose window has the largest possible
  // number of released steps. At most slots - 1 others can choose the same step.
  const double released = std::min(e.slots, e.clients - e.slots + 1);
  const Real share = (others_rarely ? e.least_rate() : rate) / Real(e.slots);
  return {released, rate * mean_share(std::min(e.clients, e.slots), share) * Real(released) / Real(e.slots)};
}

Pair message_of(const Randomizer& r, double reach) {
  if (r.kind == Randomizer::Kind::gaussian) return gaussian_message(r.mu(), reach);
  if (r.kind == Randomizer::Kind::laplace) return laplace_message(r.epsilon0);
  Pair pair;
  const Real all = Real(1.0) + Real(r.symbols - 1) * exp(-Real(r.epsilon0));
  const Real own = Real(1.0) / all, other = exp(-Real(r.epsilon0)) / all;
  add(pair, own, other);
  add(pair, other, own);
  if (r.symbols > 2) add(pair, Real(r.symbols - 2) * other, Real(r.symbols - 2) * other);
  return pair;
}

std::vector<Bit> bits_of(const Randomizer& r, double clients, double epsilon) {
  std::vector<Bit> bits;
  if (r.kind == Randomizer::Kind::gaussian) {
    const Real mu = r.mu();
    const double far = std::sqrt(2 * (epsilon + std::log(clients)));
    // The best threshold for one message alone.
    const double optimal = epsilon / mu.middle() + mu.middle() / 2;
    for (const double x :
         {-0.6, 0.0, 0.6, 1.2, 1.8, 2.5, 3.5, 4.5, far - mu.middle() / 2, optimal - mu.middle() / 2}) {
      const Real at = Real(x) + mu / Real(2.0);
      bits.push_back({upper_normal(at - mu), upper_normal(mu - at), upper_normal(at), upper_normal(-at)});
    }
    return bits;
  }
  if (r.kind == Randomizer::Kind::laplace) {
    for (const double s : {0.0, 0.2, 0.5}) {  // the bit is one below s
      const Real a = Real(1.0) - exp(-Real(r.epsilon0) * Real(s)) / Real(2.0);
      const Real b = exp(-Real(r.epsilon0) * (Real(1.0) - Real(s))) / Real(2.0);
      bits.push_back({a, Real(1.0) - a, b, Real(1.0) - b});
    }
    return bits;
  }
  const Real all = Real(1.0) + Real(r.symbols - 1) * exp(-Real(r.epsilon0));
  const Real own = Real(1.0) / all, other = exp(-Real(r.epsilon0)) / all;
  bits.push_back({own, Real(r.symbols - 1) * other, other, Real(1.0) - other});
  return bits;
}

}  // namespace muster::reference
