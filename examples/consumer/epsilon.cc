// Prints the epsilon of 6,800 rounds of shuffled check-ins, each of 60,000 clients reporting a tenth of the time.
#include <fmt/format.h>
#include <muster/accounting/accountant.h>

int main() {
  using namespace muster;
  const accounting::ShuffledCheckIn protocol{ClientCount::of(60000), Rate::of(0.1)};
  const accounting::Accountant accountant(accounting::LdpSgdLocal{2.0}, protocol);
  fmt::print("{}\n", accountant.epsilon_upper(6800, Delta::of(1e-5)));
}
