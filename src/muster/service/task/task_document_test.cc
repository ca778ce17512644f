// A task document must be read back with the same name and plan. Every line that is missing, doubled, moved
// or edited must be refused.
#include "muster/service/task/task_document.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"
#include "muster/service/task/plans_test.h"

namespace muster::service {
namespace {

TaskSettings settings() {
  TaskSettings settings;
  settings.malicious = 16;
  settings.seconds = 5;
  settings.most_rounds = 22;
  settings.aggregator.fill(0xa1);
  settings.issuer.fill(0x15);
  settings.shuffler.fill(0x5f);
  return settings;
}

TaskDocument document() { return TaskDocument::make(deployed_plan(), settings()); }

TEST(TaskDocument, ItsTextIsReadBackAndHasThePlansHash) {
  const TaskDocument made = document();
  const TaskDocument read = TaskDocument::parse(made.text(), "task");
  EXPECT_EQ(read.text(), made.text());
  EXPECT_EQ(read.name(), made.name());
  EXPECT_EQ(read.plan().hash(), deployed_plan().hash());
  EXPECT_EQ(read.needed(), 2048u + 16u);
  EXPECT_EQ(read.settings().shuffler, settings().shuffler);
  EXPECT_EQ(read.settings().seconds, 5u);
  EXPECT_EQ(read.settings().randomness, Randomness::os);
}

TEST(TaskDocument, EveryKeyOfAPlanSortsBeforeThoseOfATask) {
  for (const protocols::KeySpec& spec : protocols::plan_keys()) EXPECT_LT(spec.key, "task.") << spec.key;
}

TEST(TaskDocument, ItsNameChangesWithEverySetting) {
  const std::vector<std::function<void(TaskSettings&)>> changes{
      [](auto& s) { ++s.malicious; },       [](auto& s) { ++s.seconds; },
      [](auto& s) { ++s.most_rounds; },     [](auto& s) { s.randomness = Randomness::seeded; },
      [](auto& s) { s.aggregator[0] = 1; }, [](auto& s) { s.issuer[0] = 1; },
      [](auto& s) { s.shuffler[0] = 1; }};
  for (const auto& change : changes) {
    TaskSettings changed = settings();
    change(changed);
    EXPECT_NE(TaskDocument::make(deployed_plan(), changed).name(), document().name());
  }
  EXPECT_NE(TaskDocument::make(deployed_plan().with("rounds.count", "21"), settings()).name(),
            document().name());
}

TEST(TaskDocument, StatesTheShapeOfCsvRecordsAndOfNoOthers) {
  const protocols::Plan csv =
      deployed_plan().with("model.kind", "logistic").with("population.data", "csv:records.csv");
  TaskSettings shaped = settings();
  shaped.features = 4;
  shaped.classes = 3;
  const TaskDocument made = TaskDocument::make(csv, shaped);
  const TaskDocument read = TaskDocument::parse(made.text(), "task");
  EXPECT_EQ(read.name(), made.name());
  EXPECT_EQ(read.settings().features, 4u);
  EXPECT_EQ(read.settings().classes, 3u);
  const auto refused = [](const protocols::Plan& plan, std::uint64_t features, std::uint64_t classes) {
    TaskSettings changed = settings();
    changed.features = features;
    changed.classes = classes;
    EXPECT_ERROR(ErrorCode::plan, TaskDocument::make(plan, changed)) << features << " " << classes;
  };
  refused(csv, 0, 0);
  refused(csv, 0, 3);
  refused(csv, 4, 1);
  refused(csv, 4, 257);
  refused(csv, 65'536, 3);
  refused(deployed_plan(), 4, 3);
  refused(deployed_plan(), 0, 10);
}

TEST(TaskDocument, SettingsAtTheEndsOfTheirRangesAreAccepted) {
  for (const std::uint64_t malicious : {0u, 2048u}) {
    TaskSettings s = settings();
    s.malicious = malicious;
    EXPECT_EQ(TaskDocument::make(deployed_plan(), s).needed(), 2048u + malicious);
  }
  for (const std::uint64_t seconds : {1u, 604'800u}) {
    TaskSettings s = settings();
    s.seconds = seconds;
    EXPECT_EQ(TaskDocument::parse(TaskDocument::make(deployed_plan(), s).text(), "task").settings().seconds,
              seconds);
  }
}

void expect_refused(const std::function<void(TaskSettings&)>& change, const std::string& key) {
  TaskSettings s = settings();
  change(s);
  SCOPED_TRACE(key);
  const Error error = error_of([&] { TaskDocument::make(deployed_plan(), s); });
  EXPECT_EQ(error.code(), ErrorCode::plan);
  EXPECT_EQ(error.key(), key) << error.what();
}

TEST(TaskDocument, SettingsOutOfRangeAreRefused) {
  expect_refused([](auto& s) { s.malicious = 2049; }, "task.malicious");
  expect_refused([](auto& s) { s.malicious = ~std::uint64_t{0}; }, "task.malicious");
  expect_refused([](auto& s) { s.seconds = 0; }, "task.seconds");
  expect_refused([](auto& s) { s.seconds = 604'801; }, "task.seconds");
  expect_refused([](auto& s) { s.most_rounds = 19; }, "task.most_rounds");  // the plan has 20
  expect_refused([](auto& s) { s.most_rounds = 0; }, "task.most_rounds");
  expect_refused([](auto& s) { s.issuer = s.shuffler; }, "task");
  expect_refused([](auto& s) { s.aggregator = s.shuffler; }, "task");
  expect_refused([](auto& s) { s.aggregator = s.issuer; }, "task");
}

TEST(TaskDocument, ATenthMoreRoundsThanPlannedMayBeOpened) {
  EXPECT_EQ(default_most_rounds(20), 22u);
  EXPECT_EQ(default_most_rounds(1), 2u);
  EXPECT_EQ(default_most_rounds(11), 13u);
}

void expect_damaged(const std::string& text) {
  SCOPED_TRACE(text);
  const Error error = error_of([&] { TaskDocument::parse(text, "task"); });
  EXPECT_EQ(error.code(), ErrorCode::file) << error.what();
  EXPECT_EQ(error.key(), "task") << error.what();
}

TEST(TaskDocument, EveryOtherTextIsRefused) {
  const std::string text = document().text();
  expect_damaged("");
  expect_damaged(text.substr(0, text.size() - 1));
  expect_damaged(text + "\n");
  expect_damaged(text + "task.x = 1\n");
  expect_damaged("x = 1\n" + text);
  expect_damaged(text + text);
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1, ++lines) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    expect_damaged(text.substr(0, begin) + text.substr(end));       // a line is missing
    expect_damaged(text.substr(0, end) + line + text.substr(end));  // or stands twice
    expect_damaged(line + text.substr(0, begin) + text.substr(end) +
                   (begin == 0 ? line : ""));  // or elsewhere
    std::string spaced = text;
    spaced.insert(text.find(" = ", begin), " ");
    expect_damaged(spaced);
  }
  EXPECT_GT(lines, 20u);
}

TEST(TaskDocument, EditedValuesAreRefused) {
  const auto edited = [](const std::string& from, const std::string& to) {
    std::string text = document().text();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  expect_damaged(edited("task.malicious = 16", "task.malicious = 016"));
  expect_damaged(edited("task.malicious = 16", "task.malicious = -1"));
  expect_damaged(edited("task.malicious = 16", "task.malicious = 2049"));
  expect_damaged(edited("task.malicious = 16", "task.malicious = 18446744073709551616"));
  expect_damaged(edited("task.seconds = 5", "task.seconds = 1e400"));
  expect_damaged(edited("task.seconds = 5", "task.seconds = nan"));
  expect_damaged(edited("task.wire = 1", "task.wire = 2"));
  expect_damaged(edited("task.randomness = os", "task.randomness = OS"));
  expect_damaged(edited("a1a1", "A1A1"));
  expect_damaged(edited("a1a1", "a1a"));
  expect_damaged(edited("a1a1", "g1a1"));
  expect_damaged(edited("participation.rate = 0.5", "participation.rate = 0.50"));
  expect_damaged(edited("participation.rate = 0.5", "participation.rate = 0"));
}

}  // namespace
}  // namespace muster::service
