// Test oracle: the exact output laws of small shuffled protocols, by enumerating every histogram of messages.
//
// It works from the protocol's definition (who reports, which message, the multiset the shuffler outputs) and
// shares no formula with the bounds it checks. Users' randomizers are laws on messages 0 .. K-1 in long
// double; laws differ by user. Cost: the number of histograms, C(n + K, K). Neighbouring relation:
// replace-one (the victim's law a or b). More than 63 users or 21 messages are refused by
// std::invalid_argument.
#pragma once

#include <cstddef>
#include <vector>

namespace muster::accounting::oracle {

using Law = std::vector<long double>;  // probabilities of messages 0 .. K-1

// Two laws on the same outcomes: what the server sees with the victim's record x (p) or x' (q).
struct OutputPair {
  std::vector<long double> p, q;
  OutputPair swapped() const { return {q, p}; }
};

// Shuffled check-in: every user, the victim included, reports with probability `rate`; the histogram is seen.
OutputPair check_in(const std::vector<Law>& others, const Law& a, const Law& b, long double rate);

// The same with a rate for every user; `rates[0]` is the victim's, then the others' in order.
OutputPair check_in(const std::vector<Law>& others, const Law& a, const Law& b,
                    const std::vector<long double>& rates);

// A uniform secret subset of k of the n = others + 1 users reports; the histogram is seen.
OutputPair subset(const std::vector<Law>& others, const Law& a, const Law& b, int k);

// k reports, the victim's among them with probability `share` whatever k is. No protocol does this (a subset
// has share k / n): it is how equation (6) of Liew et al. (2022) reads, kept so that it can be caught.
OutputPair included(const std::vector<Law>& others, const Law& a, const Law& b, int k, long double share);

// T independent rounds of the same pair (non-adaptive product); sizes multiply.
OutputPair product(const OutputPair& x, const OutputPair& y);

// sum (p - e^epsilon q)_+ .
long double hockey_stick(const OutputPair& pair, long double epsilon);

// Renyi divergence D_order(p || q); infinity where p has mass that q has not.
long double renyi(const OutputPair& pair, long double order);

// The largest finite |log(p_i / q_i)| of two laws: the epsilon0 they need (infinity if supports differ).
long double log_ratio(const Law& x, const Law& y);

}  // namespace muster::accounting::oracle
