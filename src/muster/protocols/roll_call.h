// The roll call: who sends in a step, from coins and the plan alone, before any data is touched.
//
// One implementation a protocol. What it draws is a function of (run key, round, client): the same senders on
// any number of threads and, part by part, on any number of machines; and it has exactly the law that the
// plan's participation() describes to the accountant.
//
// Rounds count from 1. In a slot protocol a round is one slot: a plan of `rounds.count` runs has
// Plan::updates() of them, and slots and windows start anew with every run.
//
// Example:
//     const auto roll = make_roll_call(plan, key);
//     std::vector<Sender> senders;
//     roll->append_senders(round, Share{}, senders);   // any order: shuffle before use
//
// A roll call may keep what it drew for the run under way: unless shareable(), it belongs to one thread.
// Rounds may be asked for in any order; ascending is fastest.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "muster/plan/plan.h"
#include "muster/random/keyed_stream.h"

namespace muster::protocols {

struct Sender {
  std::uint64_t client;
  std::uint64_t round;
  bool dummy;  // the server's own message of a zero gradient; client >= the population, unique in its round
  bool operator==(const Sender&) const = default;
};

// Part `index` of `of`: the parts of one step are disjoint and together the whole step, for every `of`.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t of = 1;
};

// The part of [0, count) that is a share's: ranges of equal length, give or take one.
struct Range {
  std::uint64_t first;
  std::uint64_t count;
};
Range range_of(std::uint64_t count, Share share);

class RollCall {
 public:
  virtual ~RollCall() = default;

  // Rounds that one step of the server spans; a step starts at round 1 + a multiple of it.
  virtual std::uint64_t rounds_a_step() const { return 1; }

  // Appends this share of the senders of the step that starts at `first_round`, in any order.
  virtual void append_senders(std::uint64_t first_round, Share share, std::vector<Sender>& senders) = 0;
  // Whether threads may append different shares at once: nothing is kept, and the work is one coin a client.
  virtual bool shareable() const { return false; }

  // Fewer messages than this, all shares together: the step changes nothing and its sum is destroyed unseen.
  virtual std::uint64_t minimum() const { return 1; }
};

// The roll call of a plan validated for training.
std::unique_ptr<RollCall> make_roll_call(const Plan& plan, const random::RunKey& key);

}  // namespace muster::protocols
