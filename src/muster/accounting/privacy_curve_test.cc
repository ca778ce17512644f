// Checks that every point of the two curves is the statement that the accountant gives for it. The curves are
// computed on two threads, so the thread sanitizer runs this test, too.
#include "muster/accounting/privacy_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "muster/core/error.h"
#include "muster/core/error_of_test.h"
#include "muster/describe/stage.h"

namespace muster::accounting {
namespace {

Accountant new_accountant() {
  return Accountant(PureLocal{1}, ShuffledCheckIn{ClientCount::of(100'000), Rate::of(0.1)});
}

void expect_statement(const CurvePoint& point, const Accountant& accountant, const Question& question) {
  const Statement s = accountant.account(point.rounds, question);
  EXPECT_EQ(point.upper, s.best.upper);
  EXPECT_EQ(point.lower, s.best.lower);
  EXPECT_EQ(point.local_upper, s.local_upper);
}

TEST(PrivacyCurves, EachPointIsAStatement) {
  for (const Question& question :
       {Question{Question::Kind::epsilon_at_delta, 1e-5}, Question{Question::Kind::delta_at_epsilon, 0.5}}) {
    const PrivacyCurves curves = privacy_curves(new_accountant(), 30, question, std::nullopt);
    const Accountant accountant = new_accountant();
    EXPECT_GE(curves.by_fixed.size(), 10U);
    for (const CurvePoint& point : curves.by_fixed) {
      EXPECT_EQ(point.rounds, 30U);
      expect_statement(point, accountant, {question.kind(), point.fixed});
    }
    EXPECT_EQ(curves.by_rounds.front().rounds, 1U);
    EXPECT_EQ(curves.by_rounds.back().rounds, 30U);
    for (const CurvePoint& point : curves.by_rounds) {
      EXPECT_EQ(point.fixed, question.fixed());
      expect_statement(point, accountant, question);
    }
    EXPECT_TRUE(std::ranges::is_sorted(curves.by_rounds, {}, &CurvePoint::rounds));
    EXPECT_TRUE(std::ranges::is_sorted(curves.by_fixed, {}, &CurvePoint::fixed));
  }
}

TEST(PrivacyCurves, NoRoundsAndTooManyAreRefused) {
  const Question question{Question::Kind::epsilon_at_delta, 1e-5};
  for (const std::uint64_t rounds : {std::uint64_t{0}, kMaxRounds + 1}) {
    EXPECT_ERROR(ErrorCode::plan, privacy_curves(new_accountant(), rounds, question, std::nullopt)) << rounds;
  }
}

}  // namespace
}  // namespace muster::accounting
