// A roll call decides which clients send in a step of the server. The decision depends on coins and the plan
// only, and is made before any data is touched. A step is rounds_a_step() rounds, usually one.
//
// Every protocol has an implementation. The senders are a function of (run key, round, client). So they are
// the same on any number of threads and, if each machine takes one share, on any number of machines. Their
// law is exactly the one that the plan's participation() describes to the accountant.
//
// Rounds count from 1. In a slot protocol, a round here is one slot, while the plan's `rounds.count` counts
// runs; all runs together have Plan::updates() slots. With every run, the slots and the windows in which a
// client may answer start again.
//
// Example:
//     const auto roll = make_roll_call(plan, key);
//     std::vector<Sender> senders;
//     roll->append_senders(round, Share{}, senders);   // any order: shuffle before use
//
// A roll call may keep the senders of the current run, so it belongs to one thread unless shareable(). Rounds
// may be requested in any order; ascending order is fastest.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "muster/core/interrupt.h"
#include "muster/plan/plan.h"
#include "muster/random/keyed_stream.h"

namespace muster::protocols {

struct Sender {
  std::uint64_t client;
  std::uint64_t round;
  // Whether this is the server's own message of a zero gradient. `client` is then not below the number of
  // clients, and no other sender of the round has this value.
  bool dummy;
  bool operator==(const Sender&) const = default;
};

// A step's senders are divided into `of` disjoint shares, which together are all of them. This is share
// number `index`, counted from 0.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t of = 1;
};

// The integers from `first` to first + count - 1. range_of returns the part of [0, count) that belongs to a
// share; the lengths of the shares' parts differ by at most one.
struct Range {
  std::uint64_t first;
  std::uint64_t count;
};
Range range_of(std::uint64_t count, Share share);

class RollCall {
 public:
  virtual ~RollCall() = default;

  // Returns the number of rounds in one step of the server. Steps start at round 1 plus multiples of this
  // number.
  virtual std::uint64_t rounds_a_step() const { return 1; }

  // Appends this share of the senders of the step that starts at `first_round`, in any order.
  virtual void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) = 0;
  // Returns whether several threads may append different shares at the same time. This holds if the roll call
  // keeps no state and a share costs only the coins of its own clients.
  virtual bool shareable() const { return false; }

  // Once `interrupt` is requested, append_senders throws Error(interrupted) before its next block of clients.
  void stop_when(const Interrupt& interrupt) { interrupt_ = interrupt; }

  // If all shares together have fewer messages than the returned number, the step does not change the model,
  // and its sum is destroyed unseen.
  virtual std::uint64_t minimum() const { return 1; }

 protected:
  const Interrupt& interrupt() const { return interrupt_; }

 private:
  Interrupt interrupt_;
};

// Returns the roll call of a plan that was validated for training.
std::unique_ptr<RollCall> make_roll_call(const Plan& plan, const random::RunKey& key);

}  // namespace muster::protocols
