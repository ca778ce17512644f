// Bounds that look right and are false, each with a small exact counterexample.
//
// An oracle that accepted one of these would be worthless. known_false_test.cc checks that every bound is
// caught, and compares the truth and the bound with the figures in the documentation.
// docs/theory/false-claims.md and as-published.md explain why each bound fails.
#pragma once

#include <string>
#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

struct Counterexample {
  std::string claim;  // the false statement
  long double truth;  // the exact divergence of one neighbouring pair that the claim covers
  long double bound;  // the upper bound of `truth` that the claim states
};

// Counterexamples to these claims, in this order:
//   the two-cell clone pair with a hidden abstention, at epsilon 0.7 and at 0.95;
//   the variation-ratio pair for k-RR;
//   "a homogeneous data set is the worst";
//   the shuffle Gaussian at sensitivity 1;
//   the printed moment of aggregated check-in;
//   "the worst of unequal rates has the victim at the highest rate and the others at the lowest";
//   "given k reports, the victim's is among them with probability g", where g is the rate.
std::vector<Counterexample> counterexamples();

// Counterexamples to Renyi statements of the papers, in this order:
//   Liew et al. (2022), Theorem 2, with corrected constants and as printed;
//   Liew et al. (2022), Lemma 3;
//   the later version of Liew et al. (2022), Lemma 4;
//   Liew, Takahashi (2022), equation 17 and Theorem 3, for the Gaussian under check-in.
std::vector<Counterexample> published_counterexamples();

// Returns the law of k-ary randomized response for record x.
Law k_rr(int k, long double epsilon0, int x);

// The rest of this header has the false statements as functions of their parameters.

// Returns the clone pair with a hidden abstention, which does not bound a shuffled check-in if rate < 1. In
// the pair, another client that reports is a clone with probability 2q, where q = 1 / (e^epsilon0 + 1). A
// clone sends either of the victim's two messages with probability 1/2. All other clients count as silent,
// even if they report without being clones, so they hide an abstention of the victim. In the protocol their
// reports are visible and hide no abstention. A formula with a separate cell for abstentions is right.
OutputPair clone_pair(int n, long double epsilon0, long double rate);

// Returns the pair of the SODA 2023 and variation-ratio reductions, applied to k-RR, which does not bound a
// shuffle of k-RR for k >= 3. If the victim reports a symbol other than her two records, the pair leaves this
// report out, although it appears among the others' reports of that symbol.
OutputPair variation_ratio_pair(int n, int k, long double epsilon0);

// Returns the hockey-stick divergence of two shuffled N(x, 1) messages, with the victim at 1 or 0 and the
// other client at 0. This is the homogeneous pair at distance 1; the value is computed by quadrature.
long double sensitivity_one(long double epsilon);

// Return the moment E_{q'}[(p'/q')^order], where p' = N(0, s^2/k) and q' = N(1/(k+1), s^2/(k+1)) are the laws
// of the average of k and of k + 1 noisy messages. The first function uses quadrature, the second one a
// closed form (for order < k + 1), and the third one the false formula that the later version of Liew et al.
// (2022), Theorem 5, prints.
long double averaged_moment(int k, long double s, long double order);
long double averaged_moment_formula(int k, long double s, long double order);
long double printed_averaged_moment(int k, long double s, long double order);

}  // namespace muster::accounting::oracle
