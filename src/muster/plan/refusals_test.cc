// Tests that every key refuses every wrong value, with an error that names the position, the key, the value
// and the allowed range.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <set>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/keys.h"
#include "muster/plan/plan.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

using testing::HasSubstr;
using Lines = std::map<std::string, std::string>;  // the TOML literal of each key

Lines ldp_sgd_plan() {
  return {{"name", "\"tiny\""},
          {"seed", "1"},
          {"population.clients", "600"},
          {"population.data", "\"digits\""},
          {"participation.protocol", "\"shuffled-check-in\""},
          {"participation.rate", "0.1"},
          {"randomizer.kind", "\"ldp-sgd\""},
          {"randomizer.epsilon0", "2.0"},
          {"randomizer.clip", "0.1"},
          {"rounds.count", "68"},
          {"rounds.learning_rate", "1.0"},
          {"model.kind", "\"cnn\""},
          {"privacy.delta", "1e-5"}};
}

Lines gaussian_plan() {
  Lines lines = ldp_sgd_plan();
  lines.erase("randomizer.epsilon0");
  lines["randomizer.kind"] = "\"gaussian\"";
  lines["randomizer.sigma"] = "5";
  return lines;
}

// Returns the text of a plan. The key under test is written last, so that its line is known.
std::string written(Lines lines, const std::string& key, const std::string& literal) {
  lines.erase(key);
  std::string text;
  for (const auto& [other, value] : lines) {
    text += fmt::format("{} = {}\n", other, value);
  }
  return text + fmt::format("{} = {}\n", key, literal);
}

Plan read(const std::string& text) {
  return Plan::validate(PlanSource::from_text(text, "bad.toml"), Command::train);
}

const std::vector<std::string> kNotNumbers = {"true",    "\"0.5\"", "1979-05-27", "[]",
                                              "{a = 1}", "nan",     "inf",        "-inf"};
const std::vector<std::string> kNotIntegers = {"true", "\"many\"", "1979-05-27", "[1]", "{a = 1}", "nan",
                                               "inf",  "1.5",      "600.0",      "1e6", "-1"};
const std::vector<std::string> kNotBooleans = {"0", "1", "1.5", "\"true\"", "[true]", "{a = true}", "nan"};
const std::vector<std::string> kNotTexts = {"true", "1", "1.5", "[\"a\"]", "nan", "07:32:00", "\"\""};

struct Case {
  std::string key;
  std::vector<std::string> more;  // literals that must be refused, besides those of a wrong type
  bool gaussian = false;
};

const std::vector<Case> kNumbers = {
    {"participation.rate",
     {"0", "-0.1", "1.0000000000000002", "[0.2, 0.1]", "[0.1]", "[0, 0.1]", "[0.1, 1.1]", "[0.1, nan]",
      "[0.1, \"0.2\"]", "[0.1, 0.2, 0.3]", "\"0.1:0.2\""}},
    {"participation.dropout",
     {"-0.1", "1", "1.5", "[[2, 0.1]]", "[[1, 0.1], [1, 0.2]]", "[[1, 1]]", "[[1, 0.1], [9, -0.1]]", "[[1]]",
      "[[1, nan]]", "[1, 0.5]", "[[1.5, 0.5]]"}},
    {"randomizer.epsilon0", {"0", "-2", "-0.0"}},
    {"randomizer.clip", {"0", "-1"}},
    {"randomizer.sigma", {"0", "-5"}, true},
    {"rounds.learning_rate",
     {"0", "-1", "\"inverse-sqrt:0\"", "\"inverse-sqrt:x\"", "\"inverse-sqrt:\"", "[[2, 1.0]]",
      "[[1, 1.0], [1, 0.5]]", "[[1, 0]]", "[[1.5, 1.0]]", "[[1]]", "[[1, nan]]", "[1, 1.0]", "[[0, 1.0]]",
      "[[1, \"a\"]]"}},
    {"rounds.momentum", {"-0.1", "1"}},
    {"rounds.average", {"-0.1", "1"}},
    {"rounds.projection", {"0", "-1"}},
    {"rounds.weight_decay", {"-1e-300"}},
    {"rounds.local_rate", {"0", "-1", "0.1"}},
    {"privacy.delta", {"0", "1", "-1e-5", "2"}},
    {"privacy.budget", {"0", "-1"}}};
