// Checks that a role's folder is its owner's alone and has one user at a time, and that folders of others are
// refused and left as they are.
#include "muster/service/config/role_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

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
  if (::geteuid() != 0) GTEST_SKIP() << "only the superuser can act as a user who owns nothing";
  std::filesystem::create_directory(path_);
  ASSERT_EQ(::chmod(path_.c_str(), 0555), 0);
  ASSERT_EQ(::chmod(temporary_.path().c_str(), 0755), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::setuid(kNobody) != 0) ::_exit(2);
    try {
      const RoleFolder folder(path_);
    } catch (const Error& error) {
      const std::string words = error.what();
      ::_exit(words.find("may be read by others, which cannot be changed") == words.npos ? 3 : 0);
    }
    ::_exit(1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mode_of(path_), 0555u);
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
