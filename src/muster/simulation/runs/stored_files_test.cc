// Tests the text files of a run. They are read back as they were written, their bytes are as documented, and
// a damaged file is refused with an error that names the file and the line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "muster/core/atomic_file.h"
#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/source.h"
#include "muster/simulation/runs/metrics_file.h"
#include "muster/simulation/runs/metrics_table.h"
#include "muster/simulation/runs/plan_file.h"
#include "muster/simulation/runs/result_file.h"
#include "muster/simulation/runs/run_folder.h"
#include "muster/simulation/runs/run_record.h"
#include "tests/support/temporary_folder.h"

namespace muster::simulation {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

protocols::Plan plan_of(const std::string& participation, const std::string& name = "small") {
  const std::string text = "name = '" + name + R"('
[population]
clients = 1000
data = "digits"
[participation]
)" + participation + R"(
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2.0
clip = 0.1
[rounds]
count = 24
learning_rate = [[1, 0.5], [7, 0.25]]
[model]
kind = "logistic"
[privacy]
delta = 1e-5
)";
  return protocols::Plan::validate(protocols::PlanSource::from_text(text, "t"), protocols::Command::train);
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Returns a schedule that is written without a decimal point, although each of its rates has one in the
// canonical text.
std::string schedule_of(int steps) {
  std::string text = "[";
  for (int round = 1; round <= steps; ++round) text += fmt::format("[{}, {}e-1], ", round, 1 + round % 2);
  return text + "]";
}

constexpr const char* kCheckIn = "protocol = 'shuffled-check-in'\nrate = 0.1\ndropout = 0.2";
constexpr const char* kSlots = "protocol = 'random-check-in-averaged'\nrate = 0.1\nslots = 10";

// These numbers are read back equal only if they are written with all their digits.
Measurement measured(std::uint64_t round) {
  return {.round = round,
          .accuracy = 0.1 + 0.2,
          .epsilon = 1.0 / 3 * static_cast<double>(round),
          .check_ins = 7,
          .neutral = round,
          .loss = 0.1 * static_cast<double>(round),
          .client_accuracy = 0.1 + 0.7,
          .worst_decile = 1.0 / 3,
          .messages = 10 * round,
          .seconds = 0.7 * static_cast<double>(round)};
}

RunResult ended() {
  return {.accuracy = 0.1 + 0.2,
          .epsilon = 2.0 / 3,
          .delta = 1e-5,
          .rounds = 24,
          .seconds = 12.5,
          .examples_per_second = 1e7 / 3,
          .fidelity = Fidelity::sum,
          .stopped = Stopped::budget,
          .out = "runs/\"one\"",
          .neutral = 3,
          .clients_per_record = 1.25,
          .validity = accounting::Validity::proven,
          .neighbouring = accounting::Neighbouring::replace_one,
          .view = accounting::View::shuffler_honest,
          .loss = 0.7 / 3,
          .client_accuracy = 0.1 + 0.7,
          .worst_decile = 1.0 / 3};
}

Checkpoint checkpoint_of(std::uint64_t round) {
  Checkpoint checkpoint;
  checkpoint.round = round;
  checkpoint.fidelity = Fidelity::sum;
  return checkpoint;
}

class StoredFiles : public ::testing::Test {
 protected:
  fs::path write(const std::string& text) const {
    replace_file(file_, text);
    return file_;
  }
  // Returns the message of the Error(file) that `read` throws, which must name the file.
  template <typename Read>
  std::string refusal(const Read& read) const {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::file);
      EXPECT_EQ(error.key(), file_.string());
      return error.what();
    }
    return "accepted";
  }
  muster::testing::TemporaryFolder temporary_;
  fs::path file_ = temporary_.path() / "stored";
};

