#include "muster/random/direction.h"

#include <algorithm>
#include <cstddef>

#include "muster/core/error.h"
#include "muster/random/fixed_dot.h"
#include "muster/random/normals.h"

namespace muster::random {

DirectionSums fill_direction(const RunKey& key, const StreamAddress& address, std::span<const float> other,
                             std::span<float> out) {
  if (!other.empty() && other.size() != out.size()) {
    throw Error(ErrorCode::internal, "direction", "", "", "sizes differ");
  }
  DirectionSums sums{0, 0};
  // Whole blocks of fixed_order_dot, so that the sums are those of the whole vectors.
  for (std::size_t from = 0; from < out.size(); from += kDotBlock) {
    const std::span<float> part = out.subspan(from, std::min(kDotBlock, out.size() - from));
    fill_normals_from(key, address, from, part);
    sums.squared_norm += fixed_order_dot(part, part);
    if (!other.empty()) sums.dot += fixed_order_dot(part, other.subspan(from, part.size()));
  }
  return sums;
}

}  // namespace muster::random
