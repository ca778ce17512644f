// Makes the file of the trained model, which also states what training cost in privacy.
//
// The function may be called from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {

// Returns the content of model.safetensors for the reported parameters. Its metadata state the plan's hash
// and the guarantee. `epsilon` is the epsilon of `rounds` rounds, or infinity if none is proven; the metadata
// then say "none".
StoredModel released_model(const protocols::Plan& plan, const TrainingParts& parts,
                           const std::vector<float>& reported, std::uint64_t rounds, double epsilon);

}  // namespace muster::simulation
