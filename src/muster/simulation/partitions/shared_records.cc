#include "muster/simulation/partitions/shared_records.h"

#include <algorithm>
#include <numeric>

#include "muster/random/samplers.h"
#include "muster/simulation/partitions/label_shares.h"

namespace muster::simulation {

using Kind = protocols::Partition::Kind;

SharedRecords::SharedRecords(const protocols::Partition& partition, std::uint64_t each,
                             std::span<const std::uint8_t> labels, std::size_t classes,
                             const random::RunKey& key)
    : partition_(partition), each_(each), count_(labels.size()), key_(key) {
  if (partition.kind == Kind::shuffled) return;
  std::vector<Record> all(labels.size());
  std::iota(all.begin(), all.end(), Record{0});
  sorted_ = sorted_by_label(all, labels, classes);
  for (std::size_t label = 0; label < classes; ++label) present_.push_back(!sorted_.of(label).empty());
}

void SharedRecords::draw(std::uint64_t client, std::vector<Record>& records) const {
  random::KeyedStream bits(key_, {random::Purpose::bootstrap, 0, client});
  records.clear();
  switch (partition_.kind) {
    case Kind::by_label:
      return draw_pieces(bits, records);
    case Kind::dirichlet:
      return draw_labels(bits, records);
    default:
      for (std::uint64_t i = 0; i < each_; ++i) {
        records.push_back(static_cast<Record>(random::uniform_below(bits, count_)));
      }
  }
}

void SharedRecords::draw_pieces(random::BitSource& bits, std::vector<Record>& records) const {
  const std::uint64_t pieces = std::min(partition_.pieces, each_);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    std::uint64_t at = random::uniform_below(bits, count_);
    const std::uint64_t size = (piece + 1) * each_ / pieces - piece * each_ / pieces;
    for (std::uint64_t i = 0; i < size; ++i, at = at + 1 == count_ ? 0 : at + 1) {
      records.push_back(sorted_.records[static_cast<std::size_t>(at)]);
    }
  }
}

void SharedRecords::draw_labels(random::BitSource& bits, std::vector<Record>& records) const {
  const std::vector<double> shares = draw_log_shares(partition_.alpha, sorted_.classes(), bits);
  for (std::uint64_t i = 0; i < each_; ++i) {
    const std::span<const Record> of_label = sorted_.of(draw_label(shares, present_, bits));
    records.push_back(of_label[static_cast<std::size_t>(random::uniform_below(bits, of_label.size()))]);
  }
}

}  // namespace muster::simulation
