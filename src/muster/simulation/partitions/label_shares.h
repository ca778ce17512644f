// Draws a client's shares of the labels from a symmetric Dirichlet law.
//
// The shares are independent gamma variables of shape alpha, divided by their sum. For alpha < 1, a variable
// of shape alpha + 1 is multiplied by U^(1/alpha) with a uniform U. The product may be much smaller than any
// double, so only logarithms are stored. Gamma variables of shape 1 or more are drawn by the method of
// Marsaglia and Tsang, "A simple method for generating gamma variables" (ACM TOMS 2000), from normals by Box
// and Muller, in double precision. The functions depend only on their arguments and the bits that they draw.
// Any thread may call them, with a BitSource of its own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "muster/random/bit_source.h"

namespace muster::simulation {

// Returns one logarithm of a gamma variable of shape `alpha` per class. They are the logarithms of the shares
// up to a common constant.
std::vector<double> draw_log_shares(double alpha, std::size_t classes, random::BitSource& bits);

// Draws one of the labels for which `present` is true; there must be at least one. The probabilities are
// proportional to these labels' shares.
std::size_t draw_label(std::span<const double> log_shares, const std::vector<bool>& present,
                       random::BitSource& bits);

}  // namespace muster::simulation
