// Random check-ins: every client checks in at most once per run, at a uniform slot of its own window.
//
// Balle, Kairouz, McMahan, Thakkar, Thakurta, "Privacy amplification via random check-ins" (NeurIPS 2020):
//  - Fixed window (Algorithm 1): every client's window is the whole run. At each slot the server asks one
//    client, chosen uniformly among those present. If nobody is present, the server itself sends a dummy, the
//    message of a zero gradient.
//  - Averaged (Algorithm 2): as above, but everybody present is asked, and an empty slot is skipped.
//  - Sliding window (Section 4.2): at each time step one client wakes, in the order of the client numbers,
//    and its window is the next m steps, including this one. The server skips the first m - 1 steps, so a run
//    of n clients has n - m + 1 slots, each with one client or a dummy, as in the fixed window.
//
// A client that drops out counts as one that did not check in, so the server never chooses it. Coins, slots
// and the server's choice are functions of (run key, run, client), and every run draws new ones. Each object
// belongs to one thread.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "muster/protocols/check_in_coins.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/bit_source.h"

namespace muster::protocols {

// A uniform choice among clients that are offered one after another: the k-th replaces the choice with
// probability 1/k.
class Reservoir {
 public:
  void offer(std::uint64_t client, random::BitSource& bits);
  bool empty() const { return offered_ == 0; }
  std::uint64_t client() const { return client_; }  // undefined while empty

 private:
  std::uint64_t client_ = 0;
  std::uint64_t offered_ = 0;
};

class RollCallOfFixedWindow final : public RollCall {
 public:
  // `batch` must divide `slots`. A step is the mean over `batch` slots.
  RollCallOfFixedWindow(const random::RunKey& key, CheckInCoins coins, std::uint64_t clients,
                        std::uint64_t slots, std::uint64_t batch)
      : key_(key), coins_(std::move(coins)), clients_(clients), slots_(slots), batch_(batch) {}
  std::uint64_t rounds_a_step() const override { return batch_; }
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;

 private:
  void draw_run(std::uint64_t run);

  random::RunKey key_;
  CheckInCoins coins_;
  std::uint64_t clients_;
  std::uint64_t slots_;
  std::uint64_t batch_;
  std::uint64_t run_ = 0;  // the run that was drawn; 0 if no run is drawn
  std::vector<Reservoir> chosen_;
  std::vector<std::uint64_t> present_;
};

class RollCallAveraged final : public RollCall {
 public:
  RollCallAveraged(const random::RunKey& key, CheckInCoins coins, std::uint64_t clients, std::uint64_t slots)
      : key_(key), coins_(std::move(coins)), clients_(clients), slots_(slots) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;

 private:
  void draw_run(std::uint64_t run, Share share);

  random::RunKey key_;
  CheckInCoins coins_;
  std::uint64_t clients_;
  std::uint64_t slots_;
  std::uint64_t run_ = 0;
  Share share_;
  std::vector<std::uint64_t> present_;
  std::vector<std::vector<std::uint64_t>> present_at_;  // for each slot, its clients of share_, ascending
};

class RollCallOfSlidingWindow final : public RollCall {
 public:
  // Requires 1 <= window <= clients.
  RollCallOfSlidingWindow(const random::RunKey& key, CheckInCoins coins, std::uint64_t clients,
                          std::uint64_t window)
      : key_(key), coins_(std::move(coins)), clients_(clients), window_(window) {}
  void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) override;

 private:
  void wake(std::uint64_t time);

  random::RunKey key_;
  CheckInCoins coins_;
  std::uint64_t clients_;
  std::uint64_t window_;
  std::uint64_t run_ = 0;
  std::uint64_t time_ = 0;         // the last time step whose client woke
  std::vector<Reservoir> chosen_;  // the choice for time t is at t mod window
  std::vector<std::uint64_t> present_;
};

}  // namespace muster::protocols
