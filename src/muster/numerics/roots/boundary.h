// Where an increasing function passes zero, on a lattice, in few evaluations: the last point not above zero.
//
// Searches for a parameter answer with a point of a lattice (whole numbers, or numbers of six significant
// digits), so that the answer can be written down exactly and its neighbour is known to fail. An evaluation
// may cost a tenth of a second: secant steps on a logarithmic coordinate need about seven of them. The
// function may be -infinity or +infinity (no slope there: the step is then a bisection) and may be slightly
// rough; the result is always a point that was evaluated and found not above zero, beside one that was found
// above it (for a `smooth` function: found, or on a line through two points close by clearly above it).
//
// Example:
//     const Lattice lattice = six_digit_numbers();
//     const BoundarySearch search{lattice, lattice.index(0.01), lattice.index(100), lattice.index(3), 1.0};
//     search.last_within([&](std::int64_t i) { return std::log(lattice.value(i) / std::numbers::pi); });
//     // lattice.value(*found) == 3.14159
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace muster::numerics {

// Positive values by index. `index` is that of the largest value not above its argument (for a mirrored
// lattice: of the smallest not below).
struct Lattice {
  std::function<double(std::int64_t index)> value;
  std::function<std::int64_t(double value)> index;
  bool mirrored = false;  // values fall as indices rise

  Lattice mirror() const;
};

// 1, 2, 3, ...: the index is the value.
Lattice whole_numbers();
// Every number of six significant digits between 1e-290 and 1e290, as the nearest double.
Lattice six_digit_numbers();

struct BoundarySearch {
  const Lattice& lattice;
  std::int64_t first;  // first <= start <= last
  std::int64_t last;
  std::int64_t start;
  double slope = 1;     // a guess of d function / d |log value| at start, > 0
  double reach = 0.01;  // the least of |log value| that a first step goes: how far off the start may well be
  bool smooth = false;  // a line through two points a hundredth apart tells the next point of the lattice

  // None where `first` is already above zero. Throws what `function` throws.
  std::optional<std::int64_t> last_within(const std::function<double(std::int64_t)>& function) const;
};

}  // namespace muster::numerics
