// How do published formulas compare with what is proven? They can be computed beside the proven bounds, but
// are never charged in place of one.
//
// This program prints all bounds on epsilon at delta = 1e-6 for 1,000 rounds of check-ins among 100,000
// clients with any 1-LDP randomizer. If some 1-LDP randomizer costs more on some pair of data sets than a
// published value allows, it marks that value as false and says what is wrong with it.
#include <fmt/format.h>
#include <muster/accounting/accountant.h>
#include <muster/core/number_text.h>
#include <muster/papers/comparisons.h>

int main() {
  using namespace muster;
  using namespace muster::accounting;

  const Mechanism mechanism = PureLocal{1.0};
  const Participation protocol = ShuffledCheckIn{ClientCount::of(100000), Rate::of(0.01)};
  const Question question{Question::Kind::epsilon_at_delta, 1e-6};
  constexpr std::uint64_t kRounds = 1000;

  const Accountant accountant(mechanism, protocol);
  const Statement statement = accountant.merge(accountant.account(kRounds, question),
                                               comparisons(mechanism, protocol, kRounds, question));

  const double lower = statement.best.lower.value();
  fmt::print("some randomizer costs epsilon {}\n\n", rounded_down(lower));
  for (const Bound& bound : statement.all) {
    if (!bound.upper) continue;  // only a lower bound
    const bool wrong = *bound.upper < lower;
    fmt::print("{:44}  {:9}  {}{}\n", bound.id, rounded_up(*bound.upper), name_of(bound.validity),
               wrong ? ": false" : "");
    if (wrong) {
      for (const std::string& reason : bound.assumptions) fmt::print("    - {}\n", reason);
    }
  }
}
