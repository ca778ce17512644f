// Tests what must hold for every row of the table of keys: its values survive the canonical text, its range
// ends where the row says, and every field of a plan has a row and an accessor.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/core/overloaded.h"
#include "muster/plan/keys.h"
#include "muster/plan/source.h"

namespace muster::protocols {
namespace {

using testing::HasSubstr;
using Texts = std::vector<std::string>;

// Returns a value that any key of this kind accepts. A plan in which every needed key has its usual value can
// be trained.
std::string usual(const KeySpec& spec) {
  return std::visit(
      Overloaded{[](const FolderName&) { return "run"; }, [](const DataSet&) { return "csv:rows.csv"; },
                 [](const ColumnName&) { return "kind"; }, [](const Switch&) { return "true"; },
                 [](const Partitions&) { return "shuffled"; }, [](const RecordsHeld&) { return "10"; },
                 [](const Integers&) { return "10"; }, [](const auto&) { return "0.5"; }},
      spec.values);
}

// Returns different values in all forms that the kind accepts or, for choices, the names that can be trained.
// A ProfilePath goes with a randomizer that cannot be trained; profile_file_test.cc tests it.
Texts others(const KeySpec& spec) {
  return std::visit(
      Overloaded{[](const FolderName&) {
                   return Texts{"a", "A.b-2_c"};
                 },
                 [](const DataSet& data) {
                   return data.format.empty() ? Texts{"idx:a", "csv:b = c.csv", "cifar:d e", "f"}
                                              : Texts{"csv:a", "csv:b = c.csv"};
                 },
                 [](const ColumnName&) {
                   return Texts{"kind", "a = \"b\", c", "\u00e4rger"};
                 },
                 [](const Partitions&) {
                   return Texts{"shuffled", "by-label:2", "dirichlet:0.3"};
                 },
                 [](const RecordsHeld&) {
                   return Texts{"5", "user", "a = \"b\", c"};
                 },
                 [](const Switch&) {
                   return Texts{"true", "false"};
                 },
                 [](const ProfilePath&) { return Texts{}; }, [](const Integers&) { return Texts{"5"}; },
                 [](const Numbers&) {
                   return Texts{"0.25", "0.30000000000000004"};
                 },
                 [](const Rates&) {
                   return Texts{"0.25", "0.1:0.25"};
                 },
                 [](const Schedules&) {
                   return Texts{"0.25", "[[1, 0.25], [3, 0.1]]"};
                 },
                 [](const LearningRates&) {
                   return Texts{"0.25", "[[1, 0.25], [3, 0.1]]", "inverse-sqrt:0.1"};
                 },
                 [](const Choices& choices) {
                   Texts names;
                   for (const Choice& option : choices.options()) {
                     if (option.works_with(Command::train)) {
                       names.emplace_back(option.name);
                     }
                   }
                   return names;
                 }},
      spec.values);
}

// States the key by a flag or, if it has no flag, in a file.
void state(PlanSource& source, const KeySpec& spec, const std::string& text) {
  if (spec.flag.empty()) {
    ASSERT_TRUE(source.entries().empty()) << "a key without a flag is stated first";
    source = PlanSource::from_text(fmt::format("{} = \"{}\"\n", spec.key, text), "t");
  } else {
    source.override_key(spec.key, text);
  }
}

// Returns a source for training in which the key applies and has the value `text`, and every needed key is
// stated.
PlanSource source_with(const KeySpec& spec, const std::string& text) {
  const auto first = [](const KeySpec::Names& names, const char* otherwise) {
    return names.empty() ? std::string(otherwise) : std::string(names.front());
  };
  std::map<std::string, std::string> deciding = {
      {"participation.protocol", first(spec.protocols, "shuffled-check-in")},
      {"randomizer.kind", first(spec.randomizers, "ldp-sgd")}};
  if (deciding.contains(std::string(spec.key))) {
    deciding[std::string(spec.key)] = text;
  }
  if (spec.key.starts_with("rounds.local_")) {  // local_steps and local_rate need each other
    deciding["rounds.local_steps"] = spec.key == "rounds.local_steps" ? text : "5";
    deciding["rounds.local_rate"] = spec.key == "rounds.local_rate" ? text : "0.5";
  }
  const std::string& randomizer = deciding["randomizer.kind"];
  const char* model = randomizer == "k-rr" ? "histogram" : randomizer == "laplace" ? "mean" : "cnn";
  deciding["model.kind"] = spec.key == "model.kind" ? text : first(spec.models, model);

  PlanSource source;
  state(source, spec, text);
  for (const KeySpec& other : plan_keys()) {
    const bool applies = other.applies_to(deciding["participation.protocol"], deciding["randomizer.kind"],
                                          deciding["model.kind"]);
    if (const auto choice = deciding.find(std::string(other.key)); choice != deciding.end()) {
      source.override_key(other.key, choice->second);
    } else if (other.needed != Needed::no && applies && other.key != spec.key) {
      source.override_key(other.key, usual(other));
    }
  }
  return source;
}

Plan trained(const PlanSource& source) { return Plan::validate(source, Command::train); }

TEST(PlanKeyTable, EveryValueSurvivesTheCanonicalText) {
  for (const KeySpec& spec : plan_keys()) {
    for (const std::string& text : others(spec)) {
      const Plan plan = trained(source_with(spec, text));
      const Plan again = trained(PlanSource::from_canonical(plan.canonical(), "plan.txt"));
      EXPECT_EQ(again.canonical(), plan.canonical()) << spec.key << " = " << text;
      EXPECT_EQ(again.hash(), plan.hash()) << spec.key << " = " << text;
    }
  }
}

TEST(PlanKeyTable, EveryValueIsInTheCanonicalTextAndInTheHash) {
  for (const KeySpec& spec : plan_keys()) {
    std::set<std::string> hashes;
    for (const std::string& text : others(spec)) {
      const Plan plan = trained(source_with(spec, text));
      if (text != spec.shown_default()) {
        EXPECT_THAT("\n" + plan.canonical(), HasSubstr(fmt::format("\n{} = ", spec.key))) << text;
      }
      EXPECT_TRUE(hashes.insert(plan.hash()).second) << spec.key << " = " << text;
    }
  }
}

// Reading a value by one row changes what that row writes, and nothing that other rows write.
TEST(PlanKeyTable, EveryRowHasAFieldOfItsOwn) {
  const auto written = [](const KeySpec& spec, const PlanValues& values) {
    return std::visit([&](const auto& kind) { return kind.write(values); }, spec.values);
  };
  for (const KeySpec& spec : plan_keys()) {
    for (const std::string& text : others(spec)) {
      PlanSource source;
      state(source, spec, text);
      PlanValues values;
      spec.read(*source.find(spec.key), Command::train, values);
      for (const KeySpec& other : plan_keys()) {
        const bool same = written(other, values) == written(other, PlanValues{});
        EXPECT_TRUE(same || other.key == spec.key) << spec.key << " = " << text << " fills " << other.key;
        EXPECT_TRUE(!same || other.key != spec.key || text == written(spec, PlanValues{}))
            << spec.key << " = " << text << " fills nothing";
      }
    }
  }
}

TEST(PlanKeyTable, EveryFieldHasARowAndAnAccessor) {
  const auto content = [](const char* path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string header = content("src/muster/plan/plan.h");
  const std::string table = content("src/muster/plan/key_table.cc");
  const std::size_t begin = header.find("struct PlanValues {");
  ASSERT_NE(begin, std::string::npos);
  const std::string fields = header.substr(begin, header.find("\n};", begin) - begin);
  std::istringstream lines(fields);
  int found = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ") || line.starts_with("  //")) continue;
    const std::string declared = line.substr(0, line.find_first_of(";={"));  // the type and the name
    const std::size_t last = declared.find_last_not_of(' ');
    const std::size_t space = declared.rfind(' ', last);
    const std::string name = declared.substr(space + 1, last - space);
    const std::string use = "&PlanValues::" + name;
    const std::size_t used = table.find(use);
    ASSERT_NE(used, std::string::npos) << name << " is in no row";
    EXPECT_THAT("},", ::testing::HasSubstr(table.substr(used + use.size(), 1))) << name << " is in no row";
    EXPECT_THAT(header, ::testing::HasSubstr(fmt::format(" {0}() const {{ return values_.{0}; }}", name)))
        << name << " cannot be read";
    ++found;
  }
  EXPECT_GT(found, 30);
}

bool accepts(const KeySpec& spec, const std::string& text, Command command = Command::train) {
  PlanSource source;
  source.override_key(spec.key, text);
  PlanValues values;
  try {
    spec.read(*source.find(spec.key), command, values);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::plan);
    EXPECT_EQ(error.key(), spec.key);
    EXPECT_EQ(error.allowed(), spec.allowed(command));
    EXPECT_THAT(error.what(), HasSubstr("is out of range")) << text;
    return false;
  }
  return true;
}

void expect_ends(const KeySpec& spec, const Integers& integers) {
  EXPECT_TRUE(accepts(spec, fmt::format("{}", integers.min))) << spec.key;
  EXPECT_TRUE(accepts(spec, fmt::format("{}", integers.max))) << spec.key;
  if (integers.min > 0) {
    EXPECT_FALSE(accepts(spec, fmt::format("{}", integers.min - 1))) << spec.key;
  }
  if (integers.max < std::numeric_limits<std::uint64_t>::max()) {
    EXPECT_FALSE(accepts(spec, fmt::format("{}", integers.max + 1))) << spec.key;
  }
}

// `pattern` is the format by which a number becomes a value, such as "{}" or "[[1, 0.5], [2, {}]]".
void expect_ends(const KeySpec& spec, const Interval& range, const char* pattern) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto takes = [&](double number) { return accepts(spec, fmt::format(fmt::runtime(pattern), number)); };
  EXPECT_EQ(takes(range.low), range.low_included) << spec.key << pattern;
  EXPECT_TRUE(takes(std::nextafter(range.low, kInfinity))) << spec.key << pattern;
  EXPECT_FALSE(takes(std::nextafter(range.low, -kInfinity))) << spec.key << pattern;
  EXPECT_TRUE(takes(std::nextafter(range.high, -kInfinity))) << spec.key << pattern;
  if (range.high < kInfinity) {
    EXPECT_EQ(takes(range.high), range.high_included) << spec.key << pattern;
    EXPECT_FALSE(takes(std::nextafter(range.high, kInfinity))) << spec.key << pattern;
  }
}

