// The truth of a case, by dynamic programming over histograms of messages in long double, with
// its own error bound.
//
// One client is added at a time, and data sets with the same first records share the work. No bound is used
// here. All terms are non-negative, so the relative error of each probability is at most 2^-63 times the
// number of operations. The divergences are enclosed, so comparisons with a claim need no tolerance. For n
// clients and K messages, adding a client takes (K + 1) C(n + K, K) steps. A data set reuses the work of the
// data set before it for all clients before the first one whose record differs, and only that client and the
// later ones are added again. For Participation::Kind::slots, every choice of every client is enumerated
// instead.
#pragma once

#include <functional>
#include <vector>

#include "tests/oracle/harness_case.h"

namespace muster::accounting::oracle {

struct Interval {
  long double lower, upper;
};

// Calls visit(dataset, laws) for each data set, where laws[r] is the law of the histogram that the server
// sees if the victim holds record r.
void for_each_dataset(const Case& c, const Participation& participation,
                      const std::vector<std::vector<int>>& datasets,
                      const std::function<void(const std::vector<int>& dataset,
                                               const std::vector<std::vector<long double>>& laws)>& visit);

// Returns an upper bound of the relative error of each probability that for_each_dataset passes to `visit`.
long double relative_error(const Case& c);

// Return enclosures of sum (p - e^epsilon q)_+ and of the Renyi divergence, for probabilities with relative
// errors of at most `error`.
Interval hockey_stick_interval(const std::vector<long double>& p, const std::vector<long double>& q,
                               long double epsilon, long double error);
Interval renyi_interval(const std::vector<long double>& p, const std::vector<long double>& q,
                        long double order, long double error);

// Encloses, at each grid point, the largest value over the given data sets and all of Case::pairs.
std::vector<Interval> truth(const Case& c, const Participation& participation,
                            const std::vector<std::vector<int>>& datasets);
inline std::vector<Interval> truth(const Case& c) { return truth(c, c.participation, c.datasets); }

}  // namespace muster::accounting::oracle
