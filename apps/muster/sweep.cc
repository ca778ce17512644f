#include "sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "charges.h"
#include "interrupt.h"
#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/reporting/run_notes.h"
#include "muster/reporting/stated_epsilon.h"
#include "muster/reporting/sweep_summary.h"
#include "muster/reporting/watched_run.h"
#include "muster/simulation/budget.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"
#include "muster/simulation/training.h"
#include "muster/simulation/workload.h"
#include "say.h"
#include "train_progress.h"

namespace muster::app {
namespace {

namespace fs = std::filesystem;
using protocols::Plan;
using simulation::RunFolder;
using simulation::RunResult;

constexpr const char* kSummary = "summary.json";
constexpr const char* kPicture = "summary.svg";

// Holds the data set of the latest run as long as the next run needs the same one. Data that could not be
// read are not read again: the same error is thrown for every run that needs them.
class Data {
 public:
  const learning::DataSplit& of(const Plan& plan) {
    const std::string wanted = simulation::data_identity(plan);
    if (const auto known = unreadable_.find(wanted); known != unreadable_.end()) throw Error(known->second);
    if (!split_ || wanted != identity_) {
      split_.reset();
      try {
        split_ = simulation::load_data(plan);
      } catch (const Error& error) {
        unreadable_.emplace(wanted, error);
        throw;
      }
      say(reporting::classes_note(split_->train.class_names));
      identity_ = wanted;
    }
    return *split_;
  }
  bool is_unreadable(const Plan& plan) const { return unreadable_.contains(simulation::data_identity(plan)); }

