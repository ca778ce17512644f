// Which pairs of a protocol and a randomizer are compared: those for which the plan and its overrides state
// what they need.
//
// Every pair becomes a plan with the same population, rounds and delta. The noise (and, for accuracy, the
// rate) is left to be solved for; every other key is the file's or a flag's where it applies to the pair, and
// left out where it does not. A protocol or randomizer that was named must be complete, or its error is thrown;
// of those that were not named, the complete ones are taken, and the reasons of the others are listed. The
// function is pure.
#pragma once

#include <string>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::comparison {

// What a comparison solves for: the noise at the plan's rate, or the noise and the rate of the least variance of
// a round's mean. Protocols that have no rate to choose (plan/calibration/most_accurate.h) keep theirs.
enum class Solves { noise, accuracy };

// Names as plans write them; an empty list stands for all that apply.
struct Wanted {
  std::vector<std::string> protocols;
  std::vector<std::string> randomizers;
};

struct LeftOut {
  std::string name;  // of the protocol or randomizer
  std::string why;   // "needs participation.subset (--subset)", or the sentence of a refusal
};

struct Candidates {
  protocols::Plan own;                 // the plan's own protocol and randomizer
  std::vector<protocols::Plan> plans;  // by protocol, then by randomizer
  // The plan's own protocol with each randomizer of `plans`: what is sent where no shuffler takes the names off.
  std::vector<protocols::Plan> local;
  std::vector<LeftOut> left_out;
};

// Throws Error(plan) if the plan itself, or a protocol or randomizer that is wanted, is incomplete or wrong; if
// nothing applies; and if a name is unknown (the nearest one is suggested).
Candidates candidates_of(const protocols::PlanSource& source, const Wanted& wanted,
                         protocols::Command command, Solves solves);

// The plan as it is, with its own noise, and without flags that are for other protocols or randomizers. Throws
// Error(plan) if it is incomplete or wrong.
protocols::Plan own_plan(const protocols::PlanSource& source);

}  // namespace muster::comparison
