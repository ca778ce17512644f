#include "muster/accounting/view_bounds.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/work.h"
#include "muster/theorems/applicable.h"

namespace muster::accounting {
namespace {

// A table of a bound that is only shown, not charged, may take this share of the work of a full table
// (composition/round_curve.h).
constexpr double kShareOfUncharged = 0.25;
// The tables of all lower bounds together may take this share of that work.
constexpr double kShareOfLowers = 0.75;

constexpr double kNothing = 1e-290;  // if the upper delta is below this, the lower delta given is 0

// Makes a bound with the id, the citation and the assumptions of a RoundBound or a RoundPair, and no values
// yet.
template <typename OfRound>
Bound labelled(const OfRound& of, View view) {
  Bound bound;
  bound.id = of.id;
  bound.view = view;
  bound.citation = of.citation;
  bound.assumptions = of.assumptions;
  return bound;
}

}  // namespace

ComposedUpper::ComposedUpper(RoundBound round)
    : round_(std::move(round)),
      composed_(round_.delta, round_.knot, round_.is_dominated ? kShareOfUncharged : round_.share,
                round_.fine_if_large),
      typed_(round_.types) {}

bool ComposedUpper::charged() const { return round_.validity == Validity::proven && !round_.is_dominated; }

double ComposedUpper::upper(const Gate& gate, std::uint64_t rounds, const Question& question) const {
  const double value =
      uses_types(rounds) ? typed_.upper(rounds, question) : composed_.upper(rounds, question);
  if (round_.validity == Validity::proven) {
    gate.check(round_.id, rounds, question, value,
               [&](double epsilon) { return delta_at(rounds, question.fixed(), epsilon); });
  }
  return value;
}

double ComposedUpper::rough_upper(std::uint64_t rounds, const Question& question) const {
  return uses_types(rounds) ? typed_.rough_upper(rounds, question) : composed_.rough_upper(rounds, question);
}

double ComposedUpper::delta_at(std::uint64_t rounds, double delta, double epsilon) const {
  return uses_types(rounds) ? typed_.delta_at(rounds, delta, epsilon)
                            : composed_.delta_at(rounds, delta, epsilon);
}

double ComposedUpper::estimate(std::uint64_t rounds, const Question& question, double upper) const {
  return uses_types(rounds) ? typed_.estimate(rounds, question, upper)
                            : composed_.estimate(rounds, question, upper);
}

Bound ComposedUpper::bound(View view, const Gate& gate, std::uint64_t rounds,
                           const Question& question) const {
  const Stopwatch watch;
  const double before = numerics::work_done();
  Bound bound = labelled(round_, view);
  bound.validity = round_.validity;
  bound.neighbouring = round_.neighbouring;
  if (uses_types(rounds)) {
    bound.citation += fmt::format("; {} rounds", rounds);
  } else if (rounds > 1) {
    bound.citation +=
        fmt::format("; its dominating pair composed {} times, docs/theory/composition.md", rounds);
  }
  const double value = upper(gate, rounds, question);
  if (std::isfinite(value)) {
    bound.upper = value;
    bound.numerical_error = numerics::larger(0.0, value - estimate(rounds, question, value));
  } else {
    bound.assumptions.emplace_back(
        "none at this delta: the curve's tail, charged as mass at infinite loss, passes it");
  }
  most_work_ = numerics::larger(most_work_.load(), numerics::work_done() - before);
  bound.seconds = watch.seconds();
  return bound;
}

Bound ComposedUpper::left_out(View view) const {
  Bound bound = labelled(round_, view);
  bound.validity = round_.validity;
  bound.neighbouring = round_.neighbouring;
  bound.assumptions.emplace_back(
      "not computed: it is provably at least as large as another bound here, which took much work");
  return bound;
}

ComposedLower::ComposedLower(RoundPair pair, double share)
    : pair_(std::move(pair)), composed_(pair_.forward, pair_.reverse, share) {}

Bound ComposedLower::bound(View view, std::uint64_t rounds, const Question& question,
                           std::optional<double> upper) const {
  const Stopwatch watch;
  Bound bound = labelled(pair_, view);
  bound.validity = Validity::proven;
  const bool nothing = !question.asks_epsilon() && upper && *upper < kNothing;
  bound.lower = nothing ? 0 : composed_.lower(rounds, question, upper.value_or(1));
  bound.seconds = watch.seconds();
  return bound;
}

ViewBounds::ViewBounds(const Mechanism& mechanism, const Participation& participation, View seen)
    : view(seen), gate(mechanism, {participation}, seen) {
  Applicable found = applicable(mechanism, participation, seen);
  missing = std::move(found.missing);
  for (RoundBound& bound : found.uppers) {
    uppers.emplace_back(std::move(bound));
  }
  for (RoundPair& pair : found.lowers) {
    lowers.emplace_back(std::move(pair), kShareOfLowers / static_cast<double>(found.lowers.size()));
  }
}

}  // namespace muster::accounting
