// Immutable descriptions of local randomizers: what accountants consume.
//
// A description says what is released about one client's record, in the terms a theorem needs, and nothing
// about how it is sampled; the sampler in randomizers/ states the description it realises. Meaning never
// changes: a new mechanism is a new alternative.
#pragma once

#include <optional>
#include <string>
#include <variant>

namespace muster::accounting {

// Any epsilon0-LDP randomizer: nothing else is assumed.
struct PureLocal {
  double epsilon0;
};

// The LDP-SGD sphere sampler (Duchi et al. 2018): epsilon0-LDP, a member of class C of docs/theory.
struct LdpSgdLocal {
  double epsilon0;
};

// Gaussian noise of deviation sigma * clip a coordinate on a vector of L2 norm at most clip: replace-one
// distance over noise mu = 2 / sigma, in any dimension.
struct GaussianLocal {
  double sigma;
  double mu() const { return 2.0 / sigma; }
};

using Mechanism = std::variant<PureLocal, LdpSgdLocal, GaussianLocal>;

// Refuses (Error(plan)) an epsilon0 or sigma that is not finite and positive.
void validate(const Mechanism& mechanism);

// The epsilon0 of a mechanism known by it alone; none for the Gaussian.
std::optional<double> pure_epsilon0(const Mechanism& mechanism);

// For people: "ldp-sgd, epsilon0 = 2".
std::string describe(const Mechanism& mechanism);

}  // namespace muster::accounting
