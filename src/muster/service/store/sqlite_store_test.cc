// Reads the files of the folder byte by byte to check that nothing removed is left in them, and opens stores
// that are in use, damaged, or no databases.
#include "muster/service/store/sqlite_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

using Access = SqliteStore::Access;
using wire::Buffer;

class SqliteStoreTest : public ::testing::Test {
 protected:
  muster::testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "ledger.db";

  void expect_refused(Access access, const std::string& word) const {
    const Error error = error_of([&] { const SqliteStore store(path_, access); });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.key(), path_.string());
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
  // Returns whether a file of the store has these bytes.
  bool is_on_disk(const std::string& bytes) const {
    return std::ranges::any_of(std::filesystem::directory_iterator(folder_.path()), [&](const auto& entry) {
      return read_file(entry.path()).find(bytes) != std::string::npos;
    });
  }
};

TEST_F(SqliteStoreTest, IsReadableByItsOwnerAlone) {
  const SqliteStore store(path_, Access::create_or_open);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(SqliteStoreTest, ASecondProcessIsRefused) {
  SqliteStore store(path_, Access::create_or_open);
  store.commit({{{1}}, {}, {}});
  expect_refused(Access::create_or_open, "is in use by another process");
  expect_refused(Access::read_only, "is in use by another process");
}

// Whether some file of the folder has these bytes in it.
bool is_in_a_file(const std::filesystem::path& folder, const std::string& bytes) {
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(file.path(), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    if (content.find(bytes) != std::string::npos) return true;
  }
  return false;
}

TEST_F(SqliteStoreTest, WhatWasRemovedOrReplacedIsInNoFile) {
  SqliteStore store(path_, Access::create_or_open);
  const std::string secret = "a key of 32 bytes, to be erased.", other = "another key, which replaces it..";
  // One content fits into a page of the database, and the other needs many pages.
  for (const std::size_t times : {std::size_t{1}, std::size_t{5000}}) {
    Buffer content;
    for (std::size_t i = 0; i < times; ++i) content.insert(content.end(), secret.begin(), secret.end());
    store.commit({{{1}}, {{"removed", content}, {"replaced", content}, {"kept", {7}}}, {}});
    EXPECT_TRUE(is_in_a_file(folder_.path(), secret));
    store.commit({{}, {{"replaced", Buffer(other.begin(), other.end())}}, {}});
    EXPECT_TRUE(is_in_a_file(folder_.path(), secret));
    store.commit({{}, {}, {"removed"}});
    EXPECT_FALSE(is_in_a_file(folder_.path(), secret));
    EXPECT_TRUE(is_in_a_file(folder_.path(), other));
    store.commit({{}, {}, {"replaced"}});
    EXPECT_FALSE(is_in_a_file(folder_.path(), other));
    EXPECT_EQ(store.blob("kept"), Buffer{7});
  }
}

TEST_F(SqliteStoreTest, ACommitThatMayLeaveTracesIsCleanedUpAfterByTheNextThatMayNot) {
  const std::string counts = "what is no secret, 7 rounds so far", key = "a key of 32 bytes, to be erased.";
  const auto bytes_of = [](const std::string& text) { return Buffer(text.begin(), text.end()); };
  auto store = std::make_unique<SqliteStore>(path_, Access::create_or_open);
  store->commit({{}, {{"counts", bytes_of(counts)}, {"key", bytes_of(key)}}, {}});
  store->commit({{}, {{"counts", {8}}}, {}, true});
  EXPECT_EQ(store->blob("counts"), Buffer{8});
  EXPECT_TRUE(is_in_a_file(folder_.path(), counts)) << "else the commit is as slow as any other";
  store->commit({{{1}}, {{"new", {1}}}, {"absent"}});
  store->commit({{}, {}, {"key"}});
  EXPECT_FALSE(is_in_a_file(folder_.path(), counts));
  EXPECT_FALSE(is_in_a_file(folder_.path(), key));
}

// The process dies after a commit and before the log is emptied: the next one empties it.
TEST_F(SqliteStoreTest, WhatADeadProcessLeftIsInNoFileOnceTheStoreIsOpened) {
  const std::string secret = "a key of 32 bytes, to be erased.";
  const pid_t child = ::fork();
  if (child == 0) {
    auto* store = new SqliteStore(path_, Access::create_or_open);
    store->commit({{}, {{"key", {secret.begin(), secret.end()}}}, {}});
    store->commit({{}, {}, {"key"}, true});
    ::_exit(0);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(is_in_a_file(folder_.path(), secret));
  const SqliteStore store(path_, Access::create_or_open);
  EXPECT_FALSE(is_in_a_file(folder_.path(), secret));
}

TEST_F(SqliteStoreTest, AFinishedStoreIsReadWithoutChangingIt) {
  SqliteStore(path_, Access::create_or_open).commit({{{1}}, {}, {}});
  const std::string before = read_file(path_);
  {
    SqliteStore store(path_, Access::read_only);
    EXPECT_EQ(store.rows(), std::vector<Buffer>{{1}});
    EXPECT_ERROR(ErrorCode::file, store.commit({{{2}}, {}, {}}));
  }
  EXPECT_EQ(read_file(path_), before);
}

TEST_F(SqliteStoreTest, OtherFilesAreRefusedAndLeftAsTheyAre) {
  expect_refused(Access::read_only, "unable to open");
  std::ofstream(path_)
      << "this is a text of more than a hundred bytes, which begins like no database at all and goes on "
         "like that to its end\n";
  const std::string text = read_file(path_);
  expect_refused(Access::create_or_open, "not a database");
  EXPECT_EQ(read_file(path_), text);
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  expect_refused(Access::create_or_open, "");
}

TEST_F(SqliteStoreTest, ADamagedDatabaseIsRefusedWhereItIsRead) {
  {
    SqliteStore store(path_, Access::create_or_open);
    for (int i = 0; i < 200; ++i) store.commit({{Buffer(1000, static_cast<std::uint8_t>(i))}, {}, {}});
  }
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  const Error error = error_of([&] {
    SqliteStore store(path_, Access::read_only);
    store.rows();
  });
  EXPECT_EQ(error.code(), ErrorCode::file);
  EXPECT_EQ(error.key(), path_.string());
}

TEST_F(SqliteStoreTest, ContentThatIsRemovedIsOverwritten) {
  const std::string secret = "a secret of the round that is over";
  {
    SqliteStore store(path_, Access::create_or_open);
    store.commit({{}, {{"key", {secret.begin(), secret.end()}}}, {}});
    store.commit({{}, {}, {"key"}});
  }
  EXPECT_FALSE(is_on_disk(secret));
}

// The traces that a commit may leave are gone after the next one that may leave none and removes something.
TEST_F(SqliteStoreTest, TracesStayNoLongerThanTheyMay) {
  const std::string secret = "a value that blinded a token";
  SqliteStore store(path_, Access::create_or_open);
  store.commit({{}, {{"pending", {secret.begin(), secret.end()}}, {"coin", {1}}}, {}});
  store.commit({.append = {}, .put = {}, .remove = {"pending"}, .may_leave_traces = true});
  EXPECT_FALSE(store.blob("pending"));
  EXPECT_TRUE(is_on_disk(secret)) << "otherwise the last line would hold for every store";
  store.commit({{}, {}, {"coin"}});
  EXPECT_FALSE(is_on_disk(secret));
}

}  // namespace
}  // namespace muster::service
