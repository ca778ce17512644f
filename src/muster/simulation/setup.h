// Makes the parts of a training run, and checks that the randomizer that runs is the one that is charged.
//
// Epsilon is computed for the plan's mechanism. assemble() compares that mechanism with the description that
// the randomizer gives of itself and throws Error(internal) if they differ. So the parts that it returns have
// the randomizer that their epsilon is for. A caller that replaces a member of TrainingParts afterwards must
// ensure this itself: train() compares only the plan's hash. Call assemble() and prepare() from one thread;
// the other functions, and TrainingParts::epsilon, may be called from any thread.
#pragma once

#include <cstddef>
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
  std::string plan_hash;  // hash of the plan that the parts were made for; train() refuses any other
  ModelTask task;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  // Draws the sum of the randomizer's messages in the `sum` fidelity; otherwise null.
  std::unique_ptr<randomizers::SumSampler> sum;
  // Returns the proven upper epsilon of a number of rounds, at the plan's delta.
  std::function<double(std::uint64_t)> epsilon;
  // Why no theorem covers some of the rounds, which are then charged without amplification; empty if theorems
  // cover all rounds (accounting::Accountant::unamplified).
  std::string unamplified;

  Fidelity fidelity() const { return sum == nullptr ? Fidelity::message : Fidelity::sum; }
};

// With `elsewhere`, another process of the same run computes epsilon, and TrainingParts::epsilon stays empty.
enum class Accounting { charged, elsewhere };

// What the accountant says of a plan's rounds: TrainingParts::epsilon and TrainingParts::unamplified.
struct Charge {
  std::function<double(std::uint64_t)> epsilon;
  std::string unamplified;
};

// Returns what the accountant says of the plan's mechanism, participation and delta. Building the
// accountant's curves may take seconds.
Charge charge_of(const protocols::Plan& plan);
// Returns charge_of(plan).epsilon.
std::function<double(std::uint64_t)> epsilon_of(const protocols::Plan& plan);

// Returns the plan's randomizer for vectors of this many entries. Throws Error(plan) if it does not randomize
// such vectors, and Error(internal) if its description is not the plan's mechanism.
std::unique_ptr<randomizers::VectorRandomizer> make_randomizer(const protocols::Plan& plan,
                                                               std::size_t dimension);

// Returns the parts of a training run of the plan. `data` must come from load_data. The accountant's curves
// are built in another thread while the task is set up. Throws Error(usage) for the `sum` fidelity of a
// randomizer that has no sum sampler.
TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data,
                       Accounting accounting = Accounting::charged, Fidelity fidelity = Fidelity::message);

struct Prepared {
  learning::DataSplit data;
  TrainingParts parts;
};
// Calls load_data() and assemble() while another thread builds the accountant's curves.
Prepared prepare(const protocols::Plan& plan, Accounting accounting = Accounting::charged,
                 Fidelity fidelity = Fidelity::message);

// Throws Error(usage) for a fidelity that the plan's randomizer does not support. The function needs no data,
// so it can be called first; assemble() makes the same check.
void check_fidelity(const protocols::Plan& plan, Fidelity fidelity);

// Returns whether two descriptions are equal; parameters are compared without a tolerance.
bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b);

}  // namespace muster::simulation
