// Checks the accountant's statements after one round and after 300, for several deltas: every proven upper
// epsilon is above every lower epsilon, and the stated numerical error is a small part of the answer.
#include <gmock/gmock.h>

#include <cmath>
#include <iostream>

#include "muster/accounting/accountant.h"

namespace muster::accounting {
namespace {

TEST(AccountantOrder, UppersAboveLowersAtEveryDelta) {
  const ClientCount n = ClientCount::of(20000);
  const std::vector<Participation> participations = {
      ShuffledCheckIn{n, Rate::of(0.2)}, FixedSubset{n, 500}, Shuffle{n},
      RandomCheckIn{RandomCheckIn::Kind::averaged, n, 10, Rate::of(1.0)}};
  const std::vector<Mechanism> mechanisms = {PureLocal{1.5}, LdpSgdLocal{1.5}, KRandomizedResponse{2, 8}};
  int statements = 0;
  double largest_error = 0;
  for (const Participation& participation : participations) {
    for (const Mechanism& mechanism : mechanisms) {
      const Accountant accountant(mechanism, participation);
      for (const std::uint64_t rounds : {1u, 300u}) {
        double before = 0;
        for (const double delta : {1e-2, 1e-6, 1e-14, 1e-30}) {
          SCOPED_TRACE(describe(mechanism) + "; " + describe(participation) + "; rounds " +
                       std::to_string(rounds) + ", delta " + std::to_string(std::log10(delta)));
          const Statement s = accountant.account(rounds, {Question::Kind::epsilon_at_delta, delta});
          ASSERT_TRUE(s.best.upper.has_value());
          EXPECT_EQ(s.best.validity, Validity::proven);
          double lower = 0;
          for (const Bound& bound : s.all) lower = std::max(lower, bound.lower.value_or(0));
          for (const Bound& bound : s.all) {
            if (bound.validity == Validity::proven && bound.upper) {
              EXPECT_GE(*bound.upper, lower) << bound.id;
              EXPECT_GE(*bound.upper, *s.best.upper) << bound.id;
            }
          }
          EXPECT_GE(*s.best.upper, before);  // a smaller delta never has a smaller epsilon
          before = *s.best.upper;
          EXPECT_GE(s.best.numerical_error, 0);
          largest_error = std::max(largest_error, s.best.numerical_error / std::max(1e-12, *s.best.upper));
          ++statements;
        }
      }
    }
  }
  std::cout << statements << " statements, largest numerical error over epsilon " << largest_error << "\n";
  EXPECT_LT(largest_error, 0.05);
}

}  // namespace
}  // namespace muster::accounting
