// What a role keeps on disk: a log of rows that only grows, and named blobs. A commit changes both at once.
//
// A commit is durable when commit() returns. If the process or the machine dies before, it is there as a
// whole or not at all. What it removed or replaced is then in no file of the store any more, unless the
// commit says that it may be, which saves several syncs of the disk. After a commit that failed, nobody knows
// whether it is there. The store then refuses every further call, and the process must end (an error of fsync
// is never retried, since the kernel may have dropped the data). Implementations: SqliteStore, and the stores
// of tests that lose what was not synced. A store belongs to one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/wire/bytes.h"

namespace muster::service {

class Store {
 public:
  // Changes that are made together.
  struct Commit {
    std::vector<wire::Buffer> append;                       // rows, in order
    std::vector<std::pair<std::string, wire::Buffer>> put;  // blobs to make or to replace
    std::vector<std::string> remove;  // blobs to remove; those that are absent are ignored
    // What the commit removes or replaces is no secret. It may stay in files of the store until the store is
    // opened again, or until a commit without this flag removes or replaces something.
    bool may_leave_traces = false;
  };

  virtual ~Store() = default;

  // All rows, from the first one on.
  virtual std::vector<wire::Buffer> rows() = 0;
  // Returns nullopt if there is no blob of this name.
  virtual std::optional<wire::Buffer> blob(const std::string& name) = 0;
  // Throws Error(file) if the changes could not be made durable, and std::bad_alloc without memory.
  virtual void commit(const Commit& changes) = 0;
};

}  // namespace muster::service
