// Sentences that belong beside a run's figures: whose epsilon it is when clients share records, and how many
// vectors could not be computed. Empty where there is nothing to say.
#pragma once

#include <cstdint>
#include <string>

namespace muster::app {

// "250000 clients share 3000 records, 83.3 a record on average: epsilon is for one client's copy; ...".
std::string sharing_note(std::uint64_t clients, double clients_per_record);

// "12 answers were neutral: ...".
std::string neutral_note(std::uint64_t neutral);

// "2 epsilons in the files are larger than today's: ...".
std::string larger_note(std::uint64_t larger);

}  // namespace muster::app
