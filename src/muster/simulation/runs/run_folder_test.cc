// Interrupts runs at many places, also by a full disk: a resumed run must continue from its checkpoint, and
// folders that hold anything else must be left untouched.
#include "muster/simulation/runs/run_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/simulation/runs/metrics_table.h"
#include "tests/support/temporary_folder.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;

Checkpoint at_round(std::uint64_t round, std::uint64_t metrics_bytes) {
  Checkpoint checkpoint;
  checkpoint.plan_hash = std::string(64, 'a');
  checkpoint.round = round;
  checkpoint.metrics_bytes = metrics_bytes;
  checkpoint.model = ModelState(std::vector<float>(100, 1.0f));
  return checkpoint;
}

Measurement logged(std::uint64_t round) { return {.round = round, .messages = round}; }

std::string line_of(std::uint64_t round) { return metrics_line(logged(round)) + "\n"; }

class RunFolderTest : public ::testing::Test {
 protected:
  void begin_and_save_a_round() const {
    RunFolder folder(out_);
    folder.begin("", at_round(0, 0));
    folder.append(logged(1));
    folder.save(at_round(1, folder.metrics_bytes()));
  }
  muster::testing::TemporaryFolder temporary_;
  fs::path out_ = temporary_.path() / "runs" / "one";
};

TEST_F(RunFolderTest, TellsFreshUnfinishedAndFinishedApart) {
  {
    RunFolder folder(out_);
    EXPECT_EQ(folder.found(), RunFolder::Found::fresh);
    folder.begin("name = \"x\"\n", at_round(0, 0));
    folder.append(logged(1));
  }
  {
    RunFolder folder(out_);
    EXPECT_EQ(folder.found(), RunFolder::Found::unfinished);
    folder.resume(folder.load(std::string(64, 'a'), Fidelity::message));
    folder.append(logged(2));
    EXPECT_FALSE(fs::exists(out_ / "metrics.csv"));
    folder.finish(RunResult(), {});
  }
  RunFolder folder(out_);
  EXPECT_EQ(folder.found(), RunFolder::Found::finished);
  EXPECT_EQ(read_file(out_ / "metrics.csv"), metrics_table(out_ / "metrics.jsonl"));
  EXPECT_EQ(read_file(out_ / "result.json"), result_line(RunResult()) + "\n");
  EXPECT_EQ(read_file(out_ / "plan.txt"), "name = \"x\"\n");
}

TEST_F(RunFolderTest, ResumingCutsTheMetricsBackToTheCheckpoint) {
  begin_and_save_a_round();
  {
    RunFolder folder(out_);
    folder.resume(folder.load(std::string(64, 'a'), Fidelity::message));
    folder.append(logged(3));  // this line is lost
  }
  RunFolder folder(out_);
  folder.resume(folder.load(std::string(64, 'a'), Fidelity::message));
  folder.append(logged(2));
  EXPECT_EQ(read_file(out_ / "metrics.jsonl"), line_of(1) + line_of(2));
}

TEST_F(RunFolderTest, MetricsShorterThanTheCheckpointKnowsAreRefused) {
  begin_and_save_a_round();
  fs::resize_file(out_ / "metrics.jsonl", 2);
  RunFolder folder(out_);
  const Checkpoint checkpoint = folder.load(std::string(64, 'a'), Fidelity::message);
  EXPECT_ERROR(ErrorCode::checkpoint, folder.resume(checkpoint));
}

// A run whose checkpoint is lost must not be started again, because the new run would overwrite its files.
TEST_F(RunFolderTest, ARunWithoutItsCheckpointIsLeftAlone) {
  {
    RunFolder folder(out_);
    folder.begin("", at_round(0, 0));
    folder.append(logged(1));
    folder.finish(RunResult(), {});
  }
  fs::remove(out_ / "checkpoint");
  EXPECT_ERROR(ErrorCode::checkpoint, RunFolder folder(out_));
  fs::remove(out_ / "result.json");
  EXPECT_ERROR(ErrorCode::checkpoint, RunFolder folder(out_));
  EXPECT_EQ(read_file(out_ / "metrics.jsonl"), line_of(1));
  fs::resize_file(out_ / "metrics.jsonl", 0);  // as if the run had been killed while it began
  EXPECT_EQ(RunFolder(out_).found(), RunFolder::Found::fresh);
}

TEST_F(RunFolderTest, AFolderInAFilesPlaceIsAFileError) {
  fs::create_directories(out_ / "checkpoint");
  RunFolder folder(out_);
  EXPECT_ERROR(ErrorCode::file, folder.load(std::string(64, 'a'), Fidelity::message));
  EXPECT_ERROR(ErrorCode::file, read_file(out_));
  EXPECT_ERROR(ErrorCode::file, read_file(out_ / "nowhere"));
}

// replace_file() renames a temporary file, which would turn a pipe or a device into a regular file; and
// reading a pipe without a writer would wait forever.
TEST_F(RunFolderTest, OnlyRegularFilesAreReplacedAndRead) {
  const fs::path pipe = temporary_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_ERROR(ErrorCode::file, replace_file(pipe, "text"));
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_ERROR(ErrorCode::file, read_file(pipe));
  EXPECT_ERROR(ErrorCode::file, read_file("/dev/zero"));
  EXPECT_ERROR(ErrorCode::file, replace_file(temporary_.path(), "text"));
  EXPECT_EQ(std::distance(fs::directory_iterator(temporary_.path()), fs::directory_iterator()), 1);
}

