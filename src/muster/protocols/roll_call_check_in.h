// Roll calls in which every client decides independently in each round: the shuffled check-in and its
// aggregated form. The plain shuffle, in which everybody reports, is also here.
//
// The check-ins are those of Liew et al., "Shuffled check-in" (2022), Algorithm 1. append_senders changes no
// state of these roll calls, so several threads may call it at the same time.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "muster/protocols/check_in_coins.h"
#include "muster/protocols/roll_call.h"

namespace muster::protocols {

// Everybody reports in every round.
class RollCallOfEverybody final : public RollCall {
 public:
  explicit RollCallOfEverybody(std::uint64_t clients) : clients_(clients) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;
  bool shareable() const override { return true; }

 private:
  std::uint64_t clients_;
};

// Clients report by their coins. A round with fewer than `minimum` messages is destroyed; `minimum` is 1 for
// a shuffled check-in.
class RollCallByCoins final : public RollCall {
 public:
  RollCallByCoins(CheckInCoins coins, std::uint64_t clients, std::uint64_t minimum)
      : coins_(std::move(coins)), clients_(clients), minimum_(minimum) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;
  std::uint64_t minimum() const override { return minimum_; }
  bool shareable() const override { return true; }

 private:
  CheckInCoins coins_;
  std::uint64_t clients_;
  std::uint64_t minimum_;
};

}  // namespace muster::protocols
