// The shuffler on real files. Once a round is closed, nothing that is left in them opens the log of its
// uploads or its batch, of which somebody has kept copies. With the key that was erased, the uploads would
// open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "muster/core/atomic_file.h"
#include "muster/service/shuffler/shuffler_fixture_test.h"
#include "muster/service/shuffler/shuffler_state.h"
#include "muster/service/store/file_log_folder.h"
#include "muster/service/store/round_key.h"
#include "muster/service/store/sqlite_store.h"
#include "muster/service/store/store_between_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using wire::Buffer;
using wire::HpkeKeyPair;
namespace fs = std::filesystem;

constexpr int kReports = 8, kDummies = 2;

// A store that does not erase a round's key, to show that the test would notice it.
class KeepsKeys final : public StoreBetween {
 public:
  using StoreBetween::StoreBetween;
  void commit(const Commit& changes) override {
    Commit others = changes;
    for (const auto& [name, content] : changes.put) {
      if (name == kRoundKeyBlob) others.put.emplace_back("kept", content);
    }
    store_.commit(others);
  }
};

// What somebody knows of a round: its descriptor, and what stood in a log.
struct Copied {
  std::uint64_t round = 0;
  wire::Hash descriptor{};
  std::vector<Buffer> uploads, batch;

  // How many of the uploads, and of the batch's reports, open with this key.
  std::size_t uploads_opened(const HpkeKeyPair& key) const {
    std::size_t opened = 0;
    for (const Buffer& upload : uploads) {
      wire::OpenedUpload inside;
      const auto fault = wire::open_upload(key, round, descriptor, ShufflerFixture::kSizes, upload, inside);
      if (fault == wire::UploadFault::none) ++opened;
    }
    return opened;
  }
  std::size_t reports_opened(const HpkeKeyPair& key) const {
    std::size_t opened = 0;
    for (const Buffer& report : batch) {
      Buffer payload(ShufflerFixture::kPayload);
      if (wire::open_inner(key, descriptor, report, payload)) ++opened;
    }
    return opened;
  }
};

// Reads a log of the folder as a copy of its file shows it.
std::vector<Buffer> records_of(const fs::path& folder, const std::string& name, std::size_t width) {
  const muster::testing::TemporaryFolder copy;
  fs::copy_file(folder / (name + ".log"), copy.path() / (name + ".log"));
  const auto log = FileLogFolder(copy.path()).open(name, width);
  std::vector<Buffer> records;
  log->read(0, log->size(), [&](wire::Bytes record) { records.emplace_back(record.begin(), record.end()); });
  return records;
}

// Takes all 32 bytes that follow each other in a file of the folder as a secret key. Returns how many of
// these keys open an upload or a report of the round. The first record of each kind is enough to tell,
// because one key opens all or none.
std::size_t keys_found(const fs::path& folder, const Copied& round) {
  Copied first = round;
  first.uploads.resize(std::min<std::size_t>(1, first.uploads.size()));
  first.batch.resize(std::min<std::size_t>(1, first.batch.size()));
  std::set<std::string> tried;
  std::size_t found = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string content = read_file(file.path());
    for (std::size_t at = 0; at + wire::kHpkeKey <= content.size(); ++at) {
      const std::string window = content.substr(at, wire::kHpkeKey);
      if (!tried.insert(window).second) continue;
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(window.data());
      const auto key = HpkeKeyPair::from_secret(wire::SecretBytes<wire::kHpkeKey>(
          std::span<const std::uint8_t, wire::kHpkeKey>(bytes, wire::kHpkeKey)));
      if (first.uploads_opened(key) + first.reports_opened(key) > 0) ++found;
    }
  }
  EXPECT_GT(tried.size(), 1000u) << "distinct keys are tried";
  return found;
}

