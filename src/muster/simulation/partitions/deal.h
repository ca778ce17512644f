// Deals the records of a training set to the clients, each record to one client at most.
//
// Every client gets the same number of records; those that are left over are unused. Which records a client gets
// is a function of the key, the labels and the plan alone, so it is the same on any number of threads and ranks.
// All draws are of Purpose::partition: in round 0 what concerns all clients, in round 1 what concerns one. Pure
// functions; call from any thread.
//
// shuffled     All records are put in a random order, of which each client takes the next.
// by-label:K   The records that are dealt, a random choice of all, are sorted by label, in random order within a
//              label. They are cut into K pieces for each client, whose sizes differ by one at most, and the
//              pieces are given out in a random order. A piece has one label, unless it lies across the border
//              of two or more: at most one piece fewer than there are labels. McMahan, Moore, Ramage, Hampson
//              and Aguera y Arcas, AISTATS 2017, section 3, do this for K = 2.
// dirichlet    One client after the other draws its shares of the labels (label_shares.h). It takes its records
//              one by one: it draws a label by its shares, and takes the next record of that label, which are in
//              a random order. A label that has run out is left out of the draws: its share goes to the labels
//              that are left, in proportion to theirs. So the last clients get what is left. Hsu, Qi and Brown,
//              arXiv:1909.06335; their concentration, for a uniform prior, is ALPHA times the number of labels.
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
  std::uint64_t each;  // records of a client; clients * each is at most the number of labels
  std::span<const std::uint8_t> labels;  // of the records, each below `classes`
  std::size_t classes;

  std::size_t dealt() const { return static_cast<std::size_t>(clients * each); }
};

// Client j gets records [j * each, (j + 1) * each) of what is returned.
std::vector<Record> deal(const protocols::Partition& partition, const Deal& deal, const random::RunKey& key);

std::vector<Record> deal_shuffled(const Deal& deal, const random::RunKey& key);
std::vector<Record> deal_by_label(std::uint64_t pieces, const Deal& deal, const random::RunKey& key);
std::vector<Record> deal_dirichlet(double alpha, const Deal& deal, const random::RunKey& key);

}  // namespace muster::simulation
