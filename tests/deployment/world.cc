#include "tests/deployment/world.h"

#include <fmt/format.h>

#include <memory>

#include "muster/service/ledger/verification.h"
#include "tests/deployment/small_task.h"

namespace muster::deployment {
namespace {

using Kind = Operation::Kind;

constexpr std::int64_t kSlice = 2'000;

}  // namespace

World::World(std::uint64_t seed, const service::Disk::Faults& shuffler_faults,
             const service::Disk::Faults& aggregator_faults)
    : deployment_(small_task(), small_parts(), kDevices, [seed](std::size_t device) {
        return std::make_unique<SeededChoices>(seed * kDevices + device);
      }) {
  deployment_.process(Role::shuffler).disk().break_promises(shuffler_faults);
  deployment_.process(Role::aggregator).disk().break_promises(aggregator_faults);
}

void World::start_all() {
  // An operator reads why the aggregator refuses, and decides.
  if (restored_ && !deployment_.process(Role::aggregator).refusal().empty()) deployment_.charge_lost_rounds();
  deployment_.start();
}

void World::pass(std::int64_t milliseconds) {
  start_all();
  for (std::int64_t passed = 0; passed < milliseconds; passed += kSlice) deployment_.pass(kSlice);
}

void World::resend(std::uint64_t number, bool changed) {
  const std::vector<Buffer>& uploads = deployment_.witness().uploads();
  if (uploads.empty()) return;
  Buffer upload = uploads[number % uploads.size()];
  if (changed) upload[number / 1000 % upload.size()] ^= static_cast<std::uint8_t>(1 << number % 8);
  try {
    deployment_.shuffler_for_devices().upload(upload);
  } catch (const service::Unreachable&) {
    // A repeated upload may get lost.
  }
}

void World::restart(AnyProcess& process) {
  process.stop();
  process.start();
}

void World::restore(Role role, AnyProcess& process) {
  if (role == Role::issuer) return;  // must not be restored (issuer.h)
  const auto backup = backups_.find(&process);
  if (backup == backups_.end()) return;
  process.stop();
  process.disk().restore(backup->second);
  if (role == Role::shuffler) deployment_.witness().forgive();
  if (role != Role::device) restored_ = true;
  process.start();
}

void World::perform(const Operation& o) {
  Carrier& carrier = *deployment_.carriers()[o.number % 3];
  const int some = 1 + static_cast<int>(o.number / 3 % 4);
  AnyProcess& process = deployment_.process(o.role, o.number % kDevices);
  service::ManualClock& clock = deployment_.clock();
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
      return process.disk().kill_after(
          o.number / 100 % 12, o.number % 2 == 0 ? service::Disk::When::before : service::Disk::When::after);
    case Kind::restart:
      return restart(process);
    case Kind::back_up:
      process.stop();
      backups_.insert_or_assign(&process, process.disk().image());
      return process.start();
    case Kind::restore:
      return restore(o.role, process);
    case Kind::jump:
      clock.set_wall(clock.wall_ms() + static_cast<std::int64_t>(o.number % 4'000'000'000) - 2'000'000'000);
      return restart(process);
  }
}

std::vector<std::string> World::judge(Tally* tally) {
  std::vector<std::string> findings;
  const auto expect_works = [&](const char* name, const AnyProcess& process) {
    if (process.refusal().empty()) return;
    findings.push_back(fmt::format("the {} refuses to work: {}", name, process.refusal()));
  };
  expect_works("issuer", deployment_.process(Role::issuer));
  expect_works("shuffler", deployment_.process(Role::shuffler));
  expect_works("aggregator", deployment_.process(Role::aggregator));
  for (std::size_t i = 0; i < kDevices; ++i) expect_works("device", deployment_.process(Role::device, i));
  service::Ledger ledger(deployment_.process(Role::aggregator).disk().memory(), "ledger");
  if (!ledger.ended()) findings.push_back("the task does not come to its end");
  for (const std::string& what : service::verify(ledger, small_task(), Deployment::epsilon_of).findings) {
    findings.push_back("the ledger: " + what);
  }
  for (const std::string& what : deployment_.witness().judge(ledger)) findings.push_back(what);
  if (tally != nullptr) {
    tally->released += ledger.counts().released;
    tally->spent += ledger.counts().spent;
    tally->voided += ledger.counts().voided;
    for (const AnyProcess* process : deployment_.processes()) tally->deaths += process->deaths();
    tally->refusals += deployment_.charges_lost_rounds() ? 1 : 0;
  }
  return findings;
}

std::vector<std::string> World::live_through(const Schedule& schedule, Tally* tally) {
  start_all();
  for (const Operation& operation : schedule) perform(operation);
  for (Carrier* carrier : deployment_.carriers()) carrier->clear();
  for (AnyProcess* process : deployment_.processes()) process->disk().spare();
  // Forty minutes are enough for eight rounds of a minute each and for the devices' waits between them.
  for (int minute = 0; minute < 40 && !deployment_.has_ended(); ++minute) pass(kSmallRound);
  return judge(tally);
}

}  // namespace muster::deployment