// A shuffler with its files in a folder, and everything around it.
class ShufflerFiles : public ::testing::Test {
 protected:
  // Ends the process, and starts it on its files.
  void start() {
    rig_.shuffler.reset();
    kept_.reset();
    store_.reset();
    store_.emplace(folder_.path() / "store.db", SqliteStore::Access::create_or_open);
    kept_.emplace(*store_);
    Store& store = keeps_keys_ ? static_cast<Store&>(*kept_) : *store_;
    rig_.shuffler = std::make_unique<Shuffler>(rig_.task, rig_.shuffler_key, ShufflerFixture::kSizes, store,
                                               logs_, rig_.clock, rig_.issuer);
  }
  void TearDown() override { rig_.shuffler.reset(); }

  // Lets devices send in the next round, copies its log, and keeps its key.
  void hear() {
    ASSERT_NO_FATAL_FAILURE(rig_.open_round());
    for (int i = 0; i < kReports + kDummies; ++i) {
      const Buffer upload = i < kReports ? rig_.report(static_cast<std::uint8_t>(i)) : rig_.dummy();
      ASSERT_EQ(rig_.shuffler->upload(upload), Answer::stored);
    }
    round_ = {rig_.descriptor.round, wire::descriptor_hash(rig_.descriptor), {}, {}};
    round_.uploads = records_of(folder_.path(), uploads_of(round_.round), ShufflerFixture::kSizes.upload());
    erased_.emplace(read_round_key(*store_).value());
  }
  // Closes the round, and copies its batch.
  void close() {
    rig_.clock.advance(ShufflerFixture::kRound);
    ASSERT_EQ(rig_.manifest()->outcome, wire::Manifest::Outcome::released);
    round_.batch = records_of(folder_.path(), batch_of(round_.round), ShufflerFixture::kSizes.inner());
  }

  const muster::testing::TemporaryFolder folder_;
  bool keeps_keys_ = false;
  std::optional<SqliteStore> store_;
  std::optional<KeepsKeys> kept_;
  FileLogFolder logs_{folder_.path()};
  ShufflerFixture rig_;
  Copied round_;
  std::optional<RoundKey> erased_;
};

TEST_F(ShufflerFiles, NothingThatIsLeftOpensTheLogOrTheBatchOfAClosedRound) {
  start();
  ASSERT_NO_FATAL_FAILURE(hear());
  EXPECT_EQ(keys_found(folder_.path(), round_), 1u) << "while the round is open, its key is there";
  ASSERT_NO_FATAL_FAILURE(close());
  ASSERT_EQ(round_.uploads.size(), static_cast<std::size_t>(kReports + kDummies));
  ASSERT_EQ(round_.batch.size(), static_cast<std::size_t>(kReports));
  EXPECT_FALSE(fs::exists(folder_.path() / (uploads_of(1) + ".log")));
  EXPECT_EQ(keys_found(folder_.path(), round_), 0u);
  // With the erased key, all uploads would open, and with that of the aggregator, which never was here, the
  // batch.
  EXPECT_EQ(round_.uploads_opened(erased_->pair), round_.uploads.size());
  EXPECT_EQ(round_.reports_opened(rig_.round_key), round_.batch.size());
  EXPECT_EQ(round_.reports_opened(erased_->pair), 0u);
  start();
  EXPECT_EQ(keys_found(folder_.path(), round_), 0u) << "after a restart";
  EXPECT_TRUE(rig_.shuffler->receipt(rig_.conclude()));
  EXPECT_FALSE(fs::exists(folder_.path() / (batch_of(1) + ".log")));
  EXPECT_EQ(keys_found(folder_.path(), round_), 0u) << "after the receipt";
  const Copied first = round_;
  ASSERT_NO_FATAL_FAILURE(hear());
  EXPECT_EQ(keys_found(folder_.path(), first), 0u) << "in the next round";
  EXPECT_EQ(keys_found(folder_.path(), round_), 1u) << "whose own key is there";
}

TEST_F(ShufflerFiles, AKeyThatIsNotErasedIsFound) {
  keeps_keys_ = true;
  start();
  ASSERT_NO_FATAL_FAILURE(hear());
  ASSERT_NO_FATAL_FAILURE(close());
  EXPECT_GE(keys_found(folder_.path(), round_), 1u);
}

}  // namespace
}  // namespace muster::service