const std::vector<Case> kIntegers = {{"seed", {}},
                                     {"population.clients", {"0", "1000000000001"}},
                                     {"population.records", {"0", "1000001"}},
                                     {"rounds.count", {}},
                                     {"rounds.local_steps", {}},
                                     {"rounds.local_batch", {"0", "4"}},
                                     {"rounds.log_every", {"0"}},
                                     {"rounds.checkpoint_every", {"0"}}};
const std::vector<Case> kBooleans = {{"population.share", {}}};
const std::vector<Case> kTexts = {
    {"name", {"\".\"", "\"..\"", "\".hidden\"", "\"a/b\"", "\"a b\"", "\"caf\u00e9\"", "\"a\\u0000b\""}},
    {"population.data", {"\"csv:\"", "\"cifar:\"", "\"idx:\"", "\"tsv:a.tsv\"", "\"http://x\"", "\"a\\nb\""}},
    {"population.partition",
     {"\"random\"", "\"by-label\"", "\"by-label:0\"", "\"by-label:1.5\"", "\"by-label:2 \"",
      "\"by-label:-1\"", "\"by-label:1000001\"", "\"dirichlet:0\"", "\"dirichlet:-1\"", "\"dirichlet:\"",
      "\"dirichlet:nan\"", "\"dirichlet:inf\"", "\"dirichlet:9e-7\"", "\"dirichlet:1e7\"", "\"shuffled:2\""}},
    {"population.label", {"\" kind\"", "\"kind \"", "\"a\\nb\"", "\"a\\u0000\"", "\"kind\""}},
    {"population.split", {"\"\\t\"", "\"part\""}},
    {"population.test_data", {"\"csv:\"", "\"digits\"", "\"idx:a\"", "\"test.csv\"", "\"csv:test.csv\""}},
    {"participation.protocol", {"\"Shuffled-check-in\"", "\"poisson\"", "\"random-check-in\""}},
    {"randomizer.kind", {"\"pure\"", "\"laplace\"", "\"LDP-SGD\"", "\"gauss\""}},
    {"model.kind", {"\"resnet\"", "\"MLP\""}},
    {"model.activation", {"\"sigmoid\"", "\"ReLU\""}}};
// These keys are known, but they do not apply to the protocol, the randomizer or the model of ldp_sgd_plan().
const std::vector<Case> kInapplicable = {
    {"participation.subset", {"10"}}, {"participation.slots", {"10"}},
    {"participation.minimum", {"1"}}, {"randomizer.k", {"2"}},
    {"rounds.batch", {"1"}},          {"model.public_data", {"\"digits\""}},
    {"model.pretrain_epochs", {"1"}}, {"randomizer.profile", {"\"a.csv\""}}};

void expect_refused(const Case& bad, const std::string& literal) {
  const std::string text = written(bad.gaussian ? gaussian_plan() : ldp_sgd_plan(), bad.key, literal);
  const auto line = std::count(text.begin(), text.end(), '\n');
  SCOPED_TRACE(::testing::Message() << bad.key << ' ' << literal);
  const Error error = error_of([&] { read(text); });
  EXPECT_EQ(error.code(), ErrorCode::plan) << error.what();
  EXPECT_EQ(error.key(), bad.key) << error.what();
  EXPECT_NE(error.allowed(), "") << error.what();
  EXPECT_THAT(error.what(), HasSubstr(fmt::format("bad.toml, line {}, column", line))) << literal;
  if (literal != "\"\"" && literal.front() != '"' && literal.find_first_of(".e[{T") == std::string::npos) {
    EXPECT_EQ(error.value(), literal);
  }
}

