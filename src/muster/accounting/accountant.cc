#include "muster/accounting/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <string>
#include <utility>

#include "muster/accounting/applicable.h"
#include "muster/accounting/bounds/local/local.h"
#include "muster/accounting/comparisons.h"
#include "muster/accounting/composition/composed_curve.h"
#include "muster/accounting/timed.h"
#include "muster/core/error.h"

namespace muster::accounting {
namespace {

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

// A sum of messages is a function of their multiset, and a released model of the sums: whoever sees less is
// covered by the theorems for more.
bool sees_no_more(View view, View than) {
  const auto rank = [](View v) {
    switch (v) {
      case View::shuffler_colludes:
        return 3;
      case View::shuffler_honest:
        return 2;
      case View::sum_only:
        return 1;
      case View::server_trusted:
        break;
    }
    return 0;
  };
  return rank(view) <= rank(than);
}

}  // namespace

struct Accountant::State {
  struct Upper {
    explicit Upper(RoundBound b) : bound(std::move(b)), composed(bound.delta, bound.knot) {}
    RoundBound bound;
    ComposedCurve composed;
  };
  struct Lower {
    explicit Lower(RoundPair p) : pair(std::move(p)), composed(pair.forward, pair.reverse) {}
    RoundPair pair;
    ComposedPair composed;
  };

  Mechanism mechanism;
  Participation participation;
  std::list<Upper> uppers;  // lists: the tables inside do not move
  std::list<Lower> lowers;
  std::string missing;

  State(const Mechanism& m, const Participation& p) : mechanism(m), participation(p) {
    Applicable found = applicable(m, p);
    missing = std::move(found.missing);
    for (RoundBound& bound : found.uppers) {
      uppers.emplace_back(std::move(bound));
    }
    for (RoundPair& pair : found.lowers) {
      lowers.emplace_back(std::move(pair));
    }
  }

  // The least of the proven uppers, by one of ComposedCurve's ways.
  std::optional<double> least(std::uint64_t rounds, const Question& question,
                              double (ComposedCurve::*way)(std::uint64_t, const Question&) const) const {
    require_valid(question);
    if (rounds == 0) {
      return 0;
    }
    double least = local(rounds, question);
    for (const Upper& upper : uppers) {
      if (upper.bound.validity == Validity::proven && !upper.bound.never_best) {
        least = std::min(least, (upper.composed.*way)(rounds, question));
      }
    }
    return finite(least);
  }

  double local(std::uint64_t rounds, const Question& question) const {
    const Rate rate = message_rate(participation);
    return question.kind == Question::Kind::epsilon_at_delta
               ? local_epsilon_upper(mechanism, rate, rounds, question.fixed)
               : local_delta_upper(mechanism, rate, rounds, question.fixed);
  }

  Bound local_bound(std::uint64_t rounds, const Question& question, View view) const {
    const Stopwatch watch;
    Bound bound;
    bound.id = "local-composition";
    bound.view = view;
    bound.assumptions = {"no amplification: holds even if the shuffler colludes with the aggregator"};
    bound.citation =
        std::holds_alternative<GaussianLocal>(mechanism)
            ? "Dong, Roth, Su, JRSS-B 2022, Corollary 3.3, mixed over the number of participations"
            : "Kairouz, Oh, Viswanath, ICML 2015, Theorem 3.3, mixed over the number of participations";
    add_assumptions(mechanism, bound.assumptions);
    bound.upper = finite(local(rounds, question));
    bound.seconds = watch.seconds();
    return bound;
  }

