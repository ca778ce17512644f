// Trains: runs rounds until the plan's count or budget is reached, or until the run is interrupted.
//
// A run gives the same bits whatever the number of threads and ranks, and however often it is interrupted and
// resumed; only the measured times differ. Besides the model, a run reports three things that depend on the
// clients' data: the model's accuracy on the test set, as a whole and by client; its loss on the test set;
// and the number of clients' vectors that were not finite. It reports no training loss.
//
// A run starts worker threads of its own. Call train() from the thread that the RunFolder and the Ranks
// belong to; its observer is called on the same thread.
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

// The work ahead of this invocation, estimated from the plan and from timing one message.
struct Expected {
  double messages;   // the number of messages, dummies included
  double coins;      // the number of check-in coins
  double seconds;    // the estimated time with `threads` threads
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
  // Once *interrupt is true, the run stops. A step under way is abandoned, and a resumed run repeats the
  // step.
  const std::atomic<bool>* interrupt = nullptr;
};

// Begins or resumes the run in `folder`, which must not hold a finished run. Leaves a checkpoint there and,
// unless interrupted, result.json. Throws Error(plan) if `parts` were made for another plan, Error(budget) if
// the budget does not pay for one round, Error(checkpoint) if the folder's run does not fit the plan or the
// data, and Error(data) if the model is no longer finite.
RunResult train(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                RunFolder& folder, const TrainingOptions& options, TrainingObserver& observer);
// Does the same on several ranks. Every rank must call this function, with the same plan and data. Only the
// first rank has a folder. On the other ranks `folder` is null, `parts.epsilon` may be empty, the observer
// receives no events, and the result has no accuracy, epsilon or time. A failure on one rank is thrown on all
// of them.
RunResult train(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
                const learning::DataSplit& data, RunFolder* folder, const TrainingOptions& options,
                TrainingObserver& observer);

}  // namespace muster::simulation
