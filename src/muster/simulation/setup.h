// Makes the parts that train a plan; the only place where the randomizer that runs and the one that
// is charged meet.
//
// assemble() charges what the randomizer says about itself, after checking that this is the plan's
// mechanism, so a sampler and an epsilon that do not belong together cannot be combined here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/model_task.h"

namespace muster::simulation {

struct TrainingParts {
  std::string plan_hash;  // of the plan that they were made for: train() refuses them for another one
  ModelTask task;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  // The sampler with the same parameters, in the `sum` fidelity; otherwise null.
  std::unique_ptr<randomizers::SumSampler> sum;
  // The proven upper epsilon of a number of rounds, at the plan's delta.
  std::function<double(std::uint64_t)> epsilon;

  Fidelity fidelity() const { return sum == nullptr ? Fidelity::message : Fidelity::sum; }
};

// With `elsewhere`, another process of the same run computes epsilon, and `epsilon` stays empty here.
enum class Accounting { charged, elsewhere };

// Returns the function that gives the proven upper epsilon of a number of rounds, for what the plan
// charges and at its delta. Building the accountant's curves may take seconds. Throws Error(uncovered) if
// no theorem covers the protocol with the randomizer.
std::function<double(std::uint64_t)> epsilon_of(const protocols::Plan& plan);

// `data` must come from load_data. Epsilon's curves are built while the task is set up. Throws
// Error(usage) for the `sum` fidelity of a randomizer that has no sum sampler.
TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data,
                       Accounting accounting = Accounting::charged, Fidelity fidelity = Fidelity::message);

struct Prepared {
  learning::DataSplit data;
  TrainingParts parts;
};
// Calls load_data and assemble, while the accountant works in another thread.
Prepared prepare(const protocols::Plan& plan, Accounting accounting = Accounting::charged,
                 Fidelity fidelity = Fidelity::message);

// Refuses, before anything is loaded, a fidelity that the plan's randomizer does not support; assemble
// refuses the same.
void check_fidelity(const protocols::Plan& plan, Fidelity fidelity);

// Whether two descriptions are the same, with parameters compared bit for bit.
bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b);

}  // namespace muster::simulation
