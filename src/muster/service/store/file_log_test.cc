// Tears and damages a log's file at many places: a torn end must be cut off, and damage before whole records
// must be refused with the number of the damaged one.
#include "muster/service/store/file_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Bytes;

constexpr std::size_t kWidth = 477, kRecord = kWidth + 8, kHeader = 33;

Buffer content(std::uint64_t number) {
  Buffer bytes(kWidth, static_cast<std::uint8_t>(number));
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(number >> 8 * i);
  return bytes;
}

std::vector<Buffer> all(Log& log) {
  std::vector<Buffer> records;
  log.read_all([&](Bytes record) { records.emplace_back(record.begin(), record.end()); });
  return records;
}

std::vector<Buffer> first(std::uint64_t count) {
  std::vector<Buffer> records;
  for (std::uint64_t i = 0; i < count; ++i) records.push_back(content(i));
  return records;
}

class FileLogTest : public ::testing::Test {
 protected:
  // Writes a file of `count` records and returns its bytes.
  std::string written(std::uint64_t count) {
    std::filesystem::remove(path_);
    FileLog log = FileLog::create(path_, kWidth);
    for (std::uint64_t i = 0; i < count; ++i) log.append(content(i));
    log.sync();
    return read_file(path_);
  }
  void overwrite(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void expect_refused(const std::string& word, std::size_t width = kWidth) const {
    const Error error = error_of([&] { FileLog::open(path_, width); });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.key(), path_.string());
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }

  muster::testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "uploads.log";
};

TEST_F(FileLogTest, HoldsWhatWasAppendedAcrossOpenings) {
  {
    FileLog log = FileLog::create(path_, kWidth);
    EXPECT_EQ(log.size(), 0u);
    for (std::uint64_t i = 0; i < 3; ++i) log.append(content(i));
    EXPECT_EQ(all(log), first(3));
    log.sync();
  }
  FileLog log = FileLog::open(path_, kWidth);
  EXPECT_EQ(log.size(), 3u);
  for (std::uint64_t i = 3; i < 5000; ++i) log.append(content(i));  // several pieces
  EXPECT_EQ(all(log), first(5000));
  log.sync();
}

TEST_F(FileLogTest, IsReadableByItsOwnerAlone) {
  const FileLog log = FileLog::create(path_, kWidth);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(FileLogTest, ATornEndIsCutOffWhereverItTore) {
  const std::string whole = written(3);
  ASSERT_EQ(whole.size(), kHeader + 3 * kRecord);
  for (std::size_t length = kHeader; length <= whole.size(); length += 7) {
    overwrite(whole.substr(0, length));
    FileLog log = FileLog::open(path_, kWidth);
    const std::uint64_t kept = (length - kHeader) / kRecord;
    EXPECT_EQ(all(log), first(kept)) << length;
    // The next record follows the last whole one.
    log.append(content(kept));
    log.sync();
    EXPECT_EQ(all(log), first(kept + 1)) << length;
    EXPECT_EQ(std::filesystem::file_size(path_), kHeader + (kept + 1) * kRecord);
  }
}

TEST_F(FileLogTest, AnEndOfZerosIsCutOff) {
  // Some file systems leave zeros where a write was torn.
  const std::string whole = written(3);
  for (std::size_t tail : {std::size_t{1}, kRecord - 1, kRecord, 3 * kRecord + 5}) {
    overwrite(whole + std::string(tail, '\0'));
    FileLog log = FileLog::open(path_, kWidth);
    EXPECT_EQ(all(log), first(3)) << tail;
  }
  for (std::size_t i = 0; i < kRecord; i += 11) {
    std::string torn = whole;
    for (std::size_t j = whole.size() - kRecord + i; j < torn.size(); ++j) torn[j] = '\0';
    overwrite(torn);
    FileLog log = FileLog::open(path_, kWidth);
    EXPECT_EQ(all(log), first(2)) << i;
  }
}

TEST_F(FileLogTest, ADamagedRecordBeforeWholeOnesIsRefused) {
  const std::string whole = written(3);
  for (std::size_t i = kHeader; i < kHeader + 2 * kRecord; i += 13) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x20);
    overwrite(changed);
    expect_refused("is damaged: record " + std::to_string((i - kHeader) / kRecord));
  }
}

TEST_F(FileLogTest, RecordsThatWereSwappedAreRefused) {
  const std::string whole = written(3);
  const auto record = [&](std::size_t i) { return whole.substr(kHeader + i * kRecord, kRecord); };
  overwrite(whole.substr(0, kHeader) + record(1) + record(0) + record(2));
  expect_refused("is damaged");
  overwrite(whole.substr(0, kHeader) + record(1) +
            record(2));  // the first one is missing: no record is whole
  EXPECT_EQ(FileLog::open(path_, kWidth).size(), 0u);
}

TEST_F(FileLogTest, RecordsOfAnotherFileAreNotWhole) {
  const std::string one = written(3), other = written(3);
  ASSERT_NE(one, other);  // each file has a key of its own
  overwrite(other.substr(0, kHeader) + one.substr(kHeader));
  EXPECT_EQ(FileLog::open(path_, kWidth).size(), 0u);
}

TEST_F(FileLogTest, OtherFilesAreRefusedAndLeftAsTheyAre) {
  expect_refused("cannot be opened");
  overwrite("");
  expect_refused("is not a log");
  overwrite("this is a text that is long enough to be a log, but no log");
  expect_refused("is not a log");
  EXPECT_EQ(read_file(path_), "this is a text that is long enough to be a log, but no log");
  const std::string whole = written(1);
  expect_refused("another task", kWidth + 1);
  for (std::size_t length = 0; length < kHeader; ++length) {
    overwrite(whole.substr(0, length));
    expect_refused("is not a log");
  }
  EXPECT_ERROR(ErrorCode::file, FileLog::create(path_, kWidth));
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  expect_refused("cannot be opened");
}

TEST_F(FileLogTest, ASecondProcessIsRefused) {
  const FileLog log = FileLog::create(path_, kWidth);
  expect_refused("in use");
}

TEST_F(FileLogTest, ARecordOfAnotherWidthIsADefect) {
  FileLog log = FileLog::create(path_, kWidth);
  EXPECT_ERROR(ErrorCode::internal, log.append(Buffer(kWidth - 1)));
  EXPECT_ERROR(ErrorCode::internal, log.append(Buffer(kWidth + 1)));
  EXPECT_EQ(log.size(), 0u);
}

TEST_F(FileLogTest, AFullDiskEndsTheLog) {
  const std::string whole = written(2);
  FileLog log = FileLog::open(path_, kWidth);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{whole.size() + 100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  log.append(content(2));
  EXPECT_ERROR(ErrorCode::file, log.sync());
  EXPECT_ERROR(ErrorCode::file, log.sync());
  EXPECT_ERROR(ErrorCode::file, log.append(content(3)));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_ERROR(ErrorCode::file, log.sync());  // not even when there is space again
  EXPECT_EQ(read_file(path_), whole);
}

}  // namespace
}  // namespace muster::service
