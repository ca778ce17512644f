#include "tests/deployment/deployment.h"

#include <limits>
#include <utility>

#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/client/computation.h"
#include "muster/service/client/device.h"
#include "muster/service/client/policy.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/record_shape.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/payload.h"

namespace muster::deployment {
namespace {

constexpr std::uint64_t kKeysAhead = 3;

wire::SigningKey key_of(std::uint8_t role, std::uint8_t number) {
  std::array<std::uint8_t, 32> seed{};
  seed[0] = role;
  seed[1] = number;
  return wire::SigningKey::from_seed(wire::SecretBytes<32>(seed));
}
const wire::SigningKey& role_key(std::uint8_t role) {
  static const std::array<wire::SigningKey, 3> keys{key_of(0, 0), key_of(1, 0), key_of(2, 0)};
  return keys[role];
}
std::vector<wire::SigningKey> keys_of_devices(std::size_t devices) {
  std::vector<wire::SigningKey> keys;
  for (std::size_t i = 0; i < devices; ++i) keys.push_back(key_of(3, static_cast<std::uint8_t>(i)));
  return keys;
}

// Returns two stored keys in turn, so that no test has to generate one.
wire::RsaSecretKey next_key() {
  static const std::array<wire::RsaSecretKey, 2> keys{wire::stored_issuer_key(), wire::other_issuer_key()};
  static std::size_t made = 0;
  return keys[made++ % 2];
}

// A policy that allows every task, because these tests are not about policies.
service::Policy policy() {
  return {.max_epsilon = 1e9,
          .max_delta = 1e-2,
          .max_epsilon0 = std::numeric_limits<double>::infinity(),
          .min_clients = 1,
          .max_rounds = 1'000'000,
          .allow_seeded = true};
}

}  // namespace

struct Deployment::DeviceProcess {
  DeviceProcess(Deployment& all, std::size_t number, service::Disk& disk)
      : draws(all.make_draws_(number)),
        computation(all.task_, [&task = all.task_,
                                number] { return service::DeviceRecords(task, "digits").record(number); }),
        device({all.task_, all.device_keys_[number], disk.store(), all.clock_, all.shuffler_for_devices_,
                all.issuer_for_devices_, computation, *draws},
               policy(), [](const protocols::Plan&, std::uint64_t) { return 1.0; }) {}

  std::unique_ptr<service::Draws> draws;
  service::SynchronousComputation computation;
  service::Device device;
  std::int64_t wakes = 0;
};

struct Deployment::AggregatorProcess {
  AggregatorProcess(Deployment& all, service::Disk& disk)
      : learner(all.task_.plan(), all.parts_, 1),
        role(all.task_, role_key(0), disk.store(), all.shuffler_for_aggregator_, learner, epsilon_of,
             {.charge_lost_rounds = all.charge_lost_rounds_}) {}

  service::Learner learner;
  service::AggregatorRole role;
};

service::TaskSettings Deployment::settings() {
  service::TaskSettings settings;
  settings.aggregator = role_key(0).identity();
  settings.issuer = role_key(1).identity();
  settings.shuffler = role_key(2).identity();
  return settings;
}

Deployment::Deployment(const service::TaskDocument& task, const simulation::Prepared& parts,
                       std::size_t devices, MakeDraws draws)
    : task_(task),
      parts_(parts),
      sizes_{wire::PayloadFormat(*service::randomizer_of(task)).size()},
      make_draws_(std::move(draws)),
      witness_(task, sizes_),
      device_keys_(keys_of_devices(devices)),
      issuer_([this](service::Disk& disk) {
        auto issuer = std::make_unique<service::Issuer>(task_, key_of(1, 0), disk.store(), disk.logs(),
                                                        "issuer", next_key);
        std::vector<wire::IdentityKey> enrolled;
        for (const wire::SigningKey& key : device_keys_) enrolled.push_back(key.identity());
        issuer->enrol(enrolled);
        return issuer;
      }),
      shuffler_([this](service::Disk& disk) {
        return std::make_unique<service::Shuffler>(task_, role_key(2), sizes_, disk.store(), disk.logs(),
                                                   clock_, issuer_for_shuffler_);
      }),
      aggregator_([this](service::Disk& disk) { return std::make_unique<AggregatorProcess>(*this, disk); }),
      issuer_for_devices_(to_issuer_, issuer_),
      issuer_for_shuffler_(between_, issuer_),
      shuffler_for_devices_(to_shuffler_, shuffler_, witness_),
      shuffler_for_aggregator_(between_, shuffler_, witness_) {
  for (std::size_t i = 0; i < devices; ++i) {
    devices_.push_back(std::make_unique<Process<DeviceProcess>>(
        [this, i](service::Disk& disk) { return std::make_unique<DeviceProcess>(*this, i, disk); }));
  }
}

Deployment::~Deployment() = default;

void Deployment::start() {
  for (AnyProcess* process : processes()) process->start();
}

void Deployment::pass(std::int64_t milliseconds) {
  clock_.advance(milliseconds);
  issuer_.let([](service::Issuer& issuer) {
    issuer.prepare(kKeysAhead);
    issuer.publish();
  });
  shuffler_.let([](service::Shuffler& shuffler) { shuffler.tick(); });
  aggregator_.let([](AggregatorProcess& aggregator) { aggregator.role.step(); });
  for (const auto& device : devices_) {
    device->let([&](DeviceProcess& process) {
      if (process.wakes <= clock_.steady_ms()) process.wakes = process.device.step();
    });
  }
}

bool Deployment::has_ended() {
  bool ended = false;
  aggregator_.let([&](AggregatorProcess& aggregator) { ended = aggregator.role.ledger().ended(); });
  return ended;
}

AnyProcess& Deployment::process(Role role, std::size_t device) {
  switch (role) {
    case Role::shuffler:
      return shuffler_;
    case Role::issuer:
      return issuer_;
    case Role::aggregator:
      return aggregator_;
    case Role::device:
      break;
  }
  return *devices_.at(device);
}

std::vector<AnyProcess*> Deployment::processes() {
  std::vector<AnyProcess*> all{&issuer_, &shuffler_, &aggregator_};
  for (const auto& device : devices_) all.push_back(device.get());
  return all;
}

}  // namespace muster::deployment
