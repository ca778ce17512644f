// Asks extreme questions, a few for each way in which an answer can fail. Every answer must be finite or
// state a reason, and lie between its lower value and the local guarantee. Epsilon must not fall as rounds
// are added. accountant_corners_long_test.cc is this file with all questions, some of which take ten seconds.
#ifndef MUSTER_EVERY_CORNER
#define MUSTER_EVERY_CORNER 0
#endif
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "muster/accounting/accountant.h"
#include "muster/numerics/work.h"

namespace muster::accounting {
namespace {

constexpr bool kEvery = MUSTER_EVERY_CORNER != 0;

// Asks about increasing numbers of rounds. Answers for at most `largest_cheap` rounds take a second at most;
// larger numbers are asked about only if MUSTER_EVERY_CORNER is set.
void survives(const Mechanism& mechanism, std::uint64_t clients, double rate, double delta,
              const std::vector<std::uint64_t>& rounds, std::uint64_t largest_cheap = 10'000'000) {
  const Accountant accountant(mechanism, ShuffledCheckIn{ClientCount::of(clients), Rate::of(rate)});
  double before = 0;
  for (const std::uint64_t t : rounds) {
    if (!kEvery && t > largest_cheap) continue;
    SCOPED_TRACE(::testing::Message() << describe(mechanism) << ", " << clients << " clients, rate " << rate
                                      << ", delta " << delta << ", " << t << " rounds");
    const Statement s = accountant.account(t, {Question::Kind::epsilon_at_delta, delta});
    EXPECT_TRUE(std::isfinite(s.best.numerical_error));
    if (!s.best.upper) {
      EXPECT_FALSE(s.best.assumptions.empty());
      continue;
    }
    ASSERT_TRUE(s.best.lower);
    EXPECT_TRUE(std::isfinite(*s.best.upper));
    EXPECT_GE(*s.best.upper, *s.best.lower);
    EXPECT_GE(*s.best.upper, before);
    before = *s.best.upper;
    if (s.local_upper) {
      EXPECT_LE(*s.best.upper, *s.local_upper);
    }
  }
}

TEST(Corners, NeverPassTheLocalGuarantee) {
  const std::vector<std::uint64_t> once_and_ten_million = {1, 10'000'000};
  for (const double epsilon0 : {1e-3, 20.0}) {
    const std::uint64_t cheap = epsilon0 < 1 ? 10'000'000 : 1;
    survives(PureLocal{epsilon0}, 1, 0.5, 1e-6, once_and_ten_million, cheap);
    survives(PureLocal{epsilon0}, 2, 1e-6, 1e-30, once_and_ten_million);
    survives(LdpSgdLocal{epsilon0}, 1'000'000'000, 0.5, 1e-30, once_and_ten_million, 1);
    survives(PureLocal{epsilon0}, 1'000'000'000, 1e-6, 0.5, once_and_ten_million, cheap);
    survives(KRandomizedResponse{epsilon0, 1'000}, 1'000'000'000, 0.999999, 1e-12, once_and_ten_million, 1);
    survives(LaplaceLocal{epsilon0}, 1'000'000, 0.01, 1e-12, once_and_ten_million, 1);
  }
  survives(GaussianLocal{100}, 1'000'000'000, 0.5, 1e-30, once_and_ten_million);
  survives(GaussianLocal{3}, 1'000'000, 1e-3, 1e-30, once_and_ten_million, 1);
}

// With losses of a hundred and more in few rounds, the composed delta, as a function of epsilon, is flat and
// then falls steeply.
TEST(Corners, FlatCurvesAreComposed) {
  for (const std::uint64_t clients : {1'000, 1'000'000}) {
    for (const double sigma : {0.1, 0.12, 0.15}) {
      survives(GaussianLocal{sigma}, clients, 0.1, 1e-5, {1, 2, 3, 100});
    }
  }
}

// At the largest number of rounds, e^epsilon is beyond the range of a double. accountant_extremes_test.cc
// compares such answers with lower bounds on the truth.
TEST(Corners, LossesPastTheRangeOfDoubles) {
  survives(GaussianLocal{std::ldexp(1.0, -12)}, 1'000, 0.1, 1e-5, {1, 7});
  survives(PureLocal{700}, 1'000, 0.1, 1e-5, {1, 3});
  survives(PureLocal{1e6}, 1'000, 0.1, 1e-5, {1, 3});
}

// At deltas near the smallest that a double can hold, rounds must still be composed. The bound must be far
// below the local guarantee, and for Gaussian noise within 1 % of the lower value.
TEST(Corners, TheSmallestDeltasAreComposed) {
  const auto ask = [](const Mechanism& mechanism, double delta) {
    const Accountant accountant(mechanism, ShuffledCheckIn{ClientCount::of(60'000), Rate::of(0.1)});
    Statement s = accountant.account(1'000, {Question::Kind::epsilon_at_delta, delta});
    std::printf("%s, delta %g: %g, at least %g, local %g\n", describe(mechanism).c_str(), delta,
                s.best.upper.value_or(-1), s.best.lower.value_or(-1), s.local_upper.value_or(-1));
    return s;
  };
  for (const double delta : {1e-150, 1e-300}) {
    const Statement s = ask(GaussianLocal{1}, delta);
    ASSERT_TRUE(s.best.upper && s.best.lower && s.local_upper);
    EXPECT_LE(*s.best.upper, 1.01 * *s.best.lower);
    EXPECT_LE(*s.best.upper, 0.2 * *s.local_upper);
  }
  const Statement s = ask(PureLocal{3}, 1e-300);
  ASSERT_TRUE(s.best.upper && s.local_upper);
  EXPECT_LE(*s.best.upper, 0.2 * *s.local_upper);
}

// The bounds by class C take seconds here. A bound that is provably at least as large as one of them is then
// not computed: it has no upper value, and its assumptions say why.
TEST(Corners, ABoundThatIsOnlyShownIsLeftOutIfTheOthersTookMuchWork) {
  const Accountant accountant(LdpSgdLocal{10.5}, ShuffledCheckIn{ClientCount::of(1221), Rate::of(0.58)});
  for (int again = 0; again < 2; ++again) {  // also if the tables are already there
    const Statement s = accountant.account(1'000, {Question::Kind::epsilon_at_delta, 5e-5}, View::sum_only);
    EXPECT_EQ(s.best.id, "class-c");
    const auto shown = std::ranges::find(s.all, "clone-pair", &Bound::id);
    ASSERT_NE(shown, s.all.end());
    EXPECT_FALSE(shown->upper);
    ASSERT_FALSE(shown->assumptions.empty());
    EXPECT_NE(shown->assumptions.back().find("not computed"), std::string::npos);
  }
}

// The sums that answer these questions would take minutes if their work were not limited. Work is counted in
// the units of numerics/work.h; 3.5e9 of them take about a second.
TEST(Corners, CostLittle) {
  struct Costly {
    Mechanism mechanism;
    Participation participation;
    std::uint64_t rounds;
    Question question;
  };
  const std::vector<Costly> all{
      {CoordinateLocal{CoordinateLocal::Norm::linf, 100},
       ShuffledCheckIn{ClientCount::of(11'794'084'936), Rate::of(0.9999999997337244)},
       2,
       {Question::Kind::epsilon_at_delta, 9.2e-7}},
      {PureLocal{100},
       ShuffledCheckIn{ClientCount::of(3), Rate::of(1.183e-7)},
       2'810'605,
       {Question::Kind::delta_at_epsilon, 281'060'499.9}},
      {GaussianLocal{0.062},
       RandomCheckIn{RandomCheckIn::Kind::fixed, ClientCount::of(3), 486'684'739, Rate::of(1.11e-15)},
       1'576'430,
       {Question::Kind::delta_at_epsilon, 880'145'736}},
      {CoordinateLocal{CoordinateLocal::Norm::l2, 222.9},
       RandomCheckIn{RandomCheckIn::Kind::fixed, ClientCount::of(1'000'000'000'000), 1'000,
                     Rate::of(0.9999999999999999)},
       1,
       {Question::Kind::epsilon_at_delta, 0.99}}};
  for (const Costly& each : all) {
    const double before = numerics::work_done();
    const Statement s = Accountant(each.mechanism, each.participation).account(each.rounds, each.question);
    const double work = numerics::work_done() - before;
    SCOPED_TRACE(describe(each.mechanism));
    EXPECT_LE(work, 7e9);
    ASSERT_TRUE(s.best.upper);
    ASSERT_TRUE(s.local_upper);
    EXPECT_LE(*s.best.upper, *s.local_upper);
    std::printf("%s: %.2g\n", describe(each.mechanism).c_str(), work);
  }
}

}  // namespace
}  // namespace muster::accounting
