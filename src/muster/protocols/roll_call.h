// The roll call: it decides who sends in a step, from coins and the plan alone, before any data is touched.
//
// There is one implementation per protocol. What it draws is a function of (run key, round, client): the
// senders are the same on any number of threads and, share by share, on any number of machines. Their law
// is exactly the one that the plan's participation() describes to the accountant.
//
// Rounds count from 1. In a slot protocol a round is one slot: a plan of `rounds.count` runs has
// Plan::updates() of them, and slots and windows start anew with every run.
//
// Example:
//     const auto roll = make_roll_call(plan, key);
//     std::vector<Sender> senders;
//     roll->append_senders(round, Share{}, senders);   // any order: shuffle before use
//
// A roll call may keep what it drew for the current run: unless shareable(), it belongs to one thread.
// Rounds may be requested in any order; ascending order is fastest.
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
  // The server's own message of a zero gradient; `client` is then at least the population,
  // unique in its round.
  bool dummy;
  bool operator==(const Sender&) const = default;
};

// Part `index` of `of` parts. The parts of one step are disjoint and together make up the whole step.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t of = 1;
};

// The part of [0, count) that belongs to a share. The lengths of these parts differ by at most one.
struct Range {
  std::uint64_t first;
  std::uint64_t count;
};
Range range_of(std::uint64_t count, Share share);

class RollCall {
 public:
  virtual ~RollCall() = default;

  // The number of rounds that one step of the server spans; a step starts at round 1 plus a multiple of it.
  virtual std::uint64_t rounds_a_step() const { return 1; }

  // Appends this share of the senders of the step that starts at `first_round`, in any order.
  virtual void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) = 0;
  // Whether threads may append different shares at once: nothing is kept, and the work is one
  // coin per client.
  virtual bool shareable() const { return false; }

  // Once `interrupt` is requested, append_senders throws Error(interrupted) before its next block of clients.
  void stop_when(const Interrupt& interrupt) { interrupt_ = interrupt; }

  // If all shares together have fewer messages than this, the step changes nothing and its sum is
  // destroyed unseen.
  virtual std::uint64_t minimum() const { return 1; }

 protected:
  const Interrupt& interrupt() const { return interrupt_; }

 private:
  Interrupt interrupt_;
};

// Returns the roll call of a plan that was validated for training.
std::unique_ptr<RollCall> make_roll_call(const Plan& plan, const random::RunKey& key);

}  // namespace muster::protocols
