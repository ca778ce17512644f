// Checks which data a plan loads, which keys change them, and that public data that contains a private
// example is refused.
#include "muster/simulation/data_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/learning/data/digits.h"
#include "muster/plan/source.h"
#include "tests/support/temporary_folder.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;

protocols::PlanSource source_of(const std::string& data, const std::string& open = "digits") {
  protocols::PlanSource source = protocols::PlanSource::from_text(R"(
[population]
clients = 7
share = true
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[randomizer]
kind = "ldp-sgd"
epsilon0 = 1
clip = 1
[rounds]
count = 1
learning_rate = 1
[model]
kind = "features+linear"
[privacy]
delta = 1e-5
)",
                                                                  "features.toml");
  source.override_key("population.data", data);
  source.override_key("model.public_data", open);
  return source;
}

protocols::Plan plan_of(const std::string& data, const std::string& open = "digits") {
  return protocols::Plan::validate(source_of(data, open), protocols::Command::train);
}

ErrorCode code_of(const protocols::Plan& plan, const learning::Dataset& open,
                  const learning::DataSplit& data) {
  const Error error = error_of([&] { expect_disjoint(plan, open, data); });
  EXPECT_EQ(error.key(), "model.public_data");
  return error.code();
}

TEST(LoadData, DigitsAreOneAClient) {
  const learning::DataSplit data = load_data(plan_of("digits"));
  EXPECT_EQ(data.train.size(), 7);
  EXPECT_EQ(data.test.size(), 10'000);
}

TEST(LoadData, ReadsEachKindByItsName) {
  const muster::testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "rows.csv") << "a,b\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n";
  EXPECT_EQ(load_data(plan_of("csv:" + (folder.path() / "rows.csv").string())).train.size(), 5);
  for (const char* kind : {"idx:", "cifar:", "csv:"}) {
    SCOPED_TRACE(kind);
    EXPECT_ERROR(ErrorCode::data, load_data(plan_of(kind + (folder.path() / "nowhere").string()))) << kind;
  }
}

// If clients may not share records, seven clients are too many for the file's five training records (its
// sixth example is a test example), and 60,001 clients are too many for at most 60,000 digits.
TEST(LoadData, TooFewRecordsAreRefusedUnlessClientsShareThem) {
  const muster::testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "rows.csv") << "a,b\n1,0\n2,1\n3,0\n4,1\n5,0\n6,1\n";
  const protocols::Plan rows = plan_of("csv:" + (folder.path() / "rows.csv").string());
  for (const protocols::Plan& plan : {rows, plan_of("digits").with("population.clients", "60001")}) {
    SCOPED_TRACE(plan.data());
    const Error error = error_of([&] { load_data(plan.with("population.share", "false")); });
    EXPECT_EQ(error.code(), ErrorCode::plan) << plan.data();
    EXPECT_EQ(error.key(), "population.clients") << plan.data();
  }
}

// A sweep loads the data again only if the data_identity of the next plan differs, so each key that changes
// what is loaded must change the identity.
TEST(LoadData, AnotherLayoutIsOtherData) {
  const muster::testing::TemporaryFolder folder;
  const std::string rows = (folder.path() / "rows.csv").string(),
                    test = (folder.path() / "test.csv").string();
  std::ofstream(rows) << "part,b,kind\ntrain,1,0\ntest,2,1\ntrain,3,1\n";
  std::ofstream(test) << "b,kind\n1,0\n";
  protocols::PlanSource plain = source_of("csv:" + rows);
  protocols::PlanSource split = plain, filed = plain, labelled = plain, owned = plain;
  split.override_key("population.split", "part");
  filed.override_key("population.test_data", "csv:" + test);
  labelled.override_key("population.label", "b");
  owned.override_key("population.records", "b");
  owned.override_key("population.share", "false");
  std::set<std::string> identities;
  for (const protocols::PlanSource& source : {plain, split, filed, labelled, owned}) {
    identities.insert(data_identity(protocols::Plan::validate(source, protocols::Command::train)));
  }
  EXPECT_EQ(identities.size(), 5U);
  const learning::DataSplit data = load_data(protocols::Plan::validate(split, protocols::Command::train));
  EXPECT_EQ(data.train.size(), 2U);
  EXPECT_EQ(data.test.labels, (std::vector<std::uint8_t>{1}));
  protocols::PlanValues values;
  values.test_data = "csv:" + test;
  EXPECT_EQ(load_test_data(values, 2, {}).values, (std::vector<float>{1}));
}

TEST(PublicData, OfDigitsIsDisjointFromTheClientsDigits) {
  const protocols::Plan plan = plan_of("digits");
  const learning::Dataset open = load_public_data(plan);
  EXPECT_EQ(open.size(), 20'000);
  EXPECT_NO_THROW(expect_disjoint(plan, open, load_data(plan)));
}

// Public data are refused if they have a single example in common with the private data, even if the two data
// sets have different names and even if it is a test example.
TEST(PublicData, ThatIsPrivateIsRefused) {
  const learning::DataSplit data = learning::draw_digits(50, 50, 1);
  learning::Dataset open = learning::draw_digit_set(learning::DigitSet::open, 50, 1);
  const protocols::Plan plan = plan_of("idx:somewhere", "idx:elsewhere");
  EXPECT_NO_THROW(expect_disjoint(plan, open, data));
  for (const learning::Dataset* part : {&data.train, &data.test}) {
    learning::Dataset mixed = open;
    std::copy_n(part->bytes.begin() + 17 * learning::kImagePixels, learning::kImagePixels,
                mixed.bytes.begin() + 31 * learning::kImagePixels);
    EXPECT_EQ(code_of(plan, mixed, data), ErrorCode::data);
  }
}

TEST(PublicData, ThatIsTheSameFolderIsRefusedUnderAnyName) {
  const muster::testing::TemporaryFolder folder;
  const std::string path = folder.path().string();
  fs::create_directory_symlink(folder.path(), path + "-link");
  const learning::DataSplit data = learning::draw_digits(5, 5, 1);
  const learning::Dataset open = learning::draw_digit_set(learning::DigitSet::open, 5, 1);
  EXPECT_EQ(code_of(plan_of("idx:" + path, "idx:" + path + "/."), open, data), ErrorCode::plan);
  EXPECT_EQ(code_of(plan_of("idx:" + path, "idx:" + path + "-link"), open, data), ErrorCode::plan);
  fs::remove(path + "-link");
}

}  // namespace
}  // namespace muster::simulation
