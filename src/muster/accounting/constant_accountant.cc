#include "muster/accounting/constant_accountant.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "muster/accounting/sorted_bounds.h"
#include "muster/accounting/timed.h"
#include "muster/numerics/ordered.h"
#include "muster/theorems/entry.h"
#include "muster/theorems/local/local.h"

namespace muster::accounting {
namespace {

using numerics::larger;
using numerics::smaller;

// Once the charged bounds have taken this much work (numerics/work.h), about a second, bounds that
// are only shown are left out.
constexpr double kMuchWork = 2.8e9;

// Makes a bound of the gate's floor, which is the lower value that a single distinguishing test of one
// round gives. It is hardly ever the largest lower value, but it always exists.
Bound floor_bound(const ViewBounds& in, const Question& question) {
  const Stopwatch watch;
  Bound bound;
  bound.id = "one-bit-test";
  bound.validity = Validity::proven;
  bound.view = in.view;
  bound.citation = "one distinguishing test of one round, in closed form; docs/theory/floor.md";
  bound.assumptions = {kLowerAlone};
  bound.lower = in.gate.floor(question);
  bound.seconds = watch.seconds();
  return bound;
}

Statement nothing_released(const Question& question, View view) {
  Bound nothing;
  nothing.id = "local-composition";
  nothing.validity = Validity::proven;
  nothing.view = view;
  nothing.upper = nothing.lower = 0;
  nothing.citation = "the definition of differential privacy alone";
  nothing.assumptions = {"nothing is released"};
  return {question, 0, nothing, 0, 0, {nothing}};
}

}  // namespace

ConstantAccountant::ConstantAccountant(const Mechanism& mechanism, const Participation& participation)
    : mechanism_(mechanism), participation_(participation), local_(mechanism, message_rate(participation)) {
  in(own());
}

const ViewBounds& ConstantAccountant::in(View view) const {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(views_, view, &ViewBounds::view);
  return known != views_.end() ? *known : views_.emplace_back(mechanism_, participation_, view);
}

Gate ConstantAccountant::gate(std::uint64_t /*rounds*/, View view) const { return in(view).gate; }

std::string ConstantAccountant::unamplified() const {
  const ViewBounds& in = this->in(own());
  return in.uppers.empty() && !in.missing.empty() ? "all rounds: " + in.missing : "";
}

double ConstantAccountant::local(std::uint64_t rounds, const Question& question) const {
  return local_.upper(rounds, question);
}

double ConstantAccountant::checked_local(const ViewBounds& in, std::uint64_t rounds,
                                         const Question& question) const {
  const double value = local(rounds, question);
  in.gate.check("local-composition", rounds, question, value);
  return value;
}

Bound ConstantAccountant::local_bound(const ViewBounds& in, std::uint64_t rounds,
                                      const Question& question) const {
  const Stopwatch watch;
  Bound bound;
  bound.id = "local-composition";
  bound.validity = Validity::proven;
  bound.view = in.view;
  bound.assumptions = {kNoAmplification};
  bound.citation =
      std::holds_alternative<ProfileLocal>(mechanism_)
          ? "the profile's dominating pair composed, with public participations; docs/theory/local.md"
      : std::holds_alternative<GaussianLocal>(mechanism_)
          ? "Dong, Roth, Su, JRSS-B 2022, Corollary 3.3, mixed over the number of participations"
          : "Kairouz, Oh, Viswanath, ICML 2015, Theorem 3.3, mixed over the number of participations";
  add_assumptions(mechanism_, bound.assumptions);
  if (in.uppers.empty() && !in.missing.empty()) {
    bound.assumptions.push_back(in.missing);
  }
  bound.upper = finite(checked_local(in, rounds, question));
  bound.seconds = watch.seconds();
  return bound;
}

std::optional<double> ConstantAccountant::upper(std::uint64_t rounds, const Question& question) const {
  if (rounds == 0) return 0;
  const ViewBounds& in = this->in(own());
  double least = checked_local(in, rounds, question);
  for (const ComposedUpper& upper : in.uppers) {
    if (upper.charged()) least = smaller(least, upper.upper(in.gate, rounds, question));
  }
  return finite(least);
}

std::optional<double> ConstantAccountant::rough_upper(std::uint64_t rounds, const Question& question) const {
  if (rounds == 0) return 0;
  double least = local(rounds, question);
  for (const ComposedUpper& upper : in(own()).uppers) {
    if (upper.charged()) least = smaller(least, upper.rough_upper(rounds, question));
  }
  return finite(least);
}

Statement ConstantAccountant::account(std::uint64_t rounds, const Question& question,
                                      std::optional<View> asked) const {
  const ViewBounds& in = this->in(asked.value_or(own()));
  if (rounds == 0) return nothing_released(question, in.view);
  Statement statement{question, rounds, {}, std::nullopt, rounds, {}};
  statement.all.push_back(local_bound(in, rounds, question));
  statement.local_upper = statement.all.front().upper;
  std::optional<double> charged =
      statement.local_upper;  // the smallest upper value of a charged bound so far
  double work = 0;            // the work that the charged bounds so far took
  for (const ComposedUpper& upper : in.uppers) {
    if (!upper.charged() && work > kMuchWork) {
      statement.all.push_back(upper.left_out(in.view));
      continue;
    }
    Bound bound = upper.bound(in.view, in.gate, rounds, question);
    if (upper.charged()) work += upper.most_work();
    if (upper.charged() && bound.upper && (!charged || *bound.upper < *charged)) charged = bound.upper;
    // An uncharged bound is provably at least as large as another bound of the list. If its computed value
    // is smaller, the cause is numerical error of the tables.
    if (!upper.charged() && bound.upper && charged) bound.upper = larger(*bound.upper, *charged);
    statement.all.push_back(std::move(bound));
  }
  for (const ComposedLower& pair : in.lowers) {
    statement.all.push_back(pair.bound(in.view, rounds, question, charged));
  }
  if (lower_of(statement) == 0) statement.all.push_back(floor_bound(in, question));
  sort_bounds(statement, lower_of(statement));
  return statement;
}

}  // namespace muster::accounting
