// `muster train PLAN [flags]`: trains a model on the plan's clients and prints its accuracy and
// its privacy cost.
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "count_flags.h"
#include "interrupt.h"
#include "muster/core/error.h"
#include "muster/experiments/single_run.h"
#include "muster/reporting/result_text.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/training.h"
#include "muster/simulation/workload.h"
#include "say.h"
#include "sweep.h"
#include "train_flags.h"
#include "train_progress.h"

namespace muster::app {
namespace {

using simulation::Ranks;
using simulation::RunFolder;
using simulation::RunResult;

void print_result(const protocols::Plan& plan, RunResult result, const RunFolder& folder, bool json) {
  result.out = folder.path().string();  // the folder may have been moved since the run
  if (json) {
    fmt::print("{}\n", simulation::result_line(result));
  } else {
    fmt::print("\n{}", reporting::result_text(plan, result));
  }
  say(reporting::by_client_note(result.client_accuracy, result.worst_decile));
  say(reporting::neutral_note(result.neutral.value_or(0)));
}

int show_finished(const protocols::Plan& plan, simulation::Fidelity fidelity, const RunFolder& folder,
                  bool json) {
  const RunResult result = experiments::finished_before(plan, fidelity, folder, say);
  say("this run is finished; its result");
  print_result(plan, result, folder, json);
  return 0;
}

// The outcome of a training run, as it is shown to the user.
struct Trained {
  std::optional<protocols::Plan> plan;
  simulation::Fidelity fidelity = simulation::Fidelity::message;
  std::unique_ptr<RunFolder> folder;  // set on the first rank only
  bool finished_before = false;
  RunResult result;
};

// Trains; every rank calls this function. If one rank refuses the flags or the plan, or cannot prepare the
// run, all ranks end with its error.
Trained train(const TrainFlags& flags, Ranks& ranks) {
  Trained outcome;
  simulation::together(ranks, [&] {
    outcome.fidelity = simulation::fidelity_named(flags.fidelity);
    outcome.plan = flags.plan.plan();
    simulation::check_fidelity(*outcome.plan, outcome.fidelity);
    simulation::refuse_too_costly(*outcome.plan, simulation::resources_here(flags.threads));
    if (ranks.first()) {
      say_left_out(*outcome.plan);
      outcome.folder = experiments::open_run(flags.out, *outcome.plan, outcome.fidelity, flags.resume);
      outcome.finished_before = outcome.folder->found() == RunFolder::Found::finished;
    }
  });
  std::string word = outcome.finished_before ? "finished" : "";
  ranks.broadcast(word, 0);
  outcome.finished_before = !word.empty();
  if (outcome.finished_before) {
    return outcome;
  }
  simulation::Prepared prepared;
  simulation::together(ranks, [&] {
    const bool asks = ranks.first();
    prepared = simulation::prepare(*outcome.plan,
                                   asks ? simulation::Accounting::charged : simulation::Accounting::elsewhere,
                                   outcome.fidelity);
    if (asks) {
      experiments::before_training(*outcome.plan, outcome.fidelity, *outcome.folder, prepared, say);
    }
  });
  catch_signals();
  const simulation::TrainingOptions options{flags.threads, &interrupted()};
  TrainProgress progress(flags.json ? TrainProgress::Lines::json : TrainProgress::Lines::table,
                         outcome.plan->has_slots() ? "slot" : "round");
  outcome.result = simulation::train(ranks, *outcome.plan, prepared.parts, prepared.data,
                                     outcome.folder.get(), options, progress);
  return outcome;
}

int show(const Trained& outcome, bool json) {
  const RunFolder& folder = *outcome.folder;
  if (outcome.finished_before) {
    const int status = show_finished(*outcome.plan, outcome.fidelity, folder, json);
    say(reporting::alarm_note(*outcome.plan, folder.path()));
    return status;
  }
  print_result(*outcome.plan, outcome.result, folder, json);
  say(reporting::alarm_note(*outcome.plan, folder.path()));
  if (outcome.result.stopped == simulation::Stopped::interrupted) {
    say(fmt::format("interrupted after {} {}; the same command with --resume continues",
                    outcome.result.slots ? "slot" : "round",
                    outcome.result.slots.value_or(outcome.result.rounds)));
    return exit_status(ErrorCode::interrupted);
  }
  return 0;
}

// Rank 0 prints for all ranks, and its exit status is that of the job.
int train_among_ranks(const TrainFlags& flags) {
  const bool first = simulation::launch_of_this_process().rank == 0;
  std::unique_ptr<Ranks> ranks;
  Trained outcome;
  try {
    ranks = simulation::join_ranks();
    outcome = train(flags, *ranks);
  } catch (const std::exception& error) {
    if (ranks != nullptr && ranks->count() > 1 && !ranks->failed_together()) {
      // The other ranks wait in an all-reduce that this rank will not join.
      say(fmt::format("rank {}: {}", ranks->index(), error.what()));
      ranks->abandon(exit_status(ErrorCode::internal));
    }
    if (!first) {
      return 0;
    }
    throw;
  }
  return first ? show(outcome, flags.json) : 0;
}

int train_or_sweep(const TrainFlags& flags) {
  if (flags.is_sweep() && simulation::launch_of_this_process().ranks > 1) {
    throw Error(ErrorCode::usage, Reason::inapplicable, "--sweep", "", "one process",
                "does not run under mpirun, whose ranks share one run");
  }
  return flags.is_sweep() ? run_sweep(flags) : train_among_ranks(flags);
}

}  // namespace

Subcommand train_command(CLI::App& root) {
  CLI::App* cli = add_subcommand(root, "train", "Train the plan's model privately",
                                 "muster train plans/quickstart.toml --out runs/quickstart");
  auto flags = std::make_shared<TrainFlags>(*cli);
  cli->add_option("--out", flags->out, "folder of the run [runs/NAME-HASH8]")->type_name("DIR");
  cli->add_flag("--resume", flags->resume, "continue the run in the folder; start one when there is none");
  add_threads(*cli, flags->threads);
  cli->add_option(
         "--fidelity", flags->fidelity,
         "message: every client's message is made, shuffled, aggregated; sum: one draw of their sum, of "
         "the same law (gaussian, k-rr) [message]")
      ->type_name("TEXT");
  cli->add_flag("--json", flags->json, "print one JSON line a logged round, and a final one");
  cli->add_option("--sweep", flags->sweeps,
                  "train once for each value of a plan key; several: for each combination")
      ->type_name("KEY=VALUE,...")
      ->allow_extra_args(false);
  flags->asks_seeds = add_seeds(*cli, flags->seeds);
  return {cli, [flags] { return train_or_sweep(*flags); }};
}

}  // namespace muster::app
