// Cuts Bin(n, p) into blocks of consecutive values with certified weights, to bound E f(K) for
// K ~ Bin(n, p) and a monotone f >= 0.
//
// Weights are UPPER bounds of the blocks' probabilities, and every value 0..n lies in some block. Multiply
// each block's weight by the larger of f's values at its two ends: the sum over the blocks is an upper bound
// of E f(K). Values so far from the mean that Chernoff's bound on their tail is below e^-exponent lie in wide
// blocks. If `exponent` is 15 or more, all weights together exceed 1 by less than 2 e^-exponent plus
// rounding. The cost is O(sqrt(n p (1-p) exponent) + exponent + log n). Pure functions; call from any thread.
#pragma once

#include <vector>

namespace muster::numerics {

struct BinomialBlock {
  double first, last;  // the smallest and the largest value of the block; integers
  double weight;
};

// If exponent >= 15 and n <= 1e9, the sum of all weights is less than 1 + kBlocksExceedOne.
inline constexpr double kBlocksExceedOne = 1e-6;

// Requires a whole number n with 0 <= n <= 2^53, and 0 < p <= 1. If n is outside this range, or if n or p is
// NaN, the result is a single block whose weight is NaN, so that no sum over the blocks passes for a bound
// (ordered.h). Among the values at which Chernoff's bound is above e^-exponent, a block is up to
// max(1, fineness * sd * (1 + |z|)) values wide. Here sd is the standard deviation, and z is the distance of
// the block's inner end (the one nearer to the mean) from the mean, in units of max(1, sd). Farther out, the
// two ends of a block differ by a factor of about 1.2, and its weight is Chernoff's bound on the tail from
// its inner end on.
std::vector<BinomialBlock> binomial_blocks(double n, double p, double exponent, double fineness);

// Returns the number of values at which Chernoff's bound is above e^-exponent, as binomial_blocks() finds
// them: each lies in a block whose weight is its probability, rounded up. The requirements are the same.
double binomial_window(double n, double p, double exponent);

// Returns an integer that K ~ Bin(n, p) falls below with probability at most e^-exponent (Chernoff's bound).
double binomial_low_end(double n, double p, double exponent);

}  // namespace muster::numerics
