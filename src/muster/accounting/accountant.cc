#include "muster/accounting/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "muster/accounting/bounds/homogeneous.h"
#include "muster/accounting/bounds/local.h"
#include "muster/accounting/bounds/published.h"
#include "muster/accounting/bounds/swap_profile.h"
#include "muster/accounting/composition/dominating_pair.h"
#include "muster/core/error.h"

namespace muster::accounting {
namespace {

constexpr int kNodesPerDeviation = 80;
constexpr double kOrdinaryTail = 1e-22;  // of a round's curve
constexpr double kLargestEpsilon0 = 40;  // e^40 users hide nobody

constexpr const char* kContinuousNoise =
    "noise has the continuous normal law; the distance of a sampler's floating-point law from it is not "
    "charged";

// A pair's T-fold answer to either question, from the side asked for.
double upper_answer(const LossDistribution& pair, std::uint64_t rounds, const Question& question) {
  return question.kind == Question::Kind::epsilon_at_delta ? pair.epsilon_upper(rounds, question.fixed)
                                                           : pair.delta(rounds, question.fixed).upper;
}

double lower_answer(const LossDistribution& pair, std::uint64_t rounds, const Question& question) {
  return question.kind == Question::Kind::epsilon_at_delta ? pair.epsilon_lower(rounds, question.fixed)
                                                           : pair.delta(rounds, question.fixed).lower;
}

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// Proven first, then the smallest upper bound; none is the largest.
bool comes_before(const Bound& a, const Bound& b) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return std::make_pair(a.validity, a.upper.value_or(kNone)) <
         std::make_pair(b.validity, b.upper.value_or(kNone));
}

void require_valid(const Question& question) {
  if (question.kind == Question::Kind::epsilon_at_delta) {
    Delta::of(question.fixed);
  } else {
    Epsilon::of(question.fixed);
  }
}

}  // namespace

struct Accountant::State {
  Mechanism mechanism;
  ShuffledCheckIn protocol;

  // One round of the swap bound, tabulated down to a tail that becomes mass at infinity. Ordinary deltas need
  // the first depth alone; each is built when first asked for.
  struct Swap {
    LossDistribution dominating;
    LossDistribution same_from_below;  // the same bound, numerical error turned inward
  };
  struct Depth {
    double negligible;
    std::once_flag once;
    std::optional<Swap> swap;
  };
  mutable Depth ordinary{kOrdinaryTail, {}, {}};
  mutable Depth deep{1e-38, {}, {}};

  // The two orientations of the homogeneous pair; built when a lower bound is first asked for.
  mutable std::once_flag lower_once;
  mutable std::optional<std::pair<LossDistribution, LossDistribution>> lower_pairs;

  State(const Mechanism& m, const ShuffledCheckIn& p) : mechanism(m), protocol(p) { validate(mechanism); }

  // Why the swap theorem gives nothing here; empty where it applies.
  std::string without_swap() const {
    if (protocol.rate.value() >= 1) {
      return "the swap theorem needs clients that may abstain: rate below 1";
    }
    if (pure_epsilon0(mechanism).value_or(0) > kLargestEpsilon0) {
      return fmt::format("amplification is not computed for epsilon0 above {}", kLargestEpsilon0);
    }
    return "";
  }

  const Swap& at_depth(Depth& depth) const {
    std::call_once(depth.once, [&] {
      const SwapCurve curve(mechanism, protocol, 1e-6 * depth.negligible);
      const RoundCurve table = tabulate([&](double epsilon) { return curve.delta(epsilon); }, {},
                                        kNodesPerDeviation, depth.negligible);
      depth.swap.emplace(Swap{LossDistribution::dominating(table), LossDistribution::dominated(table)});
    });
    return *depth.swap;
  }

  const Swap& swap(std::uint64_t rounds, const Question& question) const {
    const double enough = 1e4 * kOrdinaryTail * static_cast<double>(rounds);
    if (question.kind == Question::Kind::epsilon_at_delta) {
      return at_depth(question.fixed > enough ? ordinary : deep);
    }
    const Swap& first = at_depth(ordinary);
    return first.dominating.delta(rounds, question.fixed).upper > enough ? first : at_depth(deep);
  }

  // 0 where none is computed: always valid.
  double lower(std::uint64_t rounds, const Question& question) const {
    if (pure_epsilon0(mechanism).value_or(0) > kLargestEpsilon0) {
      return 0;
    }
    std::call_once(lower_once, [this] {
      const HomogeneousCurve curve(mechanism, protocol);
      const RoundCurve table =
          tabulate([&](double epsilon) { return curve.forward(epsilon); },
                   [&](double epsilon) { return curve.reverse(epsilon); },
                   pure_epsilon0(mechanism) ? kNodesPerDeviation : kNodesPerDeviation / 2, kOrdinaryTail);
      lower_pairs.emplace(LossDistribution::dominated(table), LossDistribution::dominated(table.swapped()));
    });
    return std::max(lower_answer(lower_pairs->first, rounds, question),
                    lower_answer(lower_pairs->second, rounds, question));
  }

  double local(std::uint64_t rounds, const Question& question) const {
    return question.kind == Question::Kind::epsilon_at_delta
               ? local_epsilon_upper(mechanism, protocol.rate, rounds, question.fixed)
               : local_delta_upper(mechanism, protocol.rate, rounds, question.fixed);
  }
};

