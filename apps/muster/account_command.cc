// `muster account [PLAN] [flags]`: every applicable bound, best first.
#include <fmt/format.h>

#include <limits>
#include <memory>

#include "command.h"
#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/protocols/plan_keys.h"
#include "muster/protocols/plan_values.h"
#include "plan_flags.h"
#include "statement_text.h"

namespace muster::app {
namespace {

using accounting::Question;
using accounting::View;
using protocols::Plan;

struct AccountFlags {
  explicit AccountFlags(CLI::App& cli) : plan(cli, protocols::Command::account) {}
  PlanFlags plan;
  CLI::Option* asks_delta = nullptr;
  CLI::Option* asks_curve = nullptr;
  bool json = false;
  bool as_published = false;
  std::string epsilon;
  std::string view = name_of(View::shuffler_honest);
  std::string curve;
};

double parse_epsilon(const std::string& text) {
  const protocols::KeySpec spec = {.key = "--epsilon",
                                   .flag = "--epsilon",
                                   .type = protocols::ValueType::number,
                                   .fallback = "",
                                   .meaning = "",
                                   .commands = "account",
                                   .protocols = {},
                                   .randomizers = {},
                                   .low = 0,
                                   .high = std::numeric_limits<double>::infinity(),
                                   .low_included = true};
  const protocols::RawValue raw = {
      .value = text, .text = text, .origin = {.flag = "--epsilon", .file = "", .line = 0, .column = 0}};
  return std::get<double>(protocols::typed_value(spec, raw));
}

View parse_view(const std::string& text) {
  for (const View view : {View::shuffler_honest, View::shuffler_colludes}) {
    if (text == name_of(view)) {
      return view;
    }
  }
  const bool later = text == name_of(View::sum_only) || text == name_of(View::server_trusted);
  throw Error(ErrorCode::plan, "--view", text, "shuffler-honest | shuffler-colludes",
              later ? "not implemented yet" : "unknown view");
}

Question question_of(const AccountFlags& flags, const Plan& plan) {
  if (flags.asks_delta->count() > 0) {
    if (flags.plan.given("privacy.delta")) {
      throw Error(ErrorCode::usage, "--delta", "", "--delta or --epsilon",
                  "--epsilon asks for delta; both cannot be fixed");
    }
    return {Question::Kind::delta_at_epsilon, parse_epsilon(flags.epsilon)};
  }
  if (!plan.delta) {
    throw Error(ErrorCode::plan, "privacy.delta", "", protocols::spec_of("privacy.delta").allowed(),
                "required by account unless --epsilon asks for it; set it in the plan or with --delta");
  }
  return {Question::Kind::epsilon_at_delta, *plan.delta};
}

std::string heading(const Plan& plan, const Question& question) {
  const bool asks_epsilon = question.kind == Question::Kind::epsilon_at_delta;
  return fmt::format("{}; {} clients, each reporting with probability {} in each of {} rounds; {} = {}\n\n",
                     accounting::describe(plan.mechanism()), plan.clients, plan.participation().rate.value(),
                     plan.rounds, asks_epsilon ? "delta" : "epsilon", question.fixed);
}

int account(const AccountFlags& flags) {
  if (flags.asks_curve->count() > 0) {
    throw Error(ErrorCode::usage, "--curve", "", "", "not implemented yet");
  }
  const View view = parse_view(flags.view);
  const Plan plan = flags.plan.plan();
  const Question question = question_of(flags, plan);
  const accounting::Accountant accountant(plan.mechanism(), plan.participation());
  const accounting::Statement statement = accountant.account(plan.rounds, question, view, flags.as_published);
  if (flags.json) {
    fmt::print("{}\n", statement_json(statement).str());
  } else {
    fmt::print("{}{}", heading(plan, question), statement_table(statement));
  }
  return 0;
}

}  // namespace

Command account_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "account", "Print every applicable privacy bound, best first",
                                 "muster account --protocol shuffled-check-in --clients 60000 --rate 0.1 "
                                 "--randomizer ldp-sgd --epsilon0 2 "
                                 "--rounds 6800 --delta 1e-5");
  auto flags = std::make_shared<AccountFlags>(*cli);
  flags->asks_delta =
      cli->add_option("--epsilon", flags->epsilon, "answer delta at this epsilon, a number >= 0")
          ->type_name("NUMBER");
  cli->add_option("--view", flags->view, "what the adversary sees: shuffler-honest | shuffler-colludes")
      ->type_name("TEXT")
      ->capture_default_str();
  cli->add_flag("--all", flags->as_published, "add the papers' bounds as published, for comparison only");
  flags->asks_curve = cli->add_flag("--curve{table}", flags->curve)->group("");
  cli->add_flag("--json", flags->json, "print one JSON line");
  return {cli, [flags] { return account(*flags); }};
}

}  // namespace muster::app
