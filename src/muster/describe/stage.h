// A number of rounds that are all alike. An immutable value; share freely.
#pragma once

#include <cstdint>

#include "muster/describe/participation.h"

namespace muster::accounting {

// `rounds` rounds of one participation.
struct Stage {
  Participation participation;
  std::uint64_t rounds;
  bool operator==(const Stage&) const = default;
};

}  // namespace muster::accounting
