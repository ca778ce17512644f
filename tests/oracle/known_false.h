// Bounds that look right and are false, each with a small exact counterexample.
//
// An oracle that accepted one of these would be worthless: known_false_test.cc checks that every one is
// caught, with the figures stated. docs/theory/false-claims.md explains why each fails.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

struct Counterexample {
  std::string claim;  // the false statement
  long double truth;  // exact divergence of one admissible pair of neighbours
  long double bound;  // what the claim allows
};

// In this order: the two-cell clone pair with a hidden abstention (at eps 0.7 and 0.95), the
// variation-ratio pair for k-RR, "the homogeneous dataset is worst", the shuffle Gaussian at sensitivity 1,
// the printed moment of aggregated check-in, unequal rates with the others' at the lowest, inclusion at the
// rate given the count.
std::vector<Counterexample> counterexamples();

// Counterexamples to Renyi statements of the papers: Theorem 2 of shuffled check-in (with corrected
// constants, then as printed), its Lemma 3, its later version's Lemma 4, and equation 17 and Theorem 3 of
// the shuffle Gaussian at check-in.
std::vector<Counterexample> published_counterexamples();

// The law of k-ary randomized response for record x.
Law k_rr(int k, long double epsilon0, int x);

// The false statements as functions of their parameters.

// Wrong for rate < 1. The others are clones of the victim's two messages with probability 2q and otherwise
// silent; everybody, the victim too, hides her abstention among theirs. (A formula with a cell for
// abstaining is right; this pair is a different one.)
OutputPair clone_pair(int n, long double epsilon0, long double rate);

// Wrong for k >= 3: the victim's other symbols vanish instead of appearing among the others', as in the
// SODA 2023 and variation-ratio reductions applied to k-RR.
OutputPair variation_ratio_pair(int n, int k, long double epsilon0);

// delta of two shuffled N(x, 1) messages, with the victim at 1 or 0 and the other user at 0: the value of
// the homogeneous pair at distance 1, by quadrature.
long double sensitivity_one(long double epsilon);

// E_{q'}[(p'/q')^l], p' = N(0, s^2/k), q' = N(1/(k+1), s^2/(k+1)), for the average of k or k+1 noisy
// messages: by quadrature, in closed form (order < k + 1), and as printed in the later version of Liew et
// al. (2022), Theorem 5.
long double averaged_moment(int k, long double s, long double order);
long double averaged_moment_formula(int k, long double s, long double order);
long double printed_averaged_moment(int k, long double s, long double order);

}  // namespace muster::accounting::oracle
