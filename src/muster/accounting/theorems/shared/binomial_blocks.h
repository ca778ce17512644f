// Bin(n, p) cut into blocks of consecutive values with certified weights: for sums E[f(K)] of a monotone f.
//
// Weights are UPPER bounds of the block's probability, and every value 0..n lies in some
// block: with f bounded on a block by its value at one end, the sum of weight * f is an upper
// bound of E[f(K)], and the weights' excess over 1 is below 2 e^-exponent plus rounding.
// O(sqrt(n p (1-p)) sqrt(exponent)). Pure function.
#pragma once

#include <vector>

namespace muster::accounting {

struct BinomialBlock {
  double first, last;  // integers
  double weight;
};

// Near the mean, blocks are max(1, fineness * sd * (1 + |z|)) wide, z the distance from the mean in
// deviations, until the Chernoff exponent exceeds `exponent`; beyond, blocks grow by a fifth and weigh their
// Chernoff bound.
std::vector<BinomialBlock> binomial_blocks(double n, double p, double exponent, double fineness);

// An integer that K falls below with probability at most e^-exponent (Chernoff).
double binomial_low_end(double n, double p, double exponent);

}  // namespace muster::accounting
