// From a plan to the parts that train it, and the one place where what runs meets what is charged.
//
// assemble() asks the accountant about the description the randomizer gives of itself, after checking that it
// is the plan's: a sampler and an epsilon that do not belong together cannot be put together here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "muster/accounting/describe/mechanism.h"
#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/model_task.h"

namespace muster::simulation {

struct TrainingParts {
  ModelTask task;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  std::unique_ptr<randomizers::SumSampler> sum;  // of the same parameters, in the `sum` fidelity; else null
  std::function<double(std::uint64_t)>
      epsilon;  // proven upper epsilon of so many rounds, at the plan's delta

  Fidelity fidelity() const { return sum == nullptr ? Fidelity::message : Fidelity::sum; }
};

// `elsewhere`: another process of the same run asks the accountant, and `epsilon` stays empty here.
enum class Accounting { charged, elsewhere };

// Proven upper epsilon of so many rounds of what the plan charges, at its delta. Builds the accountant's
// curves, which may take seconds. Error(uncovered) for a pair no theorem covers.
std::function<double(std::uint64_t)> epsilon_of(const protocols::Plan& plan);

// `data`: as load_data gives it. Asks epsilon_of while the task is made. Error(usage) for a randomizer whose
// sum has no sampler.
TrainingParts assemble(const protocols::Plan& plan, const learning::DataSplit& data,
                       Accounting accounting = Accounting::charged, Fidelity fidelity = Fidelity::message);

struct Prepared {
  learning::DataSplit data;
  TrainingParts parts;
};
// load_data and assemble, the accountant at work meanwhile.
Prepared prepare(const protocols::Plan& plan, Accounting accounting = Accounting::charged,
                 Fidelity fidelity = Fidelity::message);

// Refuses, as assemble would, a fidelity that the plan's randomizer does not have: before anything is loaded.
void check_fidelity(const protocols::Plan& plan, Fidelity fidelity);

// Whether two descriptions say the same, parameters compared bit for bit.
bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b);

}  // namespace muster::simulation
