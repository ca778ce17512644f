// A lower bound of the epsilon that a theorem itself gives for T rounds, if it is evaluated exactly.
//
// A theorem's epsilon may lie far above that of every data set. The lower bound here differs from the
// accountant's value only by the numerical errors of both. V of swap_sum.h is convex in E = e^epsilon, so its
// supporting lines lie below it everywhere. Their envelope is the profile of a pair that the theorem's pair
// dominates. The functions are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/reference/pair.h"
#include "tests/reference/reference.h"
#include "tests/reference/swap_sum.h"

namespace muster::reference {

// Stands for V(sum) + charge V(sum without rivals). The charge is negative only if `sum` has
// no rivals itself.
struct Charged {
  SwapSum sum;
  long double charge = 0;
};

// Returns the sums of the theorem that a bound names ("swap-profile", "subset-swap", ...). At every E, the
// value of the theorem is at least the smallest sum. The result is empty for other theorems.
std::vector<Charged> swap_sums_of(const Experiment& e, const std::string& theorem);

// Returns a pair whose divergence, at any epsilon and in either order, is at most the smallest of the sums.
// The pair is symmetric under exchange of the records. `upper` is roughly the epsilon of all rounds, and
// `lines` is the number of lines to use.
Pair dominated_pair(const std::vector<Charged>& sums, double rounds, double upper, double delta, int lines);

// Returns a lower bound of the largest epsilon, up to `upper`, at which the
// theorem's delta is still at least `delta`. There is no result if the theorem
// is not evaluated here. The search lowers the result by about a relative 1e-3.
std::optional<double> theorem_epsilon(const Repetition& repetition, const std::string& theorem, double delta,
                                      double upper);

}  // namespace muster::reference
