// A store belongs to one task from its first use on. The function belongs to the store's thread.
#pragma once

#include <algorithm>

#include "muster/core/error.h"
#include "muster/service/store/store.h"
#include "muster/wire/bytes.h"

namespace muster::service {

// Writes the task's name into the store (blob "task") if it has none. Throws Error(file) if it has another.
inline void claim_for(Store& store, const wire::Hash& task) {
  const auto claimed = store.blob("task");
  if (!claimed) {
    store.commit({{}, {{"task", wire::Buffer(task.begin(), task.end())}}, {}});
  } else if (!std::ranges::equal(*claimed, task)) {
    throw Error(ErrorCode::file, "the store", "", "",
                "belongs to another task: each task needs a folder of its own");
  }
}

}  // namespace muster::service
