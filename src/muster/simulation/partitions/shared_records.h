// Determines which records a client holds if clients share records. Each client draws its records
// independently of the other clients.
//
// Records are drawn with replacement, so a client may hold the same record twice. The draws depend only on
// the key and the client (Purpose::bootstrap), so nothing is stored per client.
//
// shuffled     Each record is drawn uniformly. The same holds for the only record of a client without a
//              partition.
// by-label:K   The records are sorted by label. A client has K pieces of consecutive records, whose sizes
//              differ by at most one. Each piece begins at a uniformly drawn record; after the last record it
//              continues at the first.
// dirichlet    The client draws its shares of the labels (label_shares.h). For each record it draws a label
//              with its shares as probabilities, and then one of the label's records uniformly. Labels
//              without records are excluded.
//
// SharedRecords is immutable and may be shared by threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/plan/partition.h"
#include "muster/random/keyed_stream.h"
#include "muster/simulation/partitions/labelled_records.h"

namespace muster::simulation {

class SharedRecords {
 public:
  // `each` is the number of records per client. `labels` has the label of every record, each less than
  // `classes`.
  SharedRecords(const protocols::Partition& partition, std::uint64_t each,
                std::span<const std::uint8_t> labels, std::size_t classes, const random::RunKey& key);
  // Replaces the contents of `records` by the client's records.
  void draw(std::uint64_t client, std::vector<Record>& records) const;

 private:
  void draw_pieces(random::BitSource& bits, std::vector<Record>& records) const;
  void draw_labels(random::BitSource& bits, std::vector<Record>& records) const;

  protocols::Partition partition_;
  std::uint64_t each_;
  std::uint64_t count_;  // the number of records in the data set
  random::RunKey key_;
  LabelledRecords sorted_;     // all records; empty unless by-label or dirichlet
  std::vector<bool> present_;  // whether a label has records
};

}  // namespace muster::simulation
