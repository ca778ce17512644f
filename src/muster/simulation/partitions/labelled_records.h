// The records of a training set, sorted by label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::simulation {

// Indices of records in the data set. A data set holds fewer than 2^32 (learning::kMaxExamples).
using Record = std::uint32_t;

struct LabelledRecords {
  std::vector<Record> records;      // of label 0, then of label 1, ...
  std::vector<std::size_t> begins;  // label l has records begins[l] .. begins[l + 1] - 1 of these

  std::size_t classes() const { return begins.size() - 1; }
  std::span<const Record> of(std::size_t label) const {
    return std::span(records).subspan(begins[label], begins[label + 1] - begins[label]);
  }
};

// Sorts `records`, which may be some of those that have labels, and keeps the order of equal labels.
LabelledRecords sorted_by_label(std::span<const Record> records, std::span<const std::uint8_t> labels,
                                std::size_t classes);

}  // namespace muster::simulation
