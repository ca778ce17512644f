// Test oracle: random check-ins into slots, exactly, by enumerating every
// client's choice and every transcript.
//
// It works from the protocol's definition: each client checks in or not, at one slot of its own window; slot
// by slot the server applies a randomizer it may choose after everything released so far, to one of the
// clients present (or a dummy record), or to all of them. It shares no formula with the bounds it checks.
// Cost: (window + 1)^clients times the number of transcripts. Pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

// The law of a message: the randomizer chosen at `slot` after the outcomes coded in `past`, at `record`.
using Channel = std::function<Law(int slot, std::uint64_t past, int record)>;

struct SlotProtocol {
  enum class Kind {
    selected,  // one client present, chosen uniformly, answers; the dummy where none is present
    averaged,  // all present answer; the multiset of answers is released
    // Not the protocols of any theorem; kept so that tests can catch what goes wrong:
    skipping,  // as selected, but an empty slot shows
    watched    // as selected, but who was selected shows
  };
  Kind kind;
  int slots;
  std::vector<std::vector<int>> windows;  // slots open to each client, the victim first
  std::vector<long double> rates;         // check-in probability, the victim first
  int dummy = 0;                          // record
};

// Every client's window is 0 .. slots-1.
SlotProtocol fixed_window(SlotProtocol::Kind kind, int slots, const std::vector<long double>& rates);

// The laws of the released transcript with the victim's record x (p) and x_alternative (q).
OutputPair transcripts(const SlotProtocol& protocol, const std::vector<int>& others, int x, int x_alternative,
                       const Channel& channel);

}  // namespace muster::accounting::oracle
