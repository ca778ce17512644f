// Relations between questions whose answers a theorem orders, such as: more rounds cost no less.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/reference/relations.h"

namespace muster::reference {
namespace {

using accounting::View;
using protocols::Protocol;
using protocols::RandomizerKind;

// The relative tolerance for rounding errors, which is needed where an answer states no numerical error.
constexpr double kRelativeMargin = 1e-9;

bool always(const Question&) { return true; }

// Both functions ask a changed question, which must cost at least, or at most, as much as the original one.
void expect_changed_costs_no_less(const Case& c, const char* name, const Question& changed) {
  Answer answer;
  if (ask(c, changed, answer)) expect_no_more(c, name, c.question, c.base, changed, answer);
}

void expect_changed_costs_no_more(const Case& c, const char* name, const Question& changed) {
  Answer answer;
  if (ask(c, changed, answer)) expect_no_more(c, name, changed, answer, c.question, c.base);
}

double factor(Draws& draws) {
  return draws.chance(0.5) ? 1 + draws.log_uniform(1e-6, 1) : draws.log_uniform(2, 100);
}

std::uint64_t more(Draws& draws, std::uint64_t x, std::uint64_t most) {
  const double grown = std::ceil(static_cast<double>(x) * factor(draws));
  const std::uint64_t next = draws.chance(0.3) ? x + 1 : static_cast<std::uint64_t>(grown);
  return std::min(most, std::max(x + 1, next));
}

// --- each relation ------------------------------------------------------------------------------------

// Forgetting the last rounds is post-processing, so fewer rounds cost no more.
void more_rounds(const Case& c, const char* name) {
  Question changed = c.question;
  changed.rounds = more(c.draws, changed.rounds, std::uint64_t{1} << 40U);
  expect_changed_costs_no_less(c, name, changed);
}

// The larger epsilon is, the smaller is delta.
void looser_target(const Case& c, const char* name) {
  Question changed = c.question;
  changed.fixed *= factor(c.draws);
  if (changed.asks_epsilon && !(changed.fixed < 1)) changed.fixed = (1 + c.question.fixed) / 2;
  if (!(changed.fixed > c.question.fixed)) return;
  expect_changed_costs_no_more(c, name, changed);
}

// Randomized response, Laplace noise and normal noise can be post-processed into their more private
// versions; every epsilon0-LDP randomizer is epsilon0'-LDP for a larger epsilon0', and the same holds for
// class C.
void weaker_randomizer(const Case& c, const char* name) {
  Question changed = c.question;
  if (changed.is_gaussian()) {
    changed.sigma /= factor(c.draws);
  } else {
    changed.epsilon0 *= factor(c.draws);
  }
  expect_changed_costs_no_less(c, name, changed);
}

// If the coins and messages of the additional clients are revealed, the smaller population remains. A subset
// of a fixed size contains the victim less often in a larger population. With a minimum number of reports the
// relation does not hold, because fewer rounds are destroyed if there are more clients.
bool clients_order(const Question& q) { return q.clients < 1'000'000'000'000 && q.minimum == 1; }
void more_clients(const Case& c, const char* name) {
  Question changed = c.question;
  changed.clients = more(c.draws, changed.clients, 1'000'000'000'000);
  expect_changed_costs_no_more(c, name, changed);
}

// Dropping some shuffled messages at random is post-processing and gives the view at a lower rate. An
// adversary who sees only sums or the models of a slot run cannot do this.
bool sees_messages(const Question& q) {
  return q.seen() == View::shuffler_honest || q.seen() == View::shuffler_colludes;
}
bool rate_orders(const Question& q) {
  return (q.protocol == Protocol::shuffled_check_in ||
          (q.checks_in() && q.seen() == View::shuffler_colludes)) &&
         sees_messages(q) && !q.least_rate && !q.has_schedule() && q.rate < 1;
}
void higher_rate(const Case& c, const char* name) {
  Question changed = c.question;
  changed.rate = c.draws.chance(0.2) ? 1 : std::min(1.0, changed.rate * factor(c.draws));
  if (!(changed.rate > c.question.rate)) return;
  expect_changed_costs_no_less(c, name, changed);
}

bool subset_orders(const Question& q) {
  return q.protocol == Protocol::subset && sees_messages(q) && q.subset < q.clients;
}
void larger_subset(const Case& c, const char* name) {
  Question changed = c.question;
  changed.subset = more(c.draws, changed.subset, changed.clients);
  expect_changed_costs_no_less(c, name, changed);
}

// A wider interval allows more rates, so the worst rates cost no less.
bool interval_orders(const Question& q) { return q.checks_in() && q.seen() != View::shuffler_colludes; }
void wider_interval(const Case& c, const char* name) {
  Question changed = c.question;
  const double lowest = changed.least_rate.value_or(changed.rate);
  changed.least_rate = lowest / factor(c.draws);
  if (!(*changed.least_rate < lowest)) return;
  expect_changed_costs_no_less(c, name, changed);
}

// Destroying rounds is post-processing.
bool minimum_orders(const Question& q) {
  return q.protocol == Protocol::aggregated_check_in && q.minimum < q.clients;
}
void larger_minimum(const Case& c, const char* name) {
  Question changed = c.question;
  changed.minimum = more(c.draws, changed.minimum, changed.clients);
  expect_changed_costs_no_more(c, name, changed);
}

// An adversary who sees a function of another adversary's view learns no more.
bool view_orders(const Question& q) { return q.seen() != View::shuffler_colludes; }
void sees_more(const Case& c, const char* name) {
  Question changed = c.question;
  changed.view = c.question.seen() == View::sum_only && c.question.own_view() == View::shuffler_honest &&
                         c.draws.chance(0.7)
                     ? View::shuffler_honest
                     : View::shuffler_colludes;
  expect_changed_costs_no_less(c, name, changed);
}

// Every special randomizer is epsilon0-LDP.
bool is_special(const Question& q) { return !q.is_gaussian() && q.randomizer != RandomizerKind::pure; }
void any_randomizer(const Case& c, const char* name) {
  Question changed = c.question;
  changed.randomizer = RandomizerKind::pure;
  expect_changed_costs_no_less(c, name, changed);
}

}  // namespace

bool ask(const Case& c, const Question& question, Answer& answer) {
  answer = c.engine.ask(question);
  if (answer.kind == Answer::Kind::died) {
    c.verdict.findings.push_back(
        {Finding::Kind::died, "an answer or a refusal", answer.message, {command_line(question)}});
  }
  return answer.answered();
}

void expect_no_more(const Case& c, const char* name, const Question& smaller_question, const Answer& smaller,
                    const Question& larger_question, const Answer& larger) {
  if (!(smaller.least() * (1 - kRelativeMargin) <= larger.upper()) && !std::isinf(larger.upper())) {
    c.verdict.findings.push_back(
        {Finding::Kind::disorder,
         name,
         fmt::format("{:.17g} (numerical error {:.3g}, {}) should not pass {:.17g} ({})", smaller.upper(),
                     smaller.error(), smaller.statement.best.id, larger.upper(), larger.statement.best.id),
         {command_line(smaller_question), command_line(larger_question)}});
  }
  // Some data set attains the lower value, so the upper value of the larger question must not be below it,
  // whatever the numerical error.
  if (!(smaller.lower() * (1 - kRelativeMargin) <= larger.upper())) {
    c.verdict.findings.push_back(
        {Finding::Kind::too_small,
         name,
         fmt::format("the lower value {:.17g} passes {:.17g}", smaller.lower(), larger.upper()),
         {command_line(smaller_question), command_line(larger_question)}});
  }
}

std::vector<Relation> relations_between_questions() {
  const auto no_schedule = [](const Question& q) { return !q.has_schedule(); };
  return {{"more rounds cost no less", no_schedule, more_rounds},
          {"a larger delta or epsilon costs no more", always, looser_target},
          {"less noise costs no less", always, weaker_randomizer},
          {"more clients cost no more", clients_order, more_clients},
          {"a higher rate costs no less where messages are seen", rate_orders, higher_rate},
          {"a larger subset costs no less where messages are seen", subset_orders, larger_subset},
          {"a wider interval of rates costs no less", interval_orders, wider_interval},
          {"destroying more rounds costs no more", minimum_orders, larger_minimum},
          {"who sees more is charged no less", view_orders, sees_more},
          {"any randomizer costs no less than this one", is_special, any_randomizer}};
}

}  // namespace muster::reference
