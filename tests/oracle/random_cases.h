// Small instances for the oracle's tests: a random randomizer (one law for each record) and every data set
// over its records.
#pragma once

#include <random>
#include <vector>

#include "tests/oracle/enumeration.h"

namespace muster::accounting::oracle {

// smooth: moderate ratios. extreme: each probability is that of a common base or e^s times it, with one
// random s, before normalisation. sparse: some probabilities are zero.
enum class Family { smooth, extreme, sparse };

// Returns `records` laws on `messages` messages, of the given family.
std::vector<Law> random_randomizer(Family family, int records, int messages, std::mt19937_64& engine);

// Returns the largest log-ratio over ordered pairs of laws.
long double largest_log_ratio(const std::vector<Law>& laws);

// Returns all multisets of `size` of the records 0 .. records-1, each in non-decreasing order.
std::vector<std::vector<int>> multisets(int records, int size);

// Returns the largest hockey-stick divergence of a shuffled check-in, over every ordered pair of the
// victim's records and every data set of n - 1 others.
long double worst_check_in(const std::vector<Law>& laws, int n, long double rate, long double epsilon);

}  // namespace muster::accounting::oracle
