// Sorts the records of a training set by label. The function is pure; threads may share its result while
// nobody changes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster::simulation {

// The index of a record in the data set, which has fewer than 2^32 records (learning::kMaxExamples).
using Record = std::uint32_t;

struct LabelledRecords {
  std::vector<Record> records;      // the records of label 0, then of label 1, ...
  std::vector<std::size_t> begins;  // label l has the elements begins[l] .. begins[l + 1] - 1 of `records`

  std::size_t classes() const { return begins.size() - 1; }
  std::span<const Record> of(std::size_t label) const {
    return std::span(records).subspan(begins[label], begins[label + 1] - begins[label]);
  }
};

// Sorts `records`, which may be a subset of the data set, and keeps the order of records with the same label.
// `labels` has the label of every record of the data set, each less than `classes`.
LabelledRecords sorted_by_label(std::span<const Record> records, std::span<const std::uint8_t> labels,
                                std::size_t classes);

}  // namespace muster::simulation
