#include "muster/reproduce/shuffled_check_in/ldp_sgd.h"

#include <cmath>
#include <limits>

#include "muster/papers/published/published.h"
#include "muster/papers/published/published_check_in.h"
#include "muster/papers/published/published_subset.h"
#include "muster/reproduce/accuracy_curves.h"

namespace muster::reproduce {

using accounting::Bound;
using accounting::Conversion;
using accounting::Question;

LdpSgdAccounting::LdpSgdAccounting(const protocols::Plan& plan)
    : clients_(static_cast<double>(plan.clients())),
      rate_(plan.rate()),
      epsilon0_(plan.epsilon0().value()),
      question_(Question::Kind::epsilon_at_delta, plan.delta().value()),
      protocol_(ClientCount::of(plan.clients()), Rate::of(rate_)),
      accountant_(plan.mechanism(), protocol_) {}

Bound LdpSgdAccounting::theorem_2_printed(std::uint64_t rounds) const {
  return accounting::liew_theorem2_printed_bound(clients_, rate_, epsilon0_, rounds, question_,
                                                 Conversion::canonne);
}

Bound LdpSgdAccounting::theorem_2(std::uint64_t rounds) const {
  return accounting::liew_theorem2_bound(protocol_, epsilon0_, rounds, question_, Conversion::canonne);
}

Bound LdpSgdAccounting::strong_composition(std::uint64_t rounds) const {
  return accounting::subset_strong_composition_bound(clients_, clients_ * rate_, epsilon0_, rounds,
                                                     question_);
}

Bound LdpSgdAccounting::theorem_1(std::uint64_t rounds) const {
  return accounting::check_in_rdp_bound(protocol_, epsilon0_, rounds, question_, Conversion::canonne);
}

accounting::Statement LdpSgdAccounting::ours(std::uint64_t rounds) const {
  return accountant_.account(rounds, question_);
}

std::vector<Curve> ldp_sgd_curves(const LdpSgdAccounting& accounting, const Trained& trained) {
  using Of = Bound (LdpSgdAccounting::*)(std::uint64_t) const;
  const auto by = [&](const char* name, Kind kind, Of bound) {
    return accuracy_against_epsilon(name, kind, trained,
                                    [&](std::uint64_t rounds) { return (accounting.*bound)(rounds); });
  };
  const std::vector<Curve> own =
      accuracy_against_own("LDP-SGD's randomizer", "one pair of data sets", trained,
                           [&](std::uint64_t rounds) { return accounting.ours(rounds); });
  return {by("Theorem 2 with the appendix's 2 e^epsilon0 and 8 e^epsilon0", Kind::published,
             &LdpSgdAccounting::theorem_2),
          by("strong composition: clones in closed form, n gamma of n", Kind::published,
             &LdpSgdAccounting::strong_composition),
          by("Theorem 1, inclusion probability k/n given k reports", Kind::corrected,
             &LdpSgdAccounting::theorem_1),
          own[0], own[1]};
}

StrongOverTheorem2 strong_over_theorem_2(const LdpSgdAccounting& accounting, const Trained& trained) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  StrongOverTheorem2 found{.least = kInfinity};
  for (const TrainedRound& logged : trained.rounds) {
    const double ours = accounting.theorem_2(logged.round).upper.value_or(kInfinity);
    const double strong = accounting.strong_composition(logged.round).upper.value_or(kInfinity);
    ++found.rounds;
    found.smaller += ours < strong ? 1 : 0;
    found.last = strong / ours;  // not a number if neither has a value
    found.least = std::fmin(found.least, found.last);
    found.most = std::fmax(found.most, found.last);
  }
  return found;
}

}  // namespace muster::reproduce