  Bound upper_bound(const Upper& upper, std::uint64_t rounds, const Question& question, View view) const {
    const Stopwatch watch;
    Bound bound;
    bound.id = upper.bound.id;
    bound.view = view;
    bound.validity = upper.bound.validity;
    bound.neighbouring = upper.bound.neighbouring;
    bound.citation = upper.bound.citation;
    if (rounds > 1) {
      bound.citation +=
          fmt::format("; its dominating pair composed {} times, docs/theory/composition.md", rounds);
    }
    bound.assumptions = upper.bound.assumptions;
    const double value = upper.composed.upper(rounds, question);
    if (std::isfinite(value)) {
      bound.upper = value;
      bound.numerical_error = std::max(0.0, value - upper.composed.from_below(rounds, question));
    } else {
      bound.assumptions.emplace_back(
          "none at this delta: the curve's tail, charged as mass at infinite loss, passes it");
    }
    bound.seconds = watch.seconds();
    return bound;
  }
};

Accountant::Accountant(const Mechanism& mechanism, const Participation& participation)
    : state_(std::make_unique<State>(mechanism, participation)) {}
Accountant::~Accountant() = default;
Accountant::Accountant(Accountant&&) noexcept = default;
Accountant& Accountant::operator=(Accountant&&) noexcept = default;

std::optional<double> Accountant::upper(std::uint64_t rounds, const Question& question) const {
  return state_->least(rounds, question, &ComposedCurve::upper);
}

std::optional<double> Accountant::rough_upper(std::uint64_t rounds, const Question& question) const {
  return state_->least(rounds, question, &ComposedCurve::rough_upper);
}

double Accountant::epsilon_upper(std::uint64_t rounds, Delta delta) const {
  return upper(rounds, {Question::Kind::epsilon_at_delta, delta.value()})
      .value_or(std::numeric_limits<double>::infinity());
}

Statement Accountant::account(std::uint64_t rounds, const Question& question, std::optional<View> asked,
                              bool as_published) const {
  require_valid(question);
  const View own = own_view(state_->participation);
  const View view = asked.value_or(own);
  const bool amplified = sees_no_more(view, own);
  if (!amplified && view != View::shuffler_colludes) {
    throw Error(ErrorCode::uncovered, "view", name_of(view),
                fmt::format("{}, shuffler-colludes", name_of(own)),
                fmt::format("no theorem covers {} in this view", name_of(state_->participation)));
  }
  Statement statement{question, rounds, {}, std::nullopt, rounds, {}};
  if (rounds == 0) {
    Bound nothing;
    nothing.id = "local-composition";
    nothing.view = view;
    nothing.upper = nothing.lower = 0;
    nothing.assumptions = {"nothing is released"};
    statement.local = 0;
    statement.best = nothing;
    statement.all = {nothing};
    return statement;
  }

  Bound local = state_->local_bound(rounds, question, view);
  statement.local = local.upper;
  if (state_->uppers.empty() && !state_->missing.empty()) {
    local.assumptions.push_back(state_->missing);
  }
  statement.all.push_back(std::move(local));
  if (amplified) {
    for (const State::Upper& upper : state_->uppers) {
      statement.all.push_back(state_->upper_bound(upper, rounds, question, view));
    }
  }
  // A lower bound for an adversary who sees less holds for one who sees more, not the other way round.
  double lower = 0;
  if (sees_no_more(own, view)) {
    for (const State::Lower& pair : state_->lowers) {
      const Stopwatch watch;
      Bound bound;
      bound.id = pair.pair.id;
      bound.view = view;
      bound.citation = pair.pair.citation;
      bound.assumptions = pair.pair.assumptions;
      bound.lower = pair.composed.lower(rounds, question);
      bound.seconds = watch.seconds();
      lower = std::max(lower, *bound.lower);
      statement.all.push_back(std::move(bound));
    }
  }
  if (as_published) {
    for (Bound& bound : comparisons(state_->mechanism, state_->participation, rounds, question)) {
      bound.view = view;
      // Proven for the participation's own view: they hold for whoever sees less, for nobody who sees more.
      if (bound.validity != Validity::proven || amplified) {
        statement.all.push_back(std::move(bound));
      }
    }
  }
  for (Bound& bound : statement.all) {
    if (bound.validity == Validity::proven && bound.upper) {
      bound.lower = lower;
      if (lower > *bound.upper) {
        throw Error(ErrorCode::internal, bound.id, fmt::format("{:.17g}", *bound.upper),
                    fmt::format(">= {:.17g}", lower),
                    "an upper bound fell below a lower one: this is a defect");
      }
    }
  }
  std::stable_sort(statement.all.begin(), statement.all.end(), comes_before);
  statement.best = statement.all.front();
  if (!statement.best.upper) {
    statement.best.assumptions.push_back("no finite upper bound: every theorem's tail passes this delta");
  }
  return statement;
}

}  // namespace muster::accounting
