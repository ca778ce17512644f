// Draws a uniform direction in R^d: independent normals and their squared length, computed in one pass.
//
// out / sqrt(squared_norm) is uniform on the unit sphere. The normals are those of fill_normals and the
// sums those of fixed_order_dot, so the values do not depend on the vector width. The functions are
// thread-safe.
#pragma once

#include <span>

#include "muster/random/keyed_stream.h"

namespace muster::random {

struct DirectionSums {
  double squared_norm;
  double dot;  // the inner product with `other`; 0 if `other` is empty
};

// Overwrites `out` with the normals. Throws Error(internal) unless `other` is empty or as long as `out`.
DirectionSums fill_direction(const RunKey& key, const StreamAddress& address, std::span<const float> other,
                             std::span<float> out);

}  // namespace muster::random
