// Runs a plan whose clients' vectors come from outside: determines which clients send next, counts the rounds
// that are charged, and saves the state from which the run can be resumed. The plan needs neither data nor a
// model.
//
// A round is charged when it begins, so one that is abandoned costs as much as one that is decoded. With a
// budget, a round that would exceed it does not begin. The estimates depend on the plan, the key and the
// vectors alone: not on threads, on the pieces in which vectors come, or on how often the run was saved and
// resumed.
//
// Example:
//     PopulationRun run(plan, {.dimension = 10});
//     while (run.steps_begun() < run.steps()) {
//       const std::span<const std::uint64_t> who = run.open();
//       run.send(who, vectors_of(who).data(), 10);
//       run.close(estimate);
//     }
//
// A PopulationRun belongs to one thread at a time, and only plan(), options() and steps() may be called while
// another uses it: open() changes even the counters.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "muster/core/interrupt.h"
#include "muster/plan/plan.h"
#include "muster/protocols/monitor/check_in_monitor.h"
#include "muster/protocols/roll_call.h"
#include "muster/random/keyed_stream.h"
#include "muster/randomizers/randomizer.h"
#include "muster/randomizers/sum_sampler.h"
#include "muster/simulation/fidelity.h"
#include "muster/simulation/open_rounds.h"
#include "muster/simulation/worker_team.h"

namespace muster::simulation {

struct PopulationOptions {
  std::size_t dimension = 0;  // floats in a client's vector
  unsigned threads = 1;
  Fidelity fidelity = Fidelity::message;
  BadVector bad = BadVector::refused;
  // Draws the key of all coins and noise from the operating system. Otherwise it comes from the plan's seed,
  // so that everybody who knows the plan can remove the noise.
  bool secret = false;
};

class PopulationRun {
 public:
  // Throws Error(plan) for a plan whose rounds cannot be run, that lacks the clip norm of its randomizer or
  // the delta of its budget, or whose randomizer has no sampler for vectors of this dimension; Error(usage)
  // for a fidelity that the randomizer does not support; and Error(budget) if the budget does not pay for the
  // first round.
  PopulationRun(const protocols::Plan& plan, const PopulationOptions& options,
                const Interrupt& interrupt = {});
  // Returns the run that save() wrote, which goes on where it was. Only `threads` and `bad` are taken from
  // `options`. Throws Error(file) if the file cannot be read, and Error(checkpoint) if it is not as save()
  // wrote it.
  static std::unique_ptr<PopulationRun> resumed(const std::filesystem::path& path,
                                                const PopulationOptions& options,
                                                const Interrupt& interrupt = {});

  // Returns a run that goes on after earlier steps, of which `messages` has the numbers of messages. Its key
  // is the plan's, as if this run had begun those steps, or a new secret key if `options.secret`. Throws what
  // the constructor throws, Error(checkpoint) for more steps than the plan has, and what
  // CheckInMonitor::watch throws for more messages than a step can have.
  static std::unique_ptr<PopulationRun> continued(const protocols::Plan& plan,
                                                  const PopulationOptions& options,
                                                  std::vector<std::uint64_t> messages,
                                                  const Interrupt& interrupt = {});

  const protocols::Plan& plan() const { return plan_; }
  const PopulationOptions& options() const { return options_; }
  // The number of steps of the whole run, and of those that have begun. A step is one round or, in slot
  // protocols, one or more slots.
  std::uint64_t steps() const;
  std::uint64_t steps_begun() const { return messages_.size(); }
  // The number of messages in each step that has begun.
  const std::vector<std::uint64_t>& messages() const { return messages_; }
  // The number of rounds that are charged for the steps that have begun.
  std::uint64_t rounds_charged() const { return plan_.rounds_charged(rounds_begun()); }

  // Begins the next step. Throws Error(usage) if a step is open or all steps have begun, Error(budget) if the
  // step would exceed the budget, and what OpenRounds::open throws. The functions from expect_next() to
  // sent() are those of OpenRounds.
  std::span<const std::uint64_t> open();
  void expect_next(std::span<const std::uint64_t> clients) const { rounds_->expect_next(clients); }
  void send(std::span<const std::uint64_t> clients, const float* rows, std::size_t stride) {
    rounds_->send(clients, rows, stride);
  }
  void send_decoded(std::span<const std::uint64_t> clients, const float* rows, std::size_t stride,
                    float* decoded) {
    rounds_->send_decoded(clients, rows, stride, decoded);
  }
  Step close(std::span<float> estimate) { return rounds_->close(estimate); }
  void abandon() { rounds_->abandon(); }
  bool is_open() const { return rounds_->is_open(); }
  std::size_t sent() const { return rounds_->sent(); }

  // Watches the number of messages of the steps that have begun.
  const protocols::CheckInMonitor& monitor() const { return monitor_; }

  // Writes everything that resumed() needs, including the key if it is secret; the file must then be kept as
  // secret as the key. A file of this name is replaced as a whole. Throws Error(usage) if a step is open, and
  // Error(file) if the file cannot be written.
  void save(const std::filesystem::path& path) const;

 private:
  // Throws std::invalid_argument for messages of more steps than the plan has.
  PopulationRun(const protocols::Plan& plan, const PopulationOptions& options, const random::RunKey& key,
                std::vector<std::uint64_t> messages, const Interrupt& interrupt);
  // The number of rounds (in slot protocols, slots) of the steps that have begun.
  std::uint64_t rounds_begun() const { return steps_begun() * roll_call_->rounds_a_step(); }

  protocols::Plan plan_;
  PopulationOptions options_;
  random::RunKey key_;
  std::unique_ptr<randomizers::VectorRandomizer> randomizer_;
  std::unique_ptr<randomizers::SumSampler> sum_;
  std::unique_ptr<protocols::RollCall> roll_call_;
  WorkerTeam team_;
  std::unique_ptr<OpenRounds> rounds_;
  protocols::CheckInMonitor monitor_;
  std::uint64_t affordable_;             // the number of rounds that the budget pays for
  std::vector<std::uint64_t> messages_;  // the number of messages of each step that has begun
};

}  // namespace muster::simulation
