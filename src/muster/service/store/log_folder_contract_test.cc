// Tests that every LogFolder must pass: it knows its logs by name, also after it was opened again, and what
// was removed is gone. Folders with one fault each must fail the same tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/store/disk_test.h"
#include "muster/service/store/file_log_folder.h"
#include "tests/support/class_name.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::Bytes;

// Opens the folder; each call opens the same one, with the logs that it had before.
using Open = std::function<std::unique_ptr<LogFolder>()>;

struct Contract {
  const char* name;
  const char* type;  // the class, which tests/architecture/house_rules.py looks for
  std::function<Open(const std::filesystem::path&)> make;
};
void PrintTo(const Contract& contract, std::ostream* out) { *out << contract.name; }

// A folder that passes everything on to one on a disk in memory, which outlives it.
class Lasting : public LogFolder {
 public:
  explicit Lasting(std::shared_ptr<Disk> disk) : disk_(std::move(disk)) {}
  std::unique_ptr<Log> create(const std::string& name, std::size_t width) override {
    return disk_->logs().create(name, width);
  }
  std::unique_ptr<Log> open(const std::string& name, std::size_t width) override {
    return disk_->logs().open(name, width);
  }
  std::vector<std::string> names() override { return disk_->logs().names(); }
  void remove(const std::string& name) override { disk_->logs().remove(name); }

 private:
  std::shared_ptr<Disk> disk_;
};
class KeepsWhatIsRemoved final : public Lasting {
  using Lasting::Lasting;
  void remove(const std::string&) override {}
};
class KeepsWhatIsMadeAnew final : public Lasting {
  using Lasting::Lasting;
  std::unique_ptr<Log> create(const std::string& name, std::size_t width) override {
    const auto all = names();
    return std::ranges::find(all, name) == all.end() ? Lasting::create(name, width) : open(name, width);
  }
};
class NamesInAnotherOrder final : public Lasting {
  using Lasting::Lasting;
  std::vector<std::string> names() override {
    auto all = Lasting::names();
    std::ranges::reverse(all);
    return all;
  }
};

template <typename T>
std::function<Open(const std::filesystem::path&)> lasting() {
  return [](const std::filesystem::path&) -> Open {
    return [disk = std::make_shared<Disk>()] { return std::make_unique<T>(disk); };
  };
}

std::vector<Contract> contracts() {
  return {{"file", "FileLogFolder",
           [](const std::filesystem::path& path) -> Open {
             return [path] { return std::make_unique<FileLogFolder>(path); };
           }},
          {"disk", "Lasting", lasting<Lasting>()}};
}

std::vector<Buffer> records_of(Log& log) {
  std::vector<Buffer> records;
  log.read_all([&](Bytes record) { records.emplace_back(record.begin(), record.end()); });
  return records;
}

bool refuses_to_open(LogFolder& folder, const std::string& name, std::size_t width) {
  try {
    folder.open(name, width);
    return false;
  } catch (const Error& error) {
    return error.code() == ErrorCode::file;
  }
}

bool keeps_the_contract(const Open& open) {
  std::unique_ptr<LogFolder> folder = open();
  if (!folder->names().empty() || !refuses_to_open(*folder, "b", 2)) return false;
  for (const char* name : {"b", "a-17", "c"}) {
    const auto log = folder->create(name, 2);
    log->append(Buffer{1, static_cast<std::uint8_t>(name[0])});
    log->sync();
  }
  folder = open();
  if (folder->names() != std::vector<std::string>{"a-17", "b", "c"}) return false;
  if (records_of(*folder->open("b", 2)) != std::vector<Buffer>{{1, 'b'}}) return false;
  if (!refuses_to_open(*folder, "b", 3)) return false;
  folder->remove("b");
  folder->remove("b");
  if (folder->create("c", 2)->size() != 0) return false;
  folder = open();
  return folder->names() == std::vector<std::string>{"a-17", "c"} && refuses_to_open(*folder, "b", 2) &&
         records_of(*folder->open("c", 2)).empty();
}

class LogFolderContract : public ::testing::TestWithParam<Contract> {
 protected:
  muster::testing::TemporaryFolder folder_;
};

TEST_P(LogFolderContract, IsTheClassOfTheList) {
  EXPECT_EQ(muster::testing::class_name(*GetParam().make(folder_.path())()), GetParam().type);
}

TEST_P(LogFolderContract, KnowsItsLogsByName) {
  EXPECT_TRUE(keeps_the_contract(GetParam().make(folder_.path())));
}

INSTANTIATE_TEST_SUITE_P(Folders, LogFolderContract, ::testing::ValuesIn(contracts()),
                         [](const auto& made) { return std::string(made.param.name); });

TEST(LogFolderContractSuite, AFolderWithAFaultIsNoticed) {
  EXPECT_FALSE(keeps_the_contract(lasting<KeepsWhatIsRemoved>()("")));
  EXPECT_FALSE(keeps_the_contract(lasting<KeepsWhatIsMadeAnew>()("")));
  EXPECT_FALSE(keeps_the_contract(lasting<NamesInAnotherOrder>()("")));
}

// A process that is killed while it makes a log leaves a temporary file. After the restart its role makes or
// removes the log again, and the file must be gone then.
TEST(FileLogFolderTest, NothingStaysOfALogThatWasKilledWhileItWasMade) {
  const muster::testing::TemporaryFolder folder;
  const auto left = folder.path() / "b.log.17-0.tmp", other = folder.path() / "c.log.17-0.tmp";
  FileLogFolder logs(folder.path());
  for (const bool is_made : {true, false}) {
    for (const auto& path : {left, other}) std::ofstream(path) << "begun";
    is_made ? static_cast<void>(logs.create("b", 2)) : logs.remove("b");
    EXPECT_FALSE(std::filesystem::exists(left));
    EXPECT_TRUE(std::filesystem::exists(other));
  }
}

TEST(Disk, KillsBeforeOrAfterAnOperationAndLosesWhatWasNotSynced) {
  for (const auto when : {Disk::When::before, Disk::When::after}) {
    Disk disk;
    {
      const auto log = disk.logs().create("log", 1);
      log->append(Buffer{1});
      log->sync();
      log->append(Buffer{2});
      disk.kill_after(1, when);
      disk.store().commit({{{1}}, {}, {}});
      EXPECT_THROW(log->sync(), Killed);
    }
    disk.crash([](std::size_t most) { return most; });
    EXPECT_EQ(records_of(*disk.logs().open("log", 1)).size(), when == Disk::When::before ? 1u : 2u);
    const Disk::Image image = disk.image();
    disk.logs().remove("log");
    disk.store().commit({{{2}}, {}, {}});
    disk.restore(image);
    EXPECT_EQ(disk.logs().names(), std::vector<std::string>{"log"});
    EXPECT_EQ(disk.store().rows().size(), 1u);
  }
}

}  // namespace
}  // namespace muster::service
