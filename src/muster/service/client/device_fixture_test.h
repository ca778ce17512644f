// One device among the roles of roles_test.h, with a disk at whose operations it can be killed, coins that
// the test decides, and a computation that does what the test says.
//
// The objects belong to the thread of the test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "muster/random/keyed_stream.h"
#include "muster/service/client/device.h"
#include "muster/service/client/roles_test.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/model/tasks_test.h"
#include "muster/service/ports/manual_clock_test.h"
#include "muster/service/store/disk_test.h"
#include "muster/wire/payload.h"

namespace muster::service {

inline constexpr const char* kHistogram =
    "[randomizer]\nkind = \"k-rr\"\nepsilon0 = 2\nk = 10\n[model]\nkind = \"histogram\"\n";

inline TaskSettings world_settings() {
  TaskSettings settings = task_settings();
  settings.aggregator = key_of_byte(1).identity();
  settings.issuer = key_of_byte(2).identity();
  settings.shuffler = key_of_byte(3).identity();
  return settings;
}

inline TaskDocument world_task() { return task_of(std::string(kTwelve) + kHistogram, {}, world_settings()); }

// The coins are those of `coin_of`; everything else follows from a key, so that two devices can be compared.
class TestDraws final : public Draws {
 public:
  explicit TestDraws(bool heads) : coin_of([heads](std::uint64_t) { return heads; }) {}

  bool coin(std::uint64_t round) override {
    drawn.push_back(round);
    return coin_of(round);
  }
  std::uint64_t below(std::uint64_t bound) override { return below_of(bound); }
  random::RunKey message_key() override {
    ++keys_drawn;
    return key;
  }
  std::uint64_t client() const override { return 7; }

  std::function<bool(std::uint64_t)> coin_of;
  std::function<std::uint64_t(std::uint64_t)> below_of = [this](std::uint64_t bound) {
    return random::uniform_below(bits_, bound);
  };
  std::vector<std::uint64_t> drawn;  // rounds whose coin was asked for
  std::uint64_t keys_drawn = 0;
  // In rounds 1 to 3 of world_task(), this key makes other messages of the test's vector than of zeros.
  random::RunKey key = random::RunKey::from_seed(145);

 private:
  random::KeyedStream bits_{random::RunKey::from_seed(5), {random::Purpose::audit}};
};

class TestComputation final : public Computation {
 public:
  void start(wire::Bytes, wire::Bytes) override {
    ++started;
    if (fails_to_start) throw Error(ErrorCode::data, "record", "", "", "cannot be read");
  }
  std::optional<std::vector<float>> result() override {
    ++asked;
    if (fails) throw std::bad_alloc();
    return vector;
  }
  void stop() noexcept override { ++stopped; }

  std::optional<std::vector<float>> vector;
  bool fails_to_start = false, fails = false;
  int started = 0, asked = 0, stopped = 0;
};

inline double cheap_epsilon(const protocols::Plan&, std::uint64_t) { return 1; }

inline Policy open_policy() {
  return {.max_epsilon = 10,
          .max_delta = 0.5,
          .max_epsilon0 = 1000,
          .min_clients = 1,
          .max_rounds = 10'000,
          .allow_seeded = true};
}

struct DeviceFixture {
  explicit DeviceFixture(bool heads = true, const TaskDocument& document = world_task())
      : task(document), draws(heads), randomizer(randomizer_of(task)), format(*randomizer) {
    computation.vector = std::vector<float>(randomizer->dimension());
    computation.vector->at(3) = 1;
    model = encode_model(std::vector<float>(randomizer->dimension(), 0.1F));
    shuffler.emplace(task, clock, issuer, network, format.size());
  }

  void start(Store& store) {
    device.emplace(DeviceParts{task, key, store, clock, *shuffler, issuer,
                               real_computation != nullptr ? *real_computation : computation,
                               real_draws != nullptr ? *real_draws : draws},
                   open_policy(), cheap_epsilon);
  }
  void start() { start(disk.store()); }

  // Lets time pass up to `time`, and calls the device exactly when it wants to be called.
  void run_until(std::int64_t time) {
    for (int turns = 0; turns < 100'000; ++turns) {
      const std::int64_t due = device->step();
      if (due > time) {
        clock.advance_to(time);
        return;
      }
      clock.advance_to(std::max(clock.steady_ms(), due));
    }
    ADD_FAILURE() << "the device never rests";
  }
  std::int64_t length() const { return static_cast<std::int64_t>(task.settings().seconds) * 1000; }
  // Starts the device, lets it fetch tokens, and plays a whole round and a little more.
  void play(std::uint64_t round) {
    if (!device) start();
    run_until(clock.steady_ms() + 1000);
    shuffler->open(round, model, frozen);
    run_until(shuffler->end + length() / 10);
  }

  // The payload of R(vector), or of R(0) without a vector, where R is the task's randomizer, under the key of
  // the draws.
  wire::Buffer expected(std::uint64_t round, const std::optional<std::vector<float>>& vector) const {
    const auto scratch = randomizer->make_scratch();
    randomizers::Message message;
    randomizer->randomize(vector.value_or(std::vector<float>(randomizer->dimension())), draws.key, round,
                          draws.client(), *scratch, message);
    wire::Buffer payload(format.size());
    format.encode(message, payload);
    return payload;
  }
  std::optional<wire::Buffer> stored(const char* blob) { return disk.memory().blob(blob); }
  std::size_t calls(const std::string& what) const {
    return static_cast<std::size_t>(std::ranges::count(network.calls, what, &Call::what));
  }

  TaskDocument task;
  ManualClock clock;
  Network network;
  TestIssuer issuer{task, clock, network};
  TestDraws draws;
  TestComputation computation;
  Draws* real_draws = nullptr;  // in place of those above, where a test sets them
  Computation* real_computation = nullptr;
  Disk disk;
  wire::SigningKey key = key_of_byte(9);
  std::unique_ptr<randomizers::VectorRandomizer> randomizer;
  wire::PayloadFormat format;
  wire::Buffer model, frozen;  // what play() has the shuffler serve; no frozen part if it is empty
  std::optional<TestShuffler> shuffler;
  std::optional<Device> device;
};

}  // namespace muster::service
