#include "tests/deployment/world.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "muster/plan/source.h"
#include "muster/random/samplers.h"
#include "muster/service/client/draws.h"
#include "muster/service/ledger/verification.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/task/plans_test.h"
#include "muster/wire/issuer_keys_test.h"
#include "muster/wire/payload.h"

namespace muster::deployment {
namespace {

using Kind = Operation::Kind;
using service::TaskDocument;

constexpr std::int64_t kSlice = 2'000, kRound = 60'000;
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
const wire::SigningKey& device_key(std::size_t number) {
  static const std::vector<wire::SigningKey> keys = [] {
    std::vector<wire::SigningKey> made;
    for (std::uint8_t i = 0; i < World::kDevices; ++i) made.push_back(key_of(3, i));
    return made;
  }();
  return keys[number];
}

const TaskDocument& task() {
  static const TaskDocument document = TaskDocument::make(
      protocols::Plan::validate(protocols::PlanSource::from_text(service::kHistogramPlan, "plan.toml"),
                                protocols::Command::train)
          .with("population.clients", "4"),
      {.malicious = 1,
       .seconds = kRound / 1000,
       .most_rounds = 8,
       .aggregator = role_key(0).identity(),
       .issuer = role_key(1).identity(),
       .shuffler = role_key(2).identity()});
  return document;
}
wire::UploadSizes sizes() {
  static const wire::UploadSizes sizes{wire::PayloadFormat(*service::randomizer_of(task())).size()};
  return sizes;
}
const simulation::Prepared& parts() {
  static const simulation::Prepared parts = service::server_parts(task());
  return parts;
}
// Any increasing function does here: what the accountant says is not what these tests are about.
double epsilon_of(std::uint64_t rounds) { return 0.125 * static_cast<double>(rounds); }

// Two stored keys in turn. No test generates one.
wire::RsaSecretKey next_key() {
  static const std::array<wire::RsaSecretKey, 2> keys{wire::stored_issuer_key(), wire::other_issuer_key()};
  static std::size_t made = 0;
  return keys[made++ % 2];
}

// Coins and send times from a seed, so that a schedule can be run again.
class SeededChoices final : public service::Draws {
 public:
  explicit SeededChoices(std::uint64_t seed) : random_(seed) {}
  bool coin(std::uint64_t) override { return random_() % 2 == 0; }
  std::uint64_t below(std::uint64_t bound) override { return random_() % bound; }
  random::RunKey message_key() override { return random::RunKey::fresh(); }
  std::uint64_t client() const override { return 0; }

 private:
  std::mt19937_64 random_;
};

}  // namespace

struct World::DeviceProcess {
  DeviceProcess(World& world, std::size_t number, service::Disk& disk)
      : draws(world.seed_ * kDevices + number),
        computation(task(), [number] { return service::DeviceRecords(task(), "digits").record(number); }),
        device(
            {task(), device_key(number), disk.store(), world.clock_, world.shuffler_for_devices_,
             world.issuer_for_devices_, computation, draws},
            {.max_epsilon = 1e9, .max_delta = 1e-2, .max_epsilon0 = 10, .min_clients = 1, .max_rounds = 100},
            [](const protocols::Plan&, std::uint64_t) { return 1.0; }) {}

  SeededChoices draws;
  service::SynchronousComputation computation;
  service::Device device;
  std::int64_t wakes = 0;
};

struct World::AggregatorProcess {
  AggregatorProcess(World& world, service::Disk& disk)
      : learner(task().plan(), parts(), 1),
        role(task(), role_key(0), disk.store(), world.shuffler_for_aggregator_, learner, epsilon_of,
             {.charge_lost_rounds = world.charge_lost_rounds_}) {}

