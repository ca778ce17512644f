// Simulates one step of the server, message by message.
//
//  1. The roll is called, and the senders are put in a secret uniform order (open_step.h).
//  2. The senders are handled in that order: the client's vector is computed from its records
//     (client_update.h), and the local randomizer makes the message (message_maker.h). The message of a dummy
//     comes from the same randomizer, applied to the zero vector, the neutral record. A client whose vector
//     is not finite also answers with such a message, because its silence, or the end of the run, would
//     reveal something about its record (docs/theory/what-the-system-owes.md).
//  3. Each worker's messages go, a few at a time, to its own aggregator. The exact sums of the workers are
//     merged, and then those of the ranks (ranks.h), and decoded. Each rank calls the roll of its own share
//     of the clients and makes their messages.
//
// With a sum sampler (the `sum` fidelity, randomizers/sum_sampler.h), no message is made: the workers add up
// the clipped vectors, and the noise of all messages is drawn once before decoding, with the same result on
// every rank.
//
// An interrupted step is abandoned on all ranks: nothing of it is decoded, and running it again later gives
// the result that it would have had. The interrupted rank stops its work within milliseconds, however large
// the step is.
//
// The estimate has the same bits for any number of workers and ranks and any secret order. Buffers are kept
// between steps. An engine belongs to one thread, and the arguments of its constructor must outlive it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "muster/core/interrupt.h"
#include "muster/learning/client_function.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/aligned.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/client_update.h"
#include "muster/simulation/open_step.h"
#include "muster/simulation/population.h"
#include "muster/simulation/ranks.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

class RoundEngine {
 public:
  RoundEngine(const learning::ClientFunction& function, const randomizers::VectorRandomizer& randomizer,
              protocols::RollCall& roll_call, const Population& population, const random::RunKey& key,
              WorkerTeam& team, Ranks& ranks, const randomizers::SumSampler* sum = nullptr,
              const Interrupt& interrupt = {}, const LocalSgd& local = {});
  ~RoundEngine();

  using Step = simulation::Step;

  // Runs the step that starts at `first_round` with `parameters` and overwrites `estimate` (as many
  // floats as parameters) with the mean of the decoded messages, or with zeros if nothing was decoded. Every
  // rank must call run() or close(); those that call run() get the same estimate.
  Step run(std::uint64_t first_round, std::span<const float> parameters, std::span<float> estimate);
  // Takes part, without running a step, in the all-reduce of the other ranks' run() or close(). `failure` is
  // what went wrong on this rank, or null. If some ranks have failed, every rank throws the failure of the
  // lowest of them.
  void close(const std::exception_ptr& failure) { step_.finish(failure); }

 private:
  struct WorkerState;  // the buffers of one worker
  void handle_all(std::span<const float> parameters);
  void handle(unsigned index, std::span<const float> parameters, std::size_t first, std::size_t last);
  // Computes the vector of one client from its records.
  void compute(WorkerState& worker, std::span<const float> parameters, const protocols::Sender& sender,
               std::span<const Record> records, std::span<float> vector) const;

  ClientUpdate update_;
  const Population& population_;
  random::RunKey key_;
  WorkerTeam& team_;
  bool sums_only_;
  Interrupt interrupt_;
  OpenStep step_;
  randomizers::AlignedVector<float> parameters_;  // the round's parameters, copied to start on a cache line
  std::vector<std::unique_ptr<WorkerState>> workers_;
};

}  // namespace muster::simulation
