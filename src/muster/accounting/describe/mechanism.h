// What the accountant knows of a local randomizer: a description, never the sampler itself.
//
// A description says what is charged; how it is sampled is another room's matter, and
// the sampler in randomizers/ states the description it realises. Meaning never changes:
// a new mechanism is a new alternative.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "muster/accounting/describe/profile.h"

namespace muster::accounting {

// Any epsilon0-LDP randomizer: nothing else is assumed.
struct PureLocal {
  double epsilon0;
  bool operator==(const PureLocal&) const = default;
};

// The LDP-SGD sphere sampler (Duchi et al. 2018): epsilon0-LDP, a member of class C of
// docs/theory/class-c.md.
struct LdpSgdLocal {
  double epsilon0;
  bool operator==(const LdpSgdLocal&) const = default;
};

// One coordinate and one sign of a vector bounded in the named norm, possibly after a fixed transform (Girgis
// et al. 2021, R_1, R_2, R_inf): every output's probability lies between 2q and 2p times the uniform one, q =
// 1 / (e^epsilon0 + 1), p = 1 - q. A member of class C.
struct CoordinateLocal {
  enum class Norm { l1, l2, linf };
  Norm norm;
  double epsilon0;
  bool operator==(const CoordinateLocal&) const = default;
};

// k-ary randomized response: the true symbol with probability e^epsilon0 / (e^epsilon0 + k - 1), each other
// one with 1 / (e^epsilon0 + k - 1). k >= 2; at k = 2 a member of class C.
struct KRandomizedResponse {
  double epsilon0;
  std::uint64_t k;
  bool operator==(const KRandomizedResponse&) const = default;
};

// A number of an interval of length L with Laplace noise of scale L / epsilon0.
struct LaplaceLocal {
  double epsilon0;
  bool operator==(const LaplaceLocal&) const = default;
};

// Gaussian noise of deviation sigma * clip a coordinate on a vector of L2 norm at most clip, in any
// dimension. `diameter`: the largest distance of two clipped vectors, in clips; 2 unless the domain is
// smaller. mu(), the distance in deviations, is rounded to nearest: gaussian_divergence.h covers that.
struct GaussianLocal {
  double sigma;
  double diameter = 2;
  double mu() const { return diameter / sigma; }
  bool operator==(const GaussianLocal&) const = default;
};

using Mechanism =
    std::variant<PureLocal, LdpSgdLocal, CoordinateLocal, KRandomizedResponse, LaplaceLocal, GaussianLocal>;

// Refuses (Error(plan)) an epsilon0 or sigma that is not finite and positive, and k below 2.
void validate(const Mechanism& mechanism);

// The epsilon0 of a mechanism known to be epsilon0-LDP; none for the Gaussian.
std::optional<double> pure_epsilon0(const Mechanism& mechanism);

// Whether the theorems for class C apply: a law U exists with 2q <= dR(x)/dU <= 2p and U can be halved.
bool in_class_c(const Mechanism& mechanism);

// The local privacy profile f(alpha) = sup of HS_alpha(R(x) || R(x')), from above; what lies beyond where f
// falls below `tail` sits at infinity (0 for a pure mechanism).
Profile local_profile(const Mechanism& mechanism, double tail);

// f(e^l) itself, from above, at any l: what one message alone gives
// away. Never NaN; for the Gaussian never 0.
double local_divergence(const Mechanism& mechanism, double log_alpha);

// The probability, under the alternative record, that the likelihood ratio passes e^l in the worst pair,
// from above: how steeply f falls per unit of alpha.
double local_alternative_tail(const Mechanism& mechanism, double log_alpha);

// What every bound of this mechanism assumes of its sampler, appended.
void add_assumptions(const Mechanism& mechanism, std::vector<std::string>& assumptions);

// For people: "ldp-sgd, epsilon0 = 2".
std::string describe(const Mechanism& mechanism);

}  // namespace muster::accounting
