// The aggregator: it receives anonymous messages and computes the mean of the vectors that they decode to.
//
// receive() takes messages and nothing else: no name, no round, no position. The sum is exact and
// independent of the order of messages, so aggregators fed by several threads merge to the same bits as a
// single one. Call order per round: receive() and then merge(), any number of times; count() and mean();
// next_round(). An aggregator belongs to one thread at a time.
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
  // Both must outlive the aggregator. The scratch may be the one that the same thread randomizes with:
  // this only avoids decoding a message twice and never changes the result.
  Aggregator(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch)
      : Aggregator(randomizer, scratch, randomizer.make_sum()) {}
  // Starts from the given sum, for a simulation that adds up something else than messages
  // (randomizers/sum_sampler.h).
  Aggregator(const randomizers::VectorRandomizer& randomizer, randomizers::Scratch& scratch,
             randomizers::MessageSum sum)
      : randomizer_(&randomizer), scratch_(&scratch), sum_(std::move(sum)) {}

  // Receives shuffled messages that arrive together. Any division into calls gives the same result; many at
  // once are faster.
  void receive(std::span<const randomizers::Message> messages) {
    randomizer_->accumulate_all(messages, *scratch_, sum_);
  }
  void merge(const Aggregator& shard) { sum_.merge(shard.sum_); }

  std::uint64_t count() const { return sum_.count(); }
  // Overwrites `out` (the randomizer's dimension() floats) with the unbiased estimate of the mean of the
  // senders' clipped vectors; with zeros if nothing was received.
  void mean(std::span<float> out) const { randomizer_->mean(sum_, out); }
  void next_round() { sum_.clear(); }
  // Gives access to the sum, to add it up over several machines and to simulate the sum alone.
  randomizers::MessageSum& sum() { return sum_; }

 private:
  const randomizers::VectorRandomizer* randomizer_;
  randomizers::Scratch* scratch_;
  randomizers::MessageSum sum_;
};

}  // namespace muster::protocols
