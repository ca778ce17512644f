// Which records a client holds where clients share records: each draws its own, whatever the others hold.
//
// A record is drawn with replacement, so that a client may hold it twice, too. The draws are a function of the key
// and the client alone (Purpose::bootstrap), so nothing is kept per client, however many there are.
//
// shuffled     Each record is drawn uniformly. So is the one record of clients without a partition.
// by-label:K   The records are sorted by label. Each of a client's K pieces, whose sizes differ by one at most,
//              begins at a record that is drawn uniformly, and goes on at the first one after the last.
// dirichlet    The client draws its shares of the labels (label_shares.h), for each record a label by them, and
//              one of the label's records uniformly. A label without records is left out.
//
// Immutable; may be shared by threads.
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
  // `labels` are those of all records, each below `classes`.
  SharedRecords(const protocols::Partition& partition, std::uint64_t each,
                std::span<const std::uint8_t> labels, std::size_t classes, const random::RunKey& key);
  // Overwrites `records`.
  void draw(std::uint64_t client, std::vector<Record>& records) const;

 private:
  void draw_pieces(random::BitSource& bits, std::vector<Record>& records) const;
  void draw_labels(random::BitSource& bits, std::vector<Record>& records) const;

  protocols::Partition partition_;
  std::uint64_t each_;
  std::uint64_t count_;  // records that there are
  random::RunKey key_;
  LabelledRecords sorted_;     // of by-label and dirichlet
  std::vector<bool> present_;  // whether a label has records
};

}  // namespace muster::simulation
