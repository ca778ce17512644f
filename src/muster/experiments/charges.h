// Computes what the rounds of several plans cost. Plans that are charged alike share one accountant and a
// table of its epsilons, so that each epsilon is computed only once.
//
// Call of() from one thread. The epsilon functions that it returns may be called from any thread, and they
// may outlive the Charges.
#pragma once

#include <optional>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/describe/stage.h"
#include "muster/plan/plan.h"
#include "muster/simulation/setup.h"

namespace muster::experiments {

class Charges {
 public:
  // Returns what simulation::charge_of would return, or what it returned for a plan with the same mechanism,
  // stages and delta.
  simulation::Charge of(const protocols::Plan& plan);

 private:
  struct Known {
    accounting::Mechanism mechanism;
    std::vector<accounting::Stage> stages;
    std::optional<double> delta;
    simulation::Charge charge;
  };
  std::vector<Known> known_;
};

}  // namespace muster::experiments