TEST_F(StoredFiles, MetricsAreReadBackAsTheyWereWritten) {
  std::vector<Measurement> lines = {measured(1), measured(3), measured(24)};
  lines[1].epsilon = kInfinity;  // no epsilon is proven
  lines[1].loss = kInfinity;     // the loss overflowed
  lines[2].loss.reset();         // a line of an earlier version has no loss
  std::string text;
  for (const Measurement& line : lines) text += metrics_line(line) + "\n";
  EXPECT_EQ(read_metrics(write(text), plan_of(kCheckIn), true), lines);

  std::vector<Measurement> slots = {measured(1), measured(2)};
  slots[0].slot = 7;
  slots[1].slot = 20;
  text = metrics_line(slots[0]) + "\n" + metrics_line(slots[1]) + "\n";
  EXPECT_EQ(read_metrics(write(text), plan_of(kSlots), true), slots);
}

TEST_F(StoredFiles, MetricsHaveTheDocumentedBytes) {
  Measurement line{.round = 2,
                   .accuracy = 0.5,
                   .epsilon = kInfinity,
                   .check_ins = 7,
                   .neutral = 0,
                   .messages = 12,
                   .seconds = 0.25};
  EXPECT_EQ(shown_line(line), R"({"round":2,"accuracy":0.5,"epsilon":null,"check_ins":7,"neutral":0})");
  EXPECT_EQ(metrics_line(line), R"({"round":2,"accuracy":0.5,"epsilon":null,"check_ins":7,"neutral":0,)"
                                R"("messages":12,"seconds":0.25})");
  line.epsilon = 0.1;
  line.slot = 20;
  line.loss = 2.5;
  EXPECT_EQ(shown_line(line),
            R"({"round":2,"accuracy":0.5,"epsilon":0.1,"check_ins":7,"neutral":0,"slot":20,"loss":2.5})");
  line.loss = kInfinity;
  EXPECT_THAT(shown_line(line), HasSubstr(R"("loss":null)"));
}

// After an upgrade, a line may have one field more than the lines before it.
TEST_F(StoredFiles, TheTableHasTheNumbersOfTheLines) {
  Measurement first = measured(1), last = measured(24);
  first.loss.reset();
  for (Measurement* line : {&first, &last}) {
    line->client_accuracy.reset();
    line->worst_decile.reset();
  }
  first.epsilon = kInfinity;
  write(metrics_line(first) + "\n" + metrics_line(last) + "\n" + R"({"round":25,"accur)");
  EXPECT_EQ(metrics_table(file_),
            "round,accuracy,epsilon,check_ins,neutral,messages,seconds,loss\n"
            "1,0.30000000000000004,,7,1,10,0.7,\n"
            "24,0.30000000000000004,8.0,7,24,240,16.799999999999997,2.4000000000000004\n");
}

TEST_F(StoredFiles, TheTableOfARunThatLoggedNothingIsAHeader) {
  EXPECT_EQ(metrics_table(write("")), "round,accuracy,epsilon,check_ins,messages,seconds\n");
}

TEST_F(StoredFiles, TheTableQuotesText) {
  EXPECT_EQ(metrics_table(write(R"({"a":"x, \"y\"","b,":1})"
                                "\n")),
            "a,\"b,\"\n\"x, \"\"y\"\"\",1\n");
}

TEST_F(StoredFiles, ADamagedLineHasNoTable) {
  write("{\"round\":1}\n[1]\n");
  EXPECT_THAT(refusal([&] { metrics_table(file_); }), HasSubstr("line 2: not a JSON object"));
}

