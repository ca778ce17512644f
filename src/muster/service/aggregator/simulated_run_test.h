// The run of a simulation with which tests of a deployment compare. Call from the thread of the test.
#pragma once

#include <cstdint>
#include <filesystem>

#include "muster/core/atomic_file.h"
#include "muster/service/task/task_document.h"
#include "muster/simulation/data_source.h"
#include "muster/simulation/runs/checkpoint.h"
#include "muster/simulation/training.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {

// The state at the end of `muster train` with the task's plan.
inline simulation::ModelState simulated(const TaskDocument& task) {
  class Silent final : public simulation::TrainingObserver {
    void started(std::uint64_t, std::uint64_t, const simulation::Expected&) override {}
    void round_done(std::uint64_t) override {}
    void logged(const simulation::Measurement&) override {}
  };
  const learning::DataSplit data = simulation::load_data(task.plan());
  simulation::TrainingParts parts =
      simulation::assemble(task.plan(), data, simulation::Accounting::elsewhere);
  parts.epsilon = [](std::uint64_t rounds) { return static_cast<double>(rounds); };
  const muster::testing::TemporaryFolder temporary;
  const std::filesystem::path path = temporary.path() / "run";
  simulation::RunFolder folder(path);
  Silent observer;
  train(task.plan(), parts, data, folder, {}, observer);
  return simulation::decode(read_file(path / "checkpoint"), path).model;
}

}  // namespace muster::service
