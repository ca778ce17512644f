// What the shuffler keeps in its store between calls, as blobs of fixed layout. Integers are little-endian.
//
//     "task"       the name of the task, 32 bytes
//     "ledger"     opened u64 | entries u64 | head 32 | outcomes u64 | charged u64: rounds opened, and the
//                  ledger up to the last opening or receipt; all but `opened` is zero once the place was lost
//     "key"        of the round that is open or offered (store/round_key.h)
//     "directory"  the issuer's key directory, as it was accepted last
//     "round"      signed descriptor 369 | deadline i64 | issued u64 | modulus 256: while a round is open
//     "manifest"   the signed manifest of the round that was closed last
//     "receipt"    the aggregator's receipt for it
//
// Functions that read throw Error(file) for bytes that are not of their layout: the store is damaged. They
// are pure but for the store, and belong to its thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "muster/service/shuffler/ledger_chain.h"
#include "muster/service/store/store.h"
#include "muster/wire/blind_rsa.h"
#include "muster/wire/descriptor.h"

namespace muster::service {

struct StoredRound {
  wire::Buffer descriptor;       // signed by both roles
  std::int64_t deadline_ms = 0;  // on the wall clock
  std::uint64_t issued = 0;      // tokens of the round
  wire::RsaBlock modulus{};      // of the tokens' key
};

std::optional<SeenLedger> read_ledger(Store& store);
wire::Buffer encode(const SeenLedger& ledger);
std::optional<StoredRound> read_round(Store& store);
wire::Buffer encode(const StoredRound& round);

// The names of a round's logs.
std::string uploads_of(std::uint64_t round);
std::string batch_of(std::uint64_t round);

}  // namespace muster::service
