#include "tests/reference/compare.h"

#include <fmt/format.h>

#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/theorems/applicable.h"
#include "tests/reference/theorem.h"

namespace muster::reference {
namespace {

using accounting::View;
using protocols::Protocol;
using protocols::RandomizerKind;
using Shape = Experiment::Shape;
using Seen = Experiment::Seen;

constexpr long double kRelativeMargin = 1e-12L;  // relative tolerance of a delta

Randomizer randomizer_of(const Question& q) {
  Randomizer r;
  r.epsilon0 = q.epsilon0;
  r.sigma = q.sigma;
  if (q.is_gaussian()) r.kind = Randomizer::Kind::gaussian;
  if (q.randomizer == RandomizerKind::laplace) r.kind = Randomizer::Kind::laplace;
  if (q.randomizer == RandomizerKind::k_rr) r.symbols = static_cast<double>(q.k);
  return r;
}

Shape shape_of(const Question& q) {
  switch (q.protocol) {
    case Protocol::shuffle:
      return Shape::everybody;
    case Protocol::subset:
      return q.subset == q.clients ? Shape::everybody : Shape::subset;
    case Protocol::random_check_in_fixed:
      return Shape::fixed_slots;
    case Protocol::random_check_in_sliding:
      return Shape::sliding_slots;
    default:
      return Shape::coins;
  }
}

// For one round, the lower end of the divergence of each of the library's own data sets (its dominated pairs)
// must not be above an upper bound that holds for every data set (theorem.h). The library's lower values are
// composed of these curves.
void compare_lower_pairs(const Question& q, const std::vector<Repetition>& stages, double epsilon,
                         Verdict& verdict) {
  if (stages.size() != 1 || !(epsilon >= 0)) return;
  const long double above = delta_from_above(stages.front().experiment, 1, epsilon);
  if (!(above < 1)) return;
  const protocols::Plan plan = plan_of(q);
  const accounting::Applicable found =
      accounting::applicable(plan.mechanism(), plan.stages().front().participation, q.seen());
  for (const accounting::RoundPair& pair : found.lowers) {
    const double forward = pair.forward(epsilon).lower, reverse = pair.reverse(epsilon).lower;
    for (const double claimed : {forward, reverse}) {
      if (claimed <= above * (1 + kRelativeMargin)) continue;
      verdict.findings.push_back({Finding::Kind::too_small,
                                  "a data set's divergence is not above the truth",
                                  fmt::format("{} at epsilon {:.17g}: {:.17g}, at most {:.17g}", pair.id,
                                              epsilon, claimed, static_cast<double>(above)),
                                  {command_line(q)}});
    }
  }
}

}  // namespace

std::vector<Repetition> experiments_of(const Question& q) {
  if (q.protocol == Protocol::random_check_in_sliding && q.clients < q.slots)
    return {};  // no slot of the run is released, so there is nothing to compare
  Experiment e;
  e.randomizer = randomizer_of(q);
  e.shape = shape_of(q);
  e.seen = q.seen() == View::shuffler_colludes ? Seen::own_message
           : q.seen() == View::sum_only        ? Seen::sums
                                               : Seen::messages;
  e.clients = static_cast<double>(q.clients);
  e.coin = q.checks_in() ? q.rate : 1;
  e.least_coin = q.least_rate.value_or(e.coin);
  e.subset = static_cast<double>(q.subset);
  e.slots = static_cast<double>(q.slots);
  e.minimum = static_cast<double>(q.minimum);
  // The sum of one message is the message.
  const bool one =
      (e.shape == Shape::everybody && q.clients == 1) || (e.shape == Shape::subset && q.subset == 1);
  if (e.seen == Seen::sums && one) e.seen = Seen::messages;
  std::vector<Repetition> stages;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, q.dropout.size()); ++i) {
    if (!q.dropout.empty()) e.loss = q.dropout[i].second;
    const std::uint64_t begins = q.dropout.empty() ? 1 : q.dropout[i].first;
    const std::uint64_t ends = i + 1 < q.dropout.size() ? q.dropout[i + 1].first : q.rounds + 1;
    if (begins > q.rounds) break;
    stages.push_back({e, static_cast<double>(std::min(ends, q.rounds + 1) - begins)});
  }
  return stages;
}

namespace {

accounting::Statement charged_in_training(const Question& q) {
  const protocols::Plan plan = plan_of(q);
  const accounting::Accountant accountant(plan.mechanism(), plan.stages().front().participation);
  accounting::Statement statement{asked(q), plan.rounds(), {}, std::nullopt, 0, {}};
  statement.best.id = "training";
  statement.best.upper = accountant.upper(plan.rounds(), asked(q));
  return statement;
}

// Compares the upper value with the divergences of data sets, and the lower value with upper bounds that hold
// for every data set.
void compare_answer(const Question& q, const std::vector<Repetition>& stages, const Answer& answer,
                    Verdict& verdict) {
  const auto add = [&](const char* check, std::string detail) {
    verdict.findings.push_back({Finding::Kind::too_small, check, std::move(detail), {command_line(q)}});
  };
  const double epsilon = q.asks_epsilon ? answer.upper() : q.fixed,
               delta = q.asks_epsilon ? q.fixed : answer.upper();
  if (std::isfinite(epsilon) && std::isfinite(delta)) {
    verdict.checks.emplace_back("never below the reference");
    const long double least = certified_delta(stages, epsilon, delta);
    if (!(least <= delta * (1 + kRelativeMargin))) {
      add("never below the reference",
          fmt::format("({:.17g}, {:.17g}) by {}: delta is at least {:.12g}", epsilon, delta,
                      answer.statement.best.id, static_cast<double>(least)));
    }
    if (least > 0) verdict.ratio = static_cast<double>(delta / least);
  }
  if (const double lower = answer.lower(); lower > 0 && stages.size() == 1) {
    verdict.checks.emplace_back("a lower value is not above the truth");
    const double at = q.asks_epsilon ? lower : q.fixed, claimed = q.asks_epsilon ? q.fixed : lower;
    const long double above = delta_from_above(stages.front().experiment, stages.front().rounds, at);
    if (!(claimed <= above * (1 + kRelativeMargin))) {
      add("a lower value is not above the truth",
          fmt::format("{:.17g} is claimed at epsilon {:.17g}, where delta is at most {:.12g}", claimed, at,
                      static_cast<double>(above)));
    }
  }
}

}  // namespace

void compare(const Question& q, const Answer& answer, Verdict& verdict) {
  if (answer.kind == Answer::Kind::refused || q.rounds == 0) return;
  const std::vector<Repetition> stages = experiments_of(q);
  if (stages.empty()) return;
  const double before = processor_seconds();
  if (answer.answered()) {
    compare_answer(q, stages, answer, verdict);
  } else if (q.seen() == q.own_view() && !q.has_schedule()) {
    // The statement ended in an internal error: compare what training would have charged.
    const Answer charged = caught([&] { return charged_in_training(q); });
    if (charged.answered()) compare_answer(q, stages, charged, verdict);
  }
  if (!q.asks_epsilon || (answer.answered() && std::isfinite(answer.upper()))) {
    compare_lower_pairs(q, stages, q.asks_epsilon ? answer.upper() / 2 : q.fixed, verdict);
  }
  verdict.compare_seconds = processor_seconds() - before;
}

}  // namespace muster::reference