TEST(PlanKeyTable, EveryRangeEndsWhereTheRowSays) {
  for (const KeySpec& spec : plan_keys()) {
    std::visit(Overloaded{[&](const Integers& kind) { expect_ends(spec, kind); },
                          [&](const Numbers& kind) { expect_ends(spec, kind.range, "{}"); },
                          [&](const Rates& kind) {
                            expect_ends(spec, kind.range, "{}");
                            expect_ends(spec, kind.range, "{0}:{0}");
                            expect_ends(spec, kind.range, "[{0}, {0}]");
                          },
                          [&](const Schedules& kind) {
                            expect_ends(spec, kind.range, "{}");
                            expect_ends(spec, kind.range, "[[1, 0.5], [2, {}]]");
                          },
                          [](const auto&) {}},
               spec.values);
  }
}

TEST(PlanKeyTable, EveryChoiceIsReadAndOthersAreRefused) {
  for (const KeySpec& spec : plan_keys()) {
    for (const Choice& option : spec.choices()) {
      EXPECT_TRUE(accepts(spec, std::string(option.name), Command::account)) << option.name;
      PlanSource source;
      source.override_key(spec.key, std::string(option.name) + "-");
      PlanValues values;
      EXPECT_ERROR(ErrorCode::plan, spec.read(*source.find(spec.key), Command::account, values))
          << option.name;
    }
  }
}

}  // namespace
}  // namespace muster::protocols
