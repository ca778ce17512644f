// Pulls the batch of a round from the shuffler, piece by piece, and compares it with the round's manifest.
//
// The batch is held in memory: its reports times the width of one, about 100 bytes a report of ldp-sgd. Only
// what was received takes memory, whatever the manifest says. An object belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "muster/service/ports/ports.h"
#include "muster/wire/bytes.h"
#include "muster/wire/manifest.h"

namespace muster::service {

class BatchPull {
 public:
  // The manifest must be that of a released round, with a width of at least an encapsulated key.
  explicit BatchPull(const wire::Manifest& manifest) : manifest_(manifest) {}

  enum class Result {
    complete,  // all reports are here, and their hash is that of the manifest
    absent,    // the shuffler has no such batch
    other,     // what came has another length or hash than the manifest says
  };
  // Asks for what is missing. After `absent` and `other`, the next call begins anew. May throw Unreachable;
  // then the next call goes on where this one stopped.
  Result pull(ShufflerForAggregator& shuffler);

  // Both may be called once the batch is complete. report() returns report number `number`, and
  // has_duplicates() returns whether two reports have the same encapsulated key (their first 32 bytes), so
  // that one was copied from the other.
  wire::Bytes report(std::uint64_t number) const {
    return wire::Bytes(bytes_).subspan(number * manifest_.width, manifest_.width);
  }
  bool has_duplicates() const;

 private:
  std::uint64_t received() const { return bytes_.size() / manifest_.width; }
  Result begin_anew(Result why);

  wire::Manifest manifest_;
  wire::Buffer bytes_;
};

}  // namespace muster::service
