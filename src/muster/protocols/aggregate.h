// The aggregator receives anonymous messages and computes the mean of the vectors that they decode to.
//
// receive() takes only messages: no name, no round, no position. The sum is exact and does not depend on the
// order of messages, so aggregators fed by several threads merge to the same bits as a single one. In each
// round, call receive() and merge() any number of times, then count() and mean(), and then next_round(). An
// aggregator belongs to one thread at a time.
//
// Example:
//     Aggregator aggregator(randomizer, *scratch);
//     aggregator.receive(shuffled);
//     aggregator.mean(estimate);   // zeros when nothing was received
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "muster/randomizers/randomizer.h"

namespace muster::protocols {

class Aggregator {
 public:
  // `randomizer` and `scratch` must outlive the aggregator. The scratch may be the one with which the same
  // thread randomizes: this avoids decoding a message twice, and it never changes the result.
  Aggregator(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch)
      : Aggregator(randomizer, scratch, randomizer.make_sum()) {}
  // Starts from the given sum, for a simulation that does not add up messages (randomizers/sum_sampler.h).
  Aggregator(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch,
             randomizers::MessageSum sum)
      : randomizer_(&randomizer), scratch_(&scratch), sum_(std::move(sum)) {}

  // Receives shuffled messages. Any division into calls gives the same result; calls with many messages are
  // faster.
  void receive(std::span<const randomizers::Message> messages) {
    randomizer_->accumulate_all(messages, *scratch_, sum_);
  }
  void merge(const Aggregator& shard) { sum_.merge(shard.sum_); }

  std::uint64_t count() const { return sum_.count(); }
  // Overwrites `out` (the randomizer's dimension() floats) with the unbiased estimate of the mean of the
  // senders' clipped vectors, or with zeros if nothing was received.
  void mean(std::span<float> out) const { randomizer_->mean(sum_, out); }
  void next_round() { sum_.clear(); }
  // Returns the sum, so that several machines can add up their sums and a simulation can draw the sum alone.
  randomizers::MessageSum& sum() { return sum_; }

 private:
  const randomizers::VectorRandomizer* randomizer_;
  randomizers::Scratch* scratch_;
  randomizers::MessageSum sum_;
};

}  // namespace muster::protocols
