// How the ten digits are written: for each, several ways, each a few strokes through control points.
//
// Coordinates: x to the right, y down, the digit in about [0.2, 0.8] x [0, 1]. A stroke is a
// smooth curve through its points (Catmull-Rom); corners are where one stroke ends and the next
// begins. Immutable tables; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster::learning {

struct Point {
  float x;
  float y;
};

// Control points; at most kMostPoints.
using Stroke = std::vector<Point>;
inline constexpr std::size_t kMostPoints = 16;
using Skeleton = std::vector<Stroke>;

// The ways of writing `digit` (0..9).
const std::vector<Skeleton>& skeletons(std::uint8_t digit);

}  // namespace muster::learning
