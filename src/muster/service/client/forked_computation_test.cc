// A computation in a process of its own, which may do anything without this process noticing, and without a
// device's round looking otherwise.
#include "muster/service/client/forked_computation.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <thread>

#include "muster/service/client/device_fixture_test.h"
#include "muster/service/model/device_records.h"
#include "muster/service/model/model_blob.h"
#include "muster/service/model/record_shape.h"
#include "muster/service/model/tasks_test.h"
#include "muster/service/task/plans_test.h"

namespace muster::service {
namespace {

// Waits for the result, but no longer than about `milliseconds`.
std::optional<std::vector<float>> result_of(Computation& computation, int milliseconds = 20'000) {
  auto result = computation.result();
  for (int i = 0; i < milliseconds && !result; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    result = computation.result();
  }
  return result;
}

// What may happen to a child.
std::vector<std::function<learning::Dataset()>> deaths() {
  return {
      []() -> learning::Dataset { throw std::runtime_error("no record"); },
      []() -> learning::Dataset { ::_exit(0); },
      []() -> learning::Dataset { std::abort(); },
      []() -> learning::Dataset {
        std::raise(SIGKILL);
        throw std::runtime_error("not reached");
      },
      []() -> learning::Dataset {
        for (;;) ::pause();
      },
  };
}

class ForkedComputationTest : public ::testing::Test {
 protected:
  learning::Dataset record() const { return DeviceRecords(task_, "digits").record(7); }

  // The vector of this task has more bytes than a pipe would hold.
  TaskDocument task_ = task_of(kDeployedPlan, {{"model.kind", "cnn"}});
  std::vector<float> parameters_ = std::vector<float>(dimension_of(task_), 0.01f);
  wire::Buffer model_ = encode_model(parameters_);
};

TEST_F(ForkedComputationTest, ComputesWhatIsComputedWithinTheProcess) {
  SynchronousComputation within(task_, [this] { return record(); });
  within.start(model_, {});
  ForkedComputation forked(task_, [this] { return record(); });
  EXPECT_FALSE(forked.result());
  for (int i = 0; i < 2; ++i) {
    forked.start(model_, {});
    const auto result = result_of(forked);
    ASSERT_TRUE(result);
    EXPECT_EQ(result, within.result());
  }
  forked.stop();
  EXPECT_FALSE(forked.result());
  forked.start(wire::Buffer{1, 2, 3}, {});  // no model
  EXPECT_FALSE(result_of(forked, 500));
}

TEST_F(ForkedComputationTest, TheChildHoldsNoFileOfThisProcess) {
  const int file = ::open("/dev/null", O_RDONLY);
  ForkedComputation forked(task_, [&] {
    if (::fcntl(file, F_GETFD) != -1) throw std::runtime_error("the child has the file");
    return record();
  });
  forked.start(model_, {});
  EXPECT_TRUE(result_of(forked));
  EXPECT_EQ(::close(file), 0);
}

TEST_F(ForkedComputationTest, WhateverHappensToTheChildThereIsNoResultAndThisProcessGoesOn) {
  for (const auto& record : deaths()) {
    ForkedComputation forked(task_, record);
    forked.start(model_, {});
    EXPECT_FALSE(result_of(forked, 200));
    const auto began = std::chrono::steady_clock::now();
    forked.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
    EXPECT_FALSE(forked.result());
  }
}

// A child that outlived its parent would keep what the parent had locked.
TEST_F(ForkedComputationTest, AChildDiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ForkedComputation forked(task_, []() -> learning::Dataset {
      for (;;) ::pause();
    });
    forked.start(model_, {});
    ::raise(SIGKILL);
  }
  ::close(ends[1]);
  // read() finds the end of the pipe once nobody holds its other end any more, neither parent nor child.
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  ::close(ends[0]);
}

// A computation whose start takes as long as the child does, because the clock of a device under test does
// not wait for a child.
class FinishedComputation final : public Computation {
 public:
  FinishedComputation(const TaskDocument& task, std::function<learning::Dataset()> record, int milliseconds)
      : forked_(task, std::move(record)), milliseconds_(milliseconds) {}
  void start(wire::Bytes model, wire::Bytes frozen) override {
    forked_.start(model, frozen);
    result_of(forked_, milliseconds_);
  }
  std::optional<std::vector<float>> result() override { return forked_.result(); }
  void stop() noexcept override { forked_.stop(); }

 private:
  ForkedComputation forked_;
  int milliseconds_;
};

// A device that computes its vector in a child.
struct ForkingDevice {
  ForkingDevice(const std::function<learning::Dataset(const TaskDocument&)>& record, int milliseconds)
      : world(true, task_of(std::string(kTwelve) + kGradients, {{"rounds.learning_rate", "0.1"}},
                            world_settings())),
        computation(
            world.task, [this, record] { return record(world.task); }, milliseconds) {
    // With this key, the message of the record's vector is another one than that of zeros.
    world.draws.key = random::RunKey::from_seed(3);
    world.real_computation = &computation;
    world.play(1);
  }
  TestShuffler::Seen upload() const { return world.shuffler->only_upload(1); }

  DeviceFixture world;
  FinishedComputation computation;
};

learning::Dataset seventh_record(const TaskDocument& task) { return DeviceRecords(task, "digits").record(7); }

TEST(DeviceWithAForkedComputation, ReportsTheVectorThatTheChildComputes) {
  const ForkingDevice device(seventh_record, 20'000);
  SynchronousComputation within(device.world.task, [&] { return seventh_record(device.world.task); });
  within.start(device.world.model, {});
  const TestShuffler::Seen upload = device.upload();
  EXPECT_EQ(upload.kind, wire::UploadKind::report);
  EXPECT_EQ(upload.payload, device.world.expected(1, within.result()));
  EXPECT_NE(upload.payload, device.world.expected(1, std::nullopt));
}

TEST(DeviceWithAForkedComputation, ReportsZerosWhateverHappensToTheChild) {
  for (const auto& death : deaths()) {
    const ForkingDevice device([&](const TaskDocument&) { return death(); }, 200);
    const TestShuffler::Seen upload = device.upload();
    EXPECT_EQ(upload.kind, wire::UploadKind::report);
    EXPECT_EQ(upload.payload, device.world.expected(1, std::nullopt));
  }
}

}  // namespace
}  // namespace muster::service
