// Trains several plans, one after the other, each in a folder of its own, for a sweep or for a comparison.
//
// Each run is an ordinary training run: its folder can be resumed and reported like any other, and a finished
// run is not trained again. What runs have in common is computed once: a data set stays loaded as long as the
// next run needs the same one, and plans that cost the same share one accountant and a table of its epsilons.
//
// Every stated epsilon in a folder is compared with today's (reporting/stated_epsilon.h). A ManyRuns belongs
// to one thread, on which it calls its notes and observers; each run starts its own worker threads.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/experiments/charges.h"
#include "muster/experiments/planned_runs.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/stated_epsilon.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/training.h"

namespace muster::experiments {

// Makes the observer of a run. `which` says which run it is, for example "run 3 of 12".
using MakeObserver = std::function<std::unique_ptr<simulation::TrainingObserver>(const protocols::Plan& plan,
                                                                                 const std::string& which)>;

// A function that is called with each result as soon as it is known.
using ResultSink = std::function<void(const simulation::RunResult& result)>;

struct ManyRunsOptions {
  unsigned threads = 1;
  // Once *interrupt is true, the run under way stops and keeps its checkpoint.
  const std::atomic<bool>* interrupt = nullptr;
  simulation::Fidelity fidelity = simulation::Fidelity::message;
};

class ManyRuns {
 public:
  ManyRuns(const ManyRunsOptions& options, MakeObserver make_observer, reporting::NoteSink notes);

  // Checks what can be checked before the first run, without its data: the randomizer supports the fidelity,
  // the run is not too costly for this machine, a theorem covers the plan, and its budget pays for one round.
  // Throws Error(usage), Error(plan) or Error(budget).
  void check(const protocols::Plan& plan);

  // Trains what is left of the plan's run in the folder `path`, and returns its result, also if the run was
  // interrupted. Throws what RunFolder, require_plan, load_data, train, check_logged and finished_result
  // throw.
  simulation::RunResult run(const protocols::Plan& plan, const std::filesystem::path& path,
                            const std::string& which);

  // Trains the runs in the order given, each in its own folder below `folder`, and stores their results.
  // Returns false if they were interrupted; runs without a result are then unfinished. A run that diverges,
  // or whose data cannot be used, fails without stopping the others, unless all of them need the same data
  // and these cannot be read. In that case throws Error(data); also throws what run() throws with any other
  // code.
  bool run_all(const std::vector<PlannedRun>& runs, const std::filesystem::path& folder,
               const ResultSink& results);

  // Returns whether an earlier call of run() could not read this plan's data. The data are not read again:
  // the same error is thrown for every run that needs them.
  bool is_unreadable(const protocols::Plan& plan) const;

  // Returns the function that gives the proven upper epsilon of a number of the plan's rounds. It remembers
  // what it has computed, and the plan's runs use the same function.
  reporting::EpsilonOfRounds charge_of(const protocols::Plan& plan);

 private:
  const learning::DataSplit& data_of(const protocols::Plan& plan);
  // Gives a note to the caller unless it is empty or was given before, so that a note that applies to many
  // runs is given once.
  void note_once(const std::string& note);
  // Gives the notes on clients that hold several records and on clients that share records.
  void note_records(const protocols::Plan& plan, const simulation::RunResult& result);

  ManyRunsOptions options_;
  MakeObserver make_observer_;
  reporting::NoteSink notes_;
  Charges charges_;
  std::string data_identity_;  // the data_identity() of data_
  std::optional<learning::DataSplit> data_;
  std::set<std::string> noted_;
  std::map<std::string, Error> unreadable_;  // the errors of data sets that could not be read, by identity
};

}  // namespace muster::experiments
