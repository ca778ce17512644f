#include "muster/accounting/accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>
#include <string>
#include <utility>

#include "muster/accounting/gate/gate.h"
#include "muster/accounting/theorems/applicable.h"
#include "muster/accounting/theorems/local/local.h"
#include "muster/accounting/timed.h"
#include "muster/composition/composed_curve.h"
#include "muster/core/error.h"
#include "muster/numerics/ordered.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

// The share of a table's work (round_curve.h) for a bound that is not charged, only shown
// beside the others.
constexpr double kShareOfUncharged = 0.25;

constexpr double kNothing = 1e-290;  // deltas below this have a lower value of 0

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// Orders bounds: proven ones first, then by their upper value, where none counts as infinity.
bool comes_before(const Bound& a, const Bound& b) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return std::make_pair(a.validity, a.upper.value_or(kNone)) <
         std::make_pair(b.validity, b.upper.value_or(kNone));
}

// The largest lower value of the accountant's own bounds.
double lower_of(const Statement& statement) {
  double lower = 0;
  for (const Bound& bound : statement.all) lower = larger(lower, bound.lower.value_or(0));
  return lower;
}

// Gives every proven upper bound the statement's lower value, and puts the best bound first. Throws
// Error(internal) if a bound is below that value.
void settle(Statement& statement, double lower) {
  for (Bound& bound : statement.all) {
    if (bound.validity == Validity::proven && bound.upper) {
      bound.lower = lower;
      bound.numerical_error = smaller(bound.numerical_error, larger(0.0, *bound.upper - lower));
      if (!(lower <= *bound.upper)) {
        throw Error(ErrorCode::internal, bound.id, fmt::format("{:.17g}", *bound.upper),
                    fmt::format(">= {:.17g}", lower),
                    "an upper bound fell below a lower one: this is a defect, and nothing is reported");
      }
    }
  }
  std::stable_sort(statement.all.begin(), statement.all.end(), comes_before);
  statement.best = statement.all.front();
  if (!statement.best.upper) {
    statement.best.assumptions.push_back("no finite upper bound: every theorem's tail passes this delta");
  }
}

void require_valid(const Question& question) {
  if (question.asks_epsilon()) {
    Delta::of(question.fixed);
  } else {
    Epsilon::of(question.fixed);
  }
}

}  // namespace

struct Accountant::State {
  struct Upper {
    explicit Upper(RoundBound b)
        : bound(std::move(b)),
          composed(bound.delta, bound.knot, bound.is_dominated ? kShareOfUncharged : 1),
          typed(bound.types) {}
    double upper(std::uint64_t rounds, const Question& question) const {
      return uses_types(rounds) ? typed.upper(rounds, question) : composed.upper(rounds, question);
    }
    double rough_upper(std::uint64_t rounds, const Question& question) const {
      return uses_types(rounds) ? typed.rough_upper(rounds, question)
                                : composed.rough_upper(rounds, question);
    }
    double delta_at(std::uint64_t rounds, double delta, double epsilon) const {
      return uses_types(rounds) ? typed.delta_at(rounds, delta, epsilon)
                                : composed.delta_at(rounds, delta, epsilon);
    }
    double from_below(std::uint64_t rounds, const Question& question, double value) const {
      return uses_types(rounds) ? typed.from_below(rounds, question, value)
                                : composed.from_below(rounds, question, value);
    }
    bool uses_types(std::uint64_t rounds) const { return bound.types && rounds > 1; }
    bool charged() const { return bound.validity == Validity::proven && !bound.is_dominated; }
    RoundBound bound;
    ComposedCurve composed;
    TypedRounds typed;  // used where the bound has types, for more than one round
  };
  struct Lower {
    Lower(RoundPair p, double share) : pair(std::move(p)), composed(pair.forward, pair.reverse, share) {}
    RoundPair pair;
    ComposedPair composed;
  };
  // All bounds that hold for one view, and the view's gate.
  struct InView {
    InView(const Mechanism& m, const Participation& p, View v) : view(v), gate(m, {p}, v) {
      Applicable found = applicable(m, p, v);
      missing = std::move(found.missing);
      for (RoundBound& bound : found.uppers) {
        uppers.emplace_back(std::move(bound));
      }
      for (RoundPair& pair : found.lowers) {
        lowers.emplace_back(std::move(pair), 1 / static_cast<double>(found.lowers.size()));
      }
    }
    View view;
    Gate gate;
    std::list<Upper> uppers;  // lists, because the tables inside cannot be moved
    std::list<Lower> lowers;
    std::string missing;
  };

