// Finds the last of a discrete set of numbers, here called a lattice, at which an increasing function is not
// above zero, in few evaluations.
//
// Searches for a parameter of a plan return a whole number or a number of six significant digits, so that the
// result can be written down exactly and the next number of its kind is known to fail. An evaluation may take
// a tenth of a second; secant steps in the logarithm of the value need about seven evaluations. The function
// may be slightly rough and may take the values -infinity and +infinity; where it is infinite, the search
// bisects or takes ever longer steps. The result is always a point that was evaluated and found not above
// zero. Unless the result is `last`, the next point was evaluated and found above zero. For a `smooth`
// function, the next point may instead be clearly above zero on the line through two evaluated points close
// by.
//
// Example:
//     const Lattice lattice = six_digit_numbers();
//     const BoundarySearch search{lattice, lattice.index(0.01), lattice.index(100), lattice.index(3), 1.0};
//     const auto found = search.last_within(
//         [&](std::int64_t i) { return std::log(lattice.value(i) / std::numbers::pi); });
//     // lattice.value(*found) == 3.14159
//
// A search calls its functions on the caller's thread only, so it is thread-safe if they are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace muster::numerics {

// Positive values by index. `index` returns the index of the largest value that is not above its argument;
// for a mirrored lattice, of the smallest value that is not below it.
struct Lattice {
  std::function<double(std::int64_t index)> value;
  std::function<std::int64_t(double value)> index;
  bool mirrored = false;  // whether the values fall as the indices rise

  Lattice mirror() const;  // the same values in reverse order, with negated indices
};

// 1, 2, 3, ...: the index is the value.
Lattice whole_numbers();
// Every number of six significant digits between 1e-290 and 1e290, as the nearest double.
Lattice six_digit_numbers();

struct BoundarySearch {
  const Lattice& lattice;
  std::int64_t first;  // the first index that is searched; first <= start <= last
  std::int64_t last;
  std::int64_t start;
  double slope = 1;  // > 0: a guess of |d function / d log value| at `start`
  // The least length of the first step, in units of log value. It should be about as large as the distance of
  // `start` from the result may be. The first step of a `smooth` function may be shorter.
  double reach = 0.01;
  // The caller's promise that a line through two points at most 0.01 apart in log value predicts the function
  // at the next point; the search then skips evaluations.
  bool smooth = false;

  // Returns the index of the last point at which `function`, which takes an index, is not above zero, or
  // nullopt if the function is above zero at `first`. Throws what `function` throws.
  std::optional<std::int64_t> last_within(const std::function<double(std::int64_t)>& function) const;
};

}  // namespace muster::numerics
