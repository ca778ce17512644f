// Checks values and defaults of a role's configuration, and that every error names file, line, key, value and
// what is allowed.
#include "muster/service/config/role_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "tests/support/temporary_folder.h"

namespace muster::service {
namespace {

class RoleFileTest : public ::testing::Test {
 protected:
  RoleFile read(const std::string& text) {
    std::ofstream(path_) << text;
    return RoleFile(path_);
  }
  // Returns the error with which a file of this text is refused; empty if it is accepted.
  std::string refusal(const std::string& text, const std::function<void(RoleFile&)>& use) {
    try {
      RoleFile file = read(text);
      use(file);
      file.refuse_others();
    } catch (const Error& error) {
      EXPECT_EQ(exit_status(error.code()), 2) << error.what();
      return error.what();
    }
    return "";
  }
  // Expects that each of these values of the key x is refused, with its place and what is allowed.
  void expect_refused(const std::vector<std::string>& values, const std::function<void(RoleFile&)>& use) {
    for (const std::string& value : values) {
      const std::string said = refusal("x = " + value + "\n", use);
      EXPECT_TRUE(said.starts_with("x ")) << value << ": " << said;
      EXPECT_NE(said.find("role.toml, line 1"), std::string::npos) << value << ": " << said;
      EXPECT_NE(said.find("allowed"), std::string::npos) << value << ": " << said;
    }
  }

