// Compares the curves of a pair of data sets with the enumerated pair.
#pragma once

#include <gtest/gtest.h>

#include "muster/composition/enclosed_minorant.h"
#include "muster/numerics/enclosure.h"
#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

inline double upper_of(const numerics::Enclosure& delta) { return delta.upper; }
// Minorants compared here are equal to their curves, so the upper end of the minorant is that of the curve.
inline double upper_of(const EnclosedMinorant& delta) { return delta.minorant_upper; }

// With delta the pair's enumerated hockey-stick divergence, expects in both directions that the upper end of
// `curve` is within relative * delta + absolute of delta, and that the lower end is at most (1 + room) delta.
template <typename Curve>
void expect_curve_of_pair(const Curve& curve, const OutputPair& pair, double epsilon, double relative,
                          double absolute, double room = 0) {
  const auto forward = static_cast<double>(hockey_stick(pair, epsilon));
  const auto reverse = static_cast<double>(hockey_stick(pair.swapped(), epsilon));
  EXPECT_NEAR(upper_of(curve.forward(epsilon)), forward, relative * forward + absolute);
  EXPECT_NEAR(upper_of(curve.reverse(epsilon)), reverse, relative * reverse + absolute);
  EXPECT_LE(curve.forward(epsilon).lower, forward * (1 + room));
  EXPECT_LE(curve.reverse(epsilon).lower, reverse * (1 + room));
}

}  // namespace muster::accounting::oracle