// The code that copies or writes a JSON value recurses, so a file with deeply nested brackets must be refused
// before a value is copied.
TEST_F(StoredFiles, JsonBeyondItsLimitsIsRefused) {
  const protocols::Plan plan = plan_of(kCheckIn);
  const std::string line = metrics_line(measured(24)), result = result_line(ended());
  const auto with = [](std::string json, const std::string& fields) {
    return json.insert(json.size() - 1, "," + fields) + "\n";
  };
  const auto nested = [](int depth) {  // the object around this field is one more level
    return "\"new\":" + repeated("[", depth - 1) + repeated("]", depth - 1);
  };
  std::string fields = "\"new\":{\"0\":0";
  for (int i = 1; i < 2'000; ++i) fields += fmt::format(",\"{}\":0", i);
  fields += "}";
  EXPECT_EQ(read_metrics(write(with(line, nested(100))), plan, true).size(), 1U);
  EXPECT_THAT(metrics_table(file_), HasSubstr("[[[["));
  EXPECT_TRUE(read_result(write(with(result, nested(100))), plan, checkpoint_of(24)));
  for (const auto& [beyond, why] : {std::pair(nested(101), "nested more than 100 deep"),
                                    {nested(200'000), "nested more than 100 deep"},
                                    {fields, "more than 1000 fields"}}) {
    write(with(line, beyond));
    EXPECT_THAT(refusal([&] { read_metrics(file_, plan, true); }), HasSubstr(why));
    EXPECT_THAT(refusal([&] { metrics_table(file_); }), HasSubstr(why));
    write(with(result, beyond));
    EXPECT_THAT(refusal([&] { read_result(file_, plan, checkpoint_of(24)); }), HasSubstr(why));
  }
}

TEST_F(StoredFiles, ADamagedLineOfMetricsIsNamed) {
  const protocols::Plan plan = plan_of(kCheckIn);
  const std::string first = metrics_line(measured(1)) + "\n";
  const auto with = [](Measurement line, auto change) {
    change(line);
    return metrics_line(line) + "\n";
  };
  for (const auto& [second, why] : std::vector<std::pair<std::string, std::string>>{
           {"not json\n", "not a JSON object"},
           {"[]\n", "not a JSON object"},
           {"{\"round\":2}\n", "no \"accuracy\""},
           {metrics_line(measured(2)).substr(0, 40) + "\n", "not a JSON object"},
           {metrics_line(measured(2)), "the line is cut off"},
           {first, "rounds do not increase"},
           {metrics_line(measured(25)) + "\n", "a round that the plan does not have"},
           {with(measured(2), [](Measurement& line) { line.slot = 2; }), "the plan does not have"},
           {with(measured(2), [](Measurement& line) { line.accuracy = 1.5; }), "\"accuracy\" is 1.5"},
           {with(measured(2), [](Measurement& line) { line.epsilon = -1; }), "\"epsilon\" is -1"},
           {with(measured(2), [](Measurement& line) { line.loss = -1; }), "\"loss\" is -1"},
           {with(measured(2), [](Measurement& line) { line.messages = 16; }), "fewer messages"},
           {with(measured(2), [](Measurement& line) { line.check_ins = kLargest - 5; }), "fewer messages"},
           {with(measured(2), [](Measurement& line) { line.neutral = 0; }), "does not fit the lines around"},
           {with(measured(2), [](Measurement& line) { line.seconds = kInfinity; }), "\"seconds\" is not"}}) {
    write(first + second);
    EXPECT_THAT(refusal([&] { read_metrics(file_, plan, true); }),
                ::testing::AllOf(HasSubstr("line 2: "), HasSubstr(why)))
        << second;
  }
  EXPECT_THAT(refusal([&] { read_metrics(write(first), plan_of(kSlots), true); }), HasSubstr("no \"slot\""));
}

TEST_F(StoredFiles, ALineThatIsStillBeingWrittenIsLeftOut) {
  const protocols::Plan plan = plan_of(kCheckIn);
  const std::string first = metrics_line(measured(1)) + "\n";
  write(first + metrics_line(measured(2)));
  EXPECT_EQ(read_metrics(file_, plan, false).size(), 1);
  write(first + metrics_line(measured(2)) + "\nwritten after the checkpoint");
  EXPECT_EQ(read_metrics(file_, plan, true, first.size()).size(), 1);
}

TEST_F(StoredFiles, AResultIsReadBackAsItWasWritten) {
  EXPECT_EQ(read_result(file_, plan_of(kCheckIn), checkpoint_of(24)), std::nullopt);  // no such file
  RunResult result = ended();
  EXPECT_EQ(read_result(write(result_line(result) + "\n"), plan_of(kCheckIn), checkpoint_of(24)), result);
  // Files of earlier versions lack these fields. No epsilon is proven, so it is written as null.
  result.epsilon = kInfinity;
  result.neutral.reset();
  result.clients_per_record.reset();
  result.validity.reset();
  result.neighbouring.reset();
  result.view.reset();
  result.loss.reset();
  result.client_accuracy.reset();
  result.worst_decile.reset();
  EXPECT_EQ(read_result(write(result_line(result) + "\n"), plan_of(kCheckIn), checkpoint_of(24)), result);
  result.slots = 240;
  EXPECT_EQ(read_result(write(result_line(result) + "\n"), plan_of(kSlots), checkpoint_of(240)), result);
}

TEST_F(StoredFiles, AResultHasTheDocumentedBytes) {
  RunResult result = ended();
  result.accuracy = 0.5;
  result.epsilon = kInfinity;
  result.examples_per_second = 80;
  result.out = "runs/\xff";
  result.slots = 24;
  result.loss = 0.25;
  result.client_accuracy = 0.75;
  result.worst_decile = 0.5;
  EXPECT_EQ(result_line(result),
            "{\"accuracy\":0.5,\"epsilon\":null,\"delta\":1e-05,\"rounds\":24,\"seconds\":12.5,"
            "\"examples_per_second\":80.0,\"fidelity\":\"sum\",\"stopped\":\"budget\",\"out\":\"runs/"
            "\xEF\xBF\xBD\","
            "\"neutral\":3,\"clients_per_record\":1.25,\"slots\":24,\"validity\":\"proven\","
            "\"neighbouring\":\"replace-one\",\"view\":\"shuffler-honest\",\"loss\":0.25,"
            "\"client_accuracy\":0.75,\"worst_decile\":0.5}");
}

TEST_F(StoredFiles, ADamagedResultIsNamed) {
  const std::string good = result_line(ended());
  const auto with = [&](const std::string& old, const std::string& changed) {
    std::string text = good;
    return text.replace(text.find(old), old.size(), changed);
  };
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "is empty: remove it"},
           {" \n\t\n", "is empty: remove it"},
           {good.substr(0, good.size() - 10), "corrupt: not a JSON object"},
           {with("\"seconds\"", "\"minutes\""), "corrupt: no \"seconds\""},
           {with("\"budget\"", "\"boredom\""), "corrupt: \"stopped\" has an unknown value: boredom"},
           {with("budget", "\\u001b[2J"), "corrupt: \"stopped\" has an unknown value: \\x1b[2J"},
           {with("\"sum\"", "7"), "corrupt: \"fidelity\" is not text"},
           {with("24", "-24"), "corrupt: \"rounds\" is not a count"},
           {with("1.25", "0.25"), "corrupt: \"clients_per_record\" is 0.25"},
           {with("}", ",\"slots\":24}"), "corrupt: \"slots\", which the plan does not have"},
           {with("proven", "conditional"), "corrupt: \"validity\" has an unknown value: conditional"},
           {with("shuffler-honest", "sum-only"), "states a \"view\" of another run"},
           {with("24", "18"), "states a \"rounds\" of another run"},
           {with("1e-05", "1e-09"), "states a \"delta\" of another run"},
           {with("\"sum\"", "\"message\""), "states a \"fidelity\" of another run"}}) {
    write(text);
    EXPECT_THAT(refusal([&] { read_result(file_, plan_of(kCheckIn), checkpoint_of(24)); }), HasSubstr(why));
  }
}

