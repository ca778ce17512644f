// A deployment without faults sends, bit for bit, the messages of the simulation.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "muster/protocols/roll_call.h"
#include "muster/service/client/device.h"
#include "muster/service/client/device_fixture_test.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/tasks_test.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/population.h"
#include "muster/simulation/round_engine.h"
#include "muster/simulation/setup.h"

namespace muster::service {
namespace {

std::vector<float> parameters_of(std::uint64_t round, std::vector<float> parameters) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i] += 0.01F * static_cast<float>(round * (i % 5));
  }
  return parameters;
}

// A device of this number, with coins, record, gradient and noise as they are in a deployment of a seeded
// task.
struct SeededDevice {
  SeededDevice(const TaskDocument& task, std::uint64_t client)
      : world(true, task), draws(draws_of(world.task, client)), computation(world.task, [this, client] {
          return DeviceRecords(world.task, "digits").record(client);
        }) {
    world.real_draws = draws.get();
    world.real_computation = &computation;
  }
  DeviceFixture world;
  std::unique_ptr<Draws> draws;
  SynchronousComputation computation;
};

TEST(DeviceSimulation, TheMessagesOfAllDevicesAreThoseOfTheSimulation) {
  TaskSettings settings = world_settings();
  settings.randomness = Randomness::seeded;
  const TaskDocument task =
      task_of(std::string(kTwelve) + kGradients, {{"rounds.learning_rate", "0.1"}}, settings);
  const protocols::Plan& plan = task.plan();

  const learning::DataSplit data = simulation::load_data(plan);
  const auto parts = simulation::assemble(plan, data, simulation::Accounting::elsewhere);
  const random::RunKey key = random::RunKey::from_seed(plan.seed());
  const auto ranks = simulation::alone();
  simulation::WorkerTeam team(1);
  const simulation::Population population(simulation::holdings_of(plan), data.train, key);
  const auto roll_call = protocols::make_roll_call(plan, key);
  simulation::RoundEngine engine(*parts.task.function, *parts.randomizer, *roll_call, population, key, team,
                                 *ranks);

  constexpr std::uint64_t kRounds = 2;
  const auto randomizer = randomizer_of(task);
  const auto scratch = randomizer->make_scratch();
  std::vector<randomizers::MessageSum> sums(kRounds + 1, randomizer->make_sum());
  for (std::uint64_t client = 0; client < plan.clients(); ++client) {
    SeededDevice device(task, client);
    device.world.issuer.last = kRounds;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      device.world.model = encode_model(parameters_of(round, parts.task.initial));
      device.world.play(round);
      const TestShuffler::Seen seen = device.world.shuffler->only_upload(round);
      if (seen.kind == wire::UploadKind::dummy) continue;
      randomizers::Message message;
      ASSERT_EQ(device.world.format.decode(seen.payload, message), wire::PayloadFault::none);
      randomizer->accumulate(message, *scratch, sums[round]);
    }
  }
  std::vector<float> deployed(randomizer->dimension()), simulated(randomizer->dimension());
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    const auto step = engine.run(round, parameters_of(round, parts.task.initial), simulated);
    EXPECT_GT(step.messages, 0u);
    EXPECT_EQ(step.messages, sums[round].count());
    randomizer->mean(sums[round], deployed);
    EXPECT_EQ(encode_model(deployed), encode_model(simulated)) << "round " << round;
  }
}

}  // namespace
}  // namespace muster::service
