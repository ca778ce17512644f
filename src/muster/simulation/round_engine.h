// One round of Algorithm 1 in simulation, message by message.
//
//   1. every client tosses its own coin (protocols/participation.h);
//   2. those that report are put in a secret uniform order (protocols/shuffle.h) and handled in that order:
//   gradient
//      on the client's example, local randomizer, message. Handling clients in the shuffled order is the
//      shuffle: the aggregator sees the messages in an order nobody can undo, and the messages need not be
//      held together;
//   3. each message goes alone to the aggregator of the worker that made it; the workers' exact sums merge.
//
// The estimate is the same bits for any number of workers and any secret order. Buffers are kept between
// rounds. Driven by one thread; what it is given must outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "muster/learning/gradient_engine.h"
#include "muster/protocols/aggregate.h"
#include "muster/protocols/participation.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/simulation/population.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

class RoundEngine {
 public:
  RoundEngine(const learning::GradientEngine& gradients, const randomizers::VectorRandomizer& randomizer,
              const protocols::CheckInCoins& coins, const Population& population, const random::RunKey& key,
              WorkerTeam& team);
  ~RoundEngine();

  // Runs `round` on `parameters`; overwrites `estimate` (as many floats as parameters) with the mean decoded
  // message, zeros when nobody reported. Returns how many clients reported.
  std::uint64_t run(std::uint64_t round, std::span<const float> parameters, std::span<float> estimate);

 private:
  struct Desk;  // what one worker owns
  void work(Desk& desk, std::uint64_t round, std::span<const float> parameters, std::size_t first,
            std::size_t last);

  const learning::GradientEngine& gradients_;
  const randomizers::VectorRandomizer& randomizer_;
  const protocols::CheckInCoins& coins_;
  const Population& population_;
  random::RunKey key_;
  WorkerTeam& team_;
  std::vector<std::uint64_t> order_;  // the reporting clients, shuffled
  std::vector<std::unique_ptr<Desk>> desks_;
};

}  // namespace muster::simulation
