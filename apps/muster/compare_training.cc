#include "compare_training.h"

#include <fmt/format.h>

#include "count_flags.h"
#include "interrupt.h"
#include "many_runs.h"
#include "muster/core/error.h"
#include "muster/experiments/comparison_runs.h"
#include "muster/experiments/experiment_folder.h"
#include "muster/reporting/comparison_text.h"
#include "say.h"

namespace muster::app {
namespace {

using comparison::Comparison;
using comparison::Row;
using experiments::PlannedRun;

constexpr const char* kKind = "comparison";

// Checks the plan of every row before the first run. An error names the protocol and the randomizer of the
// row, because the user may have named neither.
void check_rows(const Comparison& all, experiments::ManyRuns& many) {
  for (const std::vector<Row>* rows : {&all.rows, &all.references}) {
    for (const Row& row : *rows) {
      if (!row.plan) continue;
      try {
        many.check(*row.plan);
      } catch (const Error& error) {
        throw Error::in_words(
            error.code(), error.reason(), error.key(), error.value(), error.allowed(),
            fmt::format("{} with {} cannot be trained: {}", row.protocol, row.randomizer, error.what()));
      }
    }
  }
}

}  // namespace

void CompareTrainingFlags::add_to(CLI::App& cli) {
  cli.add_flag("--train", train, "train what is compared, too, and show the accuracy");
  only_with_train = {
      add_seeds(cli, seeds, "with --train: "),
      cli.add_option("--out", out, "with --train: folder of the runs [runs/NAME-compare-HASH8]")
          ->type_name("DIR"),
      cli.add_flag("--resume", resume,
                   "with --train: continue the runs in the folder; start what is missing"),
      add_threads(cli, threads, "with --train: ")};
}

void CompareTrainingFlags::check() const {
  for (const CLI::Option* option : only_with_train) {
    if (!train && option->count() > 0) {
      throw Error(ErrorCode::usage, Reason::inapplicable, option->get_name(), "", "with --train",
                  "does not apply to a comparison that trains nothing");
    }
  }
  if (train && simulation::launch_of_this_process().ranks > 1) {
    throw Error(ErrorCode::usage, Reason::inapplicable, "--train", "", "one process",
                "does not run under mpirun, whose ranks share one run");
  }
}

std::vector<PlannedRun> train_rows(Comparison& all, const protocols::Plan& own,
                                   const CompareTrainingFlags& flags) {
  std::vector<PlannedRun> runs = experiments::runs_of(all, flags.seeds);
  all.training = comparison::Training{"", own.seed(), flags.seeds, false};
  if (runs.empty()) return runs;
  comparison::Training& training = *all.training;
  training.folder = flags.out.empty() ? experiments::usual_folder(runs, "compare").string() : flags.out;
  experiments::check_folder(training.folder, runs, kKind, flags.resume);
  experiments::ManyRuns many = many_runs(flags.threads);
  check_rows(all, many);
  catch_signals();
  experiments::order_for_training(runs);
  training.interrupted = !many.run_all(runs, training.folder, [](const simulation::RunResult&) {});
  experiments::leave_summary(training.folder, reporting::comparison_json(all).str(),
                             reporting::comparison_svg(all));
  return runs;
}

int status_of(const Comparison& all, const std::vector<PlannedRun>& runs) {
  if (all.training && all.training->interrupted) {
    say("interrupted; the same command with --resume continues");
    return exit_status(ErrorCode::interrupted);
  }
  experiments::throw_if_any_failed(runs, kKind);
  return 0;
}

}  // namespace muster::app
