// How is a randomizer charged that is not part of muster? Here it is symmetric unary encoding (Wang, Blocki,
// Li, Jha, "Locally differentially private protocols for frequency estimation", 2017): a client has one bit
// for each possible answer, sets the bit of its own answer, and then flips each bit with a coin of its own.
//
// The accountant only needs to know that a message is epsilon0-LDP. This program prints the proven epsilon of
// a survey among 20,000 clients, and the survey's estimates beside the true counts.
#include <fmt/format.h>
#include <muster/accounting/accountant.h>
#include <muster/core/number_text.h>
#include <muster/random/keyed_stream.h>
#include <muster/random/samplers.h>

#include <array>
#include <cmath>
#include <cstdint>

int main() {
  using namespace muster;
  constexpr std::uint64_t kClients = 20000;
  constexpr std::size_t kAnswers = 3;
  constexpr double kEpsilon0 = 3.0;

  // The charge. PureLocal stands for any epsilon0-LDP randomizer, whatever it does.
  const accounting::Accountant accountant(accounting::PureLocal{kEpsilon0},
                                          accounting::Shuffle{ClientCount::of(kClients)});
  fmt::print("epsilon is at most {} at delta 1e-06\n\n",
             rounded_up(accountant.epsilon_upper(1, Delta::of(1e-6))));

  // The sampler. Two records differ in two bits, so each bit may cost half of epsilon0: it is kept with
  // probability e^(epsilon0/2) / (e^(epsilon0/2) + 1). A smaller probability is safe for privacy. So the last
  // factor takes off more than rounding errors can add, and at_most() rounds down as well.
  const double odds = std::exp(kEpsilon0 / 2);
  const auto keep = random::Probability::at_most(odds / (odds + 1) * (1 - 0x1p-50));

  // A client's bits depend only on the key, the round and the client, not on threads or on any order. A key
  // from a seed is for simulations; RunKey::fresh() makes a secret one.
  const random::RunKey key = random::RunKey::from_seed(1);
  std::array<std::uint64_t, kAnswers> holders{}, ones{};
  for (std::uint64_t client = 0; client < kClients; ++client) {
    const std::size_t answer = client % 10 < 6 ? 0 : client % 10 < 9 ? 1 : 2;
    ++holders[answer];
    random::KeyedStream bits(key, {random::Purpose::randomize, /*round=*/1, client});
    for (std::size_t i = 0; i < kAnswers; ++i) {
      ones[i] += random::bernoulli(bits, keep) == (i == answer) ? 1 : 0;
    }
  }

  fmt::print("answer  share  estimate\n");
  for (std::size_t i = 0; i < kAnswers; ++i) {
    const double of_ones = static_cast<double>(ones[i]) / kClients;
    fmt::print("{:6}  {:.3f}     {:.3f}\n", i, static_cast<double>(holders[i]) / kClients,
               (of_ones - (1 - keep.value())) / (2 * keep.value() - 1));
  }
}
