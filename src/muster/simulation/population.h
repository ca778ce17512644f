// Determines which training records each client of the simulated population holds.
//
// If the data set names the owners of its records, client j holds the records of owner j, and the clients
// after the last owner hold none. Otherwise every client holds `each` records. Without a partition, `each` is
// 1, and client j holds record j. With a partition, the records are dealt (partitions/deal.h), each to at
// most one client, and the remaining records are not used. If there are too few records, the plan must allow
// clients to share them (population.share), and each client then draws its records
// (partitions/shared_records.h). The result depends only on the key, the data set's labels or owners, and the
// plan.
//
// The unit of privacy is a client with all its records: neighbouring populations may differ in all records of
// one client. A Population is immutable and may be shared by threads.
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

// The keys of a plan that determine which records its clients hold.
struct Holdings {
  std::uint64_t clients = 1;
  std::uint64_t each = 1;                                        // records per client
  std::optional<protocols::Partition> partition = std::nullopt;  // required if `each` is above 1
  bool share = false;     // whether several clients may hold the same record
  bool by_owner = false;  // whether the data set names the owner of each record; then `each` has no meaning
};
Holdings holdings_of(const protocols::Plan& plan);

// Returns clients * each, or 2^64 - 1 if the product is larger: the number of records that all clients hold
// together, unless the data set names owners.
std::uint64_t held_records(const Holdings& holdings);

// Throws Error(plan), which names the keys to change, if the clients need more than `records` records and
// must not share them.
void expect_enough_records(const Holdings& holdings, std::uint64_t records);

// Throws Error(plan) if there are fewer clients than owners of records.
void expect_enough_clients(const Holdings& holdings, const learning::Dataset& data);

// Returns the average number of clients that hold the same record; 1 if there are enough records without
// sharing.
double clients_per_record(const Holdings& holdings, std::uint64_t records);

class Population {
 public:
  // `data` must outlive the population. Throws Error(data) if it is empty, and Error(plan) as
  // expect_enough_records() and expect_enough_clients() do.
  Population(const Holdings& holdings, const learning::Dataset& data, const random::RunKey& key);

  std::uint64_t clients() const { return holdings_.clients; }
  const learning::Dataset& data() const { return *data_; }
  // Returns the records of a client. The result may be stored in `room`, which must outlive it.
  std::span<const Record> records(std::uint64_t client, std::vector<Record>& room) const;
  // Prefetches a record that will soon be read, because the records of successive senders are scattered over
  // memory.
  void fetch(Record record) const;

 private:
  void give_to_owners();

  Holdings holdings_;
  const learning::Dataset* data_;
  // The records of client 0, of client 1, ...; empty if clients share records, and if the data set names no
  // owners and there is no partition.
  std::vector<Record> dealt_;
  // For every client j up to the last owner, its records are those at the indices from begins_[j] to
  // begins_[j + 1] - 1 of dealt_. The vector is empty unless the data set names owners.
  std::vector<std::size_t> begins_;
  std::optional<SharedRecords> shared_;  // has a value if clients share records
};

}  // namespace muster::simulation
