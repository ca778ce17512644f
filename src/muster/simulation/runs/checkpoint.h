// The state a training run can be continued from, and its file.
//
// Layout, version 4, little-endian, no padding:
//     8 bytes   "musterck"
//     u32       version, 4
//     64 bytes  plan hash, lower-case hexadecimal
//     32 bytes  digest of the data set
//     u64       fidelity: 0 message, 1 sum
//     u64       rounds done; in slot protocols slots
//     u64       messages so far
//     f64       seconds so far
//     u64       bytes of metrics.jsonl
//     u64       neutral answers so far
//     u64       records of the training set
//     u64       the sampler of gaussian messages: 1 before they were exact, 2 since
//     u64       updates of the model
//     u64       dimension d
//     3 d f32   parameters, momentum, average
//     32 bytes  BLAKE2b-256 of everything before
// A change of the layout is a new version. Version 3, without the sampler, is read too: it was
// sampler 1. So is version 2, without neutral answers and records besides: a run ended then where it
// would now answer neutrally, so it had none; how many records it had is not known. A gaussian run
// of an older sampler is not continued: its noise would be of two kinds. decode() is total: every
// byte string is a checkpoint or an Error.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "muster/learning/dataset.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/server_update.h"

namespace muster::simulation {

using Digest = std::array<std::uint8_t, 32>;

// What gaussian messages are drawn by (randomizers/gaussian.h).
inline constexpr std::uint64_t kGaussianSampler = 2;

struct Checkpoint {
  std::string plan_hash;  // 64 lower-case hexadecimal characters
  Digest data{};
  Fidelity fidelity = Fidelity::message;
  std::uint64_t round = 0;     // done, from 1; in slot protocols slots, of all runs together
  std::uint64_t messages = 0;  // client messages so far
  double seconds = 0;
  std::uint64_t metrics_bytes = 0;
  std::uint64_t neutral = 0;  // of the messages, those in place of a vector that was not finite
  std::uint64_t records = 0;  // of the training set, shared by the clients; 0: not known
  std::uint64_t sampler = kGaussianSampler;
  ModelState model;
};

// BLAKE2b-256 of the example counts, shapes, normalisation, labels and inputs of both parts.
Digest digest_of(const learning::DataSplit& data);

std::string encode(const Checkpoint& checkpoint);
// Error(checkpoint), naming `path`, for anything encode() does not write.
Checkpoint decode(std::string_view bytes, const std::filesystem::path& path);

}  // namespace muster::simulation
