#include "muster/simulation/round_engine.h"

#include <algorithm>
#include <atomic>

#include "muster/core/error.h"
#include "muster/protocols/shuffle.h"

namespace muster::simulation {
namespace {

// Clients a worker takes at a time: enough to make the counter free, few enough that workers finish together.
constexpr std::size_t kBatch = 16;

}  // namespace

struct RoundEngine::Desk {
  Desk(const learning::GradientEngine& gradients, const randomizers::VectorRandomizer& randomizer)
      : workspace(gradients.make_workspace()),
        scratch(randomizer.make_scratch()),
        aggregator(randomizer, *scratch),
        gradient(gradients.parameter_count()) {}

  std::unique_ptr<learning::Workspace> workspace;
  std::unique_ptr<randomizers::Scratch> scratch;
  protocols::Aggregator aggregator;
  std::vector<float> gradient;
  randomizers::Message message;
};

RoundEngine::RoundEngine(const learning::GradientEngine& gradients,
                         const randomizers::VectorRandomizer& randomizer,
                         const protocols::CheckInCoins& coins, const Population& population,
                         const random::RunKey& key, WorkerTeam& team)
    : gradients_(gradients),
      randomizer_(randomizer),
      coins_(coins),
      population_(population),
      key_(key),
      team_(team) {
  if (gradients.parameter_count() != randomizer.dimension()) {
    throw Error(ErrorCode::internal, "", "", "", "the randomizer's dimension is not the model's");
  }
  for (unsigned worker = 0; worker < team.size(); ++worker) {
    desks_.push_back(std::make_unique<Desk>(gradients, randomizer));
  }
}

RoundEngine::~RoundEngine() = default;

std::uint64_t RoundEngine::run(std::uint64_t round, std::span<const float> parameters,
                               std::span<float> estimate) {
  order_.clear();
  coins_.append_reporting(round, 0, population_.clients(), order_);
  protocols::secret_shuffle(std::span(order_), round);

  std::atomic<std::size_t> next{0};
  team_.run([&](unsigned worker) {
    Desk& desk = *desks_[worker];
    desk.aggregator.next_round();
    for (std::size_t first = next.fetch_add(kBatch); first < order_.size(); first = next.fetch_add(kBatch)) {
      work(desk, round, parameters, first, std::min(first + kBatch, order_.size()));
    }
  });

  protocols::Aggregator& total = desks_.front()->aggregator;
  for (std::size_t worker = 1; worker < desks_.size(); ++worker) {
    total.merge(desks_[worker]->aggregator);
  }
  total.mean(estimate);
  return total.count();
}

void RoundEngine::work(Desk& desk, std::uint64_t round, std::span<const float> parameters, std::size_t first,
                       std::size_t last) {
  for (std::size_t place = first; place < last; ++place) {
    const std::uint64_t client = order_[place];
    // The loss gradient() returns is dropped: printing it would release data no accountant charged for.
    gradients_.gradient(parameters, population_.example_of(client), *desk.workspace, desk.gradient);
    randomizer_.randomize(desk.gradient, key_, round, client, *desk.scratch, desk.message);
    desk.aggregator.receive(desk.message);
  }
}

}  // namespace muster::simulation
