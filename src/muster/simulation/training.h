// The training run: rounds until the plan's count, its budget, or an interruption.
//
// One run leaves the same bits whatever the number of threads and ranks, and however often it is interrupted
// and resumed; only the fields of time differ. Nothing about the clients' data is reported but the model's
// accuracy on the test set, and how many of their vectors were not finite: no training loss leaves a round.
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

// In a slot protocol a round is a whole run of slots: one that has begun is counted and charged in full,
// since its first slots say no more than all of them.
struct LoggedRound {
  std::uint64_t round;  // rounds done, from 1
  double accuracy;      // of the reported model on the whole test set, in [0, 1]
  double epsilon;       // proven upper value for these rounds
  std::uint64_t
      check_ins;  // messages of the last step, the server's dummies among them: which they are is secret
  // Messages so far that clients sent for the neutral record, since their own gave no finite vector. It tells
  // of the records and no epsilon covers it: for those who run the simulation, not for publication.
  std::uint64_t neutral;
  std::optional<std::uint64_t> slot;  // slot protocols: slots done in all runs together
};

enum class Stopped { done, budget, interrupted };
const char* name_of(Stopped stopped);

struct TrainingResult {
  double accuracy;
  double epsilon;
  double delta;
  std::uint64_t rounds;
  double seconds;             // all sessions of the run together, without loading data
  std::uint64_t messages;     // client messages, all rounds together
  std::uint64_t neutral;      // of these, as in LoggedRound
  double clients_per_record;  // on average; 1 where each client has a record of its own
  Stopped stopped;
  Fidelity fidelity;
  std::optional<std::uint64_t> slots;  // slot protocols: done, in all runs together
};

// What is ahead of a run, as its first message and its plan tell.
struct Expected {
  double messages;
  double coins;
  double seconds;  // on so many threads, all ranks together
  unsigned threads;
};

// Told what happens, on the thread that called train.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  // Before the first step of this invocation: `done` rounds, or slots, are in the checkpoint, the run will
  // stop after `last`.
  virtual void started(std::uint64_t done, std::uint64_t last, const Expected& expected) = 0;
  // After a step, which in slot protocols may span several slots.
  virtual void round_done(std::uint64_t round) = 0;
  virtual void logged(const LoggedRound& logged) = 0;
};

struct TrainingOptions {
  unsigned threads = 1;
  const std::atomic<bool>* interrupt = nullptr;  // once true, the run stops after the step under way
};

// Begins or resumes the run in `folder`, which must not be finished. Leaves a checkpoint, and, unless
// interrupted, result_json(..) as the folder's result.
TrainingResult train(const protocols::Plan& plan, const TrainingParts& parts, const learning::DataSplit& data,
                     RunFolder& folder, const TrainingOptions& options, TrainingObserver& observer);
// The same among several ranks: every rank calls it, with the same plan and data. `folder` is the first
// rank's, null on the others, where `parts.epsilon` may be empty and the observer hears nothing; their result
// has no accuracy, epsilon or time. What goes wrong on one rank is thrown on all.
TrainingResult train(Ranks& ranks, const protocols::Plan& plan, const TrainingParts& parts,
                     const learning::DataSplit& data, RunFolder* folder, const TrainingOptions& options,
                     TrainingObserver& observer);

// The contract's JSON lines, without an end of line; an infinite epsilon is null.
std::string logged_json(const LoggedRound& logged);
std::string result_json(const TrainingResult& result, const std::string& out);

}  // namespace muster::simulation
