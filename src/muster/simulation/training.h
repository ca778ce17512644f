// The training run: rounds until the plan's count or its budget is reached or the run is interrupted.
//
// A run gives the same bits whatever the number of threads and ranks, and however often it is
// interrupted and resumed; only the measured times differ. Of what depends on the clients' data it reports
// only the model's accuracy and loss on the test set and how many of the clients' vectors were not
// finite; it reports no training loss.
#pragma once

#include <atomic>
#include <cstdint>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/result_file.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {

// The work ahead, estimated from the plan and from timing one message.
struct Expected {
  double messages;
  double coins;
  double seconds;    // seconds with `threads` threads
  unsigned threads;  // threads of all ranks together
};

// Receives events on the thread that called train.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  // Called before the first step of this invocation: the checkpoint has `done` rounds (in slot protocols,
  // slots of all runs together), and this invocation will stop when `last` of them are done.
  virtual void started(std::uint64_t done, std::uint64_t last, const Expected& expected) = 0;
  // Called after each step, with the rounds done so far. In slot protocols these are slots, and a step may
  // span several.
  virtual void round_done(std::uint64_t round) = 0;
  virtual void logged(const Measurement& logged) = 0;
};

struct TrainingOptions {
  unsigned threads = 1;
  // Once *interrupt is true, the run stops: a step under way is abandoned, and a resumed run repeats it.
  const std::atomic<bool>* interrupt = nullptr;
};

// Begins or resumes the run in `folder`, which must not be finished. Leaves a checkpoint there and,
// unless interrupted, result.json. Throws Error(plan) for parts of another plan.
RunResult train(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                RunFolder& folder, const TrainingOptions& options, TrainingObserver& observer);
// Like the function above, on several ranks: every rank must call it, with the same plan and data. `folder`
// belongs to the first rank. On the other ranks it is null, `parts.epsilon` may be empty, the observer
// receives no events, and the result has no accuracy, epsilon or time. A failure on one rank is thrown on all
// of them.
RunResult train(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
                const learning::DataSplit& data, RunFolder* folder, const TrainingOptions& options,
                TrainingObserver& observer);

}  // namespace muster::simulation
