// One step of the server between its roll call and its estimate, while the vectors of its senders come in.
//
// open() decides who sends, before any data is touched (protocols/roll_call.h), and puts the senders in a
// secret uniform order (protocols/shuffle.h). The code that handles them in that order takes the place of the
// shuffler: the aggregator sees the messages in an order that nobody can undo, and they need not all be in
// memory at once. Each worker hands vectors to its own maker (message_maker.h). close() merges the exact sums
// of the makers, and those of the ranks (ranks.h), and decodes the mean, unless there are fewer messages than
// the protocol's minimum. In that case, and when a step is abandoned, the sum is destroyed without being
// decoded.
//
// The estimate has the same bits for any number of workers and ranks, any secret order, and any division of
// the senders among the makers. An OpenStep belongs to one thread, but each maker may be used by another. The
// arguments of the constructor must outlive it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "muster/core/interrupt.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/message_maker.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

// How a step ended.
struct Step {
  // The number of messages, including the server's dummies, because nobody may learn which messages are
  // dummies.
  std::uint64_t messages;
  // The number of zero-vector messages that clients sent because their own vector was not finite.
  std::uint64_t neutral;
  // False if the step was abandoned, has no messages, or has fewer than the protocol's minimum.
  bool decoded;
  // True if a rank was interrupted before it had handled its share. Then the step has not taken place.
  bool abandoned;
};

class OpenStep {
 public:
  // `clients` is the number of clients of all ranks; `sum` is null unless only sums are drawn.
  OpenStep(const randomizers::VectorRandomizer& randomizer, const randomizers::SumSampler* sum,
           protocols::RollCall& roll_call, std::uint64_t clients, const random::RunKey& key, WorkerTeam& team,
           Ranks& ranks, const Interrupt& interrupt = {}, BadVector bad = BadVector::answered_neutrally);

  // Calls the roll of the step that starts at `first_round`. Throws Error(interrupted) if it is interrupted;
  // close() must be called nevertheless.
  void open(std::uint64_t first_round);
  // This rank's senders, in their secret order, including the senders of the server's dummies.
  std::span<const protocols::Sender> senders() const { return order_; }
  // The maker of a worker of the team. In each step, the worker calls begin() before it uses the maker.
  MessageMaker& maker(unsigned worker) { return *makers_[worker]; }

  // Ends the step: merges what the makers took in, over all ranks, and overwrites `estimate` (the
  // randomizer's dimension) with the mean of the decoded messages, or with zeros if nothing was decoded. If
  // `abandoned` is true or `failure` is not null, this rank has not handled all senders. If ranks have
  // failed, every rank throws the failure of the lowest of them.
  Step close(bool abandoned, const std::exception_ptr& failure, std::span<float> estimate);
  // Takes part, without a step, in the all-reduce of the other ranks' close() or finish(). `failure` is what
  // went wrong on this rank, or null.
  void finish(const std::exception_ptr& failure) { all_reduce_.hold(ranks_, failure); }

 private:
  void call_roll();
  // Merges the messages of all makers into one sum, and adds the number of their neutral answers to
  // `neutral`.
  protocols::Aggregator& sum_of_all(std::uint64_t& neutral);
  // On entry `total` holds this rank's sum; on return it holds the sum over all ranks. The counters of
  // messages, neutral answers and abandoned shares are added up in the same all-reduce.
  Step reduce_over_ranks(protocols::Aggregator& total, std::uint64_t neutral, bool abandoned,
                         const std::exception_ptr& failure);

  const randomizers::VectorRandomizer& randomizer_;
  const randomizers::SumSampler* sum_;
  protocols::RollCall& roll_call_;
  std::uint64_t clients_;
  random::RunKey key_;
  WorkerTeam& team_;
  Ranks& ranks_;
  Interrupt interrupt_;
  AllReduce all_reduce_;  // adds up the sums and the counters of all ranks
  std::uint64_t first_round_ = 0;
  std::vector<protocols::Sender> order_;                // the senders of the step, shuffled
  std::vector<std::vector<protocols::Sender>> called_;  // each worker's part of the roll call
  std::vector<std::unique_ptr<MessageMaker>> makers_;
};

}  // namespace muster::simulation
