// The fidelity says how much of a round is simulated: every message, or only the sum of the messages, which
// is drawn once and has the same law.
//
// A run has one fidelity from its first round to its last. It cannot be resumed in the other fidelity, and
// its output always names the fidelity. The functions are pure and may be called from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace muster::simulation {

// The values must not change, because checkpoints contain them.
enum class Fidelity : std::uint64_t {
  message = 0,  // every client's message is made, shuffled and aggregated
  sum = 1,      // only the sum of the messages is drawn (randomizers/sum_sampler.h)
};

const char* name_of(Fidelity fidelity);
// Returns the fidelity with this name. Throws Error(usage), naming --fidelity, if no fidelity has it.
Fidelity fidelity_named(const std::string& text);

}  // namespace muster::simulation
