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

#include "muster/accounting/mechanisms/mechanism.h"
#include "muster/learning/dataset.h"
#include "muster/learning/gradient_engine.h"
#include "muster/protocols/plan.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/fidelity.h"

namespace muster::simulation {

struct TrainingParts {
  std::unique_ptr<learning::GradientEngine> gradients;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  std::unique_ptr<randomizers::SumSampler> sum;  // of the same parameters, in the `sum` fidelity; else null
  std::vector<float> initial;                    // the model before round 1
  std::function<double(std::uint64_t)>
      epsilon;  // proven upper epsilon of so many rounds, at the plan's delta

  Fidelity fidelity() const { return sum == nullptr ? Fidelity::message : Fidelity::sum; }
};

// `elsewhere`: another process of the same run asks the accountant, and `epsilon` stays empty here.
enum class Accounting { charged, elsewhere };

// Builds the accountant's curves, which may take seconds. Error(uncovered) for a pair no theorem covers.
// And Error(usage) for a randomizer whose sum has no sampler.
TrainingParts assemble(const protocols::Plan& plan, Accounting accounting = Accounting::charged,
                       Fidelity fidelity = Fidelity::message);

// Refuses, as assemble would, a fidelity that the plan's randomizer does not have: before anything is loaded.
void check_fidelity(const protocols::Plan& plan, Fidelity fidelity);

// The plan's training and test examples: for `digits` one training example a client, 60,000 at most, and
// 10,000 test examples, all drawn from the plan's seed. Error(data) or Error(file).
learning::DataSplit load_data(const protocols::Plan& plan);
// Plans of the same identity load the same data.
std::string data_identity(const protocols::Plan& plan);

// Whether two descriptions say the same, parameters compared bit for bit.
bool same_mechanism(const accounting::Mechanism& a, const accounting::Mechanism& b);

}  // namespace muster::simulation
