#include "muster/service/aggregator/batch_pull.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "muster/wire/hash.h"
#include "muster/wire/hpke.h"

namespace muster::service {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

}  // namespace

BatchPull::Result BatchPull::begin_anew(Result why) {
  bytes_.clear();
  return why;
}

BatchPull::Result BatchPull::pull(ShufflerForAggregator& shuffler) {
  const std::uint64_t piece = std::max<std::uint64_t>(1, kPieceBytes / manifest_.width);
  while (received() < manifest_.reports) {
    const std::uint64_t count = std::min(piece, manifest_.reports - received());
    const std::optional<wire::Buffer> bytes = shuffler.batch(manifest_.round, received(), count);
    if (!bytes) return begin_anew(Result::absent);
    if (bytes->size() != count * manifest_.width) return begin_anew(Result::other);
    bytes_.insert(bytes_.end(), bytes->begin(), bytes->end());
  }
  return wire::hash_of({bytes_}) == manifest_.batch ? Result::complete : begin_anew(Result::other);
}

bool BatchPull::has_duplicates() const {
  using Key = std::array<std::uint8_t, wire::kHpkeKey>;
  std::vector<Key> keys(manifest_.reports);
  for (std::uint64_t i = 0; i < manifest_.reports; ++i) {
    std::ranges::copy(report(i).first(wire::kHpkeKey), keys[i].begin());
  }
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

}  // namespace muster::service
