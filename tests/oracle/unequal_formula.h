// This test oracle computes Theorem 6 for a given rate of each client, and the slot bounds, term by term as
// written in docs/theory/unequal-rates.md and slots.md, in long double.
//
// Every set of reporting clients, every choice of slots and every combination of atoms is visited, so there
// can be at most about 6 clients and slots. The fast code in src/muster/theorems is compared with
// these formulas, and they are compared with enumeration. The functions are pure.
#pragma once

#include <vector>

#include "tests/oracle/enumeration.h"
#include "tests/oracle/slow_formula.h"

namespace muster::accounting::oracle {

// Evaluates the right-hand side of inequality (1) of docs/theory/unequal-rates.md for one data set; rates[0]
// is the victim's. All messages of the others are visited. For a message to which another client's law gives
// no mass, the term is the limit as that mass tends to 0.
long double unequal_dataset(const std::vector<Law>& others, const Law& a, const Law& b,
                            const std::vector<long double>& rates, long double epsilon);

// Evaluates the same with independent draws of `law` (X*, slow_formula.h) instead of the ratios
// (a - E b)/u_j, where E = e^epsilon and u_j is the law of client j's message. at_all is the hockey-stick
// divergence of a and b at epsilon, or an upper bound of it.
long double unequal_profile(const std::vector<Atom>& law, const std::vector<long double>& rates,
                            long double epsilon, long double at_all);

// Returns the mean of ( 1-E + (p0/m) sum w_i (X*_i - (1-E)) )_+ for given weights w_1 .. w_m and independent
// draws X*_i of `law`, with E = e^epsilon. p0 is the victim's probability of a check-in.
long double slot_sum(const std::vector<Atom>& law, const std::vector<long double>& weights, long double p0,
                     long double epsilon);

// Returns the average of slot_sum over w_i = 1 / (1 + c_i), where c_i is the number of others at slot i:
// each of them checks in with its rate at a uniform slot.
long double counted_slot_sum(const std::vector<Atom>& law, int slots, long double p0,
                             const std::vector<long double>& rates_of_others, long double epsilon);

}  // namespace muster::accounting::oracle
