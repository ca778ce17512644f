// Roll calls in which every client decides for itself, in each round anew: the shuffled check-in, its
// aggregated form, and the plain shuffle, in which everybody reports.
//
// Liew et al., "Shuffled check-in" (2022), Algorithm 1. One thread.
#pragma once

#include "muster/protocols/participation.h"
#include "muster/protocols/roll_call.h"

namespace muster::protocols {

// Everybody, in every round.
class RollCallOfEverybody final : public RollCall {
 public:
  explicit RollCallOfEverybody(std::uint64_t clients) : clients_(clients) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;

 private:
  std::uint64_t clients_;
};

// Those whose coins say so. A round of fewer than `minimum` messages is destroyed: 1 for a shuffled check-in.
class RollCallByCoins final : public RollCall {
 public:
  RollCallByCoins(CheckInCoins coins, std::uint64_t clients, std::uint64_t minimum)
      : coins_(std::move(coins)), clients_(clients), minimum_(minimum) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;
  std::uint64_t minimum() const override { return minimum_; }

 private:
  CheckInCoins coins_;
  std::uint64_t clients_;
  std::uint64_t minimum_;
  std::vector<std::uint64_t> reporting_;
};

}  // namespace muster::protocols
