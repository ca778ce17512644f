// Tests the forms of a profile's file, what is refused, and what a plan makes of the file.
#include "muster/plan/profile_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/calibration/knob.h"
#include "muster/plan/calibration/open_plan.h"
#include "muster/plan/keys.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"
#include "tests/support/temporary_folder.h"

namespace muster::protocols {
namespace {

using accounting::Channel;
using accounting::Mechanism;
using accounting::ProfileLocal;
using accounting::TabulatedProfile;
using ::testing::HasSubstr;

constexpr const char* kTable = "alpha,divergence\n1,0.5\n1.5,0.4\n2,0.32\n4,0.1\n8,0\n";
constexpr const char* kChannel = "0.5,0.25,0.25\n0.25,0.5,0.25\n0.25,0.25,0.5\n";

const ProfileLocal kOfTable(TabulatedProfile::of_table({{1, 0.5}, {1.5, 0.4}, {2, 0.32}, {4, 0.1}, {8, 0}}));
const ProfileLocal kOfChannel(Channel({{0.5, 0.25, 0.25}, {0.25, 0.5, 0.25}, {0.25, 0.25, 0.5}}));

TEST(ProfileFile, HasTwoForms) {
  EXPECT_EQ(profile_of_text(kTable, "t"), kOfTable);
  EXPECT_EQ(profile_of_text(kChannel, "t"), kOfChannel);
  EXPECT_FALSE(kOfTable == kOfChannel);
  EXPECT_EQ(profile_of_text(std::string(kTable) + "inf,0\n", "t"), kOfTable);
}

TEST(ProfileFile, IsReadAsPeopleAndProgramsWriteIt) {
  EXPECT_EQ(profile_of_text("\xef\xbb\xbf# my randomizer\r\n\r\nalpha , divergence\r\n 1,\t0.5\r\n1.5,.4 \r\n"
                            "# half way\r\n2.0,3.2e-1\r\n4,1E-1\r\n8,-0\r\n inf , 0.0",
                            "t"),
            kOfTable);
  // This is what numpy.savetxt writes in its default format, with a header, which becomes a comment.
  EXPECT_EQ(profile_of_text("# rows are inputs\n"
                            "5.000000000000000000e-01,2.500000000000000000e-01,2.500000000000000000e-01\n"
                            "2.500000000000000000e-01,5.000000000000000000e-01,2.500000000000000000e-01\n"
                            "2.500000000000000000e-01,2.500000000000000000e-01,5.000000000000000000e-01\n",
                            "t"),
            kOfChannel);
}

struct Refused {
  std::string text;
  std::vector<std::string> words;
};

TEST(ProfileFile, RefusalsNameTheFileTheLineAndTheValue) {
  const std::string table = kTable, channel = kChannel;
  for (const Refused& r : std::initializer_list<Refused>{
           {"", {"a.csv, line 1: the file has no rows", "alpha,divergence"}},
           {"# only a comment\n\n", {"a.csv, line 1", "no rows"}},
           {"alpha;divergence\n1;0.5\n", {"a.csv, line 1: alpha;divergence is neither"}},
           {"alpha,delta\n1,0.5\n", {"line 1: alpha,delta is neither"}},
           {"alpha,divergence\n", {"line 1", "0 rows", "2 to 4000 rows"}},
           {"# a\nalpha,divergence\n\n1,0.5\n", {"line 4", "1 row "}},
           {table + "9\n", {"line 7: 9 is no row of a table", "two numbers"}},
           {table + "9,0,0\n", {"line 7", "at most 2 columns"}},
           {table + "nine,0\n", {"line 7: nine in column 1 is no number"}},
           {table + "9,\n", {"line 7: an empty cell in column 2"}},
           {table + "9,nan\n", {"line 7: nan in column 2", "finite number"}},
           {table + "1e400,0\n", {"line 7: 1e400 in column 1"}},
           {table + "0x10,0\n", {"line 7: 0x10"}},
           {table + "+9,0\n", {"line 7: +9"}},
           {table + "9,0.0\x1b[2J\n", {"line 7: 0.0\\x1b[2J in column 2"}},
           {table + "infinity,0\n", {"line 7: infinity in column 1"}},
           {table + "inf,0\n9,0\n", {"line 8: 9,0 follows the row of alpha = inf"}},
           {table + "inf,0.1\n", {"line 7: mass at infinity = 0.1", "number in [0, 0]"}},
           {table + "7,0\n", {"line 7: alpha = 7 is not larger"}},
           {"# a\n\nalpha,divergence\n# b\n1,0.5\n1.5,0.4\n\n2,0.37\n4,0.1\n",
            {"line 8: divergence = 0.37 lies above"}},
           {"1,0.5\n1.5,0.4\n",
            {"line 1: 1,0.5 is the row of a table",
             "the line alpha,divergence"}},  // a table without its header
           {channel + "0.2,0.2,0.2,0.4\n", {"line 4", "4 entries", "first one 3"}},
           {channel + "0.2,0.2,0.5\n", {"line 4", "sum to 0.9"}},
           {channel + "-0.2,0.6,0.6\n", {"line 4: entry 1 = -0.2"}},
           {channel + "0.2,,0.6\n", {"line 4: an empty cell in column 2"}},
           {"0.5 0.5\n0.25 0.75\n", {"line 1: 0.5 0.5 is neither"}},
           {std::string(10'001, '\n'), {"at most 10000 lines"}}}) {
    const Error error = error_of([&] { profile_of_text(r.text, "a.csv"); });
    EXPECT_EQ(error.code(), ErrorCode::plan) << error.what();
    EXPECT_EQ(error.key(), "randomizer.profile") << error.what();
    EXPECT_NE(error.reason(), Reason::none) << error.what();
    EXPECT_NE(error.allowed(), "") << error.what();
    EXPECT_THAT(error.what(), HasSubstr("a.csv, line "));
    for (const std::string& word : r.words) EXPECT_THAT(error.what(), HasSubstr(word));
  }
}

class PlanOfAFile : public ::testing::Test {
 protected:
  std::string write(const char* name, const std::string& text) const {
    std::string path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static PlanSource source(const std::string& path) {
    PlanSource source = PlanSource::from_text(
        "[population]\nclients = 1000\n[participation]\nprotocol = \"shuffled-check-in\"\nrate = 0.1\n"
        "[randomizer]\nkind = \"profile\"\n[rounds]\ncount = 10\n[privacy]\ndelta = 1e-5\n",
        "plan.toml");
    source.override_key("randomizer.profile", path);
    return source;
  }
  static Plan plan(const std::string& path, Command command = Command::account,
                   const std::vector<std::string_view>& solved_for = {}) {
    return Plan::validate(source(path), command, solved_for);
  }

  muster::testing::TemporaryFolder folder_;
};

TEST_F(PlanOfAFile, ChargesTheProfile) {
  const Plan plan = this->plan(write("a.csv", kTable));
  EXPECT_EQ(plan.mechanism(), Mechanism(kOfTable));
  EXPECT_EQ(this->plan(write("b.csv", kChannel)).mechanism(), Mechanism(kOfChannel));
}

// The canonical text of a plan states the hash of the file's contents and not its path.
TEST_F(PlanOfAFile, IsHashedByTheContents) {
  const Plan plan = this->plan(write("a.csv", kTable)), same = this->plan(write("elsewhere.csv", kTable));
  EXPECT_THAT(
      plan.canonical(),
      HasSubstr("randomizer.kind = profile\nrandomizer.profile = blake2b-256:" + hash_of(kTable) + "\n"));
  EXPECT_EQ(plan.hash(), same.hash());
  EXPECT_NE(plan.hash(), this->plan(write("a.csv", std::string(kTable) + "# more\n")).hash());
  EXPECT_NE(plan.hash(), this->plan(write("a.csv", kChannel)).hash());
}

// A plan does not change when the file of its profile does, and neither do the plans that calibration makes
// from it.
TEST_F(PlanOfAFile, ReadsTheFileOnce) {
  const std::string path = write("a.csv", kTable);
  const Plan plan = this->plan(path, Command::calibrate, {"rounds.count"});
  write("a.csv", kChannel);
  EXPECT_EQ(plan.with("rounds.count", "20").mechanism(), Mechanism(kOfTable));
  EXPECT_EQ(plan.with("rounds.count", "20").with("participation.rate", "0.2").mechanism(),
            Mechanism(kOfTable));
  EXPECT_EQ(plan.with("randomizer.profile", path).mechanism(), Mechanism(kOfChannel));
}

TEST_F(PlanOfAFile, OpenPlansReadTheFileOnce) {
  const std::string path = write("a.csv", kTable);
  const OpenPlan open(source(path));
  write("a.csv", kChannel);
  EXPECT_EQ(open.whole().mechanism(), Mechanism(kOfTable));
  EXPECT_EQ(open.solving_for(Knob::rounds).mechanism(), Mechanism(kOfTable));
  PlanSource other = open.source();
  other.override_key("rounds.count", "20");
  EXPECT_EQ(OpenPlan(other).whole().mechanism(), Mechanism(kOfTable));
  other.override_key("randomizer.profile", path);
  EXPECT_EQ(OpenPlan(other).whole().mechanism(), Mechanism(kOfChannel));
}

TEST_F(PlanOfAFile, RefusesPathsAndFilesThatCannotBeRead) {
  for (const char* bad : {"", "a\nb"}) {
    EXPECT_EQ(error_of([&] { plan(bad); }).reason(), Reason::malformed);
  }
  const std::vector<std::string> files = {folder_.path(), folder_.path() / "none.csv", "/dev/null",
                                          write("large.csv", std::string((4 << 20) + 1, '\n'))};
  for (const std::string& bad : files) {
    const Error error = error_of([&] { plan(bad); });
    EXPECT_EQ(error.code(), ErrorCode::file) << error.what();
    EXPECT_EQ(error.key(), bad);
  }
}

// Training, and with it every role of a deployment, refuses the randomizer before it opens any file.
TEST_F(PlanOfAFile, IsNeitherTrainedNorOpenedForTraining) {
  const Error error = error_of([&] { plan("/no/such/file.csv", Command::train); });
  EXPECT_EQ(error.key(), "randomizer.kind");
  EXPECT_EQ(error.reason(), Reason::inapplicable);
  EXPECT_EQ(error.allowed().find("profile"), std::string::npos);
}

}  // namespace
}  // namespace muster::protocols
