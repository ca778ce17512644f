// Describes the laws of local randomizers, which are all that the accountant knows of them.
//
// A description says what is charged. How the law is sampled is decided in randomizers/, where each sampler
// states which description it realises. Every description is valid: its constructor throws Error(plan),
// naming the plan's key (or the argument where there is no key), the value and its range. The meaning of an
// alternative of the variant never changes; a new mechanism becomes a new alternative. Descriptions are
// immutable values and the functions are pure, so any thread may use them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "muster/describe/channel.h"
#include "muster/describe/profile.h"
#include "muster/describe/tabulated_profile.h"

namespace muster::accounting {

// The smallest epsilon0 that is accepted: far below it, squares of a round's losses leave the range of a
// double.
inline constexpr double kMinEpsilon0 = 1e-100;

// The base of all descriptions of epsilon0-LDP randomizers. It holds epsilon0, a finite number >=
// kMinEpsilon0.
class WithEpsilon0 {
 public:
  double epsilon0() const { return epsilon0_; }
  bool operator==(const WithEpsilon0&) const = default;

 protected:
  explicit WithEpsilon0(double epsilon0);

 private:
  double epsilon0_;
};

// Any epsilon0-LDP randomizer; nothing else is assumed about it.
class PureLocal : public WithEpsilon0 {
 public:
  explicit PureLocal(double epsilon0) : WithEpsilon0(epsilon0) {}
  bool operator==(const PureLocal&) const = default;
};

// The LDP-SGD sphere sampler (Duchi et al. 2018). It is epsilon0-LDP and a member of class C
// (docs/theory/class-c.md).
class LdpSgdLocal : public WithEpsilon0 {
 public:
  explicit LdpSgdLocal(double epsilon0) : WithEpsilon0(epsilon0) {}
  bool operator==(const LdpSgdLocal&) const = default;
};

// A sampler that sends the index of one coordinate and a randomized sign, for a vector that is bounded in the
// named norm. It may apply a fixed transform to the vector first (Girgis et al. 2021, R_1, R_2, R_inf). Every
// output's probability lies between 2q and 2p times its probability under the uniform law, where q = 1 /
// (e^epsilon0 + 1) and p = 1 - q. The sampler is a member of class C.
class CoordinateLocal : public WithEpsilon0 {
 public:
  enum class Norm { l1, l2, linf };
  CoordinateLocal(Norm norm, double epsilon0) : WithEpsilon0(epsilon0), norm_(norm) {}
  Norm norm() const { return norm_; }
  bool operator==(const CoordinateLocal&) const = default;

 private:
  Norm norm_;
};

// k-ary randomized response: the true symbol is sent with probability e^epsilon0 / (e^epsilon0 + k - 1), and
// each other symbol with probability 1 / (e^epsilon0 + k - 1). k >= 2; a member of class C if k = 2.
class KRandomizedResponse : public WithEpsilon0 {
 public:
  KRandomizedResponse(double epsilon0, std::uint64_t k);
  std::uint64_t k() const { return k_; }
  bool operator==(const KRandomizedResponse&) const = default;

 private:
  std::uint64_t k_;
};

// A number in an interval of length L, plus Laplace noise of scale L / epsilon0.
class LaplaceLocal : public WithEpsilon0 {
 public:
  explicit LaplaceLocal(double epsilon0) : WithEpsilon0(epsilon0) {}
  bool operator==(const LaplaceLocal&) const = default;
};

// Gaussian noise of standard deviation sigma * clip per coordinate on a vector of L2 norm at most clip, in
// any dimension. `diameter` is the largest distance of two clipped vectors in units of clip: 2 unless the
// domain is smaller. mu(), the same distance in standard deviations of the noise, is rounded to nearest,
// which gaussian_divergence.h allows for. sigma and diameter are finite and positive.
class GaussianLocal {
 public:
  explicit GaussianLocal(double sigma, double diameter = 2);
  double sigma() const { return sigma_; }
  double diameter() const { return diameter_; }
  double mu() const { return diameter_ / sigma_; }
  bool operator==(const GaussianLocal&) const = default;

 private:
  double sigma_, diameter_;
};

// A randomizer of which a table of the privacy profile or the channel is known. A table bounds the profile
// from above alone, so nothing is known from below; a channel is the randomizer itself. The same randomizer,
// or another one that obeys the same profile, serves every client. Only theorems that need no more than a
// profile apply to it, and those for epsilon0-LDP randomizers if its losses are bounded.
class ProfileLocal {
 public:
  explicit ProfileLocal(TabulatedProfile table);
  explicit ProfileLocal(Channel channel);
  const TabulatedProfile& profile() const { return *profile_; }
  const Channel* channel() const { return channel_.get(); }  // nullptr if a table was given
  // The largest loss, rounded up; nullopt if losses are unbounded.
  std::optional<double> epsilon0() const { return profile_->epsilon0(); }
  bool operator==(const ProfileLocal& other) const;

 private:
  std::shared_ptr<const Channel> channel_;
  std::shared_ptr<const TabulatedProfile> profile_;
};

using Mechanism = std::variant<PureLocal, LdpSgdLocal, CoordinateLocal, KRandomizedResponse, LaplaceLocal,
                               GaussianLocal, ProfileLocal>;

// The epsilon0 of a mechanism known to be epsilon0-LDP; nullopt for the Gaussian, and for a profile with mass
// at infinity.
std::optional<double> pure_epsilon0(const Mechanism& mechanism);

// Whether the theorems for class C apply (docs/theory/class-c.md). They need a law U that has a set of
// probability exactly 1/2 and satisfies 2q <= dR(x)/dU <= 2p for every record x, where
// q = 1 / (e^epsilon0 + 1) and p = 1 - q.
bool in_class_c(const Mechanism& mechanism);

// An upper bound of the local privacy profile f(alpha), the supremum over records x, x' of the hockey-stick
// divergence HS_alpha(R(x) || R(x')). For the Gaussian, its table ends where f falls below `tail`, and larger
// losses count as infinite.
Profile local_profile(const Mechanism& mechanism, double tail);

// An upper bound of f(e^log_alpha), the divergence of a single message that is not shuffled, for log_alpha
// of either sign. It needs no table of its own. Never NaN; never 0 for the Gaussian.
double local_divergence_upper(const Mechanism& mechanism, double log_alpha);

// For the pair of records (x, x') whose divergence is f, or the pair of laws whose divergence is the upper
// bound of f that is charged for a ProfileLocal: an upper bound of the probability under x' that the
// likelihood ratio dR(x)/dR(x') is larger than alpha = e^log_alpha. This probability is minus the slope of f
// just right of alpha. log_alpha >= 0.
double local_alternative_tail_upper(const Mechanism& mechanism, double log_alpha);

// Appends the assumptions about the sampler that every bound for this mechanism makes.
void add_assumptions(const Mechanism& mechanism, std::vector<std::string>& assumptions);

// A description for human readers, like "ldp-sgd, epsilon0 = 2".
std::string describe(const Mechanism& mechanism);

}  // namespace muster::accounting
