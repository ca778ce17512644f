// One step of the server in simulation, message by message.
//
//   1. the roll is called: who sends is settled before any data is touched (protocols/roll_call.h);
//   2. the senders are put in a secret uniform order (protocols/shuffle.h) and handled in that order: the
//      client's function (a gradient, a statistic) of its example, local randomizer, message. A dummy is the
//      same randomizer on the zero vector, the neutral record. A client whose vector is not finite answers
//      with such a message too: its silence, or the end of the run, would tell of its record
//      (docs/theory/what-the-system-owes.md). Handling senders in the shuffled order is the shuffle: the
//      aggregator sees the messages in an order nobody can undo, and the messages need not be held together;
//   3. messages go, a few at a time, to the aggregator of the worker that made them; the workers' exact sums
//      merge, and then the ranks' (ranks.h): each rank calls the roll of its share and makes that share's
//      messages;
//   4. of fewer messages than the protocol's minimum nothing is decoded.
//
// With a sum sampler (the `sum` fidelity, randomizers/sum_sampler.h) step 3 adds up the clipped vectors, and
// the noise of all messages together is drawn before decoding, the same on every rank.
//
// The estimate is the same bits for any number of workers and ranks and any secret order. Buffers are kept
// between steps. Driven by one thread; what it is given must outlive it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "muster/learning/client_function.h"
#include "muster/protocols/aggregate.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/aligned.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/population.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

class RoundEngine {
 public:
  RoundEngine(const learning::ClientFunction& function, const randomizers::VectorRandomizer& randomizer,
              protocols::RollCall& roll_call, const Population& population, const random::RunKey& key,
              WorkerTeam& team, Ranks& ranks, const randomizers::SumSampler* sum = nullptr);
  ~RoundEngine();

  struct Step {
    std::uint64_t messages;  // dummies among them: nobody may learn which they were
    std::uint64_t neutral;   // clients' messages of the zero vector in place of one that is not finite
    bool decoded;            // false: fewer messages than the protocol's minimum, or none
    bool stop;               // a rank asked for it
  };
  // Runs the step that starts at `first_round` on `parameters`; overwrites `estimate` (as many floats as
  // parameters) with the mean decoded message, zeros when nothing was decoded. Every rank calls it, and has
  // the same estimate. `stop`: this rank asks all of them to stop after the step.
  Step run(std::uint64_t first_round, std::span<const float> parameters, std::span<float> estimate,
           bool stop = false);
  // Instead of a step: tells the ranks what went wrong on this one, if anything, while they run one or close.
  void close(const std::exception_ptr& failure);

 private:
  struct WorkerState;  // what one worker owns
  void call_roll(std::uint64_t first_round);
  void handle_all(std::span<const float> parameters);
  void handle(WorkerState& worker, std::span<const float> parameters, std::size_t first, std::size_t last);
  // The message of one client or dummy; a vector that is not finite is replaced by zeros.
  void answer(WorkerState& worker, const protocols::Sender& sender, std::span<float> vector,
              randomizers::Message& message) const;
  // The first `count` vectors of the worker into its sum; those that are not finite are replaced by zeros.
  void add_vectors(WorkerState& worker, std::size_t count) const;
  // The sum of every worker's messages.
  protocols::Aggregator& sum_of_all();
  // Adds the ranks' sums up in `total`.
  Step meet(protocols::Aggregator& total, bool stop, const std::exception_ptr& failure);
  void clear_all();

  const learning::ClientFunction& function_;
  const randomizers::VectorRandomizer& randomizer_;
  protocols::RollCall& roll_call_;
  const Population& population_;
  random::RunKey key_;
  WorkerTeam& team_;
  Ranks& ranks_;
  const randomizers::SumSampler* sum_;            // null: message by message
  AllReduce all_reduce_;                          // the sum, and what a Step counts
  std::vector<protocols::Sender> order_;          // of the step, shuffled
  randomizers::AlignedVector<float> parameters_;  // the round's, on cache lines
  std::vector<std::unique_ptr<WorkerState>> workers_;
};

}  // namespace muster::simulation
