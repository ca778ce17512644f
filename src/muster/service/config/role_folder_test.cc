// Checks that a role's folder is its owner's alone and has one user at a time, and that folders of others are
// refused and left as they are.
#include "muster/service/config/role_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/service/store/file_log.h"
#include "muster/service/store/sqlite_store.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

constexpr uid_t kNobody = 65534;
constexpr const char* kNeedsSuperuser = "only the superuser can act as a user who owns nothing";

class RoleFolderTest : public ::testing::Test {
 protected:
  static void expect_refused(const std::filesystem::path& path, const std::string& words) {
    const Error error = error_of([&] { const RoleFolder folder(path); });
    EXPECT_EQ(exit_status(error.code()), 3);
    EXPECT_TRUE(error.key().starts_with(path.string())) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
  static mode_t mode_of(const std::filesystem::path& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 07777;
  }

  // Expects that `act` throws an Error with these words when a user calls it who owns nothing.
  void expect_refused_to_nobody(const std::string& words, const std::function<void()>& act) const {
    ASSERT_EQ(::chmod(temporary_.path().c_str(), 0755), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setuid(kNobody) != 0) ::_exit(2);
      try {
        act();
      } catch (const Error& error) {
        const std::string found = error.what();
        if (exit_status(error.code()) == 3 && found.find(words) != found.npos) ::_exit(0);
        std::cerr << found << "\n";
        ::_exit(3);
      }
      ::_exit(1);
    }
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << words;
  }

  muster::testing::TemporaryFolder temporary_;
  std::filesystem::path path_ = temporary_.path() / "role";
};

TEST_F(RoleFolderTest, IsMadeForItsOwnerAlone) {
  const RoleFolder folder(path_);
  EXPECT_EQ(mode_of(path_), 0700u);
  EXPECT_EQ(folder.path(), path_);
  EXPECT_EQ(folder.store(), path_ / "store.db");
}

TEST_F(RoleFolderTest, RightsOfOthersAreTakenFromAFolderThatIsThere) {
  std::filesystem::create_directory(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);
  const RoleFolder folder(path_);
  EXPECT_EQ(mode_of(path_), 0700u);
}

TEST_F(RoleFolderTest, AFolderOfOthersKeepsItsRights) {
  std::filesystem::create_directory(path_);
  std::ofstream(path_ / "letter") << "dear";
  for (const mode_t mode : {0755u, 01777u}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    expect_refused(path_, "holds letter but neither a key nor a store");
    EXPECT_EQ(mode_of(path_), mode);
  }
  EXPECT_FALSE(std::filesystem::exists(path_ / "lock"));
  std::ofstream(path_ / "issuer.key") << "secret";
  const RoleFolder folder(path_);
  EXPECT_EQ(mode_of(path_), 0700u);
}

TEST_F(RoleFolderTest, AFolderThatCannotBeWrittenIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsSuperuser;
  std::filesystem::create_directory(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0555), 0);
  expect_refused_to_nobody("may be read by others, which cannot be changed",
                           [&] { const RoleFolder f(path_); });
  EXPECT_EQ(mode_of(path_), 0555u);
}

// Somebody ran the role as the superuser once, who now owns files in the folder of the role's user.
TEST_F(RoleFolderTest, AFileOfAnotherUserInItIsRefusedByName) {
  if (::geteuid() != 0) GTEST_SKIP() << kNeedsSuperuser;
  { const RoleFolder of_superuser(path_); }
  { const SqliteStore store(path_ / "store.db", SqliteStore::Access::create_or_open); }
  std::ofstream(path_ / "round-1.log") << "a log";
  ASSERT_EQ(::chmod((path_ / "round-1.log").c_str(), 0600), 0);
  ASSERT_EQ(::chown(path_.c_str(), kNobody, kNobody), 0);
  expect_refused_to_nobody("lock cannot be opened", [&] { const RoleFolder folder(path_); });
  expect_refused_to_nobody("store.db cannot be opened", [&] {
    const SqliteStore s(path_ / "store.db", SqliteStore::Access::create_or_open);
  });
  expect_refused_to_nobody("round-1.log cannot be opened", [&] { FileLog::open(path_ / "round-1.log", 10); });
}

TEST_F(RoleFolderTest, ASecondUserIsRefusedByNameUntilTheFirstIsGone) {
  {
    const RoleFolder folder(path_);
    expect_refused(path_, "is in use by another process");
  }
  const RoleFolder again(path_);
}

// A process that is killed leaves no lock behind.
TEST_F(RoleFolderTest, TheLockEndsWithItsProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    const RoleFolder folder(path_);
    ::_exit(0);  // without a destructor
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const RoleFolder folder(path_);
}

TEST_F(RoleFolderTest, WhatIsNoFolderIsRefused) {
  std::ofstream(path_) << "a file";
  expect_refused(path_, "is no folder");
  expect_refused(temporary_.path() / "absent" / "role", "cannot be made");
}

}  // namespace
}  // namespace muster::service
