// The epsilon functions of several plans. Plans that are charged alike share one accountant and a table of
// its epsilons, so that each epsilon is computed only once.
//
// Call of() from one thread. The functions that it returns may be called from any thread, and they may
// outlive the Charges.
#pragma once

#include <optional>
#include <vector>

#include "muster/describe/mechanism.h"
#include "muster/describe/stage.h"
#include "muster/plan/plan.h"
#include "muster/reporting/stated_epsilon.h"

namespace muster::experiments {

class Charges {
 public:
  // Returns the function that simulation::epsilon_of would return, or one that it returned for a plan with
  // the same mechanism, stages and delta.
  reporting::EpsilonOfRounds of(const protocols::Plan& plan);

 private:
  struct Charge {
    accounting::Mechanism mechanism;
    std::vector<accounting::Stage> stages;
    std::optional<double> delta;
    reporting::EpsilonOfRounds epsilon;
  };
  std::vector<Charge> charges_;
};

}  // namespace muster::experiments