TEST_F(RunFolderTest, AnotherPlanIsRefusedNamingBothHashes) {
  {
    RunFolder folder(out_);
    folder.begin("", at_round(0, 0));
  }
  RunFolder folder(out_);
  const Error error = error_of([&] { folder.load(std::string(64, 'b'), Fidelity::message); });
  EXPECT_EQ(error.code(), ErrorCode::checkpoint);
  EXPECT_NE(std::string(error.what()).find(std::string(64, 'a')), std::string::npos);
  EXPECT_NE(std::string(error.what()).find(std::string(64, 'b')), std::string::npos);
}

TEST_F(RunFolderTest, AnotherFidelityIsRefused) {
  {
    RunFolder folder(out_);
    folder.begin("", at_round(0, 0));
  }
  RunFolder folder(out_);
  EXPECT_NO_THROW(folder.load(std::string(64, 'a'), Fidelity::message));
  EXPECT_ERROR(ErrorCode::checkpoint, folder.load(std::string(64, 'a'), Fidelity::sum));
}

TEST_F(RunFolderTest, ACorruptCheckpointIsRefused) {
  {
    RunFolder folder(out_);
    folder.begin("", at_round(0, 0));
  }
  fs::resize_file(out_ / "checkpoint", 100);
  RunFolder folder(out_);
  EXPECT_ERROR(ErrorCode::checkpoint, folder.load(std::string(64, 'a'), Fidelity::message));
}

TEST_F(RunFolderTest, OneProcessAtATime) {
  RunFolder folder(out_);
  EXPECT_ERROR(ErrorCode::file, RunFolder second(out_));
}

TEST_F(RunFolderTest, LeavesNothingOfARunThatNeverBegan) {
  { RunFolder folder(out_); }
  EXPECT_FALSE(fs::exists(temporary_.path() / "runs"));
  fs::create_directories(out_);
  { RunFolder folder(out_); }
  EXPECT_TRUE(fs::exists(out_));  // not removed, because the run did not create it
}

TEST_F(RunFolderTest, AFolderWithOtherThingsIsRefusedAndUntouched) {
  fs::create_directories(out_);
  std::ofstream(out_ / "letter.txt") << "dear";
  EXPECT_ERROR(ErrorCode::file, RunFolder folder(out_));
  EXPECT_EQ(read_file(out_ / "letter.txt"), "dear");
}

TEST_F(RunFolderTest, AFileInPlaceOfAFolderIsRefused) {
  std::ofstream(temporary_.path() / "file") << "x";
  EXPECT_ERROR(ErrorCode::file, RunFolder folder(temporary_.path() / "file"));
  EXPECT_ERROR(ErrorCode::file, RunFolder folder(temporary_.path() / "file" / "below"));
  EXPECT_ERROR(ErrorCode::file, RunFolder folder("/proc/nowhere/run"));
}

// Runs `body` in a child process whose files cannot grow beyond `room` bytes, as on a full disk.
template <typename Body>
bool child_succeeds(rlim_t room, Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{room, room};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    bool passed = false;
    try {
      passed = body();
    } catch (...) {
    }
    ::_exit(passed ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(RunFolderTest, AFullDiskAtTheStartLeavesNothing) {
  EXPECT_TRUE(child_succeeds(64, [&] {
    RunFolder folder(out_);
    return error_of([&] { folder.begin("", at_round(0, 0)); }).code() == ErrorCode::file;
  }));
  EXPECT_FALSE(fs::exists(temporary_.path() / "runs"));
}

TEST_F(RunFolderTest, AFullDiskMidwayKeepsWhatWasWhole) {
  begin_and_save_a_round();
  const std::string before = read_file(out_ / "checkpoint");
  // There is room for the first line and a part of the second.
  EXPECT_TRUE(child_succeeds(line_of(1).size() + 10, [&] {
    RunFolder folder(out_);
    folder.resume(folder.load(std::string(64, 'a'), Fidelity::message));
    return error_of([&] { folder.append(logged(2)); }).code() == ErrorCode::file &&
           error_of([&] { folder.save(at_round(2, 4)); }).code() == ErrorCode::file;
  }));
  EXPECT_EQ(read_file(out_ / "checkpoint"), before);
  EXPECT_EQ(read_file(out_ / "metrics.jsonl"), line_of(1));
  for (const fs::directory_entry& entry : fs::directory_iterator(out_)) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
}

TEST_F(RunFolderTest, WhatAKilledProcessLeftIsTheRunsOwnAndIsRemoved) {
  begin_and_save_a_round();
  for (const char* name :
       {"checkpoint.tmp", "checkpoint.17-3.tmp", "plan.txt.4-0.tmp", "result.json.4-1.tmp"}) {
    EXPECT_TRUE(RunFolder::is_own_name(name)) << name;
    replace_file(out_ / name, "torn");
  }
  for (const char* name : {"checkpoint.a.tmp", "checkpoint.17-3", "metrics.jsonl.tmp", "notes.tmp"}) {
    EXPECT_FALSE(RunFolder::is_own_name(name)) << name;
  }
  {
    RunFolder folder(out_);
    folder.resume(folder.load(std::string(64, 'a'), Fidelity::message));
    folder.save(at_round(1, folder.metrics_bytes()));
  }
  std::set<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(out_)) {
    left.insert(entry.path().filename().string());
  }
  EXPECT_EQ(left, (std::set<std::string>{"plan.txt", "metrics.jsonl", "checkpoint"}));
}

}  // namespace
}  // namespace muster::simulation
