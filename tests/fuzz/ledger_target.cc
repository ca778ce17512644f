// This target reads a whole ledger. An input is a list of rows, each with its length before it
// (take_counted). It is read twice: as it is, and with the right hash at the end of every row, without which
// hardly any input that a fuzzer makes would be a row.
//
// A ledger that is read must consist of the rows that its entries are written as, each opened round must have
// one outcome at most, and epsilon must not fall.
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "muster/core/error.h"
#include "muster/service/ledger/ledger.h"
#include "muster/service/store/memory_store_test.h"
#include "muster/wire/hash.h"
#include "tests/fuzz/fuzz_target.h"

namespace muster::fuzz {
namespace {

using Rows = std::vector<wire::Buffer>;

constexpr std::size_t kHash = sizeof(wire::Hash);

Rows rows_of(Input input) {
  Rows rows;
  while (!input.empty()) {
    const Input row = take_counted(input);
    rows.emplace_back(row.begin(), row.end());
  }
  return rows;
}

// Gives each row the hash that links it to the one before it, in place of its last bytes.
Rows linked(Rows rows) {
  wire::Hash before{};
  for (std::uint64_t number = 0; number < rows.size(); ++number) {
    wire::Buffer& row = rows[number];
    row.resize(row.size() > kHash ? row.size() - kHash : 0);
    const wire::Buffer place = wire::FieldWriter(sizeof number).integer(number).take();
    before = wire::hash_of({wire::bytes_of("muster ledger"), before, place, row});
    row.insert(row.end(), before.begin(), before.end());
  }
  return rows;
}

void require_consistent(const service::Ledger& ledger, const Rows& rows) {
  if (ledger.entries().size() != rows.size()) std::abort();
  wire::Hash before{};
  for (std::uint64_t number = 0; number < rows.size(); ++number) {
    if (service::row_of(ledger.entries()[number], before, number) != rows[number]) std::abort();
    before = ledger.hashes()[number];
  }
  const service::Ledger::Counts& counts = ledger.counts();
  if (counts.opened != counts.charged() + counts.voided + (ledger.open_round() ? 1 : 0)) std::abort();
  double epsilon = 0;
  for (const service::Entry& entry : ledger.entries()) {
    double after = epsilon;
    if (const auto* released = std::get_if<service::ReleaseEntry>(&entry)) after = released->epsilon;
    if (const auto* spent = std::get_if<service::SpentEntry>(&entry)) after = spent->epsilon;
    if (!(after >= epsilon)) std::abort();
    epsilon = after;
  }
  if (ledger.epsilon() != epsilon || !std::isfinite(epsilon)) std::abort();
}

bool reads(const Rows& rows) {
  service::MemoryStore store;
  store.stored_rows() = rows;
  return accepted([&] { require_consistent(service::Ledger(store, "ledger"), rows); }, {ErrorCode::file});
}

}  // namespace

bool accepts(Input input) {
  const Rows rows = rows_of(input);
  reads(linked(rows));
  return reads(rows);
}

}  // namespace muster::fuzz
