// A client's shares of the labels, drawn from a symmetric Dirichlet law.
//
// The shares are independent gamma variables of shape alpha, divided by their sum. A variable of shape alpha < 1
// is one of shape alpha + 1 times U^(1/alpha), which may be far too small for a double, so only logarithms are
// kept. Gamma variables of shape 1 and more: Marsaglia and Tsang, "A simple method for generating gamma
// variables" (ACM TOMS 2000), with normals by Box and Muller, in double precision. Pure functions of the bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "muster/random/bit_source.h"

namespace muster::simulation {

// The logarithms of the gamma variables: of the shares, up to a common constant.
std::vector<double> draw_log_shares(double alpha, std::size_t classes, random::BitSource& bits);

// A label drawn by the shares among the labels with `present` true, of which there must be one. The shares
// of the others go to these in proportion.
std::size_t draw_label(std::span<const double> log_shares, const std::vector<bool>& present,
                       random::BitSource& bits);

}  // namespace muster::simulation
