#include "muster/http/open_request.h"

#include <algorithm>

#include "muster/core/error.h"
#include "muster/wire/descriptor.h"
#include "muster/wire/hash.h"
#include "muster/wire/manifest.h"

namespace muster::service {
namespace {

constexpr std::size_t kOffered = wire::kDescriptorBody + 64, kHead = 8 + kOffered;
// Every row of a ledger ends with a hash (ledger/entry.h). Rows of no length would take many times the memory
// of the bytes that state them.
constexpr std::size_t kShortestRow = sizeof(wire::Hash);
// The longest rows have a manifest, an epsilon and two hashes.
constexpr std::size_t kLongestRow = 512;
static_assert(wire::kManifest + 4 * sizeof(wire::Hash) <= kLongestRow);

wire::Buffer copy_of(wire::Bytes bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

wire::Buffer encode(const OpenRequest& request) {
  if (request.offered.size() != kOffered) {
    throw Error(ErrorCode::internal, "descriptor", "", "", "has another length than a signed one");
  }
  wire::FieldWriter fields(kHead);
  fields.integer(request.first).bytes(request.offered);
  for (const wire::Buffer& row : request.rows) {
    fields.integer(static_cast<std::uint32_t>(row.size())).bytes(row);
  }
  return fields.take();
}

std::optional<OpenRequest> read_open_request(wire::Bytes body) {
  if (body.size() < kHead) return std::nullopt;
  wire::FieldReader fields(body);
  OpenRequest request;
  request.first = fields.integer<std::uint64_t>();
  request.offered = copy_of(fields.bytes(kOffered));
  while (!fields.rest().empty()) {
    if (fields.rest().size() < sizeof(std::uint32_t)) return std::nullopt;
    const auto length = fields.integer<std::uint32_t>();
    if (length < kShortestRow || length > std::min(kLongestRow, fields.rest().size())) return std::nullopt;
    request.rows.push_back(copy_of(fields.bytes(length)));
  }
  return request;
}

std::size_t longest_open_request(std::uint64_t most_rounds) {
  // A task has one entry of its own, and every round is opened and has an outcome.
  return kHead + (2 * most_rounds + 1) * (sizeof(std::uint32_t) + kLongestRow);
}

}  // namespace muster::service
