// Relations between different ways to ask the same question: the answers of the command, of training, of
// calibration and of schedules must agree.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "muster/accounting/accountant.h"
#include "muster/accounting/running_accountant.h"
#include "muster/core/error.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/plan/source.h"
#include "tests/reference/relations.h"

namespace muster::reference {
namespace {

using accounting::Accountant;
using accounting::RunningAccountant;
using accounting::Stage;
using protocols::Knob;
using protocols::Protocol;
using protocols::RandomizerKind;

constexpr double kRelativeMargin = 1e-9;  // relative tolerance for the rounding errors of answers
constexpr double kSearched = 0.02;        // relative error of an epsilon that a search found
// Deltas below kFaint are not compared. Where a round's delta is below 1e-42, the library's tables are coarse
// (kFarTail in composition/round_curve.cc), and there are up to 10^9 rounds.
constexpr double kFaint = 1e-33;
// A relative shift of epsilon, a tenth of the distance between a table's nodes.
constexpr double kMoved = 1e-3;
// No epsilon is asked at a delta above kNearlyOne: 1 - delta has too few digits left for a search.
constexpr double kNearlyOne = 1 - 1e-8;

bool unscheduled(const Question& q) { return !q.has_schedule(); }
bool own_view(const Question& q) { return !q.has_schedule() && q.seen() == q.own_view(); }

void add(const Case& c, Finding::Kind kind, const char* name, std::string detail,
         std::vector<std::string> more = {}) {
  more.insert(more.begin(), command_line(c.question));
  c.verdict.findings.push_back({kind, name, std::move(detail), std::move(more)});
}

// Checks a second upper value of the same quantity. A value below the lower value is a finding of kind
// too_small. A value that differs from the first upper value by more than the numerical error and the
// relative tolerance `room` is a finding of kind disorder. One difference is allowed: next to the largest
// loss, delta falls so steeply that a second table may have the same delta only at a slightly larger epsilon.
// `at`, if given, is the second delta as a function of epsilon.
void expect_same(const Case& c, const char* name, double value, double room,
                 const std::function<double(double epsilon)>& at = {}) {
  if (!(value >= c.base.lower() * (1 - kRelativeMargin))) {
    add(c, Finding::Kind::too_small, name,
        fmt::format("{:.17g} lies below the lower value {:.17g}", value, c.base.lower()));
  }
  const double upper = c.base.upper();
  if (std::isinf(value) && std::isinf(upper)) return;
  if (!c.question.asks_epsilon && std::max(value, upper) < kFaint) return;
  if (!(std::fabs(value - upper) <= c.base.error() + room * upper)) {
    if (at && !c.question.asks_epsilon && value > upper &&
        at(c.question.fixed * (1 + kMoved)) <= upper * (1 + room)) {
      return;
    }
    add(c, Finding::Kind::disorder, name,
        fmt::format("{:.17g} against {:.17g} (numerical error {:.3g}, {})", value, upper, c.base.error(),
                    c.base.statement.best.id));
  }
}

void expect_equal(const Case& c, const char* name, const Question& other) {
  Answer answer;
  if (!ask(c, other, answer)) return;
  if (answer.upper() != c.base.upper()) {
    add(c, Finding::Kind::disorder, name,
        fmt::format("{:.17g} against {:.17g}", c.base.upper(), answer.upper()), {command_line(other)});
  }
}

// Runs `body`, which asks the library. An internal error becomes a finding.
void guarded(const Case& c, const char* name, const std::function<void()>& body) {
  c.engine.announce(command_line(c.question) + "  # " + name);
  try {
    body();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::plan && error.code() != ErrorCode::uncovered) {
      add(c, Finding::Kind::died, name, error.what());
    }
  } catch (const std::exception& error) {
    add(c, Finding::Kind::died, name, error.what());
  }
}

// --- consistency of one bound ----------------------------------------------------------------------------

// Asks for delta at the epsilon that was found, or for epsilon at the delta that was found. The answer must
// not exceed the original delta or epsilon.
void there_and_back(const Case& c, const char* name) {
  if (std::isinf(c.base.upper())) return;
  Question back = c.question;
  back.asks_epsilon = !back.asks_epsilon;
  back.fixed = c.base.upper();
  if (back.asks_epsilon && !(back.fixed > 0 && back.fixed < kNearlyOne)) return;
  Answer answer;
  if (!ask(c, back, answer)) return;
  // An epsilon is found by a search, which stops a little above the exact value.
  const double room = c.question.asks_epsilon ? kRelativeMargin : kSearched;
  if (!(answer.least() * (1 - room) <= c.question.fixed)) {
    add(c, Finding::Kind::disorder, name,
        fmt::format("from {:.17g} to {:.17g} and back to {:.17g} (numerical error {:.3g})", c.question.fixed,
                    c.base.upper(), answer.upper(), answer.error()),
        {command_line(back)});
  }
  if (!(answer.lower() * (1 - kRelativeMargin) <= c.question.fixed)) {
    add(c, Finding::Kind::too_small, name,
        fmt::format("at {:.17g} the lower value {:.17g} passes {:.17g}", c.base.upper(), answer.lower(),
                    c.question.fixed),
        {command_line(back)});
  }
}

// The divergence of one message alone is a convex function of e^epsilon. The answers must be convex even for
// epsilons that differ by little: if e^epsilon were rounded to a double, they would be a step function.
bool one_message(const Question& q) {
  return !q.asks_epsilon && q.protocol == Protocol::shuffle && q.clients == 1 && q.rounds == 1 &&
         q.fixed > 0 && q.fixed < 30;
}
void convex(const Case& c, const char* name) {
  constexpr double kConvex = 1e-10;
  for (const double shortest : {0x1p-54, 0x1p-53, c.question.fixed * 0.1}) {
    const double width = std::max(shortest * c.draws.log_uniform(0.5, 2), c.question.fixed * 1e-9);
    Question middle = c.question, last = c.question;
    middle.fixed += width;
    last.fixed += 2 * width;
    Answer in_middle, at_end;
    if (!ask(c, middle, in_middle) || !ask(c, last, at_end)) return;
    const double share =
        std::expm1(middle.fixed - c.question.fixed) / std::expm1(last.fixed - c.question.fixed);
    const double chord = c.base.upper() + share * (at_end.upper() - c.base.upper());
    if (!(in_middle.upper() <= chord * (1 + kConvex))) {
      add(c, Finding::Kind::disorder, name,
          fmt::format("{:.17g} lies above the chord's {:.17g}", in_middle.upper(), chord),
          {command_line(middle), command_line(last)});
      return;
    }
  }
}

// --- plans that mean the same ----------------------------------------------------------------------------

bool one_loss(const Question& q) { return q.checks_in() && !q.has_schedule() && q.rounds > 1; }
void constant_schedule(const Case& c, const char* name) {
  Question other = c.question;
  const double loss = other.dropout.empty() ? 0 : other.dropout.front().second;
  other.dropout = {{1, loss}, {1 + other.rounds / 2, loss}};
  if (other.dropout[1].first == 1) other.dropout[1].first = 2;
  expect_equal(c, name, other);
}

bool everybody(const Question& q) {
  return q.protocol == Protocol::shuffle || (q.protocol == Protocol::subset && q.subset == q.clients) ||
         (q.protocol == Protocol::shuffled_check_in && q.rate == 1 && !q.least_rate && q.dropout.empty());
}
void everybody_reports(const Case& c, const char* name) {
  Question other = c.question;
  other.dropout.clear();
  other.protocol = c.question.protocol == Protocol::shuffle ? Protocol::shuffled_check_in : Protocol::shuffle;
  other.rate = 1;
  expect_equal(c, name, other);
}

bool class_c_alone(const Question& q) { return q.is_class_c() && q.randomizer != RandomizerKind::k_rr; }
void any_of_class_c(const Case& c, const char* name) {
  Question other = c.question;
  other.randomizer =
      other.randomizer == RandomizerKind::linf ? RandomizerKind::ldp_sgd : RandomizerKind::linf;
  expect_equal(c, name, other);
}

// An interval of nearly equal rates must not cost less than its highest rate alone.
bool one_rate(const Question& q) {
  return q.checks_in() && !q.least_rate && !q.has_schedule() && q.rate > 1e-14 && q.rate < 1;
}
void nearly_equal_rates(const Case& c, const char* name) {
  Question other = c.question;
  other.least_rate = c.draws.chance(0.5) ? std::nextafter(other.rate, 0.0) : other.rate * (1 - 1e-12);
  Answer answer;
  if (!ask(c, other, answer)) return;
  expect_no_more(c, name, c.question, c.base, other, answer);
}

// --- the library's accountants ---------------------------------------------------------------------------

// An accountant that is kept, as training keeps one, must give the same answer as `muster account`, even if
// it was asked about another number of rounds before.
void training(const Case& c, const char* name) {
  guarded(c, name, [&] {
    const protocols::Plan plan = plan_of(c.question);
    const Accountant accountant(plan.mechanism(), plan.stages().front().participation);
    if (plan.rounds() > 1 && c.draws.chance(0.5)) accountant.upper(plan.rounds() / 2, asked(c.question));
    const auto value = accountant.upper(plan.rounds(), asked(c.question));
    if (value) expect_same(c, name, *value, 1e-3);
  });
}

// An accountant of two stages with the same participation must agree with one of a single stage. It is made
// directly, because a plan would join the stages.
void stages(const Case& c, const char* name) {
  guarded(c, name, [&] {
    const protocols::Plan plan = plan_of(c.question);
    const auto who = plan.stages().front().participation;
    const std::uint64_t first = 1 + c.draws.below(plan.rounds() - 1);
    const Accountant accountant(plan.mechanism(), {Stage{who, first}, Stage{who, plan.rounds() - first}});
    const accounting::Statement statement = accountant.account(asked(c.question), c.question.view);
    if (!statement.best.upper) return;
    expect_same(c, name, *statement.best.upper, 0.02, [&](double epsilon) {
      return accountant.account({accounting::Question::Kind::delta_at_epsilon, epsilon}, c.question.view)
          .best.upper.value_or(INFINITY);
    });
  });
}
bool several_rounds(const Question& q) { return own_view(q) && q.rounds > 1; }

void running(const Case& c, const char* name) {
  guarded(c, name, [&] {
    const protocols::Plan plan = plan_of(c.question);
    const double delta =
        c.question.asks_epsilon ? c.question.fixed : std::min(0.5, std::max(1e-300, c.base.upper()));
    RunningAccountant accountant(Delta::of(delta));
    accountant.charge(plan.mechanism(), plan.stages().front().participation, plan.rounds());
    const auto value = c.question.asks_epsilon ? accountant.epsilon() : accountant.delta(c.question.fixed);
    if (!(value.upper >= c.base.lower() * (1 - kRelativeMargin))) {
      add(c, Finding::Kind::too_small, name,
          fmt::format("{:.17g} lies below the lower value {:.17g}", value.upper, c.base.lower()));
    }
    if (!(value.lower * (1 - kRelativeMargin) <= c.base.upper())) {
      add(c, Finding::Kind::too_small, name,
          fmt::format("its lower value {:.17g} passes the upper value {:.17g}", value.lower, c.base.upper()));
    }
  });
}

// The value that calibration finds must meet its target in the accountant's own statement for
// exactly that value.
bool calibrates(const Question& q) { return own_view(q) && q.asks_epsilon && q.rounds <= 100'000; }
void calibration(const Case& c, const char* name) {
  const double target = c.base.upper();
  if (!(target > 1e-6 && target < 100)) return;
  guarded(c, name, [&] {
    std::vector<Knob> knobs = {Knob::rounds, Knob::clients,
                               c.question.is_gaussian() ? Knob::sigma : Knob::epsilon0};
    if (c.question.checks_in()) knobs.push_back(Knob::rate);
    const Knob knob = knobs[c.draws.below(knobs.size())];
    const double wanted = target * c.draws.log_uniform(0.5, 2);
    const protocols::Plan plan = plan_of(c.question);
    const protocols::Calibration found = protocols::calibrate(
        plan, knob, {.epsilon = wanted, .delta = c.question.fixed, .view = c.question.view});
    if (!found.statement.best.upper || !(*found.statement.best.upper <= wanted)) {
      add(c, Finding::Kind::too_small, name,
          fmt::format("--for {} --epsilon {}: value {:.17g} costs {:.17g}", protocols::name_of(knob), wanted,
                      found.value, found.statement.best.upper.value_or(-1)));
      return;
    }
    const Accountant again(found.plan.mechanism(), found.plan.stages().front().participation);
    const auto upper = again.account(found.plan.rounds(), asked(c.question), c.question.view).best.upper;
    if (!upper || !(*upper <= wanted)) {
      add(c, Finding::Kind::disorder, name,
          fmt::format("--for {} --epsilon {}: a fresh accountant gives {:.17g} at its value {:.17g}",
                      protocols::name_of(knob), wanted, upper.value_or(-1), found.value));
    }
  });
}

}  // namespace

std::vector<Relation> relations_between_accountants() {
  return {{"epsilon and delta lead back to each other", unscheduled, there_and_back},
          {"one message's divergence is convex", one_message, convex},
          {"a constant schedule is no schedule", one_loss, constant_schedule},
          {"everybody reporting is one protocol", everybody, everybody_reports},
          {"all samplers of class C cost the same", class_c_alone, any_of_class_c},
          {"an interval of one rate costs that rate", one_rate, nearly_equal_rates},
          {"training charges what the command prints", own_view, training},
          {"two stages that are alike are one", several_rounds, stages},
          {"the running accountant agrees", own_view, running},
          {"calibration meets its target", calibrates, calibration}};
}

}  // namespace muster::reference
