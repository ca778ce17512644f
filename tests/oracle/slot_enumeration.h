// This test oracle computes the exact law of random check-ins into slots, by enumerating every client's
// choice and every transcript.
//
// The code follows the protocol's definition. Each client checks in or not, at one slot of its own window. In
// each slot, the server applies a randomizer, which may depend on everything released so far. It applies the
// randomizer to one of the clients present (a dummy record if there is none), or to all of them. No formula
// is shared with the bounds that are checked. The work is (window + 1)^clients times the number of
// transcripts. The functions are pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

// The law of a message for `record`, from the randomizer that is chosen at `slot` after the
// outcomes coded in `past`.
using Channel = std::function<Law(int slot, std::uint64_t past, int record)>;

struct SlotProtocol {
  enum class Kind {
    selected,  // one of the clients present, chosen uniformly, answers; the dummy if there is none
    averaged,  // all clients present answer, and the multiset of answers is released
    // No theorem covers the next two kinds. Tests show that they leak more than the bounds allow.
    skipping,  // like selected, but an empty slot is visible
    watched    // like selected, but it is visible who was selected
  };
  Kind kind;
  int slots;
  std::vector<std::vector<int>> windows;  // the slots open to each client, the victim's first
  std::vector<long double> rates;         // check-in probabilities, the victim's first
  int dummy = 0;                          // the dummy's record
};

// Returns the protocol in which the window of every client has all slots, 0 .. slots-1.
SlotProtocol fixed_window(SlotProtocol::Kind kind, int slots, const std::vector<long double>& rates);

// Returns the laws of the released transcript with the victim's record x (p) and x_alternative (q).
OutputPair transcripts(const SlotProtocol& protocol, const std::vector<int>& others, int x, int x_alternative,
                       const Channel& channel);

}  // namespace muster::accounting::oracle
