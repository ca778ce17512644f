// The Profile of a randomizer that is given by its laws, for the accountant's code. It consists of chords
// between nodes, so it is an upper bound for any choice of nodes, and exact if all kinks are nodes. Unlike
// the enumerations and the slow formulas, this function uses the accountant's own Profile.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "muster/describe/profile.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {

// Leaves out every other kink until there are at most `most` nodes; `most` must be at least 2.
inline Profile profile_of_laws(const std::vector<Law>& laws,
                               std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::vector<double> log_alphas{0};
  for (const Atom& atom : profile_law(laws, 0)) {
    if (atom.value > 1e-12L) log_alphas.push_back(static_cast<double>(std::log1p(atom.value)));
  }
  while (log_alphas.size() > most) {
    std::vector<double> fewer;
    for (std::size_t i = 0; i < log_alphas.size(); ++i) {
      if (i % 2 == 0 || i + 1 == log_alphas.size()) fewer.push_back(log_alphas[i]);
    }
    log_alphas = fewer;
  }
  return Profile::symmetric(log_alphas, [&laws](double l) {
    return Profile::Value{profile(laws, std::exp(static_cast<long double>(l))) * (1 + 1e-15L) + 1e-18L,
                          1e-18L};
  });
}

}  // namespace muster::accounting::oracle
