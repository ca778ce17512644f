// The population that one machine simulates: determines which training records each client holds.
//
// Every client holds `each` records. Without a partition this is one, and client j holds record j. With a
// partition the records are dealt (partitions/deal.h), each to one client at most, and what is left over is unused.
// If there are too few records, clients must be allowed to share them (population.share); then each draws its own
// (partitions/shared_records.h). All of this depends only on the key, the labels and what the plan says.
//
// The unit of privacy is the client, with all its records: neighbouring populations differ in all records of one
// client. Immutable; may be shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/random/keyed_stream.h"
#include "muster/simulation/partitions/labelled_records.h"
#include "muster/simulation/partitions/shared_records.h"

namespace muster::simulation {

// What a plan says of the records that its clients hold.
struct Holdings {
  std::uint64_t clients = 1;
  std::uint64_t each = 1;                                        // records of a client
  std::optional<protocols::Partition> partition = std::nullopt;  // stated if each has several
  bool share = false;  // whether several clients may hold the same record
};
Holdings holdings_of(const protocols::Plan& plan);

// The records that all clients hold together; 2^64 - 1 if there are more.
std::uint64_t held_records(const Holdings& holdings);

// Throws Error(plan), which names the keys, if the clients need more than `records` and may not share.
void expect_enough_records(const Holdings& holdings, std::uint64_t records);

// The average number of clients that hold the same record; 1 if there are enough records for each client
// to have its own.
double clients_per_record(const Holdings& holdings, std::uint64_t records);

class Population {
 public:
  // `data` must outlive the population. Throws Error(data) for an empty data set, and what
  // expect_enough_records throws.
  Population(const Holdings& holdings, const learning::Dataset& data, const random::RunKey& key);

  std::uint64_t clients() const { return holdings_.clients; }
  const learning::Dataset& data() const { return *data_; }
  // The records of a client, as indices in the data set. `room` may be overwritten, and what is returned may
  // refer to it.
  std::span<const Record> records(std::uint64_t client, std::vector<Record>& room) const;
  // Prefetches a record that will soon be read, because the senders' records are scattered over memory.
  void fetch(Record record) const;

 private:
  Holdings holdings_;
  const learning::Dataset* data_;
  std::vector<Record> dealt_;            // client by client; empty if they share, or without a partition
  std::optional<SharedRecords> shared_;  // if clients share records
};

}  // namespace muster::simulation
