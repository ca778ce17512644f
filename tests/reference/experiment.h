// One round of a protocol as the reference describes it: the messages that clients may send, and what the
// adversary sees.
//
// No code of the library is used here. A rate is given by the probabilities of a check-in (`coin`) and of a
// dropout (`loss`), so that coin (1 - loss) is enclosed and not rounded beforehand.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct Randomizer {
  // `response` with two symbols also stands for every randomizer whose message has one randomized sign
  // (ldp-sgd, l1, l2, linf), and for an epsilon0-LDP randomizer about which nothing else is known.
  enum class Kind { response, laplace, gaussian };
  Kind kind = Kind::response;
  double epsilon0 = 1;
  double symbols = 2;
  double sigma = 1;

  // For gaussian, the distance of the victim's two records in standard deviations.
  Real mu() const { return Real(2.0) / Real(sigma); }
};

struct Experiment {
  enum class Shape { everybody, subset, coins, fixed_slots, sliding_slots };  // averaged slots are `coins`
  // With own_message, the victim's message is seen alone, as when the shuffler colludes.
  enum class Seen { messages, sums, own_message };
  Randomizer randomizer;
  Shape shape = Shape::everybody;
  Seen seen = Seen::messages;
  double clients = 1;
  double coin = 1, least_coin = 1;  // the clients' highest and lowest probability of a check-in
  double loss = 0;                  // the probability of a dropout
  double subset = 1, slots = 1;
  double minimum = 1;  // for sums: a round with fewer reports is destroyed, and nothing of it is seen

  Real rate() const { return Real(coin) * (Real(1.0) - Real(loss)); }
  Real absence() const { return (Real(1.0) - Real(coin)) + Real(coin) * Real(loss); }
  Real least_rate() const { return Real(least_coin) * (Real(1.0) - Real(loss)); }
};

// The messages of a subset or of slots. Their likelihood ratio together is 1 + (victim / messages) * sum over
// the messages of (the ratio of that message - 1).
struct Places {
  double messages;  // the number of messages that are certainly seen
  Real victim;      // the probability that one of them is the victim's
};
// If `others_rarely`, the others have the lowest rate, and otherwise the highest.
Places places_of(const Experiment& e, bool others_rarely);

// Returns the laws of one message under the victim's record and under the alternative, with at most 242
// merged outcomes. No outcome is left out, and each mass is exact to a few units in the last place of a long
// double. The cells of normal noise extend by `reach` standard deviations beyond both means.
Pair message_of(const Randomizer& randomizer, double reach);

// A bit that is a function of a message. It is one with probability a under the record and b under the
// alternative, a > b. bits_of returns several such bits, of which the adversary counts one.
struct Bit {
  Real a, not_a, b, not_b;
};
std::vector<Bit> bits_of(const Randomizer& randomizer, double clients, double epsilon);

}  // namespace muster::reference
