// `muster compare PLAN [flags]`: shows protocols and randomizers side by side, calibrated to the same
// epsilon, and with --train their accuracy.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "compare_training.h"
#include "muster/accounting/accountant.h"
#include "muster/comparison/candidates.h"
#include "muster/comparison/comparison.h"
#include "muster/comparison/message_size.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/experiments/comparison_runs.h"
#include "muster/reporting/comparison_text.h"
#include "muster/reporting/text_layout.h"
#include "plan_flags.h"
#include "question_flags.h"
#include "say.h"

namespace muster::app {
namespace {

using comparison::Comparison;
using comparison::Solves;
using protocols::Plan;
using protocols::PlanSource;

struct CompareFlags {
  explicit CompareFlags(CLI::App& cli) : plan(cli, protocols::Command::compare) {}
  PlanFlags plan;
  std::string epsilon;
  CLI::Option* names_epsilon = nullptr;
  std::string solves = "noise";
  bool csv = false;
  bool svg = false;
  bool json = false;
  CompareTrainingFlags training;
};

// Returns the names in a list such as "a,b". Throws Error(usage) for an empty name and for a name that occurs
// twice.
std::vector<std::string> names_in(const std::string& text, const std::string& flag) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const bool twice = std::ranges::find(names, name) != names.end();
    if (name.empty() || twice) {
      throw Error(ErrorCode::usage, Reason::malformed, flag, text, "names with commas between them",
                  twice ? fmt::format("names {} twice", name) : "has an empty name");
    }
    names.push_back(name);
    begin = end + 1;
  }
  return names;
}

Solves solves_for(const std::string& name) {
  if (name != "noise" && name != "accuracy") {
    throw Error(ErrorCode::usage, Reason::unknown, "--for", name, "noise | accuracy",
                "is nothing to solve for");
  }
  return name == "accuracy" ? Solves::accuracy : Solves::noise;
}

// Returns the target epsilon of a comparison without --epsilon: what the plan itself costs, rounded up to six
// digits.
double own_cost(const PlanSource& source, double delta) {
  if (source.find("randomizer.sigma") == nullptr && source.find("randomizer.epsilon0") == nullptr) {
    throw Error(ErrorCode::usage, Reason::missing, "--epsilon", "", "number > 0",
                "is missing: without it the target is what the plan costs, and the plan states no noise");
  }
  const Plan plan = comparison::own_plan(source);
  const accounting::Accountant accountant(plan.mechanism(), plan.participation());
  const std::optional<double> upper =
      accountant.upper(plan.rounds(), {accounting::Question::Kind::epsilon_at_delta, delta});
  if (!upper || !(*upper > 0)) {
    throw Error(ErrorCode::usage, Reason::missing, "--epsilon", "", "number > 0",
                "is missing: without it the target is what the plan costs, which is not a positive number");
  }
  return std::stod(rounded_up(*upper));
}

// Returns the shape of the clients' records, if the plan states a model and data. If the data cannot be read,
// only the bits per message are left out of the comparison, unless the records are needed for training.
std::optional<comparison::Records> records_known(const PlanSource& source, const Plan& plan, bool needed) {
  if (!needed && (source.find("model.kind") == nullptr || plan.data().empty())) return std::nullopt;
  try {
    return comparison::records_of(plan);
  } catch (const Error& error) {
    if (needed || (error.code() != ErrorCode::data && error.code() != ErrorCode::file)) throw;
    say(fmt::format("the bits of a message are left out: {}", error.what()));
    return std::nullopt;
  }
}

void print(const Comparison& all, const Plan& plan, const CompareFlags& flags) {
  for (const std::string& note : reporting::left_out_notes(all)) say(note);
  if (flags.json) {
    fmt::print("{}\n", reporting::comparison_json(all).str());
  } else if (flags.csv) {
    fmt::print("{}", reporting::comparison_csv(all));
  } else if (flags.svg) {
    fmt::print("{}", reporting::comparison_svg(all));
  } else {
    fmt::print("{}\n{}", reporting::wrapped(reporting::comparison_heading(all, plan)),
               reporting::comparison_table(all));
    if (all.training) fmt::print("\n{}", reporting::accuracy_table(all));
  }
  std::fflush(stdout);
}

int compare(const CompareFlags& flags) {
  if (flags.json + flags.csv + flags.svg > 1) {
    throw Error(ErrorCode::usage, Reason::contradiction, flags.csv ? "--csv" : "--svg", "",
                "one of --json, --csv and --svg", "does not go with another format");
  }
  flags.training.check();
  const bool train = flags.training.train;
  const Solves solves = solves_for(flags.solves);
  const bool asks = flags.names_epsilon->count() > 0;
  protocols::Target target{};
  if (asks) target.epsilon = number_flag("--epsilon", flags.epsilon, false);
  const PlanSource source = flags.plan.source();
  const comparison::Candidates candidates =
      comparison::candidates_of(source,
                                {names_in(flags.plan.text("participation.protocol"), "--protocol"),
                                 names_in(flags.plan.text("randomizer.kind"), "--randomizer")},
                                train ? protocols::Command::train : protocols::Command::compare, solves);
  target.delta = delta_of(candidates.own, flags.plan, "compare needs it");
  const std::optional<comparison::Records> records = records_known(source, candidates.own, train);
  if (!asks) target.epsilon = own_cost(source, target.delta);
  if (train) experiments::check_budget(candidates.own, target);
  Comparison all = comparison::compare(candidates, {target, solves, records}, {});
  std::vector<experiments::PlannedRun> runs;
  if (train) runs = train_rows(all, candidates.own, flags.training);
  for (const std::string& sentence : comparison::keys_left_out(source, candidates, solves)) say(sentence);
  print(all, candidates.own, flags);
  return status_of(all, runs);
}

}  // namespace

Subcommand compare_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "compare", "Compare protocols and randomizers at one epsilon",
                                 "muster compare plans/mnist-gaussian.toml --epsilon 1 --rounds 1000");
  auto flags = std::make_shared<CompareFlags>(*cli);
  flags->names_epsilon =
      cli->add_option("--epsilon", flags->epsilon,
                      "the epsilon that each is calibrated to, a number > 0 [what the plan itself costs]")
          ->type_name("NUMBER");
  cli->add_option("--for", flags->solves,
                  "noise | accuracy: noise solves for epsilon0 or sigma at the plan's rate; accuracy for the "
                  "rate, too, where clients toss a coin")
      ->type_name("TEXT")
      ->capture_default_str();
  cli->add_flag("--csv", flags->csv, "print CSV");
  cli->add_flag("--svg", flags->svg,
                "print a picture: the variance of a round's mean of each, and the accuracy with --train");
  cli->add_flag("--json", flags->json, "print one JSON line");
  flags->training.add_to(*cli);
  return {cli, [flags] { return compare(*flags); }};
}

}  // namespace muster::app
