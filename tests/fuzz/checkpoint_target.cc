// This target is the reader of checkpoints. The last 32 bytes of a checkpoint are a hash of the other bytes,
// which a fuzzer's mutations would never get right. So an input is read twice: as it is, and with the right
// hash appended. A checkpoint that is accepted is written and read again; one of the newest version must
// come back byte for byte.
#include <sodium.h>

#include <optional>

#include "muster/simulation/runs/checkpoint.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {
namespace {

bool reads(const std::string& bytes) {
  std::optional<simulation::Checkpoint> checkpoint;
  accepted([&] { checkpoint = simulation::decode(bytes, "checkpoint"); }, {ErrorCode::checkpoint});
  if (checkpoint) {
    const std::string written = simulation::encode(*checkpoint);
    // The target fails if this throws an Error.
    if (simulation::encode(simulation::decode(written, "written")) != written) {
      std::abort();
    }
    if (bytes.size() == written.size() && bytes != written) {
      std::abort();
    }
  }
  return checkpoint.has_value();
}

}  // namespace

bool accepts(Input input) {
  const std::string bytes = text_of(input);
  simulation::Digest digest;
  crypto_generichash(digest.data(), digest.size(), input.data(), input.size(), nullptr, 0);
  const std::string sealed = bytes + std::string(digest.begin(), digest.end());
  const bool as_it_is = reads(bytes);
  return reads(sealed) || as_it_is;
}

}  // namespace muster::fuzz
