// Holds tables of how the ten digits are written. Each digit has several variants (skeletons), and a variant
// is a few strokes through control points.
//
// x points to the right and y down; a digit lies in about [0.2, 0.8] x [0, 1]. A stroke is a smooth curve
// through its points (Catmull-Rom); at a corner, one stroke ends and the next begins. The tables are
// immutable, and the function is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::learning {

struct Point {
  float x;
  float y;
};

// The control points of a stroke, at most kMaxPoints of them.
using Stroke = std::vector<Point>;
inline constexpr std::size_t kMaxPoints = 16;
using Skeleton = std::vector<Stroke>;

// Returns the variants of `digit` (0..9).
const std::vector<Skeleton>& skeletons(std::uint8_t digit);

}  // namespace muster::learning
