// `muster calibrate [PLAN] --for KNOB --epsilon E --delta D [flags]`: solves for the parameter that just
// meets a target.
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "muster/core/error.h"
#include "muster/plan/calibration/calibration.h"
#include "muster/reporting/plan_answers.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"
#include "plan_flags.h"
#include "question_flags.h"

namespace muster::app {
namespace {

using protocols::Calibration;
using protocols::Knob;
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
    fmt::print("{}\n", reporting::calibration_json(found, knob).str());
  } else {
    const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, target.delta};
    fmt::print("{}\n{}\n{}", wrapped(reporting::calibration_sentence(found, knob, target)),
               wrapped(reporting::heading(found.plan, question)), statement_table(found.statement, false));
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
