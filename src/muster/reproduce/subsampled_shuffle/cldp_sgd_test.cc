// Tests what Figure 3 says about trainings that are made by hand, and the composition that it draws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "muster/papers/published/published_subset.h"
#include "muster/reproduce/made_trainings_test.h"
#include "muster/reproduce/subsampled_shuffle/clones_composed.h"
#include "muster/reproduce/subsampled_shuffle/subsampled_shuffle.h"

namespace muster::reproduce {
namespace {

using testing::expect_whole;
using testing::finding_of;
using ::testing::HasSubstr;
using testing::made;
using testing::trainer;

PaperFigure figure_of(const Trainer& trainer, const std::vector<std::uint64_t>& rounds,
                      const std::vector<double>& accuracies) {
  return subsampled_shuffle_figure_3_of(
      trainer, {made(subsampled_shuffle_figure_3_trainings().at(0), rounds, accuracies)});
}

// By Theorem 1 epsilon is 1.4 at round 212 and 2.91 at round 1,067.
TEST(Figure3OfSubsampledShuffle, IsJudgedAtTheRoundsThatAnEpsilonAffords) {
  const std::vector<std::uint64_t> rounds = {90, 150, 210, 240, 1050, 1080, 1200};
  const PaperFigure figure = figure_of(trainer(), rounds, {0.6, 0.707, 0.79, 0.1, 0.896, 0.1, 0.1});
  expect_whole(figure, "004-figure-3");
  const Finding& eighty = finding_of(figure, "004-figure-3-80-at-1-4");
  EXPECT_EQ(eighty.verdict, Verdict::holds) << eighty.found;
  EXPECT_THAT(eighty.found, HasSubstr("Round 210"));
  const Finding& ninety = finding_of(figure, "004-figure-3-90-at-2-91");
  EXPECT_EQ(ninety.verdict, Verdict::holds) << ninety.found;
  EXPECT_THAT(ninety.found, HasSubstr("Round 1050"));
  EXPECT_THAT(finding_of(figure, "004-figure-3-70-at-1-4").found,
              HasSubstr("this epsilon affords 212 by Theorem 1"));
  const Finding& older = finding_of(figure, "004-figure-3-90-at-4-82");
  EXPECT_EQ(older.verdict, Verdict::not_reproduced) << older.found;
  EXPECT_THAT(older.found, HasSubstr("At round 1067"));
}

TEST(Figure3OfSubsampledShuffle, IsNotReproducedByLowerAccuracies) {
  const PaperFigure figure = figure_of(trainer(), {210, 1050, 1200}, {0.5, 0.8, 0.81});
  for (const char* claim : {"004-figure-3-80-at-1-4", "004-figure-3-90-at-2-91"}) {
    EXPECT_EQ(finding_of(figure, claim).verdict, Verdict::not_reproduced) << claim;
  }
}

TEST(Figure3OfSubsampledShuffle, NeverHoldsAndIsNeverFalseForAShortTraining) {
  const PaperFigure figure = figure_of(trainer("idx:mnist", 0.01), {12}, {0.95});
  expect_whole(figure, "004-figure-3");
  for (const Finding& finding : figure.findings) {
    EXPECT_NE(finding.verdict, Verdict::holds) << finding.claim;
    EXPECT_NE(finding.verdict, Verdict::is_false) << finding.claim;
  }
}

// Optimal composition of the same rounds gives a smaller epsilon, and both epsilons grow with the rounds.
TEST(ClonesComposed, CostMoreThanComposedOptimally) {
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, 1e-5};
  const subsampled_shuffle::ClonesComposed advanced(60'000, 10'000, 1.5);
  double before = 0;
  for (const std::uint64_t rounds : {100, 1200}) {
    const double optimal =
        accounting::subset_numerical_composition_bound(60'000, 10'000, 1.5, rounds, question).upper.value();
    const double found = advanced.epsilon(rounds, 1e-5).value();
    EXPECT_GT(found, optimal);
    EXPECT_LT(found, 2 * optimal);
    EXPECT_GT(found, before);
    before = found;
  }
  EXPECT_FALSE(advanced.epsilon(100, 1e-20).has_value());  // every tabulated delta is too large
}

}  // namespace
}  // namespace muster::reproduce
