// Bounds k-ary randomized response by one law that serves the plain shuffle and every check-in, and
// computes the exact curves of three data sets (Theorem 13, docs/theory/k-rr.md).
//
// A client sends its own symbol with probability e^epsilon0 b and each other symbol with probability
// b = 1/(e^epsilon0 + k - 1). Let R(x) be the law of a message of record x. Let x and x' be the victim's two
// records, u another client's law and E = e^epsilon. The least law, in convex order, above the law of
// (R(x) - E R(x'))/u at a message of law u, for every u, is (value : probability)
//     e^epsilon0 - E : b ;   1 - E e^epsilon0 : b ;   1 - E : (k-2) b ;   else 0                        (1)
// Law (1) is already the least one above the three laws for u = R(x), R(x') and R(y), where y is a third
// symbol, and the privacy blanket has the same law. The exact curves are those of the data sets in which
// everybody else holds a third symbol, the victim's alternative or her own record; they are lower bounds.
// All bounds are proven for replace-one neighbours and an honest shuffler. The functions are pure and may
// be called from any thread. They require k >= 2, epsilon0 > 0 and epsilon >= 0.
#pragma once

#include <vector>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/mean_of_terms.h"
#include "muster/theorems/round_shape.h"

namespace muster::accounting {

// Returns law (1), which is the law of the term of a client that reports.
std::vector<numerics::Term> k_rr_terms(double k, double epsilon0, double epsilon);

// Encloses the bound for a plain shuffle, delta <= (1/n) * mean of ( X_1 + ... + X_n )_+ with independent
// X_i of law (1). It is 0 for epsilon >= epsilon0.
numerics::Enclosure k_rr_blanket_delta(double n, double k, double epsilon0, double epsilon);

// Encloses the bound for a shuffled check-in at a rate in (0, 1). It is the same mean, with X_i = 1 - E for
// an absent client, plus rate^n times the local delta. It serves for comparison: check-ins are charged by
// the swap theorems, which give smaller bounds.
numerics::Enclosure k_rr_check_in_delta(double n, double rate, double k, double epsilon0, double epsilon);

enum class OthersHold { third, alternative, own };  // what the other clients hold; `third` needs k >= 3

// Encloses the exact hockey-stick divergence of the victim's record against her alternative, where
// everybody else holds the symbol that `others` names. With `third`, both orders of the victim's records
// have the same divergence. Exchanging the records under `alternative` gives the divergence under `own`.
numerics::Enclosure k_rr_dataset_delta(const RoundShape& shape, double k, double epsilon0, OthersHold others,
                                       double epsilon);

}  // namespace muster::accounting
