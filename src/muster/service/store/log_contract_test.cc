// Tests that every Log must pass: it gives back what was appended, in order, also after it was opened again,
// and takes records of its width alone. Logs with one fault each must fail the same tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/store/file_log.h"
#include "muster/service/store/memory_log_test.h"
#include "tests/support/class_name.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Bytes;

constexpr std::size_t kWidth = 100;

// Given the log that was there before, closes it and opens it again; makes a new one if there was none.
using Reopen = std::function<std::unique_ptr<Log>(std::unique_ptr<Log>)>;

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  std::function<Reopen(const std::filesystem::path& folder)> make;
};
void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

template <typename T>
Reopen in_memory() {
  return [](std::unique_ptr<Log> log) { return log ? std::move(log) : std::make_unique<T>(kWidth); };
}

std::vector<Contract> contracts() {
  return {{"file", "FileLog",
           [](const std::filesystem::path& folder) -> Reopen {
             return [path = folder / "log"](std::unique_ptr<Log> log) {
               const bool is_new = log == nullptr;
               log.reset();
               return std::make_unique<FileLog>(is_new ? FileLog::create(path, kWidth)
                                                       : FileLog::open(path, kWidth));
             };
           }},
          {"memory", "MemoryLog", [](const std::filesystem::path&) { return in_memory<MemoryLog>(); }}};
}

// Logs with one fault each.
class Faulty : public Log {
 public:
  explicit Faulty(std::size_t width) : log_(width) {}
  std::size_t width() const override { return log_.width(); }
  std::uint64_t size() const override { return log_.size(); }
  void append(Bytes record) override { log_.append(record); }
  void sync() override { log_.sync(); }
  void read(const std::function<void(Bytes)>& take) override { log_.read(take); }

 protected:
  MemoryLog log_;
};
class LosesARecord final : public Faulty {
  using Faulty::Faulty;
  void append(Bytes record) override {
    if (size() != 7 || lost_) return log_.append(record);
    lost_ = true;
  }
  bool lost_ = false;
};
class ReadsBackwards final : public Faulty {
  using Faulty::Faulty;
  void read(const std::function<void(Bytes)>& take) override {
    std::vector<Buffer> records;
    log_.read([&](Bytes record) { records.emplace_back(record.begin(), record.end()); });
    for (std::size_t i = records.size(); i-- > 0;) take(records[i]);
  }
};
class TakesEveryWidth final : public Faulty {
  using Faulty::Faulty;
  void append(Bytes record) override {
    Buffer padded(record.begin(), record.end());
    padded.resize(kWidth);
    log_.append(padded);
  }
};

bool refuses_other_widths(Log& log) {
  for (const std::size_t width : {std::size_t{0}, kWidth - 1, kWidth + 1}) {
    try {
      log.append(Buffer(width));
      return false;
    } catch (const Error&) {
    }
  }
  return true;
}

// Whether the log gives back what was appended, with openings and syncs at random times.
bool keeps_the_contract(const Reopen& reopen) {
  std::mt19937_64 random(5);
  std::vector<Buffer> expected;
  std::unique_ptr<Log> log = reopen(nullptr);
  for (int i = 0; i < 300; ++i) {
    Buffer record(kWidth);
    for (auto& byte : record) byte = static_cast<std::uint8_t>(random());
    log->append(record);
    expected.push_back(record);
    if (random() % 10 == 0) log->sync();
    if (random() % 40 == 0) {
      log->sync();
      log = reopen(std::move(log));
    }
    if (random() % 20 != 0) continue;
    std::vector<Buffer> read;
    log->read([&](Bytes bytes) { read.emplace_back(bytes.begin(), bytes.end()); });
    if (log->size() != expected.size() || read != expected) return false;
  }
  return refuses_other_widths(*log) && log->size() == expected.size();
}

class LogContract : public ::testing::TestWithParam<Contract> {
 protected:
  muster::testing::TemporaryFolder folder_;
};

TEST_P(LogContract, IsTheClassOfTheList) {
  EXPECT_EQ(muster::testing::class_name(*GetParam().make(folder_.path())(nullptr)), GetParam().type);
}

TEST_P(LogContract, GivesBackWhatWasAppended) {
  EXPECT_TRUE(keeps_the_contract(GetParam().make(folder_.path())));
}

INSTANTIATE_TEST_SUITE_P(Logs, LogContract, ::testing::ValuesIn(contracts()),
                         [](const auto& made) { return std::string(made.param.name); });

TEST(LogContractSuite, ALogWithAFaultIsNoticed) {
  EXPECT_FALSE(keeps_the_contract(in_memory<LosesARecord>()));
  EXPECT_FALSE(keeps_the_contract(in_memory<ReadsBackwards>()));
  EXPECT_FALSE(keeps_the_contract(in_memory<TakesEveryWidth>()));
}

TEST(MemoryLog, ACrashLosesOnlyWhatWasNotSynced) {
  MemoryLog log(1);
  for (std::uint8_t i = 0; i < 5; ++i) log.append(Buffer{i});
  log.sync();
  for (std::uint8_t i = 5; i < 9; ++i) log.append(Buffer{i});
  log.crash(2);
  EXPECT_EQ(log.size(), 7u);
  log.crash(100);
  EXPECT_EQ(log.size(), 7u);  // what survived a crash is on the disk
  log.append(Buffer{9});
  log.crash(100);
  EXPECT_EQ(log.size(), 7u);
}

}  // namespace
}  // namespace muster::service
