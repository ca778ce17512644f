// A whole deployment in one thread: an issuer, a shuffler, an aggregator and devices, each a process of its
// own (process.h), with real cryptography, on a clock that the test moves. A witness (witness.h) writes down
// what everybody sent, acknowledged and handed over.
//
// Nothing happens unless the test says so: it lets time pass and starts what does not run, and on the way it
// tells disks when to kill their processes, and carriers what to lose or to deliver twice. A deployment
// belongs to the thread of the test.
//
// Example:
//     const TaskDocument task = task_of(plan, {}, Deployment::settings());
//     const simulation::Prepared parts = service::server_parts(task);
//     Deployment deployment(task, parts, 12, [&](std::size_t i) { return service::draws_of(task, i); });
//     while (!deployment.has_ended()) {
//       deployment.start();
//       deployment.pass(1000);
//     }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "muster/service/client/draws.h"
#include "muster/service/issuer/issuer.h"
#include "muster/service/ports/manual_clock_test.h"
#include "muster/service/shuffler/shuffler.h"
#include "muster/service/task/task_document.h"
#include "muster/simulation/setup.h"
#include "muster/wire/signature.h"
#include "muster/wire/upload.h"
#include "tests/deployment/carrier.h"
#include "tests/deployment/process.h"
#include "tests/deployment/schedule.h"
#include "tests/deployment/witness.h"

namespace muster::deployment {

class Deployment {
 public:
  // Settings for the task of a deployment. They name the identity keys of the deployment's roles.
  static service::TaskSettings settings();
  // What the aggregator charges. Any increasing function does: what the accountant says is not what these
  // tests are about.
  static double epsilon_of(std::uint64_t rounds) { return 0.125 * static_cast<double>(rounds); }

  // The draws of a device, which are made anew whenever it starts.
  using MakeDraws = std::function<std::unique_ptr<service::Draws>(std::size_t device)>;

  // The records are the first of the built-in digits, and `parts` are those of service::server_parts(task).
  // Task and parts must outlive the deployment. No process runs yet.
  Deployment(const service::TaskDocument& task, const simulation::Prepared& parts, std::size_t devices,
             MakeDraws draws);
  ~Deployment();
  Deployment(const Deployment&) = delete;
  Deployment& operator=(const Deployment&) = delete;

  // Starts all processes that do not run.
  void start();
  // Lets time pass, after which every process that runs does what is due.
  void pass(std::int64_t milliseconds);
  // Whether the task is over, by the word of an aggregator that runs.
  bool has_ended();

  // The aggregator goes on with its lost rounds charged when it is started the next time.
  void charge_lost_rounds() { charge_lost_rounds_ = true; }
  bool charges_lost_rounds() const { return charge_lost_rounds_; }

  service::ManualClock& clock() { return clock_; }
  Witness& witness() { return witness_; }
  // The carriers of devices to the issuer, of devices to the shuffler, and between the roles.
  std::array<Carrier*, 3> carriers() { return {&to_issuer_, &to_shuffler_, &between_}; }
  service::ShufflerForDevices& shuffler_for_devices() { return shuffler_for_devices_; }

  // The process of a role; that of a device by its number.
  AnyProcess& process(Role role, std::size_t device = 0);
  // Issuer, shuffler and aggregator, and then the devices.
  std::vector<AnyProcess*> processes();

 private:
  struct AggregatorProcess;
  struct DeviceProcess;

  const service::TaskDocument& task_;
  const simulation::Prepared& parts_;
  wire::UploadSizes sizes_;
  MakeDraws make_draws_;
  bool charge_lost_rounds_ = false;
  service::ManualClock clock_;
  Carrier to_issuer_, to_shuffler_, between_;
  Witness witness_;
  std::vector<wire::SigningKey> device_keys_;
  Process<service::Issuer> issuer_;
  Process<service::Shuffler> shuffler_;
  Process<AggregatorProcess> aggregator_;
  CarriedIssuer issuer_for_devices_, issuer_for_shuffler_;
  WitnessedShuffler shuffler_for_devices_, shuffler_for_aggregator_;
  std::vector<std::unique_ptr<Process<DeviceProcess>>> devices_;
};

}  // namespace muster::deployment