void expect_all_refused(const std::vector<Case>& cases, const std::vector<std::string>& wrong_types) {
  for (const Case& bad : cases) {
    for (const std::string& literal : wrong_types) {
      expect_refused(bad, literal);
    }
    for (const std::string& literal : bad.more) {
      expect_refused(bad, literal);
    }
  }
}

TEST(PlanRefusals, Numbers) { expect_all_refused(kNumbers, kNotNumbers); }
TEST(PlanRefusals, Integers) { expect_all_refused(kIntegers, kNotIntegers); }
TEST(PlanRefusals, Booleans) { expect_all_refused(kBooleans, kNotBooleans); }
TEST(PlanRefusals, Texts) { expect_all_refused(kTexts, kNotTexts); }
TEST(PlanRefusals, KeysThatDoNotApply) { expect_all_refused(kInapplicable, {}); }

TEST(PlanRefusals, EveryKeyIsInThisTest) {
  std::set<std::string_view> tested;
  for (const auto* cases : {&kNumbers, &kIntegers, &kBooleans, &kTexts, &kInapplicable}) {
    for (const Case& bad : *cases) {
      tested.insert(bad.key);
    }
  }
  for (const KeySpec& spec : plan_keys()) {
    EXPECT_TRUE(tested.contains(spec.key)) << spec.key;
  }
}

