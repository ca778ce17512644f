#include "muster/accounting/oracle/harness_claims.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "muster/accounting/bounds/check_in_rdp.h"
#include "muster/accounting/bounds/subsampled_shuffle_rdp.h"
#include "muster/accounting/bounds/swap_profile.h"
#include "muster/accounting/oracle/known_false.h"
#include "muster/accounting/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

using P = Participation::Kind;

bool asks(const Case& c, Quantity quantity, P participation) {
  return c.quantity == quantity && c.participation.kind == participation;
}

bool is_pure(const Case& c) { return std::isfinite(c.epsilon0) && !c.laws.empty(); }

ShuffledCheckIn protocol(const Case& c) {
  return {ClientCount::of(static_cast<std::uint64_t>(c.n)), Rate::of(c.participation.rate)};
}

// The profile over all records, chords between its kinks, or between every other one where they are many: an
// upper bound wherever the nodes are, and exact where all kinks are nodes.
Profile profile_of(const Case& c) {
  std::vector<double> alphas{1};
  for (const Atom& atom : profile_law(c.laws, 0)) {
    if (atom.value > 1e-12L) alphas.push_back(static_cast<double>(1 + atom.value));
  }
  constexpr std::size_t kNodes = 12;  // the cost of a small sum grows with its atoms
  while (alphas.size() > kNodes) {
    std::vector<double> fewer;
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      if (i % 2 == 0 || i + 1 == alphas.size()) fewer.push_back(alphas[i]);
    }
    alphas = fewer;
  }
  return Profile::symmetric(
      alphas, [&c](long double alpha) { return profile(c.laws, alpha) * (1 + 1e-15L) + 1e-18L; });
}

Claim swap_profile_claim() {
  return {"swap-profile, exact profile", true,
          [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::check_in)) return {};
            return [local = profile_of(c), shape = protocol(c)](double epsilon) {
              return swap_delta(local, shape, epsilon).upper;
            };
          },
          3};
}

Claim swap_pure_claim() {
  return {"swap-profile, pure epsilon0", true, [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::check_in) || !is_pure(c)) return {};
            return [local = Profile::pure(c.epsilon0), shape = protocol(c)](double epsilon) {
              return swap_delta(local, shape, epsilon).upper;
            };
          }};
}

Claim check_in_rdp_claim() {
  return {"check-in-rdp", true, [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::renyi, P::check_in) || !is_pure(c)) return {};
            return [bound = CheckInRdp(c.epsilon0, c.n, c.participation.rate)](double order) {
              return bound.upper(static_cast<std::uint64_t>(order));
            };
          }};
}

Claim subset_rdp_claim() {
  return {"girgis-2021-theorem-1", true, [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::renyi, P::subset) || !is_pure(c)) return {};
            return [e0 = c.epsilon0, n = c.n, k = c.participation.k](double order) {
              return subsampled_shuffle_rdp_upper(e0, n, k, static_cast<std::uint64_t>(order));
            };
          }};
}

// The moment that a paper misprints, in closed form; rounded up by more than its own error.
Claim averaged_claim() {
  return {"moment of aggregated check-in, corrected", true, [](const Case& c) -> ClaimedBound {
            if (c.kind != Kind::average) return {};
            return [k = c.participation.k, s = c.noise](double order) {
              const long double moment = averaged_moment_formula(k, s, order);
              return static_cast<double>(std::log(moment * (1 + 1e-12L)) / (order - 1));
            };
          }};
}

}  // namespace

std::vector<Claim> proven_claims() {
  return {swap_profile_claim(), swap_pure_claim(), check_in_rdp_claim(), subset_rdp_claim(),
          averaged_claim()};
}

}  // namespace muster::accounting::oracle
