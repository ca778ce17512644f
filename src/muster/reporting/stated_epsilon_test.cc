// Checks how the epsilons stated in a run's files are compared with today's. The epsilons of logged rounds
// are computed on several threads, so the thread sanitizer runs this test, too.
#include "muster/reporting/stated_epsilon.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/plan/source.h"

namespace muster::reporting {
namespace {

using simulation::Measurement;
using ::testing::HasSubstr;

constexpr std::uint64_t kRounds = 200;

protocols::Plan plan() {
  const char* text =
      "[population]\nclients = 1000\ndata = 'digits'\n"
      "[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.1\n"
      "[randomizer]\nkind = 'ldp-sgd'\nepsilon0 = 2\nclip = 1\n"
      "[rounds]\ncount = 200\nlearning_rate = 0.1\n"
      "[model]\nkind = 'logistic'\n[privacy]\ndelta = 1e-5\n";
  return protocols::Plan::validate(protocols::PlanSource::from_text(text, "plan.toml"),
                                   protocols::Command::train);
}

double today(std::uint64_t rounds) { return 3 + 0.01 * static_cast<double>(rounds); }

// Returns one line for each round, which states today's epsilon.
std::vector<Measurement> logged() {
  std::vector<Measurement> lines;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    lines.push_back({.round = round, .epsilon = today(round)});
  }
  return lines;
}

std::uint64_t restated(std::vector<Measurement>& lines, const EpsilonOfRounds& epsilon = today) {
  return restate(plan(), epsilon, "run/metrics.jsonl", lines, [](const std::string&) {});
}

TEST(StatedEpsilon, LargerValuesAreReplacedAndCounted) {
  std::vector<Measurement> lines = logged();
  for (const std::size_t larger : {0U, 41U, 199U}) lines[larger].epsilon *= 1 + 1e-6;
  lines[7].epsilon = std::numeric_limits<double>::infinity();
  lines[8].epsilon *= 1 + 1e-10;  // a rounding difference between machines
  EXPECT_EQ(restated(lines), 4U);
  for (const Measurement& line : lines) EXPECT_EQ(line.epsilon, today(line.round));
}

TEST(StatedEpsilon, ASmallerValueIsRefusedNamingTheLine) {
  for (const double stated : {0.0, 2.0, 3.419}) {
    std::vector<Measurement> lines = logged();
    lines[41].epsilon = stated;
    SCOPED_TRACE(stated);
    const Error error = error_of([&] { restated(lines); });
    EXPECT_EQ(error.code(), ErrorCode::file);
    EXPECT_EQ(error.key(), "run/metrics.jsonl");
    EXPECT_THAT(error.what(), HasSubstr("line 42"));
  }
}

TEST(StatedEpsilon, WhereNothingIsProvenNoNumberIsBelieved) {
  const auto none = [](std::uint64_t) { return std::numeric_limits<double>::infinity(); };
  std::vector<Measurement> lines = logged();
  EXPECT_ERROR(ErrorCode::file, restated(lines, none));
}

TEST(StatedEpsilon, WhatTheAccountantThrowsIsThrown) {
  const auto fails = [](std::uint64_t rounds) {
    if (rounds == 100) throw Error(ErrorCode::internal, "rounds", "100", "", "cannot be answered");
    return today(rounds);
  };
  std::vector<Measurement> lines = logged();
  EXPECT_ERROR(ErrorCode::internal, restated(lines, fails));
}

}  // namespace
}  // namespace muster::reporting
