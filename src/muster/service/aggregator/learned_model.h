// What the aggregator has learned so far, and the bytes in which its store keeps that:
//
//     updates u64 | diverged u8 (0|1) | dimension d u64 |
//     parameters f32 x d | momentum f32 x d | average f32 x d
//
// Numbers are little-endian; a float is the bits of an IEEE single, and all are finite. The functions are
// pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "muster/simulation/server_update.h"
#include "muster/wire/bytes.h"

namespace muster::service {

struct LearnedModel {
  simulation::ModelState state;
  // Whether the step after this state would have left the finite numbers. Then the state is the last one, and
  // the task ends.
  bool diverged = false;
};

bool is_finite(const simulation::ModelState& state);

// Throws Error(internal) for a state whose vectors differ in length or are not finite.
wire::Buffer encode(const LearnedModel& model);
// Returns nullopt for any bytes but those that encode() writes for a model of `dimension` parameters.
std::optional<LearnedModel> decode_learned(wire::Bytes bytes, std::size_t dimension);
// How many updates the bytes of encode() state, whatever model follows; nullopt if they are too short.
std::optional<std::uint64_t> stated_updates(wire::Bytes bytes);

}  // namespace muster::service