TEST_F(StoredFiles, APlanIsReadBackAsItWasWritten) {
  for (const protocols::Plan& plan :
       {plan_of(kCheckIn), plan_of(kSlots), plan_of(kCheckIn, "A.b-2_c"),
        plan_of("protocol = 'shuffled-check-in'\nrate = [0.05, 0.1]"),
        plan_of("protocol = 'shuffled-check-in'\nrate = 0.1\ndropout = [[1, 0.0], [9, 0.5]]"),
        plan_of("protocol = 'shuffled-check-in'\nrate = 0.1\ndropout = [[1, -0.0], [9, 0.5]]"),
        plan_of("protocol = 'shuffled-check-in'\nrate = 0.1\ndropout = " + schedule_of(11'000)),
        plan_of("protocol = 'shuffled-check-in'\nrate = 0.1\ndropout = [[1, -0.0]]")}) {
    const protocols::Plan read = read_plan(write(plan.canonical()));
    EXPECT_EQ(read.canonical(), plan.canonical());
    EXPECT_EQ(read.hash(), plan.hash());
  }
}

TEST_F(StoredFiles, ADamagedPlanIsNamed) {
  const std::string good = plan_of(kCheckIn).canonical();
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"model.kind = logistic\nname\n", "line 2: not \"key = value\""},
           {"model.kind = logistic\nmodel.colour = red\n", "line 2: no key of a plan: model.colour"},
           {good.substr(0, good.size() - 1), "not as a plan is written"},
           {good + "seed = 3\n", "not as a plan is written"},
           {repeated("name = a\n", 100), "more lines than there are keys of a plan"},
           {"name = \xff\n" + good, "is not a name for a run folder"},
           {"seed = 1\n", "not a plan that trains"}}) {
    write(text);
    EXPECT_THAT(refusal([&] { read_plan(file_); }), HasSubstr(why)) << text;
  }
}

