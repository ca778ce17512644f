// Descriptions of local randomizers for the accountant, which never sees the samplers themselves.
//
// A description gives the law of a randomizer's messages. How this law is sampled is decided in randomizers/,
// where each sampler states which description it realises. The alternatives of the variant Mechanism never
// change their meaning; a new mechanism gets a new alternative. Immutable values and pure functions; share
// freely.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "muster/describe/profile.h"

namespace muster::accounting {

// Any epsilon0-LDP randomizer; nothing else is assumed about it.
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

// A sampler that sends one coordinate and one sign of a vector bounded in the named norm, possibly after a
// fixed transform (Girgis et al. 2021, R_1, R_2, R_inf). Every output's probability lies between 2q and 2p
// times its probability under the uniform law, where q = 1 / (e^epsilon0 + 1) and p = 1 - q. A member of
// class C.
struct CoordinateLocal {
  enum class Norm { l1, l2, linf };
  Norm norm;
  double epsilon0;
  bool operator==(const CoordinateLocal&) const = default;
};

// k-ary randomized response: the true symbol with probability e^epsilon0 / (e^epsilon0 + k - 1), and each
// other symbol with probability 1 / (e^epsilon0 + k - 1). k >= 2; a member of class C if k = 2.
struct KRandomizedResponse {
  double epsilon0;
  std::uint64_t k;
  bool operator==(const KRandomizedResponse&) const = default;
};

// A number in an interval of length L, plus Laplace noise of scale L / epsilon0.
struct LaplaceLocal {
  double epsilon0;
  bool operator==(const LaplaceLocal&) const = default;
};

// Gaussian noise of standard deviation sigma * clip per coordinate on a vector of L2 norm at most clip, in
// any dimension. `diameter` is the largest distance of two clipped vectors in units of clip: 2 unless the
// domain is smaller. mu(), the same distance in standard deviations of the noise, is rounded to nearest,
// which gaussian_divergence.h allows for.
struct GaussianLocal {
  double sigma;
  double diameter = 2;
  double mu() const { return diameter / sigma; }
  bool operator==(const GaussianLocal&) const = default;
};

using Mechanism =
    std::variant<PureLocal, LdpSgdLocal, CoordinateLocal, KRandomizedResponse, LaplaceLocal, GaussianLocal>;

// The smallest epsilon0 that is accepted: below it, squares of a round's privacy losses leave the range of a
// double.
inline constexpr double kMinEpsilon0 = 1e-100;

// Throws Error(plan) for an epsilon0 below kMinEpsilon0, for an epsilon0, sigma or diameter that is not
// finite and positive, and for k below 2.
void validate(const Mechanism& mechanism);

// The epsilon0 of a mechanism known to be epsilon0-LDP; nullopt for the Gaussian.
std::optional<double> pure_epsilon0(const Mechanism& mechanism);

// Whether the theorems for class C apply (docs/theory/class-c.md). They need a law U that has a set of
// probability exactly 1/2 and satisfies 2q <= dR(x)/dU <= 2p for every record x, where
// q = 1 / (e^epsilon0 + 1) and p = 1 - q.
bool in_class_c(const Mechanism& mechanism);

// An upper bound of the local privacy profile f(alpha), the supremum over records x, x' of the hockey-stick
// divergence HS_alpha(R(x) || R(x')). Where losses are unbounded, its table ends where f falls below `tail`,
// and larger losses count as infinite.
Profile local_profile(const Mechanism& mechanism, double tail);

// An upper bound of f(e^l), l = log_alpha of either sign, without a table. f(e^l) is the divergence of a
// single message that is not shuffled. Never NaN; never 0 for the Gaussian.
double local_divergence(const Mechanism& mechanism, double log_alpha);

// For the pair of records (x, x') whose divergence is f: an upper bound of the probability under x' that the
// likelihood ratio dR(x)/dR(x') is larger than alpha = e^log_alpha. This probability is -df/dalpha, to the
// right of alpha. log_alpha >= 0.
double local_alternative_tail(const Mechanism& mechanism, double log_alpha);

// Appends the assumptions about the sampler that every bound for this mechanism makes.
void add_assumptions(const Mechanism& mechanism, std::vector<std::string>& assumptions);

// A description for human readers, like "ldp-sgd, epsilon0 = 2".
std::string describe(const Mechanism& mechanism);

}  // namespace muster::accounting
