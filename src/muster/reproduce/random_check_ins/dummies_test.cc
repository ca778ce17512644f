// Compares counted dummies with their exact expectation, and shows that a wrong expectation is noticed.
#include "muster/reproduce/random_check_ins/dummies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "muster/papers/published/published_random_check_in.h"
#include "muster/protocols/roll_call_slots.h"

namespace muster::reproduce {
namespace {

namespace published = accounting::random_check_in;
using ::testing::HasSubstr;

TEST(Dummies, OneClientLeavesAllSlotsButItsOwnToThem) {
  protocols::RollCallOfFixedWindow roll_call(dummy_key(), dummy_coins(1), 1, 7, 1);
  const DummyCount count = count_dummies(roll_call, 7);
  EXPECT_EQ(count.mean, 6);
  EXPECT_EQ(count.standard_error, 0);
}

// A correct count is off by 4 standard errors or more, and fails the test, with a probability of 6e-5 over
// the choice of the seed.
TEST(Dummies, AgreeWithTheExactExpectationAndNotWithThePrintedBound) {
  protocols::RollCallOfSlidingWindow roll_call(dummy_key(), dummy_coins(1), 40, 5);
  const DummyCount count = count_dummies(roll_call, 36);
  DummyComparison comparison;
  comparison.add(count, published::expected_dummies_sliding(40, 5));
  EXPECT_TRUE(comparison.agrees()) << comparison.words();
  EXPECT_THAT(comparison.words(), HasSubstr("over 10^4 simulated runs at each of 1 points"));
  // The printed bound is not the expectation, and the comparison must notice it.
  comparison.add(count, published::expected_dummies_sliding_printed(40, 5));
  EXPECT_FALSE(comparison.agrees()) << comparison.words();
}

// A count without variation agrees only with an expectation that equals it.
TEST(Dummies, AgreeWithoutVariationIfEqual) {
  DummyComparison comparison;
  comparison.add({6, 0}, 6);
  EXPECT_TRUE(comparison.agrees());
  comparison.add({6, 0}, 6.001);
  EXPECT_FALSE(comparison.agrees());
}

}  // namespace
}  // namespace muster::reproduce
