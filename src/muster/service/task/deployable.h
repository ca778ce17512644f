// Which plans can be deployed: those whose theorem assumes nothing that the running roles do not enforce.
//
// Shuffled check-ins with one rate are deployed, with every model and every randomizer that trains. Anything
// else is refused by name, with what it would need. The function is pure.
#pragma once

#include "muster/plan/plan.h"

namespace muster::service {

// Throws Error(plan), naming the key, its value and what would be needed, for a plan that trains in a
// simulation but is not deployed.
void refuse_undeployed(const protocols::Plan& plan);

}  // namespace muster::service
