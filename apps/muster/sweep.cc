#include "sweep.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "interrupt.h"
#include "many_runs.h"
#include "muster/core/error.h"
#include "muster/experiments/experiment_folder.h"
#include "muster/experiments/planned_runs.h"
#include "muster/experiments/sweep_runs.h"
#include "muster/reporting/sweep_summary.h"
#include "say.h"

namespace muster::app {
namespace {

void print_line(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

simulation::Sweep sweep_of(const TrainFlags& flags) {
  std::vector<simulation::SweptKey> keys;
  for (const std::string& text : flags.sweeps) {
    keys.push_back(experiments::swept_key_of(text));
    if (flags.plan.given(keys.back().key)) {
      throw Error(ErrorCode::usage, Reason::contradiction, "--sweep", keys.back().key, "",
                  "is swept, and its flag is given as well: leave one of them out");
    }
  }
  return experiments::sweep_of(flags.plan.source(), std::move(keys), flags.seeds);
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
  for (const std::string& sentence : experiments::left_out_of(sweep)) say(sentence);
  std::vector<experiments::PlannedRun> runs = experiments::runs_of(sweep);
  sweep.folder =
      flags.out.empty() ? experiments::usual_folder(runs, experiments::kSweepKind).string() : flags.out;
  experiments::check_folder(sweep.folder, runs, experiments::kSweepKind, flags.resume);
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
  experiments::throw_if_any_failed(runs, experiments::kSweepKind);
  return 0;
}

}  // namespace muster::app