std::string refusal(const Lines& lines, const std::string& key, const std::string& literal) {
  try {
    read(written(lines, key, literal));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PlanRefusals, EveryWordOfTheMessageHelps) {
  EXPECT_EQ(
      refusal(ldp_sgd_plan(), "participation.rate", "0"),
      "participation.rate = 0 (bad.toml, line 13, column 22) is out of range; allowed: number in (0, 1], "
      "or [lo, hi] (as a flag lo:hi)");
  EXPECT_EQ(refusal(ldp_sgd_plan(), "population.clients", "1e6"),
            "population.clients = 1000000 (bad.toml, line 13, column 22) is a floating-point number, not an "
            "integer: write 1000000; allowed: integer 1..1e12");
  EXPECT_EQ(
      refusal(ldp_sgd_plan(), "randomizer.sigma", "5"),
      "randomizer.sigma = 5 (bad.toml, line 14, column 20) does not apply to protocol shuffled-check-in "
      "with randomizer ldp-sgd; allowed: randomizer gaussian");
  EXPECT_EQ(
      refusal(gaussian_plan(), "randomizer.epsilon0", "5"),
      "randomizer.epsilon0 = 5 (bad.toml, line 14, column 23) does not apply to protocol "
      "shuffled-check-in with randomizer gaussian; allowed: randomizer ldp-sgd | l1 | l2 | linf | k-rr | "
      "laplace | pure");
  EXPECT_EQ(refusal(ldp_sgd_plan(), "randomizer.kind", "\"laplace\""),
            "randomizer.kind = laplace (bad.toml, line 13, column 19) is for the mean of one number, not for "
            "cnn; allowed: ldp-sgd | gaussian | l1 | l2 | linf");
  EXPECT_EQ(refusal(ldp_sgd_plan(), "randomizer.kind", "\"gausian\""),
            "randomizer.kind = gausian (bad.toml, line 13, column 19) is unknown; did you mean gaussian? "
            "Allowed: ldp-sgd | gaussian | l1 | l2 | linf | k-rr | laplace");
  EXPECT_EQ(
      refusal(ldp_sgd_plan(), "participation.protocol", "\"subsets\""),
      "participation.protocol = subsets (bad.toml, line 13, column 26) is unknown; did you mean subset? "
      "Allowed: shuffle | subset | shuffled-check-in | random-check-in-fixed | "
      "random-check-in-averaged | random-check-in-sliding | aggregated-check-in");
  EXPECT_EQ(refusal(ldp_sgd_plan(), "model.public_data", "\"digits\""),
            "model.public_data = digits (bad.toml, line 14, column 21) does not apply to model cnn; allowed: "
            "model features+linear");
  EXPECT_EQ(
      refusal(ldp_sgd_plan(), "participation.rate", "[0.2, 0.1]"),
      "participation.rate = [0.2, 0.1] (bad.toml, line 13, column 22) is a range whose lowest rate does "
      "not come first; allowed: number in (0, 1], or [lo, hi] (as a flag lo:hi)");
}

// Conditions on several keys are checked by code that knows only the values. The errors must name the place
// all the same.
TEST(PlanRefusals, ConditionsOnSeveralKeysNameThePlaceToo) {
  const auto with = [](const char* protocol, const Lines& more) {
    Lines lines = ldp_sgd_plan();
    lines["participation.protocol"] = protocol;
    if (std::string(protocol) == "\"subset\"") lines.erase("participation.rate");
    lines.insert(more.begin(), more.end());
    return lines;
  };
  EXPECT_EQ(refusal(with("\"subset\"", {}), "participation.subset", "5000"),
            "participation.subset = 5000 (bad.toml, line 13, column 24) is out of range; allowed: integer "
            "1..600");
  EXPECT_EQ(refusal(with("\"aggregated-check-in\"", {}), "participation.minimum", "601"),
            "participation.minimum = 601 (bad.toml, line 14, column 25) is out of range; allowed: integer "
            "1..600");
  EXPECT_EQ(
      refusal(with("\"random-check-in-fixed\"", {{"participation.slots", "10"}}), "rounds.batch", "3"),
      "rounds.batch = 3 (bad.toml, line 15, column 16) makes a step reach into the next run; allowed: a "
      "divisor of participation.slots = 10");
  EXPECT_THAT(refusal(with("\"random-check-in-sliding\"", {}), "participation.slots", "601"),
              HasSubstr("participation.slots = 601 (bad.toml, line 14, column 23) is a window longer"));
  // If a flag states the value, the error names the flag instead of a line.
  PlanSource source =
      PlanSource::from_text(written(with("\"subset\"", {}), "participation.subset", "500"), "bad.toml");
  source.override_key("population.clients", "100");
  EXPECT_THAT(error_of([&] { Plan::validate(source, Command::train); }).what(),
              HasSubstr("participation.subset = 500 (bad.toml, line 13, column 24) is out"));
  source.override_key("participation.subset", "101");
  const Error error = error_of([&] { Plan::validate(source, Command::account); });
  EXPECT_THAT(error.what(), testing::StartsWith("participation.subset = 101 (--subset) is out of range;"));
  EXPECT_EQ(error.key(), "participation.subset");
  EXPECT_EQ(error.value(), "101");
  EXPECT_EQ(error.allowed(), "integer 1..100");
  EXPECT_EQ(error.reason(), Reason::out_of_range);
}

// In code, a plan is made before any command uses it, so the error says that a plan needs the key.
TEST(PlanRefusals, AMissingKeyIsNeededByTheCommandOrByAPlan) {
  PlanSource source;
  const auto refused = [&source] {
    return std::string(error_of([&] { Plan::validate(source, Command::account); }).what());
  };
  EXPECT_THAT(refused(), HasSubstr("is missing: account needs it; set it in the plan or with --"));
  source.name_arguments();
  EXPECT_THAT(refused(), HasSubstr("is missing: a plan needs it; set it in the plan or with protocol="));
}

// The reason of an Error is an enumerator, so that a program need not read the message.
TEST(PlanRefusals, StateTheirReason) {
  struct Refused {
    const char* key;
    const char* literal;
    Reason reason;
  };
  for (const Refused& refused :
       std::initializer_list<Refused>{{"participation.rates", "0.1", Reason::unknown},
                                      {"participation.protocol", "\"subsets\"", Reason::unknown},
                                      {"population.data", "\"zip:a\"", Reason::unknown},
                                      {"participation.rate", "true", Reason::wrong_type},
                                      {"population.clients", "1.5", Reason::wrong_type},
                                      {"population.clients", "-1", Reason::out_of_range},
                                      {"participation.rate", "1.5", Reason::out_of_range},
                                      {"participation.rate", "nan", Reason::out_of_range},
                                      {"participation.rate", "[0.2, 0.1]", Reason::malformed},
                                      {"participation.dropout", "[[1]]", Reason::malformed},
                                      {"rounds.learning_rate", "\"inverse-sqrt:\"", Reason::malformed},
                                      {"participation.subset", "5", Reason::inapplicable},
                                      {"model.public_data", "\"digits\"", Reason::inapplicable}}) {
    const Error error = error_of([&] { read(written(ldp_sgd_plan(), refused.key, refused.literal)); });
    EXPECT_EQ(error.reason(), refused.reason) << error.what();
    EXPECT_EQ(error.key(), refused.key);
  }
  Lines lines = ldp_sgd_plan();
  lines.erase("privacy.delta");
  EXPECT_EQ(error_of([&] { read(written(lines, "seed", "1")); }).reason(), Reason::missing);
  EXPECT_EQ(error_of([&] { read("seed = ["); }).reason(), Reason::malformed);
  lines = ldp_sgd_plan();
  lines["model.kind"] = "\"features+linear\"";
  lines["population.data"] = "\"idx:a\"";
  EXPECT_EQ(error_of([&] { read(written(lines, "model.public_data", "\"idx:a\"")); }).reason(),
            Reason::contradiction);
}

TEST(PlanRefusals, UnknownKeysSuggestTheNearest) {
  for (const auto& [wrong, right] : Lines{{"population.client", "population.clients"},
                                          {"participation.rates", "participation.rate"},
                                          {"rounds.rate", "participation.rate"},
                                          {"epsilon0", "randomizer.epsilon0"},
                                          {"delta", "privacy.delta"},
                                          {"privcy.delta", "privacy.delta"},
                                          {"nome", "name"}}) {
    EXPECT_THAT(refusal(ldp_sgd_plan(), wrong, "1"),
                HasSubstr("is an unknown key; did you mean " + right + "?"));
  }
  for (const char* wrong : {"population.zzzzzzzzzzzzzz", "entirely.different.thing", "xylophones"}) {
    EXPECT_THAT(refusal(ldp_sgd_plan(), wrong, "1"),
                testing::AllOf(HasSubstr("unknown key"), testing::Not(HasSubstr("did you mean"))));
  }
  EXPECT_THAT(refusal({}, "extra", "{}"),
              testing::AllOf(testing::StartsWith("extra = {} ("), HasSubstr(") is an unknown key")));
}

TEST(PlanRefusals, ASectionThatIsNoTable) {
  Lines lines = ldp_sgd_plan();
  std::erase_if(lines, [](const auto& line) { return line.first.starts_with("privacy"); });
  EXPECT_THAT(refusal(lines, "privacy", "3"),
              testing::AllOf(testing::StartsWith("privacy = 3 ("), HasSubstr(") is an unknown key")));
}

// Draws doubles at random: each is read exactly as written, and refused if and only if it is out of range.
TEST(PlanRefusals, RatesAreAcceptedExactlyInTheirRange) {
  const bool held = rc::check("0 < rate <= 1", [] {
    const double rate =
        *rc::gen::oneOf(rc::gen::arbitrary<double>(),
                        rc::gen::map(rc::gen::inRange(-2000, 3000), [](int n) { return n / 1000.0; }));
    std::string literal = fmt::format("{}", rate);
    literal += literal.find_first_of(".e") == std::string::npos ? ".0" : "";
    const std::string text = written(ldp_sgd_plan(), "participation.rate", literal);
    if (rate > 0 && rate <= 1) {
      RC_ASSERT(read(text).rate() == rate);
    } else {
      RC_ASSERT_THROWS_AS(read(text), Error);
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace muster::protocols
