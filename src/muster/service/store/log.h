// A log of records of one width, to which many are appended and then made durable together.
//
// A record that was appended is on the disk when the next sync() returns. If the process or the machine dies
// before, it may be lost, but no record that follows it can then be there: what is read back is always a
// beginning of what was appended. After an error the log refuses every further call, and the process must end
// (an error of fsync is never retried, since the kernel may have dropped the data). Implementations: FileLog,
// and the logs of tests that lose what was not synced. A log belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "muster/core/error.h"
#include "muster/wire/bytes.h"

namespace muster::service {

class Log {
 public:
  virtual ~Log() = default;

  virtual std::size_t width() const = 0;
  virtual std::uint64_t size() const = 0;  // the number of records
  // Throws Error(internal) for a record of another width, and Error(file) if it cannot be written.
  virtual void append(wire::Bytes record) = 0;
  // Throws Error(file) if the records could not be made durable.
  virtual void sync() = 0;
  // Calls `take` with each of the records [first, first + count) in order. Throws Error(internal) if there
  // are fewer, and Error(file) if they cannot be read as they were written.
  virtual void read(std::uint64_t first, std::uint64_t count,
                    const std::function<void(wire::Bytes)>& take) = 0;
  void read_all(const std::function<void(wire::Bytes)>& take) { read(0, size(), take); }
};

// Throws Error(internal) unless the log has the records [first, first + count).
inline void expect_within(const Log& log, std::uint64_t first, std::uint64_t count) {
  if (first <= log.size() && count <= log.size() - first) return;
  throw Error(ErrorCode::internal, "record", "", "", "is not in the log");
}

}  // namespace muster::service
