// This test oracle has the extreme points of class C on K equal cells, and finds the worst data set of
// clients with such laws by enumeration (docs/theory/class-c.md).
//
// An extreme point has density 2p on half of the cells and 2q on the other half, where
// p = 1 - q = e^epsilon0 / (e^epsilon0 + 1). No formula is shared with the bounds that are checked. Every
// histogram is enumerated (enumeration.h), so there can be only a few clients. The functions are pure and may
// be called on any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "muster/numerics/ordered.h"
#include "tests/oracle/enumeration.h"
#include "tests/oracle/random_cases.h"

namespace muster::accounting::oracle {

// Returns one law for each set of half of the cells 0 .. K-1: 2p/K on the cells of the set and 2q/K
// elsewhere. The first law is that of {0, ..., K/2-1}.
inline std::vector<Law> half_sets(int cells, double epsilon0) {
  const long double e0 = std::exp(static_cast<long double>(epsilon0));
  const long double high = 2 * e0 / (e0 + 1) / cells, low = 2 / (e0 + 1) / cells;
  std::vector<Law> laws;
  for (unsigned mask = 0; mask < 1u << cells; ++mask) {
    int size = 0;
    Law law;
    for (int i = 0; i < cells; ++i) {
      const bool inside = (mask >> i & 1u) != 0;
      size += inside ? 1 : 0;
      law.push_back(inside ? high : low);
    }
    if (size == cells / 2) {
      laws.push_back(law);
    }
  }
  return laws;
}

struct Worst {
  long double delta = 0;  // the largest over all data sets, second records of the victim and both orders
  long double homogeneous = 0;  // the largest if the others all hold her first or all her second record
};

// Returns one Worst for each epsilon, for n clients; protocol(others, a, b) returns the OutputPair. By
// symmetry, only the first half-set needs to be the victim's first record.
template <typename Protocol>
std::vector<Worst> worst_datasets(const std::vector<Law>& laws, int n, const std::vector<double>& epsilons,
                                  Protocol&& protocol) {
  std::vector<Worst> worst(epsilons.size());
  for (const std::vector<int>& choice : multisets(static_cast<int>(laws.size()), n - 1)) {
    std::vector<Law> others;
    for (int record : choice) {
      others.push_back(laws[static_cast<std::size_t>(record)]);
    }
    const bool same = std::all_of(choice.begin(), choice.end(), [&](int r) { return r == choice[0]; });
    for (std::size_t b = 1; b < laws.size(); ++b) {
      const bool homogeneous = same && (choice[0] == 0 || choice[0] == static_cast<int>(b));
      const OutputPair pair = protocol(others, laws[0], laws[b]);
      const OutputPair swapped = pair.swapped();
      for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const long double delta =
            numerics::larger(hockey_stick(pair, epsilons[i]), hockey_stick(swapped, epsilons[i]));
        worst[i].delta = numerics::larger(worst[i].delta, delta);
        if (homogeneous) {
          worst[i].homogeneous = numerics::larger(worst[i].homogeneous, delta);
        }
      }
    }
  }
  return worst;
}

inline std::vector<double> shares_of(double epsilon0, std::vector<double> shares) {
  for (double& share : shares) {
    share *= epsilon0;
  }
  return shares;
}

}  // namespace muster::accounting::oracle
