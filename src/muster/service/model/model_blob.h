// The bytes of a model, which the descriptor of a round names by their hash.
//
//     model  = parameter f32 x count
//     frozen = height u32 | width u32 | channels u32 | classes u32 | activation u8 | parameter f32 x count
//
// Numbers are little-endian, and a parameter is the bits of an IEEE single that is finite. `model` holds the
// parameters for which the devices compute their vectors; their number follows from the task. `frozen` holds
// the cnn whose features the devices compute for features+linear, with all its parameters (activation 0 is
// relu, 1 tanh); other models have none. The functions are pure and may be called from any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "muster/simulation/model_task.h"
#include "muster/wire/bytes.h"

namespace muster::service {

// The longest blob that a shuffler keeps and a device downloads.
constexpr std::size_t kMaxBlob = std::size_t{256} << 20;

// Throws Error(internal) for a parameter that is not finite.
wire::Buffer encode_model(std::span<const float> parameters);
// Returns nullopt for any bytes but those that encode_model() writes for `dimension` parameters.
std::optional<std::vector<float>> decode_model(wire::Bytes blob, std::size_t dimension);

// Throws Error(internal) for a network that is not a cnn with all its parameters, or has one that is not
// finite.
wire::Buffer encode_frozen(const simulation::FrozenNetwork& frozen);
// Returns nullopt for any bytes but those that encode_frozen() writes.
std::optional<simulation::FrozenNetwork> decode_frozen(wire::Bytes blob);

// The name of a blob in a descriptor: BLAKE2b-256 of its bytes.
wire::Hash blob_hash(wire::Bytes blob);

}  // namespace muster::service
