// Describes the types of a round: pairs of measures that together bound the round's worst case. An
// adversary may choose a different type in every round.
//
// A type is a pair of finite measures (P, Q) whose losses ln dP/dQ lie on multiples of a spacing, plus a
// P-mass `infinity` at infinite loss. Its profile is f(alpha) = sum over losses of (p - alpha q)_+ +
// infinity, where p and q are a loss's masses under P and Q. A list of types *covers* a round if the
// following holds for every pair of laws that the round can have, in either order. There are weights >= 0
// that sum to 1 such that the pair's hockey-stick divergence satisfies
//     HS_alpha <= sum over types of weight * f(alpha)     for every alpha > 0 on the lattice.
// The weights may depend on the pair but not on alpha. A single dominating pair cannot express this
// (docs/theory/aggregated.md, "Many rounds"). The types are plain values; threads may share them while
// nobody changes them.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::accounting {

struct RoundType {
  std::vector<std::int64_t> losses;  // increasing, in units of the spacing
  std::vector<double> masses;        // P-masses of these losses, >= 0
  double infinity = 0;               // P-mass at infinite loss
  bool rarely_worst = false;         // a hint: this type is rarely the adversary's best choice
};

struct RoundTypes {
  double spacing = 0;
  std::vector<RoundType> types;
};

}  // namespace muster::accounting
