// Keys must be read as they were made. Keys of another role, keys that others may read, and texts that are no
// key must be refused.
#include "muster/service/config/key_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

namespace fs = std::filesystem;

class KeyFileTest : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  void expect_no_secret(const std::string& text) {
    std::ofstream(path("bad.key"), std::ios::binary) << text;
    fs::permissions(path("bad.key"), fs::perms::owner_read);
    EXPECT_ERROR(ErrorCode::file, read_secret_key(path("bad.key"), "issuer")) << text;
    fs::remove(path("bad.key"));
  }

  muster::testing::TemporaryFolder folder_;
};

TEST_F(KeyFileTest, AKeyIsReadAsItWasMade) {
  const wire::IdentityKey made = make_key_files(folder_.path(), "issuer", "issuer");
  EXPECT_EQ(read_secret_key(path("issuer.key"), "issuer").identity(), made);
  EXPECT_EQ(read_public_key(path("issuer.pub"), "issuer"), made);
  struct stat info {};
  ASSERT_EQ(::stat(path("issuer.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_NE(make_key_files(folder_.path(), "other", "issuer"), made);
}

TEST_F(KeyFileTest, AKeyOfAnotherRoleIsRefused) {
  make_key_files(folder_.path(), "a", "issuer");
  EXPECT_ERROR(ErrorCode::file, read_secret_key(path("a.key"), "shuffler"));
  EXPECT_ERROR(ErrorCode::file, read_public_key(path("a.pub"), "shuffler"));
  EXPECT_ERROR(ErrorCode::file, read_secret_key(path("a.pub"), "issuer"));
  EXPECT_ERROR(ErrorCode::file, read_public_key(path("a.key"), "issuer"));
}

TEST_F(KeyFileTest, KeysAreNeverWrittenOver) {
  make_key_files(folder_.path(), "a", "issuer");
  const std::string before = read_file(path("a.key"));
  EXPECT_ERROR(ErrorCode::file, make_key_files(folder_.path(), "a", "issuer"));
  EXPECT_EQ(read_file(path("a.key")), before);
  fs::remove(path("a.pub"));
  EXPECT_ERROR(ErrorCode::file, make_key_files(folder_.path(), "a", "issuer"));
  EXPECT_EQ(read_file(path("a.key")), before);
  fs::remove(path("a.key"));
  std::ofstream(path("a.pub")) << "mine";
  EXPECT_ERROR(ErrorCode::file, make_key_files(folder_.path(), "a", "issuer"));
  EXPECT_FALSE(fs::exists(path("a.key")));
}

TEST_F(KeyFileTest, ASecretThatOthersMayReadIsRefusedByItsMode) {
  make_key_files(folder_.path(), "a", "issuer");
  for (const auto extra : {fs::perms::group_read, fs::perms::others_read, fs::perms::group_write}) {
    fs::permissions(path("a.key"), fs::perms::owner_read | fs::perms::owner_write | extra);
    const Error error = error_of([&] { read_secret_key(path("a.key"), "issuer"); });
    EXPECT_EQ(exit_status(error.code()), 3);
    EXPECT_NE(std::string(error.what()).find("mode 06"), std::string::npos) << error.what();
  }
}

TEST_F(KeyFileTest, WhatIsNoKeyIsRefused) {
  const std::string digits(64, 'a');
  std::ofstream(path("good.key")) << "muster secret key 1 issuer " << digits << "\n";
  fs::permissions(path("good.key"), fs::perms::owner_read);
  read_secret_key(path("good.key"), "issuer");
  for (const std::string& text :
       {std::string(), "muster secret key 1 issuer " + digits, "muster secret key 2 issuer " + digits + "\n",
        "muster secret key 1 issuer " + digits.substr(1) + "\n",
        "muster secret key 1 issuer " + digits + "a\n",
        "muster secret key 1 issuer " + digits.substr(1) + "g\n",
        "muster secret key 1 issuer  " + digits + "\n", "muster secret key 1 issuer " + digits + "\n\n",
        std::string(100'000, 'a'), std::string(60, '\0')}) {
    expect_no_secret(text);
  }
  EXPECT_ERROR(ErrorCode::file, read_secret_key(path("absent.key"), "issuer"));
  EXPECT_ERROR(ErrorCode::file, read_secret_key(folder_.path(), "issuer"));
  EXPECT_ERROR(ErrorCode::file, read_secret_key("/dev/zero", "issuer"));
}

}  // namespace
}  // namespace muster::service
