// The records that devices hold in files of their own.
//
//     digits     record j is training digit j of the plan's seed, so there is one for every device
//     idx:DIR    record j is training image j
//     csv:FILE   record j is training example j, by the plan's columns and its rule for test examples; a file
//                of one line after the header has record 0. Labels are numbers below task.classes: those that
//                are text get their numbers from all records together, which no device has.
//
// Record j of the plan's population.data is what the simulation gives client j. Whether a file can be read
// depends on the records, so a device opens it only after its coin has fallen. An object is immutable and may
// be shared between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "muster/learning/dataset.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

// Whether `data` names the format of the task's records. The task alone decides that, and so a device may
// find out at any time.
bool has_format_of(const TaskDocument& task, const std::string& data);

class DeviceRecords {
 public:
  // Throws Error(data), with the key `data`, for a format other than that of population.data, and for files
  // that are not in the format or not of the task's shape.
  DeviceRecords(const TaskDocument& task, const std::string& data);

  // Record `index` as a data set of one example. Throws Error(data), with the key `record`, if there is none.
  learning::Dataset record(std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::optional<learning::Dataset> read_;  // all records; absent for digits, which are drawn one by one
};

}  // namespace muster::service
