// The training run: rounds until the plan's count or its budget is reached or the run is interrupted.
//
// A run gives the same bits whatever the number of threads and ranks, and however often it is
// interrupted and resumed; only the fields of time differ. About the clients' data it reports nothing
// but the model's accuracy on the test set, and how many of the clients' vectors were not finite; it
// reports no training loss.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {

// In a slot protocol a round is a whole run of slots. A run that has begun is counted and charged in
// full, because its first slots reveal no more than all of its slots.
struct LoggedRound {
  std::uint64_t round;  // rounds done, from 1
  double accuracy;      // of the reported model on the whole test set, in [0, 1]
  double epsilon;       // proven upper epsilon of these rounds
  // The messages of the last step, including the server's dummies, because which ones are dummies is secret.
  std::uint64_t check_ins;
  // The messages so far that clients sent for the neutral record because their own vector was not finite.
  // This count reveals something about the records and no epsilon covers it: it is meant for those who
  // run the simulation, not for publication.
  std::uint64_t neutral;
  // In slot protocols, the slots done in all runs together.
  std::optional<std::uint64_t> slot;
};

enum class Stopped { done, budget, interrupted };
const char* name_of(Stopped stopped);

struct TrainingResult {
  double accuracy;
  double epsilon;
  double delta;
  std::uint64_t rounds;
  double seconds;             // in all sessions of the run, without loading data
  std::uint64_t messages;     // in all rounds
  std::uint64_t neutral;      // of these messages, as in LoggedRound
  double clients_per_record;  // on average; 1 if each client has its own record
  Stopped stopped;
  Fidelity fidelity;
  // In slot protocols, the slots done in all runs together.
  std::optional<std::uint64_t> slots;
};

// The work ahead, estimated from the plan and from timing one message.
struct Expected {
  double messages;
  double coins;
  double seconds;  // with this number of threads, on all ranks together
  unsigned threads;
};

// Receives events on the thread that called train.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  // Called before the first step of this invocation: `done` rounds (or slots) are in the checkpoint, and
  // the run will stop after `last`.
  virtual void started(std::uint64_t done, std::uint64_t last, const Expected& expected) = 0;
  // Called after each step, which in slot protocols may span several slots.
  virtual void round_done(std::uint64_t round) = 0;
  virtual void logged(const LoggedRound& logged) = 0;
};

struct TrainingOptions {
  unsigned threads = 1;
  // Once true, the run stops: a step under way is abandoned, and a resumed run begins with it.
  const std::atomic<bool>* interrupt = nullptr;
};

// Begins or resumes the run in `folder`, which must not be finished. Leaves a checkpoint there and,
// unless interrupted, result_json(..) as the folder's result.
TrainingResult train(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                     RunFolder& folder, const TrainingOptions& options, TrainingObserver& observer);
// The same on several ranks: every rank must call it, with the same plan and data. `folder` belongs to the
// first rank. On the others it is null, `parts.epsilon` may be empty, the observer receives no events, and
// the result has no accuracy, epsilon or time. A failure on one rank is thrown on all of them.
TrainingResult train(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
                     const learning::DataSplit& data, RunFolder* folder, const TrainingOptions& options,
                     TrainingObserver& observer);

// The documented JSON lines, without an end of line; an infinite epsilon is null.
std::string logged_json(const LoggedRound& logged);
std::string result_json(const TrainingResult& result, const std::string& out);

}  // namespace muster::simulation
