// Deals the records of a training set to the clients, each record to at most one client.
//
// Every client gets the same number of records; the remaining records are not used. The result depends only
// on the key, the labels and the plan, so it is the same for any number of threads and ranks. All random
// streams have Purpose::partition: round 0 for draws that concern all clients, round 1 for draws of one
// client. Pure functions; call from any thread.
//
// shuffled     All records are put in a random order. Each client takes the next records of this order.
// by-label:K   The records to deal are a random subset of all. They are sorted by label, in random order
//              within a label, and cut into K pieces per client, whose sizes differ by at most one. The
//              pieces are assigned to clients in a random order. A piece has only one label unless a border
//              between labels lies inside it, and there are fewer borders than labels. McMahan, Moore,
//              Ramage, Hampson and Aguera y Arcas, AISTATS 2017, section 3, use K = 2.
// dirichlet    The clients take their records one after the other. A client first draws its shares of the
//              labels (label_shares.h). For each record it draws a label with its shares as probabilities,
//              and takes the next record of this label, in a random order of the label's records. A label
//              without remaining records is excluded from the draws; the shares of the other labels keep
//              their proportions. So the last clients get the records that remain. This follows Hsu, Qi and
//              Brown, arXiv:1909.06335, whose concentration parameter, for a uniform prior, is ALPHA times
//              the number of labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "muster/plan/partition.h"
#include "muster/random/keyed_stream.h"
#include "muster/simulation/partitions/labelled_records.h"

namespace muster::simulation {

struct Deal {
  std::uint64_t clients;
  std::uint64_t each;                    // records per client; clients * each must be at most labels.size()
  std::span<const std::uint8_t> labels;  // the labels of all records, each less than `classes`
  std::size_t classes;

  std::size_t dealt() const { return static_cast<std::size_t>(clients * each); }
};

// Deals the records as the partition's kind says. Client j gets the `each` elements of the result that begin
// at index j * each.
std::vector<Record> deal(const protocols::Partition& partition, const Deal& deal, const random::RunKey& key);

std::vector<Record> deal_shuffled(const Deal& deal, const random::RunKey& key);
std::vector<Record> deal_by_label(std::uint64_t pieces, const Deal& deal, const random::RunKey& key);
std::vector<Record> deal_dirichlet(double alpha, const Deal& deal, const random::RunKey& key);

}  // namespace muster::simulation
