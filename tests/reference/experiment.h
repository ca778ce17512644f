// One round of a protocol, as the reference knows it: who may send what, and what is seen of it.
//
// Nothing of the library is used here: numbers in, numbers out. Rates are given as a coin and a loss, so that
// their product is the exact one.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/reference/pair.h"
#include "tests/reference/real.h"

namespace muster::reference {

struct Randomizer {
  enum class Kind {
    response,
    laplace,
    gaussian
  };  // randomized response with k symbols stands for all sign samplers
  Kind kind = Kind::response;
  double epsilon0 = 1;
  double symbols = 2;
  double sigma = 1;

  Real mu() const { return Real(2.0) / Real(sigma); }  // gaussian: the distance of two records in deviations
};

struct Experiment {
  enum class Shape { everybody, subset, coins, fixed_slots, sliding_slots };  // averaged slots: coins
  enum class Seen { messages, sums, own_message };  // own_message: the victim's, whoever colludes
  Randomizer randomizer;
  Shape shape = Shape::everybody;
  Seen seen = Seen::messages;
  double clients = 1;
  double coin = 1, least_coin = 1;  // of the clients the highest and the lowest
  double loss = 0;
  double subset = 1, slots = 1;
  double minimum = 1;  // sums: fewer reports are destroyed unseen

  Real rate() const { return Real(coin) * (Real(1.0) - Real(loss)); }
  Real absence() const { return (Real(1.0) - Real(coin)) + Real(coin) * Real(loss); }
  Real least_rate() const { return Real(least_coin) * (Real(1.0) - Real(loss)); }
};

// The chance that the victim's message is there, is asked for, and is one of `messages` that
// are seen for certain: given the others' messages, P = 1 + scale * sum over messages of
// (ratio - 1). Shapes subset and slots.
struct Places {
  double messages;
  Real victim;  // that one of the messages is hers
};
Places places_of(const Experiment& e, bool others_rarely);

// The laws of one message under the victim's record and under the alternative, its outcomes merged into at
// most a few hundred; complete, each mass exact to a few units in the last place of a long double.
Pair message_of(const Randomizer& randomizer, double reach);

// Ways to see one bit in a message: its probability under the record (a)
// and under the alternative (b), a > b.
struct Bit {
  Real a, not_a, b, not_b;
};
std::vector<Bit> bits_of(const Randomizer& randomizer, double clients, double epsilon);

}  // namespace muster::reference
