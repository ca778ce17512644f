// Selects the pairs of a protocol and a randomizer to compare: those for which the plan and its overrides
// have all required keys.
//
// Every pair becomes a plan with the same population, rounds and delta. The noise (and, for accuracy, the
// rate) is left to be solved for. Every other key has the value of the file or of a flag if it applies to the
// pair, and is left out if it does not. If the user names a protocol or randomizer whose keys are incomplete,
// the error for that key is thrown. If the user names none, the pairs with complete keys are compared, and
// the other protocols and randomizers are listed with the reason. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::comparison {

// What a comparison solves for: only the noise, at the plan's rate, or (for accuracy) the noise and the rate
// for which a round's mean has the least variance. Protocols whose rate cannot be chosen (chooses_rate in
// plan/calibration/most_accurate.h) keep the plan's rate.
enum class Solves { noise, accuracy };

// The names that the user has chosen, as in plans. An empty list means all that apply.
struct Wanted {
  std::vector<std::string> protocols;
  std::vector<std::string> randomizers;
};

struct LeftOut {
  std::string name;  // the name of the protocol or randomizer
  std::string why;   // "needs participation.subset (--subset)", or the text of an error
};

struct Candidates {
  protocols::Plan own;                 // the plan with its own protocol and randomizer
  std::vector<protocols::Plan> plans;  // a plan for each pair, by protocol, then by randomizer
  // The plan's own protocol with each randomizer of `plans`, for the reference `local` (comparison.h).
  std::vector<protocols::Plan> local;
  std::vector<LeftOut> left_out;
};

// Throws Error(plan) if the plan itself, or a protocol or randomizer in `wanted`, is incomplete or wrong, or
// if a name is unknown. For an unknown name, the error suggests the nearest known name. If no pair is left,
// the error is that of a pair, and names the key or flag that is wrong.
Candidates candidates_of(const protocols::PlanSource& source, const Wanted& wanted,
                         protocols::Command command, Solves solves);

// Returns one sentence for each stated key that does not apply to some of the candidates, such as
// "participation.rate = 0.1 (a.toml, line 4, column 9) does not apply to protocols shuffle, subset, and is
// left out there". `source` and `solves` are those of candidates_of().
std::vector<std::string> keys_left_out(const protocols::PlanSource& source, const Candidates& candidates,
                                       Solves solves);

// Returns the plan with its own noise, without keys and flags that do not apply to its own protocol and
// randomizer. Throws Error(plan) if it is incomplete or wrong.
protocols::Plan own_plan(const protocols::PlanSource& source);

}  // namespace muster::comparison
