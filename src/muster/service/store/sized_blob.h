// Reads blobs whose layout has a fixed length. The function belongs to the store's thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "muster/core/error.h"
#include "muster/service/store/store.h"
#include "muster/wire/bytes.h"

namespace muster::service {

// The blob of this name; nullopt if there is none. Throws Error(file) for one of another length.
inline std::optional<wire::Buffer> sized_blob(Store& store, const char* name, std::size_t length) {
  std::optional<wire::Buffer> blob = store.blob(name);
  if (blob && blob->size() != length) {
    throw Error(ErrorCode::file, name, std::to_string(blob->size()) + " bytes",
                std::to_string(length) + " bytes", "is damaged in the role's store");
  }
  return blob;
}

}  // namespace muster::service
