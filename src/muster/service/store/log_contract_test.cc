// Tests that every Log must pass: it gives back what was appended, in order, also after it was opened again,
// and takes records of its width alone. Logs with one fault each must fail the same tests.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
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

// The base of the logs with one fault each.
class Faulty : public Log {
 public:
  explicit Faulty(std::size_t width) : log_(width) {}
  std::size_t width() const override { return log_.width(); }
  std::uint64_t size() const override { return log_.size(); }
  void append(Bytes record) override { log_.append(record); }
  void sync() override { log_.sync(); }
  void read(std::uint64_t first, std::uint64_t count, const std::function<void(Bytes)>& take) override {
    log_.read(first, count, take);
  }

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
  void read(std::uint64_t first, std::uint64_t count, const std::function<void(Bytes)>& take) override {
    for (std::uint64_t i = count; i-- > 0;) log_.read(first + i, 1, take);
  }
};
class IgnoresTheFirst final : public Faulty {
  using Faulty::Faulty;
  void read(std::uint64_t, std::uint64_t count, const std::function<void(Bytes)>& take) override {
    log_.read(0, count, take);
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

// Whether the log's records from number `first` on are these.
bool reads(Log& log, std::uint64_t first, const std::vector<Buffer>& expected) {
  std::vector<Buffer> records;
  log.read(first, expected.size(), [&](Bytes record) { records.emplace_back(record.begin(), record.end()); });
  return records == expected;
}

bool refuses_to_read_past_its_end(Log& log) {
  for (const auto& [first, count] :
       {std::pair{log.size() + 1, 0ul}, {log.size(), 1ul}, {0ul, log.size() + 1}, {1ul, ~0ul}}) {
    try {
      log.read(first, count, [](Bytes) {});
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
    if (log->size() != expected.size() || !reads(*log, 0, expected)) return false;
    const std::uint64_t first = random() % (expected.size() + 1),
                        count = random() % (expected.size() - first + 1);
    const auto from = expected.begin() + static_cast<std::ptrdiff_t>(first);
    if (!reads(*log, first, {from, from + static_cast<std::ptrdiff_t>(count)})) return false;
  }
  return refuses_other_widths(*log) && refuses_to_read_past_its_end(*log) && log->size() == expected.size();
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
  EXPECT_FALSE(keeps_the_contract(in_memory<IgnoresTheFirst>()));
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
