// Estimates the cost of a run before it starts: coins, other draws, messages, gradients, and the memory for
// the lists of senders.
//
// All numbers are expectations. If the check-in rates of clients differ, the highest rate is used for all.
// The memory of data, model and workers is not counted: it does not grow with the number of clients.
// docs/scale.md gives the cost of each part. The functions may be called from any thread; the estimate of
// seconds_of() is right only while the machine is otherwise idle.
#pragma once

#include <cstdint>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"

namespace muster::simulation {

struct TrainingParts;

struct Workload {
  double coins = 0;     // number of check-in coins in all rounds
  double draws = 0;     // number of other draws in all rounds: dropouts, own rates, slots, members of subsets
  double messages = 0;  // number of messages in all rounds, dummies included
  double step = 0;      // largest expected number of messages of one step, which are shuffled together
  double bytes = 0;     // largest expected number of bytes that the lists of senders take at once
  // The number of gradients of single records in all rounds. A statistic's values are counted like gradients.
  double gradients = 0;
};
Workload workload_of(const protocols::Plan& plan);

// The resources that a run may use.
struct Resources {
  double threads = 1;        // threads of all ranks together
  double memory = 0;         // bytes on this machine
  double share_of_list = 1;  // fraction of a step's list of senders that the ranks on this machine hold
};
Resources resources_here(unsigned threads_a_rank);

// Refuses, before anything is loaded, a run that cannot finish. It throws Error(plan), which names the key
// whose value is too large and roughly the largest value that is allowed, for more than 2^31 expected
// messages in one step (their exact sum has room for 2^32), for lists of senders that do not fit into this
// machine's memory, and for more than a year's work of all threads even at 0.1 ns per coin, 50 ns per message
// and 1 ns per gradient.
void refuse_too_costly(const protocols::Plan& plan, const Resources& resources);

// Returns the estimated seconds on one thread for the whole workload. The times of one gradient and of one
// message are measured with the run's own parts; the times of a coin and of a draw are constants.
double seconds_of(const Workload& work, const TrainingParts& parts, const learning::DataSplit& inputs);

}  // namespace muster::simulation
