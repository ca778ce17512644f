// The aggregator: one anonymous message in at a time, the mean out.
//
// receive() takes a message and nothing else: no name, no round, no position. The sum is exact and does not
// depend on the order of messages, so shards fed by several threads merge to the same bits as one aggregator
// fed by all. Call order, a round: receive*, merge*, count | mean, next_round. An aggregator belongs to one
// thread at a time.
//
// Example:
//     Aggregator aggregator(randomizer, *scratch);
//     for (const randomizers::Message& message : shuffled) aggregator.receive(message);
//     aggregator.mean(estimate);   // zeros when nothing was received
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "muster/randomizers/randomizer.h"

namespace muster::protocols {

class Aggregator {
 public:
  // Both must outlive the aggregator. The scratch may be the one the same thread randomizes with: it only
  // saves decoding twice, and never changes what a message decodes to.
  Aggregator(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch)
      : Aggregator(randomizer, scratch, randomizer.make_sum()) {}
  // With a sum of another kind, for a simulation that adds up something else than messages in sum().
  Aggregator(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch,
             randomizers::MessageSum sum)
      : randomizer_(&randomizer), scratch_(&scratch), sum_(std::move(sum)) {}

  void receive(const randomizers::Message& message) { randomizer_->accumulate(message, *scratch_, sum_); }
  // Shuffled messages that have come together: the same, and faster.
  void receive_all(std::span<const randomizers::Message> messages) {
    randomizer_->accumulate_all(messages, *scratch_, sum_);
  }
  void merge(const Aggregator& shard) { sum_.merge(shard.sum_); }

  std::uint64_t count() const { return sum_.count(); }
  // Overwrites `out` (dimension() floats): the unbiased estimate of the mean of the senders' clipped vectors.
  void mean(std::span<float> out) const { randomizer_->mean(sum_, out); }
  void next_round() { sum_.clear(); }
  // For the sum over several machines, and for simulations of the sum alone.
  randomizers::MessageSum& sum() { return sum_; }

 private:
  const randomizers::VectorRandomizer* randomizer_;
  randomizers::Scratch* scratch_;
  randomizers::MessageSum sum_;
};

}  // namespace muster::protocols
