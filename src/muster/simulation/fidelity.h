// How much of a round a simulation makes: every message, or the messages' sum in one draw of the same law.
//
// A run is of one fidelity from its first round to its last: a folder of the other one is refused, and the
// output always names it.
#pragma once

#include <cstdint>
#include <string>

namespace muster::simulation {

// Values are frozen: checkpoints hold them.
enum class Fidelity : std::uint64_t {
  message = 0,  // every client's message is made, shuffled and aggregated
  sum = 1,      // randomizers/sum_sampler.h
};

const char* name_of(Fidelity fidelity);
// Error(usage) naming --fidelity for any other text.
Fidelity fidelity_named(const std::string& text);

}  // namespace muster::simulation
