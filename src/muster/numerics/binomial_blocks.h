// Cuts Bin(n, p) into blocks of consecutive values with certified weights, for sums E[f(K)] of a
// monotone f.
//
// Weights are UPPER bounds of the blocks' probabilities, and every value 0..n lies in some block. If f
// is bounded on each block by its value at one end, the sum of weight * f is an upper bound of E[f(K)].
// All weights together exceed 1 by less than 2 e^-exponent plus rounding. The cost is O(sqrt(n p (1-p))
// sqrt(exponent)). Pure functions.
#pragma once

#include <vector>

namespace muster::numerics {

struct BinomialBlock {
  double first, last;  // integers
  double weight;
};

// All weights of an exponent of 15 or more, on at most 1e9 values, sum to less than 1 plus this.
inline constexpr double kBlocksExceedOne = 1e-6;

// Near the mean, blocks are max(1, fineness * sd * (1 + |z|)) values wide, where z is the distance from
// the mean in deviations, until the Chernoff exponent exceeds `exponent`. Beyond that, the two ends of a
// block differ by a factor of up to 1.2, and its weight is Chernoff's bound.
std::vector<BinomialBlock> binomial_blocks(double n, double p, double exponent, double fineness);

// K falls below the result with probability at most e^-exponent (Chernoff's bound). The
// result is an integer.
double binomial_low_end(double n, double p, double exponent);

}  // namespace muster::numerics
