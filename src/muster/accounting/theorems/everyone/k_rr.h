// k-ary randomized response: one law serves the plain shuffle and every check-in, and exact curves of three
// data sets (docs/theory/k-rr.md).
//
// The symbol x is kept with probability e^epsilon0 b, each other one sent with b = 1/(e^epsilon0 + k - 1).
// The least law above every (a - E b)/u in convex order is
//     e^epsilon0 - E : b ;   1 - E e^epsilon0 : b ;   1 - E : (k-2) b ;   else 0
// (the laws for u = R(x), R(x') and R(third) have it as their smallest common majorant); the privacy blanket
// has the same law. Exact curves: everybody else holds a third symbol, or the victim's alternative, or her
// own record. Lower bounds for every data set; replace-one, shuffler honest, proven. Pure; call from any
// thread. k >= 2, epsilon0 > 0, epsilon >= 0.
#pragma once

#include <vector>

#include "muster/accounting/theorems/shared/mean_of_terms.h"
#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The law (1) of a reporting client's term.
std::vector<Term> k_rr_terms(double k, double epsilon0, double epsilon);

// Plain shuffle: delta <= (1/n) E(X_1 + ... + X_n)_+ with X of law (1); 0 beyond epsilon0.
numerics::Enclosure k_rr_blanket_delta(double n, double k, double epsilon0, double epsilon);

// Shuffled check-in of rate < 1: the same with X = 1 - E where a client stays away, plus rate^n f(E).
numerics::Enclosure k_rr_check_in_delta(double n, double rate, double k, double epsilon0, double epsilon);

// `count` of n clients have a term, which is a report with probability `rate`: (n, n, 1) is the plain
// shuffle, (n, n, g) a check-in, (n, s, 1) a fixed subset.
struct KRRShape {
  double n;
  double count;
  double rate;
};

enum class OthersHold { third, alternative, own };  // third needs k >= 3

// HS_E of the victim's record against her alternative, everybody else holding what is said: exact. With
// `third` both orders of the victim's records give the same; the reverse of `alternative` is `own`.
numerics::Enclosure k_rr_dataset_delta(const KRRShape& shape, double k, double epsilon0, OthersHold others,
                                       double epsilon);

}  // namespace muster::accounting
