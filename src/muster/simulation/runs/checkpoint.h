// Defines the state from which a training run can be continued, and its file format.
//
// Layout, version 4, little-endian, no padding:
//     8 bytes   "musterck"
//     u32       version, 4
//     64 bytes  plan hash, lower-case hexadecimal
//     32 bytes  digest of the data set
//     u64       fidelity: 0 message, 1 sum
//     u64       rounds done; in slot protocols slots
//     u64       messages so far, dummies included
//     f64       seconds so far
//     u64       bytes of metrics.jsonl
//     u64       neutral answers so far
//     u64       records of the training set
//     u64       sampler of gaussian messages: 2 rounds exact normals; 1 is that of older versions
//     u64       updates of the model
//     u64       dimension d
//     3 d f32   parameters, momentum, average
//     32 bytes  BLAKE2b-256 of everything before
// A change of the layout needs a new version. Files of versions 2 and 3 can be read as well. Both lack the
// sampler, which was 1. Version 2 also lacks the neutral answers and the records: there were no neutral
// answers, because a vector that was not finite ended the run, and the number of records is unknown. A
// gaussian run of sampler 1 cannot be continued, because its noise would come from two samplers. decode()
// accepts any byte string and returns a checkpoint or throws an Error. The functions are pure and may be
// called from any thread.
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

inline constexpr const char* kCheckpointFile = "checkpoint";

using Digest = std::array<std::uint8_t, 32>;

// The version of the sampler that draws gaussian messages (randomizers/gaussian.h).
inline constexpr std::uint64_t kGaussianSampler = 2;

struct Checkpoint {
  std::string plan_hash;  // 64 lower-case hexadecimal characters
  Digest data{};
  Fidelity fidelity = Fidelity::message;
  std::uint64_t round = 0;     // rounds done; in slot protocols, slots of all runs together
  std::uint64_t messages = 0;  // messages so far, dummies included
  double seconds = 0;
  std::uint64_t metrics_bytes = 0;
  std::uint64_t neutral = 0;  // messages of a zero vector, sent by clients whose vector was not finite
  std::uint64_t records = 0;  // records in the training set; 0 if not known
  std::uint64_t sampler = kGaussianSampler;
  ModelState model;
};

// Returns the BLAKE2b-256 hash of the training and the test examples: their number, shapes, classes with
// their names, normalisation, labels, inputs and, where the data name them, the owners.
Digest digest_of(const learning::DataSplit& data);

// Returns the bytes of the file, in the newest version.
std::string encode(const Checkpoint& checkpoint);
// Throws Error(checkpoint), naming `path`, unless the bytes are an intact checkpoint of version 2, 3 or 4.
Checkpoint decode(std::string_view bytes, const std::filesystem::path& path);

}  // namespace muster::simulation
