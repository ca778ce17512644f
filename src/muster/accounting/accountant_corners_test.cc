// Corners of what may be asked, as few as show each kind of failure: every answer finite or a reason, between
// its lower value and the local guarantee, never falling with the rounds. accountant_corners_long_test.cc is
// this file with every corner, some of which take ten seconds.
#ifndef MUSTER_EVERY_CORNER
#define MUSTER_EVERY_CORNER 0
#endif
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "muster/accounting/accountant.h"

namespace muster::accounting {
namespace {

constexpr bool kEvery = MUSTER_EVERY_CORNER != 0;

// Questions in rising order of the rounds. Answers at `largest_cheap` rounds and below take a second at most.
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
    if (s.local) {
      EXPECT_LE(*s.best.upper, *s.local);
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

// Losses of a hundred and more in few rounds: the composed curve is flat, and then falls at once.
TEST(Corners, FlatCurvesAreComposed) {
  for (const std::uint64_t clients : {1'000, 1'000'000}) {
    for (const double sigma : {0.1, 0.12, 0.15}) {
      survives(GaussianLocal{sigma}, clients, 0.1, 1e-5, {1, 2, 3, 100});
    }
  }
}

// e^epsilon beyond a double's range, after some rounds; of one round accountant_extremes_test.cc has the
// truth.
TEST(Corners, LossesPastTheRangeOfDoubles) {
  survives(GaussianLocal{std::ldexp(1.0, -12)}, 1'000, 0.1, 1e-5, {1, 7});
  survives(PureLocal{700}, 1'000, 0.1, 1e-5, {1, 3});
  survives(PureLocal{1e6}, 1'000, 0.1, 1e-5, {1, 3});
}

}  // namespace
}  // namespace muster::accounting
