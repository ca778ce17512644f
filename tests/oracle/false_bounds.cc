// The false statements of docs/theory/false-claims.md, as claims about whole families of cases.
#include <algorithm>
#include <cmath>
#include <map>

#include "muster/numerics/ordered.h"
#include "muster/papers/renyi/check_in_rdp.h"
#include "muster/theorems/check_in/swap_profile.h"
#include "tests/oracle/bounds_under_test.h"
#include "tests/oracle/harness_truth.h"
#include "tests/oracle/known_false.h"
#include "tests/oracle/profile_of_laws.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting::oracle {
namespace {

using ClaimedBound = std::function<double(double)>;
using P = Participation::Kind;

bool asks(const Case& c, Quantity quantity, P participation) {
  return c.quantity == quantity && c.participation.kind == participation;
}

// Raises a value by far more than its numerical error, so that a violation is due to the claim.
double generous(long double value) { return static_cast<double>(value * (1 + 1e-9L)); }

struct Claim {
  std::string name;
  std::function<ClaimedBound(const Case&)> of;  // returns an empty function for cases outside the claim
};

ClaimedBound tabulated(const Case& c, const std::vector<Interval>& values) {
  std::map<double, double> table;
  for (std::size_t i = 0; i < c.grid.size(); ++i) table[c.grid[i]] = generous(values[i].upper);
  return [table](double at) { return table.at(at); };
}

Claim hidden_abstention() {
  return {"clone pair with the abstention hidden", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::check_in) || !std::isfinite(c.epsilon0)) return {};
            return [pair = clone_pair(c.n, c.epsilon0, c.participation.rate)](double epsilon) {
              return generous(hockey_stick(pair, epsilon));
            };
          }};
}

Claim variation_ratio() {
  return {"variation-ratio pair for k-RR", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::shuffle) || c.kind != Kind::k_rr) return {};
            const OutputPair pair = variation_ratio_pair(c.n, static_cast<int>(c.laws.size()), c.epsilon0);
            return [pair](double epsilon) { return generous(hockey_stick(pair, epsilon)); };
          }};
}

Claim homogeneous_is_worst() {
  return {"a homogeneous dataset is the worst", [](const Case& c) -> ClaimedBound {
            if (c.quantity != Quantity::hockey_stick || c.participation.kind == P::rates) return {};
            std::vector<std::vector<int>> alike;
            for (int r = 0; r < static_cast<int>(c.laws.size()); ++r) {
              alike.emplace_back(static_cast<std::size_t>(c.n - 1), r);
            }
            return tabulated(c, truth(c, c.participation, alike));
          }};
}

Claim gaussian_at_sensitivity_one() {
  return {"shuffle Gaussian at sensitivity 1", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::shuffle) || c.kind != Kind::binned_normal || c.n != 2) {
              return {};
            }
            return [](double epsilon) { return generous(sensitivity_one(epsilon)); };
          }};
}

Claim printed_average() {
  return {"printed moment of aggregated check-in", [](const Case& c) -> ClaimedBound {
            if (c.kind != Kind::average) return {};
            return [k = c.participation.k, s = c.noise](double order) {
              return generous(std::log(printed_averaged_moment(k, s, order)) / (order - 1));
            };
          }};
}

Claim high_victim_low_others() {
  return {"victim at the highest rate, others at the lowest", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::rates) || c.n > 6) return {};
            Participation claimed = c.participation;
            std::fill(claimed.rates.begin(), claimed.rates.end(), claimed.low);
            claimed.rates[0] = claimed.high;
            return tabulated(c, truth(c, claimed, multisets(static_cast<int>(c.laws.size()), c.n - 1)));
          }};
}

Claim inclusion_at_the_rate() {
  return {"given k reports the victim is among them with probability g", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::check_in) || c.n > 5 || c.datasets.size() > 20) return {};
            std::vector<Interval> worst(c.grid.size(), {0, 0});
            const long double g = c.participation.rate;
            for (const auto& dataset : c.datasets) {
              std::vector<Law> others;
              for (const int r : dataset) others.push_back(c.laws[static_cast<std::size_t>(r)]);
              for (const auto& [x, y] : c.pairs) {
                std::vector<long double> mixed(c.grid.size(), 0);
                long double weight = c.n * g * std::pow(1 - g, c.n - 1);  // Bin(n, g) at k = 1
                for (int k = 1; k <= c.n; ++k) {
                  const OutputPair pair = included(others, c.laws[static_cast<std::size_t>(x)],
                                                   c.laws[static_cast<std::size_t>(y)], k, g);
                  for (std::size_t i = 0; i < c.grid.size(); ++i) {
                    mixed[i] += weight * hockey_stick(pair, c.grid[i]);
                  }
                  weight *= g / (1 - g) * static_cast<long double>(c.n - k) / static_cast<long double>(k + 1);
                }
                for (std::size_t i = 0; i < c.grid.size(); ++i) {
                  worst[i].upper = numerics::larger(worst[i].upper, mixed[i]);
                }
              }
            }
            return tabulated(c, worst);
          }};
}

Claim liew_theorem_2() {
  return {"Liew 2022 Theorem 2 with corrected constants", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::renyi, P::check_in) || !std::isfinite(c.epsilon0)) return {};
            return [e0 = c.epsilon0, n = c.n, g = c.participation.rate](double order) {
              return generous(check_in_rdp_printed(e0, n, g, 0.5, static_cast<std::uint64_t>(order)));
            };
          }};
}

// Returns the false claim that the swap theorem holds with a table in which every value of the profile is too
// small by a tenth.
Claim lowered_table() {
  return {"swap theorem with a table that is too small", [](const Case& c) -> ClaimedBound {
            if (!asks(c, Quantity::hockey_stick, P::check_in) || c.n > 6) return {};
            const std::optional<TabulatedProfile> table = table_of_laws(c.laws, 0.9);
            if (!table) return {};
            const ShuffledCheckIn shape{ClientCount::of(static_cast<std::uint64_t>(c.n)),
                                        Rate::of(c.participation.rate)};
            return [profile = table->profile(), shape](double epsilon) {
              return swap_delta(profile, shape, epsilon).upper;
            };
          }};
}

const std::vector<Claim>& all() {
  static const std::vector<Claim> claims = {
      hidden_abstention(),           variation_ratio(), homogeneous_is_worst(),
      gaussian_at_sensitivity_one(), printed_average(), high_victim_low_others(),
      inclusion_at_the_rate(),       liew_theorem_2(),  lowered_table()};
  return claims;
}

}  // namespace

std::vector<BoundUnderTest> false_bounds() {
  std::vector<BoundUnderTest> bounds;
  for (const Claim& claim : all()) {
    bounds.push_back({false, [&claim](const Case& c, std::vector<Claimed>& claims) {
                        if (ClaimedBound bound = claim.of(c)) {
                          claims.push_back({claim.name, Claimed::Kind::upper, std::move(bound)});
                        }
                      }});
  }
  return bounds;
}

std::vector<std::string> false_bound_names() {
  std::vector<std::string> names;
  for (const Claim& claim : all()) names.push_back(claim.name);
  return names;
}

}  // namespace muster::accounting::oracle
