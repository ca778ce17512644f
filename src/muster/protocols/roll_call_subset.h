// Draws a uniform subset of exactly k of n clients, independently in every round.
//
// This is the client sampling of CLDP-SGD: Girgis, Data, Diggavi, Kairouz, Suresh, "Shuffled model of
// federated learning" (2021), Algorithm 1, line 3. Floyd's algorithm draws the subset with k unbiased
// integers and O(k) memory. Each object belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "muster/protocols/roll_call.h"
#include "muster/random/bit_source.h"

namespace muster::protocols {

// Draws subsets; its hash table is reused between draws.
class SubsetSampler {
 public:
  // Overwrites `subset` with `size` different integers of [0, count); every set of that size is equally
  // likely. Their order is not uniform. Throws Error(internal) if size > count. Checks `interrupt` every 2^15
  // members, and throws Error(interrupted) if it is requested.
  void draw(random::BitSource& bits, std::uint64_t count, std::uint64_t size,
            std::vector<std::uint64_t>& subset, const Interrupt& interrupt = {});

 private:
  bool insert(std::uint64_t member);  // returns false if the member is already in the table
  std::vector<std::uint64_t> table_;  // open-addressing hash table of 2^i places, at most half full
};

class RollCallOfSubset final : public RollCall {
 public:
  RollCallOfSubset(const random::RunKey& key, std::uint64_t clients, std::uint64_t subset)
      : key_(key), clients_(clients), size_(subset) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;

 private:
  random::RunKey key_;
  std::uint64_t clients_;
  std::uint64_t size_;
  SubsetSampler sampler_;
  std::vector<std::uint64_t> subset_;
};

}  // namespace muster::protocols
