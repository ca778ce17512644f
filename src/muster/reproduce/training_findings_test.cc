// Tests that a training other than the paper's experiment limits the verdicts, and that the figure says so.
#include "muster/reproduce/training_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "muster/reproduce/accuracy_curves.h"

namespace muster::reproduce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Trainer trainer(const std::string& data, double scale) {
  TrainerSettings settings;
  settings.data = data;
  settings.scale = scale;
  return {settings, nullptr, nullptr};
}

Trained trained(const Trainer& by) {
  const Training training{.plan = "000-ldp-sgd", .seeds = 2};
  return {training,
          by.full_plan(training),
          {{.round = 100, .step = 100, .epsilon = 0.5, .accuracies = {0.6, 0.8}},
           {.round = 200, .step = 200, .epsilon = 0.7, .accuracies = {0.9, 0.9}}}};
}

TEST(TrainingFindings, HoldOnlyInThePapersExperiment) {
  EXPECT_EQ(finding_on_accuracy(trainer("idx:a", 1), "c", true, "Found.").verdict, Verdict::holds);
  const Finding digits = finding_on_accuracy(trainer("", 1), "c", true, "Found.");
  EXPECT_EQ(digits.verdict, Verdict::holds_with_a_note);
  EXPECT_THAT(digits.found, HasSubstr("built-in digits"));
  const Finding shorter = finding_on_accuracy(trainer("idx:a", 0.1), "c", true, "Found.");
  EXPECT_EQ(shorter.verdict, Verdict::holds_with_a_note);
  EXPECT_THAT(shorter.found, HasSubstr("a fraction 0.1 of the rounds"));
}

TEST(TrainingFindings, AreNeverFalseBecauseOfAShortTraining) {
  for (const char* data : {"", "idx:a"}) {
    EXPECT_EQ(finding_on_accuracy(trainer(data, 0.1), "c", false, "").verdict, Verdict::not_reproduced);
    EXPECT_EQ(finding_on_epsilons(trainer(data, 0.1), "c", false, "").verdict, Verdict::not_reproduced);
    EXPECT_EQ(finding_on_epsilons(trainer(data, 0.1), "c", true, "").verdict, Verdict::holds_with_a_note);
  }
  // Epsilons do not depend on the data.
  EXPECT_EQ(finding_on_epsilons(trainer("", 1), "c", true, "").verdict, Verdict::holds);
  EXPECT_EQ(finding_on_epsilons(trainer("", 1), "c", false, "").verdict, Verdict::is_false);
}

TEST(TrainingFindings, AFigureSaysInWhatItDiffersFromThePaper) {
  PaperFigure figure;
  add_training(figure, trainer("", 0.1), trained(trainer("", 0.1)));
  EXPECT_THAT(figure.differences,
              ElementsAre(HasSubstr("of 6,800 rounds (--scale 0.1)"), HasSubstr("built-in digits")));
  PaperFigure full;
  add_training(full, trainer("idx:a", 1), trained(trainer("idx:a", 1)));
  EXPECT_THAT(full.differences, IsEmpty());
}

accounting::Bound bound_of_test(const char* id, std::optional<double> upper, double lower) {
  accounting::Bound bound;
  bound.id = id;
  bound.upper = upper;
  bound.lower = lower;
  return bound;
}

TEST(AccuracyCurves, HaveTheMeanAndTheRangeOfTheSeeds) {
  const Trained both = trained(trainer("", 1));
  const std::vector<Curve> own = accuracy_against_own("a", "b", both, [](std::uint64_t rounds) {
    const accounting::Bound best = bound_of_test(rounds == 200 ? "other-proof" : "proof", 9, 0.25);
    return accounting::Statement{.question = {accounting::Question::Kind::epsilon_at_delta, 1e-5},
                                 .rounds = rounds,
                                 .best = best,
                                 .local_upper = std::nullopt,
                                 .local_rounds = rounds,
                                 .all = {best, bound_of_test("pair", std::nullopt, 0.25),
                                         bound_of_test("worse-pair", std::nullopt, 0.125)}};
  });
  const Curve& curve = own[0];
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_EQ(curve.points[0].bound, "proof");
  EXPECT_EQ(curve.points[1].bound, "other-proof");
  ASSERT_EQ(own[1].points.size(), 2U);
  EXPECT_EQ(own[1].kind, Kind::lower);
  EXPECT_EQ(own[1].points[0].x, 0.25);
  EXPECT_EQ(own[1].points[0].bound, "pair");
  EXPECT_EQ(curve.points[0].x, 0.5);
  EXPECT_DOUBLE_EQ(*curve.points[0].value, 0.7);
  EXPECT_EQ(curve.points[0].spread->low, 0.6);
  EXPECT_EQ(accuracy_by_round("a", both).points[1].x, 200);
  // A round for which the accounting has no epsilon has no point.
  const Curve half = accuracy_against_epsilon("a", Kind::published, both, [](std::uint64_t rounds) {
    accounting::Bound bound;
    if (rounds == 200) bound.upper = 3;
    return bound;
  });
  ASSERT_EQ(half.points.size(), 1U);
  EXPECT_EQ(half.points[0].x, 3);
  EXPECT_EQ(first_reaching(both, 0.75)->round, 200U);
  EXPECT_EQ(first_reaching(both, 0.95), nullptr);
}

}  // namespace
}  // namespace muster::reproduce
