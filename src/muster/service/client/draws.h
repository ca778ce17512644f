// The random choices of a device: its coins, its send times, and the keys of its noise.
//
// In a deployment all of them are the operating system's. With task.randomness = seeded, coins and noise are
// those of the simulation's client of the same number, so that a test can compare the two bit by bit. Send
// times are never seeded, because no message depends on them. An object belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>

#include "muster/protocols/check_in_coins.h"
#include "muster/random/keyed_stream.h"
#include "muster/random/os_source.h"
#include "muster/random/samplers.h"
#include "muster/service/task/task_document.h"

namespace muster::service {

class Draws {
 public:
  virtual ~Draws() = default;
  // The coin of a round: true with exactly the plan's rate, rounded down to a multiple of 2^-64.
  virtual bool coin(std::uint64_t round) = 0;
  // An exactly uniform number below `bound`, which is positive.
  virtual std::uint64_t below(std::uint64_t bound) = 0;
  // The key of the noise of one message, and the number of the client under which to draw from it.
  virtual random::RunKey message_key() = 0;
  virtual std::uint64_t client() const = 0;
};

class OsDraws final : public Draws {
 public:
  explicit OsDraws(const protocols::Plan& plan) : rate_(random::Probability::at_most(plan.rate())) {}

  bool coin(std::uint64_t) override { return random::bernoulli(bits_, rate_); }
  std::uint64_t below(std::uint64_t bound) override { return random::uniform_below(bits_, bound); }
  random::RunKey message_key() override { return random::RunKey::fresh(); }
  std::uint64_t client() const override { return 0; }

 private:
  random::Probability rate_;
  random::OsSource bits_;
};

// Deployed rounds are numbered like those of a simulation. As long as no round is void, every message is
// therefore that of `muster train`. After a void round, coins and noise are those of a later round.
class SeededDraws final : public Draws {
 public:
  SeededDraws(const protocols::Plan& plan, std::uint64_t client);

  bool coin(std::uint64_t round) override;
  std::uint64_t below(std::uint64_t bound) override { return random::uniform_below(bits_, bound); }
  random::RunKey message_key() override { return key_; }
  std::uint64_t client() const override { return client_; }

 private:
  random::RunKey key_;
  protocols::CheckInCoins coins_;
  std::uint64_t client_;
  random::OsSource bits_;
};

// The draws that the task asks for. `client` is the device's number if they are seeded.
std::unique_ptr<Draws> draws_of(const TaskDocument& task, std::uint64_t client);

}  // namespace muster::service
