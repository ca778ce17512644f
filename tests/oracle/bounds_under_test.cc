#include "tests/oracle/bounds_under_test.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <variant>

#include "muster/numerics/ordered.h"
#include "muster/papers/renyi/check_in_rdp.h"
#include "muster/papers/renyi/subsampled_shuffle_rdp.h"
#include "muster/theorems/applicable.h"
#include "muster/theorems/check_in/swap_profile.h"
#include "muster/theorems/slots/slots.h"
#include "muster/theorems/subset/subset.h"
#include "muster/theorems/swap/reporting_sum.h"
#include "muster/theorems/swap/unequal_rates.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/profile_of_laws.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {
namespace {

using P = Participation::Kind;

bool asks(const Case& c, Quantity quantity, P participation) {
  return c.quantity == quantity && c.participation.kind == participation;
}

bool is_pure(const Case& c) { return std::isfinite(c.epsilon0) && !c.laws.empty(); }

std::optional<accounting::Participation> participation_of(const Case& c) {
  const auto n = ClientCount::of(static_cast<std::uint64_t>(c.n));
  const Participation& p = c.participation;
  switch (p.kind) {
    case P::shuffle:
      return Shuffle{n};
    case P::subset:
      return FixedSubset{n, static_cast<std::uint64_t>(p.k)};
    case P::check_in:
      return ShuffledCheckIn{n, Rate::of(p.rate)};
    case P::rates:
      return ShuffledCheckIn{n, Rate::of(p.high), Rate::of(p.low)};
    case P::slots:
      return RandomCheckIn{RandomCheckIn::Kind::fixed, n, static_cast<std::uint64_t>(p.slots),
                           Rate::of(p.rate)};
    case P::averaged:
      return RandomCheckIn{RandomCheckIn::Kind::averaged, n, static_cast<std::uint64_t>(p.slots),
                           Rate::of(p.rate)};
    case P::aggregated:
      break;
  }
  return std::nullopt;
}

// A description that is true of the case's laws. `exact` means that the described mechanism has exactly these
// laws, and does not merely include them.
struct Description {
  std::string name;
  Mechanism mechanism;
  bool exact = false;
};

std::vector<Description> descriptions(const Case& c) {
  std::vector<Description> all;
  if (is_pure(c)) all.push_back({"pure", PureLocal{c.epsilon0}});
  if (c.class_c > 0) all.push_back({"class C", LdpSgdLocal{c.class_c}});
  if (c.kind == Kind::binary || c.kind == Kind::k_rr) {
    all.push_back({"k-rr", KRandomizedResponse{c.exact, c.laws.size()}, true});
  }
  if (c.kind == Kind::binned_laplace) all.push_back({"laplace", LaplaceLocal{c.exact}});
  return all;
}

// Returns descriptions of the case's randomizer as its user would give them: by the channel matrix, and by a
// table of the profile. The matrix is rounded to doubles, so it has the case's laws up to 1e-16 of each
// probability.
std::vector<Description> given_by_profile(const Case& c) {
  std::vector<std::vector<double>> rows;
  for (const Law& law : c.laws) rows.emplace_back(law.begin(), law.end());
  std::vector<Description> all;
  // The lower bounds are those of one pair of rows. In a slot protocol an empty slot must hold the
  // alternative of that pair, too, while the cases have record 0 there.
  const bool has_the_pair = c.kind != Kind::binned_normal && c.participation.kind != P::slots;
  if (std::ranges::any_of(rows, [&](const auto& row) { return row != rows.front(); })) {
    all.push_back({"channel", ProfileLocal(Channel(rows)), has_the_pair});
  }
  if (const std::optional<TabulatedProfile> table = table_of_laws(c.laws)) {
    all.push_back({"table", ProfileLocal(*table)});
  }
  return all;
}

void listed_bounds(const Case& c, const std::vector<Description>& described_as,
                   std::vector<Claimed>& claims) {
  const auto participation = participation_of(c);
  if (c.quantity != Quantity::hockey_stick || !participation) return;
  for (const Description& described : described_as) {
    const Applicable list = applicable(described.mechanism, *participation);
    for (const RoundBound& bound : list.uppers) {
      if (bound.validity != Validity::proven || bound.neighbouring != Neighbouring::replace_one) continue;
      claims.push_back({bound.id + ", " + described.name, Claimed::Kind::upper,
                        [curve = bound.delta](double epsilon) { return curve(epsilon).upper; }});
    }
    // A lower bound is the divergence of one population. If rates differ, `participation` only has their
    // interval, and the rates of the case may not be those of that population.
    if (!described.exact || c.participation.kind == P::rates) continue;
    // The entries of a channel's matrix are rounded to doubles, so its laws are not quite those of the case.
    const double room = std::holds_alternative<ProfileLocal>(described.mechanism) ? 1e-14 : 0;
    for (const RoundPair& pair : list.lowers) {
      claims.push_back({pair.id + ", " + described.name, Claimed::Kind::lower,
                        [forward = pair.forward, reverse = pair.reverse, room](double epsilon) {
                          return numerics::larger(forward(epsilon).lower, reverse(epsilon).lower) *
                                 (1 - room);
                        }});
    }
  }
}

// Returns the profile over all records, with few nodes, because
// each node is an atom of the summands and makes the sum slower.
Profile profile_of(const Case& c) {
  constexpr std::size_t kNodes = 12;
  return profile_of_laws(c.laws, kNodes);
}

// Adds the claims of the swap theorems, applied to the profile of the laws themselves, so that no description
// is needed.
void exact_profile_bounds(const Case& c, std::vector<Claimed>& claims) {
  const bool averaged =  // averaged slots have the bound of one shuffled check-in, for any number of slots
      asks(c, Quantity::hockey_stick, P::averaged) && c.participation.rate < 1;
  if (averaged || asks(c, Quantity::hockey_stick, P::check_in)) {
    const ShuffledCheckIn shape{ClientCount::of(static_cast<std::uint64_t>(c.n)),
                                Rate::of(c.participation.rate)};
    claims.push_back(
        {averaged ? "averaged slots, exact profile" : "swap-profile, exact profile", Claimed::Kind::upper,
         [local = profile_of(c), shape](double epsilon) { return swap_delta(local, shape, epsilon).upper; }});
  }
  const auto n = static_cast<double>(c.n);
  const Participation& p = c.participation;
  const auto add = [&](const char* name, auto make) {
    claims.push_back({name, Claimed::Kind::upper,
                      [curve = make()](double epsilon) { return curve.delta(epsilon).upper; }});
  };
  if (asks(c, Quantity::hockey_stick, P::subset)) {
    add("swap theorem for a subset, exact profile",
        [&] { return subset_curve(ReportingSum(profile_of(c)), n, static_cast<double>(p.k)); });
  }
  if (asks(c, Quantity::hockey_stick, P::rates)) {
    add("unequal rates, exact profile",
        [&] { return UnequalRatesCurve(ReportingSum(profile_of(c)), n, p.low, p.high); });
  }
  if (asks(c, Quantity::hockey_stick, P::slots)) {
    add("slots, exact profile", [&] { return slot_curve(ReportingSum(profile_of(c)), p.slots, p.rate); });
  }
}

void renyi_bounds(const Case& c, std::vector<Claimed>& claims) {
  if (asks(c, Quantity::renyi, P::check_in) && is_pure(c)) {
    claims.push_back({"check-in-rdp", Claimed::Kind::upper,
                      [bound = CheckInRdp(c.epsilon0, c.n, c.participation.rate)](double order) {
                        return bound.upper(static_cast<std::uint64_t>(order));
                      }});
  }
  if (asks(c, Quantity::renyi, P::subset) && is_pure(c)) {
    claims.push_back({"girgis-2021-theorem-1, on its own protocol", Claimed::Kind::upper,
                      [e0 = c.epsilon0, n = c.n, k = c.participation.k](double order) {
                        return subsampled_shuffle_rdp_upper(e0, n, k, static_cast<std::uint64_t>(order));
                      }});
  }
  if (c.kind == Kind::average) {  // the corrected formula, raised by more than its numerical error
    claims.push_back({"moment of aggregated check-in, corrected", Claimed::Kind::upper,
                      [k = c.participation.k, s = c.noise](double order) {
                        const long double moment = averaged_moment_formula(k, s, order);
                        return static_cast<double>(std::log(moment * (1 + 1e-8L)) / (order - 1));
                      }});
  }
}

}  // namespace

std::vector<BoundUnderTest> proven_bounds() {
  const auto listed = [](const Case& c, std::vector<Claimed>& claims) {
    listed_bounds(c, descriptions(c), claims);
  };
  const auto gaussian = [](const Case& c, std::vector<Claimed>& claims) {
    if (c.kind == Kind::binned_normal) listed_bounds(c, {{"gaussian", GaussianLocal{1.0, 2.0}}}, claims);
  };
  const auto given = [](const Case& c, std::vector<Claimed>& claims) {
    if (!c.laws.empty()) listed_bounds(c, given_by_profile(c), claims);
  };
  return {{true, listed},
          {true, gaussian, 12},
          {true, exact_profile_bounds, 3},
          {true, given, 5},
          {true, renyi_bounds}};
}

}  // namespace muster::accounting::oracle
