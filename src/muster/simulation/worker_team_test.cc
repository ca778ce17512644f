// Counts the calls of every worker over two hundred tasks, and checks that an error of a worker reaches the
// caller.
#include "muster/simulation/worker_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"

namespace muster::simulation {
namespace {

TEST(WorkerTeam, EveryWorkerRunsEveryTaskOnce) {
  for (unsigned size : {1u, 2u, 3u, 7u}) {
    WorkerTeam team(size);
    EXPECT_EQ(team.size(), size);
    std::vector<std::atomic<int>> calls(size);
    for (int task = 1; task <= 200; ++task) {
      team.run([&](unsigned worker) { ++calls[worker]; });
      for (const std::atomic<int>& count : calls) {
        ASSERT_EQ(count.load(), task);
      }
    }
  }
}

TEST(WorkerTeam, WhatAWorkerThrowsReachesTheCallerAndTheTeamLivesOn) {
  WorkerTeam team(3);
  const auto failing = [](unsigned worker) {
    if (worker > 0) {
      throw std::runtime_error(std::to_string(worker));
    }
  };
  try {
    team.run(failing);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");  // the error of the worker with the lowest number
  }
  std::atomic<int> calls{0};
  team.run([&](unsigned) { ++calls; });
  EXPECT_EQ(calls.load(), 3);
}

TEST(WorkerTeam, NeedsAWorker) { EXPECT_ERROR(ErrorCode::internal, WorkerTeam(0)); }

}  // namespace
}  // namespace muster::simulation
