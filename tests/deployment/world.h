// A small deployment (deployment.h) on which schedules of faults act, and which is judged by what its witness
// saw. A world belongs to the thread of the test.
//
// The task learns a histogram in three planned rounds, each of which needs five of six devices. At most eight
// rounds are opened.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "muster/service/store/disk_test.h"
#include "tests/deployment/deployment.h"
#include "tests/deployment/schedule.h"

namespace muster::deployment {

// What happened in many worlds, so that a test can tell whether its faults took place.
struct Tally {
  std::uint64_t released = 0, spent = 0, voided = 0, deaths = 0, refusals = 0;
};

class World {
 public:
  static constexpr std::size_t kDevices = 6;

  // `seed` decides coins and send times. `shuffler_faults` and `aggregator_faults` are those of these roles'
  // disks, for tests that must notice them.
  explicit World(std::uint64_t seed, const service::Disk::Faults& shuffler_faults = {},
                 const service::Disk::Faults& aggregator_faults = {});

  // Performs the schedule, then lets everybody work without faults until the task has ended. Returns what
  // went wrong, a sentence each.
  std::vector<std::string> live_through(const Schedule& schedule, Tally* tally = nullptr);

 private:
  void start_all();
  void pass(std::int64_t milliseconds);
  void perform(const Operation& operation);
  void restart(AnyProcess& process);
  void restore(Role role, AnyProcess& process);
  void resend(std::uint64_t number, bool changed);
  std::vector<std::string> judge(Tally* tally);

  Deployment deployment_;
  std::map<const AnyProcess*, service::Disk::Image> backups_;
  bool restored_ = false;
};

}  // namespace muster::deployment
