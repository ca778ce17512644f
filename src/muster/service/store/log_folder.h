// The logs of one role, by their names.
//
// A folder gives at most one log of a name at a time. What create() and remove() did is durable when they
// return. Implementations: FileLogFolder, and the folder of tests that loses what was not synced. A folder
// belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "muster/service/store/log.h"

namespace muster::service {

class LogFolder {
 public:
  virtual ~LogFolder() = default;

  // Makes a new, empty log for records of this width; an earlier log of this name is removed first.
  virtual std::unique_ptr<Log> create(const std::string& name, std::size_t width) = 0;
  // Opens the log of this name. Throws Error(file) if there is none, and where FileLog::open does.
  virtual std::unique_ptr<Log> open(const std::string& name, std::size_t width) = 0;
  // The names of all logs, in alphabetical order.
  virtual std::vector<std::string> names() = 0;
  // Removes the log, which must not be in use. Does nothing if there is none.
  virtual void remove(const std::string& name) = 0;
};

}  // namespace muster::service
