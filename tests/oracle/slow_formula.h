// This test oracle computes the right-hand sides of the swap theorems, term by term as written in
// docs/theory, in long double.
//
// Nothing is approximated or cut off: subsets, messages and multinomial compositions are summed one by one,
// so n must be small. The fast code in src/muster/theorems is compared with these formulas, and
// they are compared with enumeration.h.
#pragma once

#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

// Evaluates Theorem 1 (docs/theory/swap-theorem.md, inequality 2) for one data set: the sum over every set of
// reporting others and all their messages. For a message to which another client's law gives no mass, the
// term is the limit as that mass tends to 0. Requires rate < 1.
long double swap_dataset(const std::vector<Law>& others, const Law& a, const Law& b, long double rate,
                         long double epsilon);

// A value of a finite law, with its probability.
struct Atom {
  long double value, mass;
};

// Returns X* of an epsilon0-LDP randomizer at E = e^epsilon
// (docs/theory/profile-only.md), which has three atoms.
std::vector<Atom> pure_law(long double epsilon0, long double epsilon);

// Returns X* of the profile f(alpha), the largest hockey-stick divergence over ordered pairs of `laws`.
// Every kink of its stop-loss transform is an atom. The mean of (X*-c)_+ is f(E+c) for c >= 0 and
// (1+|c|) f(E/(1+|c|)) for c < 0, with E = e^epsilon.
std::vector<Atom> profile_law(const std::vector<Law>& laws, long double epsilon);

// Returns f(alpha), the maximum over ordered pairs of `laws` of sum (x - alpha y)_+.
long double profile(const std::vector<Law>& laws, long double alpha);

// Returns E(X_1 + ... + X_n)_+ / n + rate^n at_all, where each X_i is independently 1 - e^epsilon with
// probability 1 - rate, and otherwise a draw of `law`. The expectation is summed over all multinomial counts
// of the values.
long double swap_sum(const std::vector<Atom>& law, int n, long double rate, long double epsilon,
                     long double at_all);

}  // namespace muster::accounting::oracle
