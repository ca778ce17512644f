// This test oracle computes the exact output laws of small shuffled protocols, by enumerating every
// histogram of messages.
//
// The code follows the protocol's definition: who reports, which message, and the multiset that the shuffler
// outputs. It shares no formula with the bounds that it checks. A client's randomizer is a law on the
// messages 0 .. K-1 in long double, and clients may have different laws. For n clients there are C(n + K, K)
// histograms, and the work is at most n K times this number. The neighbouring relation is replace-one: the
// victim's law is a or b. check_in, subset and included throw std::invalid_argument for more than 63 clients
// or 21 messages.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace muster::accounting::oracle {

using Law = std::vector<long double>;  // probabilities of messages 0 .. K-1

// Two laws on the same outcomes: what the server sees with the victim's record x (p) or x' (q).
struct OutputPair {
  std::vector<long double> p, q;
  OutputPair swapped() const { return {q, p}; }
};

// Converts two laws, given as maps from outcomes to probabilities, to an OutputPair. An outcome that a map
// lacks has probability 0.
template <typename Key>
OutputPair aligned(const std::map<Key, long double>& p, const std::map<Key, long double>& q) {
  std::map<Key, std::pair<long double, long double>> both;
  for (const auto& [outcome, mass] : p) both[outcome].first = mass;
  for (const auto& [outcome, mass] : q) both[outcome].second = mass;
  OutputPair pair;
  for (const auto& entry : both) {
    pair.p.push_back(entry.second.first);
    pair.q.push_back(entry.second.second);
  }
  return pair;
}

// Returns the pair of a shuffled check-in: every client, the victim included, reports with probability
// `rate`, and the server sees the histogram of messages.
OutputPair check_in(const std::vector<Law>& others, const Law& a, const Law& b, long double rate);

// Returns the pair of a shuffled check-in with one rate for each client: rates[0] is the victim's, and the
// others' follow in order.
OutputPair check_in(const std::vector<Law>& others, const Law& a, const Law& b,
                    const std::vector<long double>& rates);

// Returns the pair if a uniform secret subset of k of the n = others.size() + 1 clients reports, and the
// server sees the histogram.
OutputPair subset(const std::vector<Law>& others, const Law& a, const Law& b, int k);

// Returns the pair if k of the clients report and the victim is among them with probability `share`, whatever
// k is. No protocol does this: in a uniform subset of k of n clients, the probability is k / n. Equation (6)
// of Liew et al. (2022) assumes it, and tests must catch this error.
OutputPair included(const std::vector<Law>& others, const Law& a, const Law& b, int k, long double share);

// Returns the pair of two independent rounds together. An outcome is a pair of an outcome of x and an outcome
// of y.
OutputPair product(const OutputPair& x, const OutputPair& y);

// Returns the hockey-stick divergence, the sum of (p - e^epsilon q)_+.
long double hockey_stick(const OutputPair& pair, long double epsilon);

// Returns the Renyi divergence D_order(p || q), or infinity if p has mass where q has none.
long double renyi(const OutputPair& pair, long double order);

// Returns the largest |log(x_i / y_i)| over the messages i, which is the least epsilon0 that holds for the
// two laws, or infinity if their supports differ.
long double log_ratio(const Law& x, const Law& y);

}  // namespace muster::accounting::oracle
