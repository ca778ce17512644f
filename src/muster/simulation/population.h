// The population that one machine simulates: determines which example each client holds.
//
// If there are at least as many examples as clients, client j holds example j and the remaining examples are
// unused. Otherwise clients must be allowed to share examples (population.share); then each holds one example
// drawn uniformly, which depends only on the key and the client's number. The unit of privacy is the client,
// not the example. Immutable; may be shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/learning/dataset.h"
#include "muster/plan/plan.h"
#include "muster/random/keyed_stream.h"

namespace muster::simulation {

// The average number of clients that hold the same record; 1 if there are enough records for each client
// to have its own.
double clients_per_record(std::uint64_t clients, std::uint64_t records);

// What a plan says of the records that its clients hold.
struct Holdings {
  std::uint64_t clients = 1;
  bool share = false;  // whether several clients may hold the same record
};
Holdings holdings_of(const protocols::Plan& plan);

// Throws Error(plan), which names the keys, if the clients need more than `records` and may not share.
void expect_enough_records(const Holdings& holdings, std::uint64_t records);

class Population {
 public:
  // `data` must outlive the population. Throws Error(data) for an empty data set, and what
  // expect_enough_records throws.
  Population(const Holdings& holdings, const learning::Dataset& data, const random::RunKey& key);

  std::uint64_t clients() const { return clients_; }
  std::uint64_t example_index(std::uint64_t client) const;
  // The number of floats in one example.
  std::size_t inputs() const { return data_->shape.size(); }
  // `buffer` must have room for inputs() floats. The returned example may refer to it.
  learning::Example example(std::uint64_t index, std::span<float> buffer) const {
    return data_->example(static_cast<std::size_t>(index), buffer);
  }
  // Prefetches an example that will soon be read, because the senders' examples are scattered over memory.
  void fetch(std::uint64_t index) const;

 private:
  std::uint64_t clients_;
  const learning::Dataset* data_;
  random::RunKey key_;
};

}  // namespace muster::simulation