  muster::testing::TemporaryFolder folder_;
  std::string path_ = (folder_.path() / "role.toml").string();
};

TEST_F(RoleFileTest, ValuesAreReadAndOthersHaveTheirDefaults) {
  RoleFile file = read(R"(
folder = "state"
listen = "[::1]:8443"
threads = 3
behind_relay = true
population_budget = [1, 1e-5]
[policy]
max_epsilon = 0.6
)");
  EXPECT_EQ(file.text("folder"), "state");
  EXPECT_EQ(file.text("ca", "none"), "none");
  const ListenAddress listen = file.address("listen", {});
  EXPECT_EQ(listen.address, "::1");
  EXPECT_EQ(listen.port, 8443);
  EXPECT_TRUE(listen.is_loopback());
  EXPECT_FALSE((ListenAddress{"0.0.0.0", 1}.is_loopback()));
  EXPECT_EQ(file.address("listen_aggregator", {"127.0.0.1", 7}).port, 7);
  EXPECT_EQ(file.integer("threads", 1, 256, 1), 3u);
  EXPECT_EQ(file.integer("queue", 1, 10, 5), 5u);
  EXPECT_TRUE(file.flag("behind_relay", false));
  EXPECT_EQ(file.epsilon_and_delta("population_budget"), std::pair(1.0, 1e-5));
  EXPECT_EQ(file.number("policy.max_epsilon", 700), 0.6);
  EXPECT_EQ(file.number("policy.max_epsilon0", 700), std::nullopt);
  file.refuse_others();
}

TEST_F(RoleFileTest, AnUnknownKeyIsRefusedWithTheOneThatWasMeant) {
  const std::string said = refusal("folder = \"a\"\nthread = 2\n", [](RoleFile& file) {
    file.text("folder");
    file.integer("threads", 1, 256, 1);
  });
  EXPECT_NE(said.find("thread = 2"), std::string::npos) << said;
  EXPECT_NE(said.find("line 2"), std::string::npos) << said;
  EXPECT_NE(said.find("did you mean threads?"), std::string::npos) << said;
}

TEST_F(RoleFileTest, EveryErrorOfAValueNamesFileKeyValueAndRange) {
  expect_refused({"0", "10", "-1", "1.5", "\"3\"", "true", "nan"},
                 [](RoleFile& file) { file.integer("x", 1, 9); });
  expect_refused({"3", "\"\"", "[]"}, [](RoleFile& file) { file.text("x"); });
  expect_refused({"1", "\"true\""}, [](RoleFile& file) { file.flag("x", false); });
  expect_refused({"0", "-1", "nan", "inf", "701", "1e-310", "\"1\""},
                 [](RoleFile& file) { file.number("x", 700); });
  expect_refused({"0", "-inf", "nan", "-1", "1e-310", "\"inf\""}, [](RoleFile& file) { file.bound("x"); });
  expect_refused({"[1]", "[1, 1e-5, 3]", "[0, 1e-5]", "[1, 0]", "[1, 1]", "[nan, 0.1]", "[1, nan]",
                  "[inf, 0.1]", "[1, \"a\"]", "[-1, 0.1]", "[1e-310, 0.1]", "1"},
                 [](RoleFile& file) { file.epsilon_and_delta("x"); });
}

TEST_F(RoleFileTest, SoDoesEveryErrorOfAnAddress) {
  expect_refused(
      {"8080", "\"8080\"", "\":8080\"", "\"a:b\"", "\"localhost:80\"", "\"127.0.0:80\"", "\"::1:80\"",
       "\"1.2.3.4:65536\"", "\"1.2.3.4:-1\"", "\"1.2.3.4:\"", "\"1.2.3.4:80x\"", "\"[]:80\""},
      [](RoleFile& file) { file.address("x", {}); });
  expect_refused({"\"0.0.0.0:80\"", "\"[::]:0\"", "80"}, [](RoleFile& file) { file.listen("x", {}); });
  expect_refused({"\"127.0.0.1:80\"", "\"ftp://a:80\"", "\"https://\"", "\"http://a:80/v1\"",
                  "\"http://user@a:80\"", "1"},
                 [](RoleFile& file) { file.url("x"); });
}

TEST_F(RoleFileTest, AnAddressThatOthersReachNeedsARelay) {
  RoleFile file = read("listen = \"0.0.0.0:8080\"\nbehind_relay = true\n");
  EXPECT_EQ(file.listen("listen", {}).address, "0.0.0.0");
  file.refuse_others();
  EXPECT_EQ(read("").listen("listen", {"127.0.0.1", 7}).port, 7);
  EXPECT_EQ(read("listen = \"[::1]:8080\"\n").listen("listen", {}).address, "::1");
}

TEST_F(RoleFileTest, ABoundMayBeInfiniteIfThatIsWritten) {
  RoleFile file = read("a = inf\nb = 3\nc = 0.5\n");
  EXPECT_EQ(file.bound("a"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(file.bound("b"), 3);
  EXPECT_EQ(file.bound("c"), 0.5);
  EXPECT_NE(refusal("", [](RoleFile& empty) { empty.bound("a"); }).find("is missing"), std::string::npos);
}

TEST_F(RoleFileTest, AServerHasASchemeAndNoPath) {
  RoleFile file = read("a = \"https://example.org:8443\"\nb = \"http://[::1]:80\"\n");
  EXPECT_EQ(file.url("a"), "https://example.org:8443");
  EXPECT_EQ(file.url("b"), "http://[::1]:80");
  EXPECT_EQ(url_of({"::1", 80}), "http://[::1]:80");
  EXPECT_EQ(url_of({"127.0.0.1", 8080}), "http://127.0.0.1:8080");
}

TEST_F(RoleFileTest, ARuleOfTheCallerNamesTheValueAndItsPlace) {
  const std::string said = refusal("\nx = 7\n", [](RoleFile& file) {
    file.integer("x", 1, 9);
    file.refuse("x", "an even number", "is odd");
  });
  EXPECT_TRUE(said.starts_with("x = 7 ")) << said;
  EXPECT_NE(said.find("role.toml, line 2"), std::string::npos) << said;
  EXPECT_NE(said.find("an even number"), std::string::npos) << said;
}

TEST_F(RoleFileTest, AMissingKeyIsNamed) {
  for (const auto& use :
       {std::function<void(RoleFile&)>([](RoleFile& file) { file.text("folder"); }),
        std::function<void(RoleFile&)>([](RoleFile& file) { file.integer("folder", 1, 2); })}) {
    const std::string said = refusal("", use);
    EXPECT_NE(said.find("folder"), std::string::npos) << said;
    EXPECT_NE(said.find("is missing in"), std::string::npos) << said;
  }
}

TEST_F(RoleFileTest, WhatIsNoTomlIsRefusedWithItsLine) {
  for (const char* text :
       {"a = ", "a = 1\na = 2\n", "[a\n", "a = 1e400000\n", "= 3", "a = 0x\n", "a b = 1\n"}) {
    EXPECT_NE(refusal(text, [](RoleFile&) {}).find("line"), std::string::npos) << text;
  }
  EXPECT_ERROR(ErrorCode::file, RoleFile((folder_.path() / "absent.toml").string()));
  EXPECT_ERROR(ErrorCode::file, RoleFile(folder_.path().string()));
}

}  // namespace
}  // namespace muster::service
