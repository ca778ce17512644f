// Compares the table of Theorem 5's right sides with a direct evaluation, and tests what
// published_distributed.h says about them.
#include "muster/papers/published/published_distributed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "muster/papers/published/published_check_in.h"

namespace muster::accounting::published_distributed {
namespace {

const DistributedRound kRound{60'000, 1e-3, 0.65};  // the paper's round with its smaller noise
const Question kQuestion{Question::Kind::epsilon_at_delta, 1e-5};

// Lemma 5 ends the sum over the number of reports at 200, where 60 reports are expected, so what it leaves
// out is negligible. The direct evaluation is that of published_check_in.h, which sums over the number of
// reports anew for each order.
TEST(Theorem5, ByLemma5IsTheWholeSum) {
  const Theorem5 lemma5(kRound, Lemma5{200});
  for (const std::uint64_t order : {2, 3, 8, 12}) {
    const double whole =
        published_check_in::theorem5_printed(kRound.clients, kRound.rate, kRound.sigma, order);
    EXPECT_NEAR(lemma5.printed(order), whole, 1e-5 * std::fabs(whole)) << order;
  }
}

TEST(Theorem5, IsNegativeAsPrinted) {
  for (const double sigma : {0.65, 0.86}) {
    const Theorem5 lemma5({60'000, 1e-3, sigma}, Lemma5{200});
    const Theorem5 lemma4({60'000, 1e-3, sigma}, Lemma4{0.5});
    for (const std::uint64_t order : {3, 8, 32}) {
      EXPECT_LT(lemma5.printed(order), 0) << order;
      EXPECT_LT(lemma4.printed(order), 0) << order;
    }
  }
}

// More rounds cost more in any valid accounting. With the printed moments, which are below 1, they cost less.
TEST(Theorem5, RepairedStillFallsWithTheRounds) {
  const Theorem5 lemma5(kRound, Lemma5{200}), lemma4(kRound, Lemma4{0.5});
  const double few = lemma5.epsilon_repaired(170, kQuestion);
  const double many = lemma5.epsilon_repaired(3400, kQuestion);
  EXPECT_LT(many, few);
  // Source: tools/golden/distributed_theorem_5.py.
  EXPECT_NEAR(few, 0.9179, 5e-5);
  EXPECT_NEAR(many, 0.9162, 5e-5);
  EXPECT_NEAR(lemma4.epsilon_repaired(3400, kQuestion), 0.9549, 5e-5);
}

TEST(Theorem5, TheFirstTermIsSmallAsPrintedAndInfiniteCorrected) {
  const FirstTerm first = first_term(kRound, Lemma4{0.5}, 2);
  EXPECT_LT(first.printed, 1e-4);
  EXPECT_TRUE(std::isinf(first.corrected));
}

}  // namespace
}  // namespace muster::accounting::published_distributed
