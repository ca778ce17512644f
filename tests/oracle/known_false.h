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

// In this order: the two-cell clone pair with a hidden abstention (at epsilon 0.7 and at 0.95), the
// variation-ratio pair for k-RR, "the homogeneous dataset is worst", the shuffle Gaussian at sensitivity 1,
// the printed moment of aggregated check-in, "the worst of unequal rates has the victim at the highest and
// the others at the lowest", "given k reports, the victim's is among them with probability g, the rate".
std::vector<Counterexample> counterexamples();

// Counterexamples to Renyi statements of the papers, in this order: Liew et al. (2022), Theorem 2 with
// corrected constants, then as printed; its Lemma 3; Lemma 4 of its later version; Liew, Takahashi (2022),
// equation 17 and Theorem 3, for the Gaussian under check-in.
std::vector<Counterexample> published_counterexamples();

// The law of k-ary randomized response for record x.
Law k_rr(int k, long double epsilon0, int x);

// The false statements as functions of their parameters.

// Wrong for rate < 1. With probability 2q, q = 1 / (e^epsilon0 + 1), another client that reports is a clone,
// who sends either of the victim's two messages with probability 1/2. All other clients count as silent, so
// an abstention of the victim hides among theirs and among the reports of those who are no clones. (A formula
// with a separate cell for abstentions is right; this pair is a different one.)
OutputPair clone_pair(int n, long double epsilon0, long double rate);

// Wrong for k >= 3: a report of the victim with another symbol than her two records vanishes, instead of
// appearing among the others' reports of that symbol, as in the SODA 2023 and variation-ratio reductions
// applied to k-RR.
OutputPair variation_ratio_pair(int n, int k, long double epsilon0);

// delta of two shuffled N(x, 1) messages, with the victim at 1 or 0 and the other user at 0: the value of
// the homogeneous pair at distance 1, by quadrature.
long double sensitivity_one(long double epsilon);

// E_{q'}[(p'/q')^order], p' = N(0, s^2/k), q' = N(1/(k+1), s^2/(k+1)), for the average of k or k+1 noisy
// messages: by quadrature, in closed form (order < k + 1), and as printed in the later version of Liew et
// al. (2022), Theorem 5.
long double averaged_moment(int k, long double s, long double order);
long double averaged_moment_formula(int k, long double s, long double order);
long double printed_averaged_moment(int k, long double s, long double order);

}  // namespace muster::accounting::oracle
