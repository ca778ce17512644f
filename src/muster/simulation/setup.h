// Makes the parts that train a plan, and checks that the randomizer that runs is the one that is charged.
//
// Epsilon is that of the plan's mechanism. assemble() compares this with what the randomizer that it made
// says about itself, and throws Error(internal) where they differ, so a randomizer and an epsilon that do
// not belong together cannot be combined here.
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
  std::string plan_hash;  // of the plan that the parts were made for; train() refuses them with another plan
  ModelTask task;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  // In the `sum` fidelity, what draws the sum of the randomizer's messages; otherwise null.
  std::unique_ptr<randomizers::SumSampler> sum;
  // The proven upper epsilon of a number of rounds, at the plan's delta.
  std::function<double(std::uint64_t)> epsilon;

  Fidelity fidelity() const { return sum == nullptr ? Fidelity::message : Fidelity::sum; }
};

// With `elsewhere`, another process of the same run computes epsilon, and TrainingParts::epsilon stays empty.
enum class Accounting { charged, elsewhere };

// Returns the function that gives the proven upper epsilon of a number of rounds, for what the plan
// charges and at its delta. Building the accountant's curves may take seconds. Throws Error(uncovered) if
// no theorem covers the protocol with the randomizer.
std::function<double(std::uint64_t)> epsilon_of(const protocols::Plan& plan);

// `data` must come from load_data. The accountant's curves are built in another thread while the task is set
// up. Throws Error(usage) for the `sum` fidelity of a randomizer that has no sum sampler.
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

// Whether two descriptions are equal; parameters are compared without a tolerance.
bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b);

}  // namespace muster::simulation
