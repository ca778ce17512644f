// A whole deployment in one thread: an issuer, a shuffler, an aggregator and six devices, each a process
// of its own (process.h), with real cryptography, on a clock that the test moves. Schedules of faults act on
// it, and a witness (witness.h) writes down what everybody sent, acknowledged and handed over.
//
// A task of three planned rounds, which need five devices, learns a histogram; at most eight rounds are
// opened.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "muster/service/aggregator/aggregator_role.h"
#include "muster/service/aggregator/learner.h"
#include "muster/service/client/device.h"
#include "muster/service/issuer/issuer.h"
#include "muster/service/ports/manual_clock_test.h"
#include "muster/service/shuffler/shuffler.h"
#include "tests/deployment/carrier.h"
#include "tests/deployment/process.h"
#include "tests/deployment/schedule.h"
#include "tests/deployment/witness.h"

namespace muster::deployment {

// What happened in many worlds, so that a test can tell whether its faults took place.
struct Tally {
  std::uint64_t released = 0, spent = 0, voided = 0, deaths = 0, refusals = 0;
};

class World {
 public:
  static constexpr std::size_t kDevices = 6;

  // `seed` decides coins, send times and what a dying process loses. The faults of its disk are the
  // shuffler's or the aggregator's, for tests that must notice them.
  explicit World(std::uint64_t seed, const service::Disk::Faults& shuffler_faults = {},
                 const service::Disk::Faults& aggregator_faults = {});
  ~World();

  // Performs the schedule, then lets everybody work without faults until the task has ended. Returns what
  // went wrong, a sentence each.
  std::vector<std::string> live_through(const Schedule& schedule, Tally* tally = nullptr);

 private:
  struct DeviceProcess;
  struct AggregatorProcess;

  void perform(const Operation& operation);
  void pass(std::int64_t milliseconds);
  void step_all();
  void start_all();
  void resend(std::uint64_t number, bool changed);
  template <typename Use>
  void use(Role role, std::uint64_t number, const Use& use_process);
  bool has_ended();
  std::vector<std::string> judge(Tally* tally);

  std::uint64_t seed_;
  service::ManualClock clock_;
  Carrier to_issuer_, to_shuffler_, between_;  // of devices, of devices, and of the aggregator
  Witness witness_;
  Process<service::Issuer> issuer_;
  Process<service::Shuffler> shuffler_;
  Process<AggregatorProcess> aggregator_;
  CarriedIssuer issuer_for_devices_, issuer_for_shuffler_;
  WitnessedShuffler shuffler_for_devices_, shuffler_for_aggregator_;
  std::vector<std::unique_ptr<Process<DeviceProcess>>> devices_;
  std::map<const void*, service::Disk::Image> backups_;
  bool charge_lost_rounds_ = false, restored_ = false;
};

}  // namespace muster::deployment
