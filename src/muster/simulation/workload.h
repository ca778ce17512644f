// What a run will cost, before it starts: coins, draws, messages, and the memory their list takes.
//
// All are expectations under the plan's own law, at the highest of its rates, and without data, model and
// workers, which do not grow with the clients. What each costs is in docs/scale.md.
#pragma once

#include <cstdint>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"

namespace muster::simulation {

struct TrainingParts;

struct Workload {
  double coins = 0;     // of all rounds together
  double draws = 0;     // streams opened for one client: a lost report, a rate of its own, a slot
  double messages = 0;  // dummies included
  double step = 0;      // the most messages that are put in one secret order
  double bytes = 0;     // the most held at once to call the roll
};
Workload workload_of(const protocols::Plan& plan);

// What there is to do the work with: all ranks together, and those on this machine.
struct Resources {
  double threads = 1;        // of all ranks
  double memory = 0;         // bytes of this machine
  double share_of_list = 1;  // of the step's list, what the ranks on this machine hold
};
Resources resources_here(unsigned threads_a_rank);

// Refuses, before anything is loaded, a run that cannot finish. Error(plan), naming what is too
// large and about what would do: more messages in one step than their exact sum has room for
// (2^32; 2^31 expected), a list of them that this machine cannot hold, or a year's work even if a
// coin took 0.1 ns and a message 50 ns.
void refuse_endless(const protocols::Plan& plan, const Resources& resources);

// Seconds on one thread for the whole workload, one message being timed on the run's own parts.
double seconds_of(const Workload& work, const TrainingParts& parts, const learning::DataSplit& inputs);

}  // namespace muster::simulation