  service::Learner learner;
  service::AggregatorRole role;
};

World::World(std::uint64_t seed, const service::Disk::Faults& shuffler_faults,
             const service::Disk::Faults& aggregator_faults)
    : seed_(seed),
      witness_(task(), sizes()),
      issuer_([](service::Disk& disk) {
        auto issuer = std::make_unique<service::Issuer>(task(), key_of(1, 0), disk.store(), disk.logs(),
                                                        "issuer", next_key);
        std::vector<wire::IdentityKey> devices;
        for (std::size_t i = 0; i < kDevices; ++i) devices.push_back(device_key(i).identity());
        issuer->enrol(devices);
        return issuer;
      }),
      shuffler_([this](service::Disk& disk) {
        return std::make_unique<service::Shuffler>(task(), role_key(2), sizes(), disk.store(), disk.logs(),
                                                   clock_, issuer_for_shuffler_);
      }),
      aggregator_([this](service::Disk& disk) { return std::make_unique<AggregatorProcess>(*this, disk); }),
      issuer_for_devices_(to_issuer_, issuer_),
      issuer_for_shuffler_(between_, issuer_),
      shuffler_for_devices_(to_shuffler_, shuffler_, witness_),
      shuffler_for_aggregator_(between_, shuffler_, witness_) {
  shuffler_.disk().break_promises(shuffler_faults);
  aggregator_.disk().break_promises(aggregator_faults);
  for (std::size_t i = 0; i < kDevices; ++i) {
    devices_.push_back(std::make_unique<Process<DeviceProcess>>(
        [this, i](service::Disk& disk) { return std::make_unique<DeviceProcess>(*this, i, disk); }));
  }
}

World::~World() = default;

void World::start_all() {
  // An operator reads why the aggregator refuses, and decides.
  if (restored_ && !aggregator_.refusal().empty()) charge_lost_rounds_ = true;
  issuer_.start();
  shuffler_.start();
  aggregator_.start();
  for (const auto& device : devices_) device->start();
}

void World::step_all() {
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

void World::pass(std::int64_t milliseconds) {
  start_all();
  for (std::int64_t passed = 0; passed < milliseconds; passed += kSlice) {
    clock_.advance(kSlice);
    step_all();
  }
}

void World::resend(std::uint64_t number, bool changed) {
  const std::vector<Buffer>& uploads = witness_.uploads();
  if (uploads.empty()) return;
  Buffer upload = uploads[number % uploads.size()];
  if (changed) upload[number / 1000 % upload.size()] ^= static_cast<std::uint8_t>(1 << number % 8);
  try {
    shuffler_for_devices_.upload(upload);
  } catch (const service::Unreachable&) {
    // Whoever sends it again does not mind.
  }
}

template <typename Use>
void World::use(Role role, std::uint64_t number, const Use& use_process) {
  switch (role) {
    case Role::shuffler:
      return use_process(shuffler_);
    case Role::issuer:
      return use_process(issuer_);
    case Role::aggregator:
      return use_process(aggregator_);
    case Role::device:
      return use_process(*devices_[number % devices_.size()]);
  }
}

void World::perform(const Operation& o) {
  Carrier* const carriers[] = {&to_issuer_, &to_shuffler_, &between_};
  Carrier& carrier = *carriers[o.number % 3];
  const int some = 1 + static_cast<int>(o.number / 3 % 4);
  switch (o.kind) {
    case Kind::pass:
      return pass(static_cast<std::int64_t>(500 + o.number % 30'000));
    case Kind::lose_request:
      carrier.lose_requests += some;
      return;
    case Kind::lose_response:
      carrier.lose_responses += some;
      return;
    case Kind::twice:
      carrier.twice += some;
      return;
    case Kind::replay:
      return resend(o.number, false);
    case Kind::malformed:
      return resend(o.number, true);
    case Kind::kill:
      return use(o.role, o.number, [&](auto& process) {
        process.disk().kill_after(o.number / 100 % 12, o.number % 2 == 0 ? service::Disk::When::before
                                                                         : service::Disk::When::after);
      });
    case Kind::restart:
      return use(o.role, o.number, [](auto& process) {
        process.stop();
        process.start();
      });
    case Kind::back_up:
      return use(o.role, o.number, [&](auto& process) {
        process.stop();
        backups_.insert_or_assign(&process, process.disk().image());
        process.start();
      });
    case Kind::restore:
      if (o.role == Role::issuer) return;  // must not be restored (issuer.h)
      return use(o.role, o.number, [&](auto& process) {
        const auto backup = backups_.find(&process);
        if (backup == backups_.end()) return;
        process.stop();
        process.disk().restore(backup->second);
        if (o.role == Role::shuffler) witness_.forgive();
        if (o.role != Role::device) restored_ = true;
        process.start();
      });
    case Kind::jump:
      clock_.set_wall(clock_.wall_ms() + static_cast<std::int64_t>(o.number % 4'000'000'000) - 2'000'000'000);
      return use(o.role, o.number, [](auto& process) {
        process.stop();
        process.start();
      });
  }
}

bool World::has_ended() {
  bool ended = false;
  aggregator_.let([&](AggregatorProcess& aggregator) { ended = aggregator.role.ledger().ended(); });
  return ended;
}

std::vector<std::string> World::judge(Tally* tally) {
  std::vector<std::string> findings;
  const auto expect_works = [&](const char* role, const std::string& refusal) {
    if (!refusal.empty()) findings.push_back(fmt::format("the {} refuses to work: {}", role, refusal));
  };
  expect_works("issuer", issuer_.refusal());
  expect_works("shuffler", shuffler_.refusal());
  expect_works("aggregator", aggregator_.refusal());
  for (const auto& device : devices_) expect_works("device", device->refusal());
  service::Ledger ledger(aggregator_.disk().memory(), "ledger");
  if (!ledger.ended()) findings.push_back("the task does not come to its end");
  for (const std::string& what : service::verify(ledger, task(), epsilon_of).findings) {
    findings.push_back("the ledger: " + what);
  }
  for (const std::string& what : witness_.judge(ledger)) findings.push_back(what);
  if (tally != nullptr) {
    tally->released += ledger.counts().released;
    tally->spent += ledger.counts().spent;
    tally->voided += ledger.counts().voided;
    tally->deaths += issuer_.deaths() + shuffler_.deaths() + aggregator_.deaths();
    for (const auto& device : devices_) tally->deaths += device->deaths();
    tally->refusals += charge_lost_rounds_ ? 1 : 0;
  }
  return findings;
}

std::vector<std::string> World::live_through(const Schedule& schedule, Tally* tally) {
  start_all();
  for (const Operation& operation : schedule) perform(operation);
  for (Carrier* carrier : {&to_issuer_, &to_shuffler_, &between_}) carrier->clear();
  issuer_.disk().spare();
  shuffler_.disk().spare();
  aggregator_.disk().spare();
  for (const auto& device : devices_) device->disk().spare();
  // Eight rounds of a minute each, and what the devices wait in between.
  for (int minute = 0; minute < 40 && !has_ended(); ++minute) pass(kRound);
  return judge(tally);
}

}  // namespace muster::deployment
