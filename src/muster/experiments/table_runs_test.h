// A fixture for tests that train on a table of four records: it has the plan, the folders, and the notes of
// the runs.
//
// A TableRuns belongs to one thread.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/experiments/watched_runs_test.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "muster/reporting/run_notes.h"
#include "muster/simulation/runs/metrics_file.h"
#include "tests/support/temporary_folder.h"

namespace muster::experiments {

class TableRuns : public ::testing::Test {
 protected:
  // Returns a plan of four clients and five rounds, each of which is logged.
  protocols::Plan plan() const {
    const std::string text = "name = 'small'\n[population]\nclients = 4\ndata = 'csv:" + table().string() +
                             "'\nlabel = 'kind'\ntest_data = 'csv:" + table().string() +
                             "'\n[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.5\n"
                             "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
                             "[rounds]\ncount = 5\nlearning_rate = 0.1\nlog_every = 1\n"
                             "[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n";
    return protocols::Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"),
                                     protocols::Command::train);
  }
  void write_table() const { replace_file(table(), "kind,x\na,1\nb,2\na,1.5\nb,3\n"); }
  std::filesystem::path table() const { return temporary_.path() / "table.csv"; }
  std::filesystem::path folder(const std::string& name = "run") const { return temporary_.path() / name; }
  // Changes the epsilon that the run in folder() states for its first logged round.
  void state_first_epsilon(const std::string& epsilon) const {
    const std::filesystem::path file = folder() / simulation::kMetricsFile;
    const std::string key = "\"epsilon\":";
    std::string text = read_file(file);
    const std::size_t begin = text.find(key) + key.size();
    text.replace(begin, text.find_first_of(",}", begin) - begin, epsilon);
    replace_file(file, text);
  }
  // Returns a sink that keeps each note in notes_.
  reporting::NoteSink keep_notes() {
    return [this](const std::string& note) { notes_.push_back(note); };
  }

  testing::TemporaryFolder temporary_;
  Watched watched_;
  std::vector<std::string> notes_;
};

}  // namespace muster::experiments