TEST_F(StoredFiles, AnotherPlanIsRefusedNamingTheKeysThatDiffer) {
  const protocols::Plan plan = plan_of(kCheckIn);
  write(plan.canonical());
  EXPECT_NO_THROW(require_plan(file_, plan));

  const auto refused = [&](const protocols::Plan& other) {
    return error_of([&] { require_plan(file_, other); });
  };
  const Error renamed = refused(plan_of(kCheckIn, "other"));
  EXPECT_EQ(renamed.code(), ErrorCode::checkpoint);
  EXPECT_EQ(renamed.key(), file_.string());
  EXPECT_EQ(renamed.value(), "name = small");
  EXPECT_EQ(renamed.allowed(), "name = other");

  // A key that only one of the two states is named on both sides.
  const Error slots = refused(plan_of(kSlots));
  EXPECT_THAT(slots.value(), HasSubstr("no participation.slots"));
  EXPECT_THAT(slots.allowed(), HasSubstr("participation.slots = 10"));

  // A file that holds no plan is refused like the file of another plan. Six keys are named, and the others
  // are counted.
  write("");
  EXPECT_THAT(refused(plan).value(), HasSubstr("no model.kind"));
  EXPECT_THAT(refused(plan).value(), HasSubstr("and "));
  write(plan.canonical() + "seed = 3\n");
  EXPECT_THAT(error_of([&] { require_plan(file_, plan); }).code(), ErrorCode::checkpoint);
  EXPECT_ERROR(ErrorCode::file, require_plan(file_.string() + "-missing", plan));
}

// What a RunFolder writes, read_run() reads: the record holds the appended rounds and how the run ended.
TEST_F(StoredFiles, ARecordHoldsWhatTheFolderWasGiven) {
  const protocols::Plan plan = plan_of(kCheckIn);
  const fs::path folder = temporary_.path() / "run";
  Checkpoint state = checkpoint_of(24);
  state.plan_hash = plan.hash();
  state.records = 500;
  state.data = {1, 2, 3};
  state.model = ModelState({1.0f});
  RunResult result = ended();
  {
    RunFolder run(folder);
    run.begin(plan.canonical(), state);
    run.append(measured(3));
    run.append(measured(24));
    EXPECT_FALSE(read_run(folder).result);
    run.finish(result, {});
  }
  const RunRecord record = read_run(folder);
  EXPECT_EQ(record.plan.canonical(), plan.canonical());
  EXPECT_EQ(record.hash, plan.hash());
  EXPECT_EQ(record.logged, (std::vector<Measurement>{measured(3), measured(24)}));
  EXPECT_EQ(record.result, result);
  EXPECT_EQ(record.clients_per_record, 2);
  EXPECT_EQ(record.data, state.data);
  fs::remove(folder / kPlanFile);
  EXPECT_ERROR(ErrorCode::file, read_run(folder));
}

}  // namespace
}  // namespace muster::simulation
