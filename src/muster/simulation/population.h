// A whole population on one machine: which example each client holds.
//
// Client j holds example j when there are at least as many examples as clients (the rest stay unused); with
// more clients than examples each client holds one drawn uniformly, a function of (key, client) alone. The
// client, not the example, is the unit of privacy. Immutable; may be shared by threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/learning/dataset.h"
#include "muster/random/keyed_stream.h"

namespace muster::simulation {

// How many clients hold each record, on average: 1 where there are records enough for each to have its own.
double clients_per_record(std::uint64_t clients, std::uint64_t records);

class Population {
 public:
  // `data` must outlive the population; an empty one is Error(data).
  Population(std::uint64_t clients, const learning::Dataset& data, const random::RunKey& key);

  std::uint64_t clients() const { return clients_; }
  std::uint64_t example_index(std::uint64_t client) const;
  // Floats of one example.
  std::size_t inputs() const { return data_->shape.size(); }
  // `buffer` has room for inputs() floats; the example may live there.
  learning::Example example(std::uint64_t index, std::span<float> buffer) const {
    return data_->example(static_cast<std::size_t>(index), buffer);
  }
  // An example that is read soon is fetched from memory meanwhile: examples lie in no order a client has.
  void fetch(std::uint64_t index) const;

 private:
  std::uint64_t clients_;
  const learning::Dataset* data_;
  random::RunKey key_;
};

}  // namespace muster::simulation
