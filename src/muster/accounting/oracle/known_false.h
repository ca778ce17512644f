// Bounds that look right and are not: each with a small exact counterexample.
//
// An oracle that would pass any of these is no oracle: known_false_test.cc checks that every one is caught,
// with the figures stated. docs/theory/as-published.md tells where each comes from.
#pragma once

#include <string>
#include <vector>

namespace muster::accounting::oracle {

struct Counterexample {
  std::string claim;  // the false statement
  long double truth;  // exact divergence of one admissible pair of neighbours
  long double bound;  // what the claim allows
};

// In order: the two-cell clone pair with a hidden abstention (at eps 0.7 and 0.95), the variation-ratio pair
// for k-RR, "the homogeneous dataset is worst", the shuffle Gaussian at sensitivity 1, the printed moment of
// aggregated check-in.
std::vector<Counterexample> counterexamples();

// k-ary randomized response of record x.
std::vector<long double> k_rr(int k, long double epsilon0, int x);

}  // namespace muster::accounting::oracle
