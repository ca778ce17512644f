// What if the rounds differ? For 1,000 rounds every client reports with probability 0.1. Then the network
// gets worse: in another 2,000 rounds a third of the reports is lost.
//
// This program prints how epsilon at delta = 1e-6 grows with the rounds, and then delta for all of them.
#include <fmt/format.h>
#include <muster/accounting/accountant.h>
#include <muster/core/number_text.h>

#include <cstdint>
#include <vector>

int main() {
  using namespace muster;
  using namespace muster::accounting;

  // A report arrives if the client sends it and if it is not lost, so the two probabilities are multiplied.
  // The loss must not depend on the data, and the stages must be fixed without looking at what was released.
  const ClientCount clients = ClientCount::of(100000);
  const std::vector<Stage> stages = {
      {ShuffledCheckIn{clients, Rate::of(0.1)}, 1000},
      {ShuffledCheckIn{clients, Rate::effective(0.1, 1.0 / 3)}, 2000},
  };
  const Accountant accountant(LdpSgdLocal{2.0}, stages);

  // The accountant keeps its tables, so asking it again, about other numbers of rounds, is cheap.
  fmt::print("rounds  epsilon\n");
  for (const std::uint64_t rounds : {500u, 1000u, 2000u, 3000u}) {
    fmt::print("{:6}  {}\n", rounds, rounded_up(accountant.epsilon_upper(rounds, Delta::of(1e-6))));
  }

  // If a question gives no number of rounds, the statement is about all rounds of the stages. A question may
  // also fix epsilon and ask for delta.
  const Statement statement = accountant.account({Question::Kind::delta_at_epsilon, 0.5});
  fmt::print("delta at epsilon 0.5 is at most {} and at least {}\n", rounded_up(statement.best.upper.value()),
             rounded_down(statement.best.lower.value()));
}
