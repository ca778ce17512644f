// Defines a stage, which is a number of rounds that are all alike, and the largest number of rounds that is
// accounted for. Plain values and pure functions; call from any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/describe/participation.h"

namespace muster::accounting {

// The largest number of rounds that is accounted for: thirty million years at one round per second. A
// double represents this number exactly.
inline constexpr std::uint64_t kMaxRounds = 1'000'000'000'000'000;

// Throws Error(plan) for more than kMaxRounds.
void validate_rounds(std::uint64_t rounds);

// A number of rounds with the same participation.
struct Stage {
  Participation participation;
  std::uint64_t rounds;
  bool operator==(const Stage&) const = default;
};

// The rounds of all stages together. Throws Error(plan) if there are more than kMaxRounds.
std::uint64_t total_rounds(const std::vector<Stage>& stages);

}  // namespace muster::accounting
