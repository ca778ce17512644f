// `muster calibrate [PLAN] --for KNOB --epsilon E --delta D [flags]`: solves for the parameter that just
// meets a target.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "command.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"
#include "plan_flags.h"
#include "question_flags.h"

namespace muster::app {
namespace {

using protocols::Calibration;
using protocols::Knob;
using reporting::JsonObject;
using reporting::statement_json;
using reporting::statement_table;
using reporting::wrapped;

struct CalibrateFlags {
  explicit CalibrateFlags(CLI::App& cli) : plan(cli, protocols::Command::calibrate) {}
  PlanFlags plan;
  ViewFlag view;
  CLI::Option* names_knob = nullptr;
  CLI::Option* names_epsilon = nullptr;
  bool json = false;
  std::string knob;
  std::string epsilon;
};

bool whole(Knob knob) { return knob == Knob::rounds || knob == Knob::clients || knob == Knob::minimum; }
bool largest(Knob knob) { return knob == Knob::rounds || knob == Knob::rate || knob == Knob::epsilon0; }

// Returns the noise parameter that Knob::accuracy chooses together with the rate: "epsilon0" or "sigma".
const char* noise_of(const Calibration& found) { return found.plan.sigma() ? "sigma" : "epsilon0"; }

JsonObject calibration_json(const Calibration& found, Knob knob) {
  JsonObject json = statement_json(found.statement);
  if (knob == Knob::accuracy) {
    return json.object("value", JsonObject()
                                    .number(noise_of(found), found.value)
                                    .number("rate", found.plan.rate())
                                    .number("variance", found.variance));
  }
  return whole(knob) ? json.unsigned_integer("value", static_cast<std::uint64_t>(found.value))
                     : json.number("value", found.value);
}

// Returns a note that says, approximately, which percentage of rounds will be destroyed because they have
// fewer reports than the required minimum. If the minimum is near or above the expected number of reports,
// the plan meets its target only because such rounds are destroyed. The note is empty if fewer than one round
// in a thousand is destroyed.
std::string destroyed(const protocols::Plan& plan) {
  const double rate = plan.rate() * (1 - plan.dropout().at(1)),
               expected = rate * static_cast<double>(plan.clients());
  const double deviation = std::sqrt(std::max(expected * (1 - rate), 1e-300));
  const double below = (static_cast<double>(plan.minimum()) - 0.5 - expected) / deviation;
  const double share = 0.5 * std::erfc(-below / std::sqrt(2.0));
  constexpr double kWorthSaying = 1e-3;
  return share < kWorthSaying
             ? ""
             : fmt::format("; about {:.2g} % of rounds will have fewer reports", 100 * share);
}

std::string answer(const Calibration& found, Knob knob, const protocols::Target& target) {
  const std::string keeps = fmt::format("keeps epsilon <= {} at delta {}", target.epsilon, target.delta);
  if (knob == Knob::accuracy) {
    return fmt::format(
        "{} = {}, rate = {}: the least variance of a round's mean, {:.3g} squared clips a coordinate, that "
        "{}",
        noise_of(found), number_text(found.value), number_text(found.plan.rate()), *found.variance, keeps);
  }
  return fmt::format("{} = {}: the {} {}that {}", name_of(knob), number_text(found.value),
                     largest(knob) ? "largest" : "smallest", found.at_end ? "considered, " : "", keeps) +
         (knob == Knob::minimum ? destroyed(found.plan) : "");
}

int calibrate(const CalibrateFlags& flags) {
  if (flags.names_knob->count() == 0) {
    throw Error(ErrorCode::usage, Reason::missing, "--for", "", protocols::knob_names(),
                "is missing: it says what calibrate solves for");
  }
  const Knob knob = protocols::knob_named(flags.knob);
  if (flags.names_epsilon->count() == 0) {
    throw Error(ErrorCode::usage, Reason::missing, "--epsilon", "", "number > 0",
                "is missing: it is the target that calibrate meets");
  }
  protocols::Target target{};
  target.epsilon = number_flag("--epsilon", flags.epsilon, false);
  target.view = flags.view.view();
  const protocols::Plan plan = flags.plan.plan(protocols::keys_solved_by(knob));
  say_left_out(plan);
  target.delta = delta_of(plan, flags.plan, "calibrate needs it");
  const Calibration found = protocols::calibrate(plan, knob, target);
  if (flags.json) {
    fmt::print("{}\n", calibration_json(found, knob).str());
  } else {
    const std::string question = fmt::format("{}; delta = {}", plan_sentence(found.plan), target.delta);
    fmt::print("{}\n{}\n{}", wrapped(answer(found, knob, target)), wrapped(question),
               statement_table(found.statement, false));
  }
  return 0;
}

}  // namespace

Subcommand calibrate_command(CLI::App& root) {
  CLI::App* cli =
      add_subcommand(root, "calibrate", "Solve for the parameter that just meets a target epsilon",
                     "muster calibrate --for epsilon0 --epsilon 1 --protocol shuffled-check-in \\\n"
                     "    --clients 60000 --rate 0.1 --randomizer ldp-sgd --rounds 6800 --delta 1e-5");
  auto flags = std::make_shared<CalibrateFlags>(*cli);
  flags->names_knob =
      cli->add_option("--for", flags->knob,
                      "what to solve for, whatever the plan says of it: " + protocols::knob_names() +
                          "; the largest epsilon0, rate or rounds, the smallest sigma, clients or minimum; "
                          "accuracy: epsilon0 or sigma, and rate, of the least variance of a round's mean")
          ->type_name("TEXT");
  flags->names_epsilon =
      cli->add_option("--epsilon", flags->epsilon, "the target, a number > 0")->type_name("NUMBER");
  flags->view.add_to(*cli);
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return calibrate(*flags); }};
}

}  // namespace muster::app