Accountant::Accountant(const Mechanism& mechanism, const ShuffledCheckIn& protocol)
    : state_(std::make_unique<State>(mechanism, protocol)) {}
Accountant::~Accountant() = default;
Accountant::Accountant(Accountant&&) noexcept = default;
Accountant& Accountant::operator=(Accountant&&) noexcept = default;

double Accountant::epsilon_upper(std::uint64_t rounds, Delta delta) const {
  if (rounds == 0) {
    return 0;
  }
  const Question question{Question::Kind::epsilon_at_delta, delta.value()};
  const double local = state_->local(rounds, question);
  if (!state_->without_swap().empty()) {
    return local;
  }
  return std::min(local, upper_answer(state_->swap(rounds, question).dominating, rounds, question));
}

Statement Accountant::account(std::uint64_t rounds, const Question& question, View view,
                              bool as_published) const {
  require_valid(question);
  if (view != View::shuffler_honest && view != View::shuffler_colludes) {
    throw Error(ErrorCode::uncovered, "view", name_of(view), "shuffler-honest, shuffler-colludes",
                "no theorem covers shuffled check-in in this view");
  }
  Statement statement{question, rounds, {}, std::nullopt, rounds, {}};

  Bound local;
  local.id = "local-composition";
  local.view = view;
  local.citation =
      std::holds_alternative<GaussianLocal>(state_->mechanism)
          ? "Dong, Roth, Su, JRSS-B 2022, Corollary 3.3, mixed over the number of participations"
          : "Kairouz, Oh, Viswanath, ICML 2015, Theorem 3.3, mixed over the number of participations";
  local.assumptions = {"no amplification: holds even if the shuffler colludes with the aggregator"};

  if (std::holds_alternative<GaussianLocal>(state_->mechanism)) {
    local.assumptions.push_back(kContinuousNoise);
  }

  Bound homogeneous;
  homogeneous.id = "homogeneous-pair";
  homogeneous.view = view;
  homogeneous.citation = "exact curve of the dataset whose other records all equal the victim's alternative";
  homogeneous.assumptions = {"a lower bound: upper is none"};
  if (std::holds_alternative<PureLocal>(state_->mechanism)) {
    homogeneous.assumptions.push_back("what randomized response, one epsilon0-LDP randomizer, attains");
  }

  if (rounds == 0) {
    local.upper = local.lower = 0;
    local.assumptions = {"nothing is released"};
    statement.local = 0;
    statement.best = local;
    statement.all = {local};
    return statement;
  }

  local.upper = finite(state_->local(rounds, question));
  statement.local = local.upper;
  // A lower bound with the shuffler honest is one with less to see, so it holds in both views.
  const double lower = state_->lower(rounds, question);
  local.lower = homogeneous.lower = lower;
  statement.all.push_back(local);

  if (const std::string reason = state_->without_swap(); !reason.empty()) {
    statement.all.back().assumptions.push_back(reason);
  } else if (view == View::shuffler_honest) {
    const State::Swap& pair = state_->swap(rounds, question);
    Bound swap;
    swap.id = "swap-profile";
    swap.view = view;
    swap.lower = lower;
    swap.citation =
        "swap theorem for shuffled check-in, profile-only form, with its dominating pair composed " +
        fmt::format("{} time{}", rounds, rounds == 1 ? "" : "s") + "; docs/theory/profile-only.md";
    swap.assumptions = {"coins are secret, independent of the data and of each other",
                        fmt::format("{} honest clients, each at effective rate {}",
                                    state_->protocol.clients.value(), state_->protocol.rate.value())};
    if (std::holds_alternative<GaussianLocal>(state_->mechanism)) {
      swap.assumptions.push_back(kContinuousNoise);
    }
    const double upper = upper_answer(pair.dominating, rounds, question);
    if (std::isfinite(upper)) {
      swap.upper = upper;
      swap.numerical_error = upper - lower_answer(pair.same_from_below, rounds, question);
    } else {
      swap.assumptions.push_back(fmt::format(
          "none at this delta: the curve's tail of {:.3g} a round is charged as mass at infinite loss",
          pair.dominating.mass_at_infinity()));
    }
    statement.all.push_back(swap);
  }
  std::stable_sort(statement.all.begin(), statement.all.end(), comes_before);
  statement.best = statement.all.front();
  if (!statement.best.upper) {
    statement.best.assumptions.push_back("no finite upper bound: every theorem's tail passes this delta");
  } else if (lower > *statement.best.upper) {
    throw Error(ErrorCode::internal, statement.best.id, fmt::format("{:.17g}", *statement.best.upper),
                fmt::format(">= {:.17g}", lower), "an upper bound fell below a lower one: this is a defect");
  }
  statement.all.push_back(homogeneous);
  if (const std::optional<double> epsilon0 = pure_epsilon0(state_->mechanism); as_published && epsilon0) {
    // Proven too, several times looser, and slower than the rest together: for comparison like the published
    // ones.
    statement.all.push_back(
        check_in_rdp_bound(state_->protocol, *epsilon0, rounds, question, Conversion::exact));
    for (Bound& bound : published_bounds(state_->protocol, *epsilon0, rounds, question)) {
      statement.all.push_back(std::move(bound));
    }
    std::stable_sort(statement.all.begin(), statement.all.end(), comes_before);
  }
  return statement;
}

}  // namespace muster::accounting
