// The model that a training gives away, with what its release cost in privacy.
//
// The function may be called from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/simulation/runs/model_file.h"
#include "muster/simulation/setup.h"

namespace muster::simulation {

// Returns the content of model.safetensors for the reported parameters. Its metadata have the plan's hash and
// the guarantee: `epsilon` is that of `rounds` rounds, infinite if none is proven.
StoredModel released_model(const protocols::Plan& plan, const TrainingParts& parts,
                           const std::vector<float>& reported, std::uint64_t rounds, double epsilon);

}  // namespace muster::simulation
