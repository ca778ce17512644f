// Provides what the tests of whole runs share: runs in a temporary folder that can be watched and
// interrupted, and a comparison of two runs.
//
// The epsilon is a stand-in, 0.1 sqrt(rounds), so that budgets can be computed by hand; setup_test.cc
// tests the real one. The classes are for tests. An object belongs to one thread, but any thread may use
// Watcher::interrupt.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/simulation/training.h"
#include "tests/support/temporary_folder.h"

namespace muster::simulation {

// Requests an interruption once round `interrupt_after` is done.
class Watcher final : public TrainingObserver {
 public:
  explicit Watcher(std::uint64_t interrupt_after = 0) : interrupt_after_(interrupt_after) {}
  void started(std::uint64_t done, std::uint64_t last, const Expected& ahead) override {
    expected = ahead;
    first = done;
    final_round = last;
  }
  void round_done(std::uint64_t round) override {
    steps.push_back(round);
    interrupt = round == interrupt_after_;
  }
  void logged(const Measurement& round) override { lines.push_back(round); }

  std::uint64_t first = 0;
  std::uint64_t final_round = 0;
  Expected expected{};
  std::vector<std::uint64_t> steps;
  std::vector<Measurement> lines;
  std::atomic<bool> interrupt{false};

 private:
  std::uint64_t interrupt_after_;
};

class TrainingRuns : public ::testing::Test {
 protected:
  // Starts or resumes a run in the folder `name`; watcher_ belongs to the last run.
  RunResult run_parts(const protocols::Plan& plan, TrainingParts parts, const learning::DataSplit& data,
                      const std::string& name, unsigned threads, std::uint64_t interrupt_after) {
    parts.epsilon = [](std::uint64_t rounds) { return 0.1 * std::sqrt(static_cast<double>(rounds)); };
    RunFolder folder(temporary_.path() / name);
    watcher_ = std::make_unique<Watcher>(interrupt_after);
    return train(plan, parts, data, folder, {threads, &watcher_->interrupt}, *watcher_);
  }
  Checkpoint checkpoint(const std::string& name) const {
    const std::filesystem::path file = temporary_.path() / name / "checkpoint";
    return decode(read_file(file), file);
  }
  // Returns the logged rounds, without the seconds that they took.
  std::vector<nlohmann::json> metrics(const std::string& name) const {
    std::istringstream in(read_file(temporary_.path() / name / "metrics.jsonl"));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(nlohmann::json::parse(line));
      lines.back().erase("seconds");
    }
    return lines;
  }
  void expect_same_run(const std::string& a, const std::string& b) const {
    const Checkpoint x = checkpoint(a), y = checkpoint(b);
    EXPECT_EQ(x.round, y.round) << b;
    EXPECT_EQ(x.messages, y.messages) << b;
    EXPECT_EQ(x.model.parameters, y.model.parameters) << b;
    EXPECT_EQ(x.model.momentum, y.model.momentum) << b;
    EXPECT_EQ(x.model.average, y.model.average) << b;
    EXPECT_EQ(metrics(a), metrics(b)) << b;
  }

  testing::TemporaryFolder temporary_;
  std::unique_ptr<Watcher> watcher_;
};

}  // namespace muster::simulation