  Mechanism mechanism;
  Participation participation;
  mutable std::mutex mutex;
  mutable std::list<InView> views;  // those that were asked for

  State(const Mechanism& m, const Participation& p) : mechanism(m), participation(p) { in(own_view(p)); }

  const InView& in(View view) const {
    const std::lock_guard lock(mutex);
    const auto known = std::ranges::find(views, view, &InView::view);
    return known != views.end() ? *known : views.emplace_back(mechanism, participation, view);
  }

  double local(std::uint64_t rounds, const Question& question) const {
    const Rate rate = message_rate(participation);
    return question.asks_epsilon() ? local_epsilon_upper(mechanism, rate, rounds, question.fixed)
                                   : local_delta_upper(mechanism, rate, rounds, question.fixed);
  }

  // A bound's own answer, which has passed the gate.
  static double checked(const InView& in, const Upper& upper, std::uint64_t rounds,
                        const Question& question) {
    const double value = upper.upper(rounds, question);
    if (upper.bound.validity == Validity::proven) {
      in.gate.check(upper.bound.id, rounds, question, value,
                    [&](double epsilon) { return upper.delta_at(rounds, question.fixed, epsilon); });
    }
    return value;
  }

  double checked_local(const InView& in, std::uint64_t rounds, const Question& question) const {
    const double value = local(rounds, question);
    in.gate.check("local-composition", rounds, question, value);
    return value;
  }

  Bound local_bound(const InView& in, std::uint64_t rounds, const Question& question) const {
    const Stopwatch watch;
    Bound bound;
    bound.id = "local-composition";
    bound.view = in.view;
    bound.assumptions = {"no amplification: holds even if the shuffler colludes with the aggregator"};
    bound.citation =
        std::holds_alternative<GaussianLocal>(mechanism)
            ? "Dong, Roth, Su, JRSS-B 2022, Corollary 3.3, mixed over the number of participations"
            : "Kairouz, Oh, Viswanath, ICML 2015, Theorem 3.3, mixed over the number of participations";
    add_assumptions(mechanism, bound.assumptions);
    bound.upper = finite(checked_local(in, rounds, question));
    bound.seconds = watch.seconds();
    return bound;
  }

  static Bound upper_bound(const InView& in, const Upper& upper, std::uint64_t rounds,
                           const Question& question) {
    const Stopwatch watch;
    Bound bound;
    bound.id = upper.bound.id;
    bound.view = in.view;
    bound.validity = upper.bound.validity;
    bound.neighbouring = upper.bound.neighbouring;
    bound.citation = upper.bound.citation;
    if (upper.uses_types(rounds)) {
      bound.citation += fmt::format("; {} rounds", rounds);
    } else if (rounds > 1) {
      bound.citation +=
          fmt::format("; its dominating pair composed {} times, docs/theory/composition.md", rounds);
    }
    bound.assumptions = upper.bound.assumptions;
    const double value = checked(in, upper, rounds, question);
    if (std::isfinite(value)) {
      bound.upper = value;
      bound.numerical_error = larger(0.0, value - upper.from_below(rounds, question, value));
    } else {
      bound.assumptions.emplace_back(
          "none at this delta: the curve's tail, charged as mass at infinite loss, passes it");
    }
    bound.seconds = watch.seconds();
    return bound;
  }

  // The lower value of a single test of one round. It is hardly ever the largest one, but it always exists.
  static Bound floor_bound(const InView& in, const Question& question) {
    const Stopwatch watch;
    Bound bound;
    bound.id = "one-bit-test";
    bound.view = in.view;
    bound.citation = "one distinguishing test of one round, in closed form; docs/theory/floor.md";
    bound.assumptions = {"a lower bound: upper is none"};
    bound.lower = in.gate.floor(question);
    bound.seconds = watch.seconds();
    return bound;
  }