 private:
  std::string identity_;
  std::optional<learning::DataSplit> split_;
  std::map<std::string, Error> unreadable_;
};

// Returns whether all runs of the sweep need the same data.
bool shares_data(const simulation::Sweep& sweep) {
  std::set<std::string> identities;
  for (const simulation::Combination& combination : sweep.combinations) {
    for (const Plan& plan : combination.plans) identities.insert(simulation::data_identity(plan));
  }
  return identities.size() == 1;
}

// Returns the default folder, runs/NAME-sweep-HASH8. HASH8 is the beginning of a hash of the plans of all
// runs.
fs::path default_folder(const simulation::Sweep& sweep) {
  std::string hashes;
  for (const simulation::Combination& combination : sweep.combinations) {
    for (const Plan& plan : combination.plans) {
      hashes += plan.hash();
    }
  }
  const std::string name = sweep.combinations.front().plans.front().name();
  return fs::path("runs") / fmt::format("{}-sweep-{}", name, protocols::hash_of(hashes).substr(0, 8));
}

// Throws Error(file) unless the sweep's folder is absent or empty or, with --resume, holds nothing but this
// sweep.
void check_folder(const simulation::Sweep& sweep, bool resume) {
  std::error_code failure;
  if (!fs::exists(sweep.folder, failure)) {
    return;
  }
  std::set<std::string> own = {kSummary, kPicture};
  for (const std::vector<simulation::SweptRun>& runs : sweep.runs) {
    for (const simulation::SweptRun& run : runs) {
      own.insert(run.folder);
    }
  }
  fs::directory_iterator entries(sweep.folder, failure);
  if (failure) {
    throw Error(ErrorCode::file, sweep.folder, "", "a folder", "cannot be read: " + failure.message());
  }
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (!own.contains(name) && !is_temporary_of(name, kSummary) && !is_temporary_of(name, kPicture)) {
      throw Error(ErrorCode::file, sweep.folder, "", "an empty folder, or one of this very sweep",
                  "holds something else: " + name);
    }
    if (!resume) {
      throw Error(ErrorCode::file, sweep.folder, "", "",
                  "holds runs of this sweep; --resume continues it, --out DIR starts another");
    }
  }
}

struct Place {
  std::size_t combination;
  std::size_t seed;
};

// Returns the order of the runs. Runs on the same data set are consecutive. Otherwise the order is seed by
// seed, so that every combination has a result early.
std::vector<Place> order_of(const simulation::Sweep& sweep) {
  std::vector<Place> places;
  for (std::size_t seed = 0; seed < sweep.combinations.front().plans.size(); ++seed) {
    for (std::size_t i = 0; i < sweep.combinations.size(); ++i) {
      places.push_back({i, seed});
    }
  }
  std::map<std::string, std::size_t> first_met;
  const auto group = [&](const Place& place) {
    const Plan& plan = sweep.combinations[place.combination].plans[place.seed];
    return first_met.emplace(simulation::data_identity(plan), first_met.size()).first->second;
  };
  for (const Place& place : places) {
    group(place);
  }
  std::ranges::stable_sort(places, {}, group);
  return places;
}

// Runs one plan, or what is left of its run. Returns the result, whether the run is finished or interrupted.
RunResult run_one(const Plan& plan, const fs::path& path, const TrainFlags& flags, Charges& charges,
                  Data& data, simulation::Fidelity fidelity, const std::string& which) {
  RunFolder folder(path);
  const reporting::EpsilonOfRounds epsilon = charges.of(plan);
  if (folder.found() == RunFolder::Found::unfinished) {
    // load() refuses the run of another plan.
    reporting::check_logged(plan, epsilon, path, folder.load(plan.hash(), fidelity), say);
  }
  if (folder.found() != RunFolder::Found::finished) {
    const learning::DataSplit& loaded = data.of(plan);
    simulation::TrainingParts parts =
        simulation::assemble(plan, loaded, simulation::Accounting::elsewhere, fidelity);
    parts.epsilon = epsilon;
    TrainProgress progress(TrainProgress::Lines::none, plan.has_slots() ? "slot" : "round", which);
    RunResult result =
        simulation::train(plan, parts, loaded, folder, {flags.threads, &interrupted()}, progress);
    if (result.stopped == simulation::Stopped::interrupted) {
      return result;
    }
  }
  RunResult result = reporting::finished_result(plan, epsilon, path, folder.load(plan.hash(), fidelity), say);
  if (const std::uint64_t neutral = result.neutral.value_or(0); neutral > 0) {
    say(fmt::format("{}: {}", which, reporting::neutral_note(neutral)));
  }
  say(reporting::alarm_note(plan, path));
  return result;
}

void run_all(simulation::Sweep& sweep, const TrainFlags& flags, simulation::Fidelity fidelity,
             Charges& charges) {
  Data data;
  // The notes on records that were printed already. Each note is printed once, not once per run.
  std::set<std::string> said;
  const std::vector<Place> order = order_of(sweep);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (interrupted()) {
      sweep.interrupted = true;
      return;
    }
    const Plan& plan = sweep.combinations[order[i].combination].plans[order[i].seed];
    simulation::SweptRun& run = sweep.runs[order[i].combination][order[i].seed];
    const std::string which = fmt::format("run {} of {}", i + 1, order.size());
    try {
      RunResult result =
          run_one(plan, fs::path(sweep.folder) / run.folder, flags, charges, data, fidelity, which);
      if (flags.json) {
        fmt::print("{}\n", simulation::result_line(result));
        std::fflush(stdout);
      }
      for (const std::string& note : {reporting::records_note(plan),
                                      reporting::sharing_note(plan, result.clients_per_record.value_or(1))}) {
        if (!note.empty() && said.insert(note).second) {
          say(note);
        }
      }
      if (result.stopped == simulation::Stopped::interrupted) {
        sweep.interrupted = true;
        return;
      }
      run.result = std::move(result);
    } catch (const Error& error) {
      // If the data that all runs need cannot be read, no other run can succeed.
      if (error.code() != ErrorCode::data || (shares_data(sweep) && data.is_unreadable(plan))) {
        throw;
      }
      // This run diverged, or its data cannot be used; the others may succeed.
      run.failure = error.what();
      say(fmt::format("{} failed: {}", which, error.what()));
    }
  }
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
  sweep.folder = flags.out.empty() ? default_folder(sweep).string() : flags.out;
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

void leave_summary(const simulation::Sweep& sweep, bool json) {
  const std::string summary = reporting::summary_json(sweep);
  replace_file(fs::path(sweep.folder) / kSummary, summary + "\n");
  replace_file(fs::path(sweep.folder) / kPicture, reporting::summary_svg(sweep));
  if (json) {
    fmt::print("{}\n", summary);
  } else {
    fmt::print("{}\nfolder    {}\n", reporting::summary_table(sweep), sweep.folder);
  }
  std::fflush(stdout);
}

}  // namespace

int run_sweep(const TrainFlags& flags) {
  const simulation::Fidelity fidelity = simulation::fidelity_named(flags.fidelity);
  simulation::Sweep sweep = sweep_of(flags);
  say_what_is_left_out(sweep);
  check_folder(sweep, flags.resume);
  Charges charges;
  for (const simulation::Combination& combination : sweep.combinations) {
    const Plan& plan = combination.plans.front();
    simulation::check_fidelity(plan, fidelity);
    simulation::refuse_too_costly(plan, simulation::resources_here(flags.threads));
    const reporting::EpsilonOfRounds epsilon = charges.of(plan);
    if (plan.budget()) {
      static_cast<void>(simulation::affordable_rounds(epsilon, plan.rounds(), *plan.budget()));
    }
  }
  catch_signals();
  run_all(sweep, flags, fidelity, charges);
  leave_summary(sweep, flags.json);
  if (sweep.interrupted) {
    say("interrupted; the same command with --resume continues");
    return exit_status(ErrorCode::interrupted);
  }
  for (const std::vector<simulation::SweptRun>& runs : sweep.runs) {
    for (const simulation::SweptRun& run : runs) {
      if (!run.failure.empty()) {
        throw Error(ErrorCode::data, run.folder, "", "",
                    "failed, and the other runs of the sweep are done: " + run.failure);
      }
    }
  }
  return 0;
}

}  // namespace muster::app
