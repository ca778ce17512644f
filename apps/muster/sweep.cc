#include "sweep.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "interrupt.h"
#include "many_runs.h"
#include "muster/core/error.h"
#include "muster/experiments/experiment_folder.h"
#include "muster/experiments/planned_runs.h"
#include "muster/reporting/sweep_summary.h"
#include "muster/simulation/runs/run_folder.h"
#include "say.h"

namespace muster::app {
namespace {

using experiments::PlannedRun;
using protocols::Plan;

constexpr const char* kKind = "sweep";

// Returns the runs of all combinations, in the order of the combinations. They point into `sweep`.
std::vector<PlannedRun> runs_of(simulation::Sweep& sweep) {
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
    for (std::size_t seed = 0; seed < sweep.runs[i].size(); ++seed) {
      runs.push_back({sweep.combinations[i].plans[seed], seed, &sweep.runs[i][seed]});
    }
  }
  return runs;
}

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

simulation::Sweep sweep_of(const TrainFlags& flags) {
  simulation::Sweep sweep;
  for (const std::string& text : flags.sweeps) {
    sweep.keys.push_back(swept_key_of(text));
    if (flags.plan.given(sweep.keys.back().key)) {
      throw Error(ErrorCode::usage, Reason::contradiction, "--sweep", sweep.keys.back().key, "",
                  "is swept, and its flag is given as well: leave one of them out");
    }
  }
  sweep.combinations = combinations_of(flags.plan.source(), sweep.keys, flags.seeds);
  for (const simulation::Combination& combination : sweep.combinations) {
    std::vector<simulation::SweptRun> runs;
    for (const Plan& plan : combination.plans) {
      runs.push_back({simulation::run_name(plan), std::nullopt, ""});
    }
    sweep.runs.push_back(std::move(runs));
  }
  return sweep;
}

// Says which keys of the plan are left out, and why. Many combinations leave out the same keys for the same
// reason, which is said once.
void say_what_is_left_out(const simulation::Sweep& sweep) {
  std::set<std::string> said;
  for (const simulation::Combination& combination : sweep.combinations) {
    for (const std::string& sentence : combination.plans.front().left_out()) {
      if (said.insert(sentence).second) {
        say(sentence);
      }
    }
  }
}

void show_summary(const simulation::Sweep& sweep, bool json) {
  const std::string summary = reporting::summary_json(sweep);
  experiments::leave_summary(sweep.folder, summary, reporting::summary_svg(sweep));
  print_line(json ? summary : fmt::format("{}\nfolder    {}", reporting::summary_table(sweep), sweep.folder));
}

}  // namespace

int run_sweep(const TrainFlags& flags) {
  const simulation::Fidelity fidelity = simulation::fidelity_named(flags.fidelity);
  simulation::Sweep sweep = sweep_of(flags);
  say_what_is_left_out(sweep);
  std::vector<PlannedRun> runs = runs_of(sweep);
  sweep.folder = flags.out.empty() ? experiments::usual_folder(runs, kKind).string() : flags.out;
  experiments::check_folder(sweep.folder, runs, kKind, flags.resume);
  experiments::ManyRuns many = many_runs(flags.threads, fidelity);
  for (const simulation::Combination& combination : sweep.combinations) many.check(combination.plans.front());
  catch_signals();
  experiments::order_for_training(runs);
  sweep.interrupted = !many.run_all(runs, sweep.folder, [&flags](const simulation::RunResult& result) {
    if (flags.json) print_line(simulation::result_line(result));
  });
  show_summary(sweep, flags.json);
  if (sweep.interrupted) {
    say("interrupted; the same command with --resume continues");
    return exit_status(ErrorCode::interrupted);
  }
  experiments::throw_if_any_failed(runs, kKind);
  return 0;
}

}  // namespace muster::app