  // `upper`: a proven upper value. If that is a delta below kNothing, the lower value is 0.
  static Bound lower_bound(const InView& in, const Lower& pair, std::uint64_t rounds,
                           const Question& question, std::optional<double> upper) {
    const Stopwatch watch;
    Bound bound;
    bound.id = pair.pair.id;
    bound.view = in.view;
    bound.citation = pair.pair.citation;
    bound.assumptions = pair.pair.assumptions;
    const bool nothing = !question.asks_epsilon() && upper && *upper < kNothing;
    bound.lower = nothing ? 0 : pair.composed.lower(rounds, question, upper.value_or(1));
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
  require_valid(question);
  if (rounds == 0) return 0;
  const State::InView& in = state_->in(own_view(state_->participation));
  double least = state_->checked_local(in, rounds, question);
  for (const State::Upper& upper : in.uppers) {
    if (upper.charged()) least = smaller(least, State::checked(in, upper, rounds, question));
  }
  return finite(least);
}

std::optional<double> Accountant::rough_upper(std::uint64_t rounds, const Question& question) const {
  require_valid(question);
  if (rounds == 0) return 0;
  double least = state_->local(rounds, question);
  for (const State::Upper& upper : state_->in(own_view(state_->participation)).uppers) {
    if (upper.charged()) least = smaller(least, upper.rough_upper(rounds, question));
  }
  return finite(least);
}

double Accountant::epsilon_upper(std::uint64_t rounds, Delta delta) const {
  return upper(rounds, {Question::Kind::epsilon_at_delta, delta.value()})
      .value_or(std::numeric_limits<double>::infinity());
}

Statement Accountant::account(std::uint64_t rounds, const Question& question,
                              std::optional<View> asked) const {
  require_valid(question);
  const View own = own_view(state_->participation);
  const State::InView& in = state_->in(asked.value_or(own));
  Statement statement{question, rounds, {}, std::nullopt, rounds, {}};
  if (rounds == 0) {
    Bound nothing;
    nothing.id = "local-composition";
    nothing.view = in.view;
    nothing.upper = nothing.lower = 0;
    nothing.assumptions = {"nothing is released"};
    statement.local = 0;
    statement.best = nothing;
    statement.all = {nothing};
    return statement;
  }

  Bound local = state_->local_bound(in, rounds, question);
  statement.local = local.upper;
  if (in.uppers.empty() && !in.missing.empty()) {
    local.assumptions.push_back(in.missing);
  }
  statement.all.push_back(std::move(local));
  std::optional<double> charged = statement.local;  // the smallest charged bound so far
  for (const State::Upper& upper : in.uppers) {
    Bound bound = State::upper_bound(in, upper, rounds, question);
    if (upper.charged() && bound.upper && (!charged || *bound.upper < *charged)) charged = bound.upper;
    // This bound is provably no smaller than another one of the list; where its tables say otherwise, that
    // is their numerical error.
    if (!upper.charged() && bound.upper && charged) bound.upper = larger(*bound.upper, *charged);
    statement.all.push_back(std::move(bound));
  }
  for (const State::Lower& pair : in.lowers) {
    statement.all.push_back(State::lower_bound(in, pair, rounds, question, charged));
  }
  if (lower_of(statement) == 0) statement.all.push_back(State::floor_bound(in, question));
  settle(statement, lower_of(statement));
  return statement;
}

Statement Accountant::merge(Statement statement, std::vector<Bound> others) const {
  if (statement.rounds == 0) return statement;
  const State::InView& in = state_->in(statement.best.view);
  const double lower = lower_of(statement);  // lower values of the other bounds are not used
  const bool sees_more = in.view == View::shuffler_colludes && own_view(state_->participation) != in.view;
  for (Bound& bound : others) {
    const bool proven = bound.validity == Validity::proven;
    if (proven && sees_more) continue;
    if (proven && bound.upper) in.gate.check(bound.id, statement.rounds, statement.question, *bound.upper);
    bound.view = in.view;
    statement.all.push_back(std::move(bound));
  }
  settle(statement, lower);
  return statement;
}

}  // namespace muster::accounting
