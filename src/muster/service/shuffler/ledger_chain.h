// What the shuffler checks of the aggregator's ledger before it opens a round: that it continues what the
// shuffler has seen, so that no round is forgotten. The functions are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "muster/wire/bytes.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/signature.h"

namespace muster::service {

// A place in a ledger: the number of its entries up to there, and the hash of the last one.
struct LedgerPlace {
  std::uint64_t entries = 0;
  wire::Hash head{};
  bool operator==(const LedgerPlace&) const = default;
};

// What the shuffler knows when it is asked to open a round.
struct SeenLedger {
  LedgerPlace place;
  std::uint64_t opened = 0;    // rounds that were opened, also after a place that was lost
  std::uint64_t outcomes = 0;  // rounds that have an outcome up to the place
  std::uint64_t charged = 0;   // of these, the rounds that the shuffler has not signed to be void
};

// Returns what is seen after the rows, which begin with number `first`, or nullopt unless all of this holds:
//  - The rows are a chain that ends with the opening of the descriptor's round, as the descriptor states it.
//  - They begin at the place that was seen. Where the ledger has lost its end or the shuffler its place, they
//    may begin at 0 instead.
//  - Every round before has one outcome, in the order of the rounds, also those that were opened after a
//    place that was lost. So no round that was charged can be left out.
//  - None of them opened a round with a key for tokens after round `issued`, which is the last round whose
//    issuance may have ended as far as the issuer knows. An issuer that knows less than the ledger was
//    restored from an older copy.
//  - The manifest in each entry of a void round was signed by the shuffler itself, for this round of this
//    task. So no round that was handed out is said to cost nothing.
std::optional<SeenLedger> follow(const SeenLedger& seen, std::uint64_t first,
                                 const std::vector<wire::Buffer>& rows, const wire::Descriptor& descriptor,
                                 const wire::IdentityKey& shuffler, std::uint64_t issued);

}  // namespace muster::service
