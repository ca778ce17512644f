// Implements the partition by-label:K, which deal.h describes.
#include <algorithm>
#include <numeric>

#include "muster/protocols/shuffle.h"
#include "muster/simulation/partitions/deal.h"

namespace muster::simulation {

std::vector<Record> deal_by_label(std::uint64_t pieces, const Deal& deal, const random::RunKey& key) {
  const LabelledRecords sorted = sorted_by_label(deal_shuffled(deal, key), deal.labels, deal.classes);
  // With more pieces than records, some pieces would be empty.
  const std::uint64_t each = std::min(pieces, deal.each);
  std::vector<Record> turns(static_cast<std::size_t>(deal.clients * each));
  std::iota(turns.begin(), turns.end(), Record{0});
  random::KeyedStream bits(key, {random::Purpose::partition, 0, 1});
  protocols::shuffle(std::span(turns), bits);
  std::vector<Record> dealt(deal.dealt());
  auto next = sorted.records.begin();
  for (const Record turn : turns) {
    const std::uint64_t client = turn / each, piece = turn % each;
    // A client's records are cut into `each` pieces; piece i begins at index floor(i * deal.each / each).
    const std::uint64_t from = piece * deal.each / each, to = (piece + 1) * deal.each / each;
    const auto end = next + static_cast<std::ptrdiff_t>(to - from);
    std::copy(next, end, dealt.begin() + static_cast<std::ptrdiff_t>(client * deal.each + from));
    next = end;
  }
  return dealt;
}

}  // namespace muster::simulation
