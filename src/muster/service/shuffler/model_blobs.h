// The blobs that devices download in a round: the model's parameters and its frozen part, by their hashes. In
// the shuffler's store, "blobs" lists the hashes, 32 bytes each, and the blob itself is "blob HASH".
//
// The aggregator puts the blobs before it opens a round that names them. There are never more than six. The
// open round's blobs, two at most, stand first in the list, and a seventh blob replaces the third one. An
// object belongs to its store's thread.
#pragma once

#include <optional>
#include <vector>

#include "muster/service/store/store.h"
#include "muster/wire/bytes.h"
#include "muster/wire/descriptor.h"

namespace muster::service {

class ModelBlobs {
 public:
  explicit ModelBlobs(Store& store) : store_(store) {}

  std::optional<wire::Buffer> get(const wire::Hash& hash) const;
  void put(wire::Bytes blob);
  // Adds to the commit that opens the descriptor's round the removal of all other blobs. Returns false if a
  // blob that the descriptor names is not here.
  bool keep_for(const wire::Descriptor& descriptor, Store::Commit& commit);

 private:
  std::vector<wire::Hash> names() const;

  Store& store_;
};

}  // namespace muster::service
