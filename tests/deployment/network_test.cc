// A whole deployment over HTTP on this machine, with real clocks and real files: an issuer and a shuffler
// behind their servers, an aggregator, and twelve devices that learn in three rounds of a few seconds. The
// model is that of a simulation of the same seed, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "muster/http/issuer_server.h"
#include "muster/http/remote_issuer.h"
#include "muster/http/remote_shuffler.h"
#include "muster/http/shuffler_server.h"
#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/simulated_run_test.h"
#include "muster/service/client/device.h"
#include "muster/service/ledger/verification.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/model/tasks_test.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/simulation/setup.h"
#include "muster/wire/payload.h"
#include "tests/support/temporary_folder.h"

namespace muster::deployment {
namespace {

using namespace service;

constexpr std::size_t kDevices = 12;

std::string url(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

// The files of one role.
struct RoleFolder {
  explicit RoleFolder(const std::filesystem::path& path) : logs(path) {
    std::filesystem::create_directories(path);
    store.emplace(path / "store.db", SqliteStore::Access::create_or_open);
  }
  FileLogFolder logs;
  std::optional<SqliteStore> store;
};

struct NetworkDevice {
  NetworkDevice(const TaskDocument& task, std::size_t number, const wire::SigningKey& key, Store& store,
                const std::string& shuffler_url, const std::string& issuer_url)
      : shuffler(shuffler_url, "", std::size_t{1} << 20),
        issuer(issuer_url, ""),
        computation(task, [&task, number] { return DeviceRecords(task, "digits").record(number); }),
        draws(draws_of(task, number)),
        device({task, key, store, system_clock(), shuffler, issuer, computation, *draws},
               {.max_epsilon = 1e9,
                .max_delta = 1e-3,
                .max_epsilon0 = 10,
                .min_clients = 1,
                .max_rounds = 100,
                .allow_seeded = true},
               [](const protocols::Plan&, std::uint64_t) { return 1.0; }) {}

  RemoteShufflerForDevices shuffler;
  RemoteIssuer issuer;
  SynchronousComputation computation;
  std::unique_ptr<Draws> draws;
  Device device;
  std::int64_t wakes = 0;
};

class Network : public ::testing::Test {
 protected:
  TaskDocument task() const {
    TaskSettings settings = task_settings();
    settings.seconds = 6;
    settings.most_rounds = 6;
    settings.randomness = Randomness::seeded;
    settings.aggregator = aggregator_.identity();
    settings.issuer = issuer_.identity();
    settings.shuffler = shuffler_.identity();
    std::string plan = kTwelve;
    plan += kGradients;
    return task_of(plan, {{"rounds.learning_rate", "0.1"}}, settings);
  }

  wire::SigningKey aggregator_ = wire::SigningKey::fresh(), issuer_ = wire::SigningKey::fresh(),
                   shuffler_ = wire::SigningKey::fresh();
  muster::testing::TemporaryFolder folder_;
};

TEST_F(Network, TheModelIsThatOfTheSimulation) {
  const TaskDocument task = this->task();
  RoleFolder issuer_files(folder_.path() / "issuer"), shuffler_files(folder_.path() / "shuffler"),
      aggregator_files(folder_.path() / "aggregator");
  std::vector<wire::SigningKey> keys;
  std::vector<wire::IdentityKey> enrolled;
  for (std::size_t i = 0; i < kDevices; ++i) {
    keys.push_back(wire::SigningKey::fresh());
    enrolled.push_back(keys.back().identity());
  }
  Issuer issuer(task, std::move(issuer_), *issuer_files.store, issuer_files.logs, "the issuer");
  issuer.enrol(enrolled);
  issuer.prepare(4);
  IssuerServer issuer_server(issuer, {.rounds_ahead = 4, .publish = std::chrono::milliseconds(200)});
  RemoteIssuer issuer_of_shuffler(url(issuer_server.port()), "");
  const wire::UploadSizes sizes{wire::PayloadFormat(*randomizer_of(task)).size()};
  Shuffler shuffler(task, shuffler_, sizes, *shuffler_files.store, shuffler_files.logs, system_clock(),
                    issuer_of_shuffler);
  ShufflerServer shuffler_server(shuffler, system_clock(), {});
  RemoteShufflerForAggregator shuffler_of_aggregator(url(shuffler_server.aggregator_port()), "",
                                                     sizes.inner());
  const simulation::Prepared parts = server_parts(task);
  Learner learner(task.plan(), parts, 1);
  const auto epsilon = simulation::epsilon_of(task.plan());
  AggregatorRole aggregator(task, aggregator_, *aggregator_files.store, shuffler_of_aggregator, learner,
                            epsilon);
  std::vector<std::unique_ptr<RoleFolder>> folders;
  std::vector<std::unique_ptr<NetworkDevice>> devices;
  for (std::size_t i = 0; i < kDevices; ++i) {
    folders.push_back(std::make_unique<RoleFolder>(folder_.path() / std::to_string(i)));
    devices.push_back(std::make_unique<NetworkDevice>(task, i, keys[i], *folders.back()->store,
                                                      url(shuffler_server.devices_port()),
                                                      url(issuer_server.port())));
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  Progress progress;
  while (progress.state != Progress::State::ended && std::chrono::steady_clock::now() < end) {
    for (const auto& one : devices) {
      if (one->wakes <= system_clock().steady_ms()) one->wakes = one->device.step();
    }
    progress = aggregator.step();
    shuffler_server.wait(20);
    issuer_server.wait(0);
  }
  EXPECT_EQ(aggregator.ledger().counts().released, 3u) << progress.reason;
  EXPECT_EQ(aggregator.ledger().counts().voided, 0u);
  EXPECT_EQ(aggregator.ledger().epsilon(), epsilon(3));
  EXPECT_EQ(verify(aggregator.ledger(), task, epsilon).findings, std::vector<std::string>{});

  EXPECT_EQ(learner.model().state.parameters, simulated(task).parameters);
}

}  // namespace
}  // namespace muster::deployment
