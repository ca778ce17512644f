// What does a protocol cost in privacy? Sixty thousand clients can take part in 6,800 rounds of training. In
// each round every client tosses a coin, and with probability 0.1 it sends one message, which is 2-LDP by
// itself.
//
// This program prints the best proven bound on epsilon at delta = 1e-5 and what it assumes, and then every
// other bound that applies.
#include <fmt/format.h>
#include <muster/accounting/accountant.h>
#include <muster/core/number_text.h>

int main() {
  using namespace muster;
  using namespace muster::accounting;

  // A mechanism describes how a message is made, and a participation describes who sends one. Counts and
  // rates have different types, so they cannot be confused. Their factories refuse a value that is out of
  // range.
  const Mechanism mechanism = LdpSgdLocal{2.0};
  const Participation protocol = ShuffledCheckIn{ClientCount::of(60000), Rate::of(0.1)};

  const Accountant accountant(mechanism, protocol);
  const Statement statement = accountant.account(6800, {Question::Kind::epsilon_at_delta, 1e-5});

  // The least epsilon that holds for all data sets lies between both ends. Each is printed rounded outward,
  // so that this stays true.
  const Bound& best = statement.best;
  fmt::print("epsilon is at most {} and at least {}\n", rounded_up(best.upper.value()),
             rounded_down(best.lower.value()));
  fmt::print("{}: {}, {}, {}\n", best.id, name_of(best.validity), name_of(best.neighbouring),
             name_of(best.view));
  for (const std::string& assumption : best.assumptions) {
    fmt::print("  - {}\n", assumption);
  }
  fmt::print("if the shuffler colludes, epsilon is {}\n\n", rounded_up(statement.local_upper.value()));

  for (const Bound& bound : statement.all) {
    // A bound without an upper end is only a lower bound.
    fmt::print("{:18} {}\n", bound.id, bound.upper ? rounded_up(*bound.upper) : "none");
  }
}
