#include "muster/simulation/partitions/labelled_records.h"

namespace muster::simulation {

LabelledRecords sorted_by_label(std::span<const Record> records, std::span<const std::uint8_t> labels,
                                std::size_t classes) {
  LabelledRecords sorted{std::vector<Record>(records.size()), std::vector<std::size_t>(classes + 1, 0)};
  for (const Record record : records) ++sorted.begins[labels[record] + std::size_t{1}];
  for (std::size_t label = 0; label < classes; ++label) sorted.begins[label + 1] += sorted.begins[label];
  std::vector<std::size_t> next = sorted.begins;
  for (const Record record : records) sorted.records[next[labels[record]]++] = record;
  return sorted;
}

}  // namespace muster::simulation
