// A sweep: one plan trained for each combination of some keys' values, and for several seeds.
//
// Every run is an ordinary run in a folder of its own, below runs/NAME-sweep-HASH8: it resumes, and is
// reported, like any other. All combinations are validated, and found to be covered and within their budget,
// before the first begins. Runs that share a data set follow each other, and it is read once; runs that are
// charged alike share the accountant's curves.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "train_flags.h"

namespace muster::app {

struct Knob {
  std::string key;                  // "randomizer.epsilon0"
  std::vector<std::string> values;  // as typed
};

// "KEY=V1,V2": values are split at commas outside brackets. Error(usage) for what is not that, for a key that
// no flag overrides, for `seed` (--seeds), and for a value twice.
Knob knob_of(const std::string& text);

struct Combination {
  std::vector<std::pair<std::string, std::string>> set;  // a value for each knob, in the order of the knobs
  std::vector<protocols::Plan> plans;                    // one a seed
};

// The cartesian product, the last knob turning fastest. Throws what Plan::validate throws, and Error(usage)
// for a key that is swept twice, for more than 10,000 runs and for two runs of the same plan.
std::vector<Combination> combinations_of(const protocols::PlanSource& source, const std::vector<Knob>& knobs,
                                         std::uint64_t seeds);

// `muster train PLAN --sweep KEY=V1,V2 --seeds N`; returns the exit status.
int run_sweep(const TrainFlags& flags);

}  // namespace muster::app
