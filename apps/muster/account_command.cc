// `muster account [PLAN...] [flags]`: prints every applicable bound, best first, or epsilon and delta as
// curves. For several plans, prints what all of them together cost.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "account_launches.h"
#include "command.h"
#include "muster/accounting/privacy_curve.h"
#include "muster/core/error.h"
#include "muster/plan/keys.h"
#include "muster/reporting/curve_text.h"
#include "muster/reporting/plan_answers.h"
#include "muster/reporting/statement_text.h"
#include "muster/reporting/text_layout.h"
#include "plan_flags.h"
#include "question_flags.h"

namespace muster::app {
namespace {

using accounting::Question;
using protocols::Plan;
using reporting::curve_format_named;
using reporting::curve_text;
using reporting::CurveFormat;
using reporting::heading;
using reporting::Papers;
using reporting::statement_json;
using reporting::statement_table;
using reporting::wrapped;

struct AccountFlags {
  explicit AccountFlags(CLI::App& cli) : plan(cli, protocols::Command::account) {}
  PlanFlags plan;
  std::vector<std::string> more;  // files of further plans
  bool basic = false;
  ViewFlag view;
  CLI::Option* asks_delta = nullptr;
  CLI::Option* asks_curve = nullptr;
  bool json = false;
  bool all = false;
  std::string epsilon;
  std::string curve;
};

Question question_of(const AccountFlags& flags, const Plan& plan) {
  if (flags.asks_delta->count() > 0) {
    if (flags.plan.given("privacy.delta")) {
      throw Error(ErrorCode::usage, Reason::contradiction, "--delta", "", "--delta or --epsilon",
                  "does not go with --epsilon, which asks for delta: leave one of them out");
    }
    return {Question::Kind::delta_at_epsilon, number_flag("--epsilon", flags.epsilon, true)};
  }
  return {Question::Kind::epsilon_at_delta,
          delta_of(plan, flags.plan, "account needs it unless --epsilon asks for it")};
}

CurveFormat curve_format(const AccountFlags& flags) {
  const CurveFormat format = curve_format_named(flags.curve);
  if (flags.json || flags.all) {
    throw Error(ErrorCode::usage, Reason::contradiction, "--curve", "", "table | csv | svg",
                fmt::format("does not go with {}", flags.all ? "--all" : "--json"));
  }
  return format;
}

void print_statement(const Plan& plan, const Question& question, const accounting::Statement& statement,
                     const AccountFlags& flags) {
  if (flags.json) {
    fmt::print("{}\n", statement_json(statement).str());
  } else {
    fmt::print("{}\n{}", wrapped(heading(plan, question)), statement_table(statement, flags.all));
  }
}

// Refuses flags that do not apply to several plans.
void require_flags_of_launches(const AccountFlags& flags) {
  const auto refuse = [](std::string_view flag, const char* why) {
    throw Error(ErrorCode::usage, Reason::contradiction, std::string(flag), "",
                "--delta, --epsilon, --basic and --json",
                fmt::format("does not go with several plans{}", why));
  };
  for (const protocols::KeySpec& spec : protocols::plan_keys()) {
    if (spec.key != "privacy.delta" && flags.plan.given(spec.key))
      refuse(spec.flag, ": set it in their files");
  }
  if (flags.view.view()) refuse("--view", ", each of which is seen in its own protocol's view");
  if (flags.asks_curve->count() > 0) refuse("--curve", "");
  if (flags.all) refuse("--all", "");
  if (flags.basic && flags.asks_delta->count() > 0) {
    throw Error(ErrorCode::usage, Reason::contradiction, "--basic", "", "",
                "does not go with --epsilon: it adds epsilons at a delta");
  }
}

int account_several(const AccountFlags& flags) {
  require_flags_of_launches(flags);
  const Plan first = flags.plan.plan();
  std::vector<NamedPlan> plans = {{flags.plan.source().where(), first}};
  for (const std::string& file : flags.more) {
    protocols::PlanSource source = protocols::PlanSource::from_file(file);
    if (flags.plan.given("privacy.delta"))
      source.override_key("privacy.delta", fmt::format("{}", *first.delta()));
    plans.push_back({file, Plan::validate(source, protocols::Command::account)});
  }
  const Question question = flags.asks_delta->count() > 0
                                ? question_of(flags, first)
                                : Question{Question::Kind::epsilon_at_delta, common_delta(plans)};
  return account_launches(plans, question, {flags.basic, flags.json});
}

int account(const AccountFlags& flags) {
  if (!flags.more.empty()) return account_several(flags);
  if (flags.basic) {
    throw Error(ErrorCode::usage, Reason::contradiction, "--basic", "", "two plans or more",
                "is about several plans: name their files");
  }
  const auto view = flags.view.view();
  const bool curve = flags.asks_curve->count() > 0;
  const CurveFormat format = curve ? curve_format(flags) : CurveFormat::table;
  const Plan plan = flags.plan.plan();
  say_left_out(plan);
  const Question question = question_of(flags, plan);
  if (curve) {
    const accounting::PrivacyCurves curves = reporting::curves_of(plan, question, view);
    fmt::print("{}", curve_text(curves, format, heading(plan, question)));
    return 0;
  }
  const accounting::Statement statement =
      reporting::statement_of(plan, question, view, flags.all ? Papers::added : Papers::left_out);
  print_statement(plan, question, statement, flags);
  return 0;
}

}  // namespace

Subcommand account_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "account", "Print every applicable privacy bound, best first",
                                 "muster account --protocol shuffled-check-in --clients 60000 --rate 0.1 \\\n"
                                 "    --randomizer ldp-sgd --epsilon0 2 --rounds 6800 --delta 1e-5");
  auto flags = std::make_shared<AccountFlags>(*cli);
  flags->asks_delta =
      cli->add_option("--epsilon", flags->epsilon, "answer delta at this epsilon, a number >= 0")
          ->type_name("NUMBER");
  cli->add_option("MORE", flags->more, "further plans on the same population, after it: all of them together")
      ->type_name("FILE");
  cli->add_flag("--basic", flags->basic,
                "of several plans, later ones were chosen after seeing what earlier ones released");
  flags->view.add_to(*cli);
  cli->add_flag("--all", flags->all, "add the papers' bounds, for comparison, and the time each bound took");
  flags->asks_curve = cli->add_flag("--curve{table}", flags->curve,
                                    "epsilon over delta and over rounds: --curve prints a table, --curve=csv "
                                    "CSV, --curve=svg a picture [none]");
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return account(*flags); }};
}

}  // namespace muster::app
