// Bounds a plain shuffle, and answers that adapt to earlier ones within the round, by hiding among the
// clones (Theorem 18, docs/theory/clones.md).
//
// Source: Feldman, McMillan, Talwar, "Hiding Among the Clones: A Simple and Nearly Optimal Analysis of
// Privacy Amplification by Shuffling", FOCS 2021, Theorems 3.1 and 3.8. With probability e^-epsilon0 each
// other client is a clone: it behaves like one of the victim's two records. The number of clones is
// C ~ Bin(n-1, e^-epsilon0), and A ~ Bin(C, 1/2) of them behave like the victim's own record. She does so
// herself with probability p = e^epsilon0/(e^epsilon0 + 1) and otherwise behaves like her alternative. The
// server learns at most the two counts, which are (A + 1, C - A) or (A, C - A + 1). The laws of these
// counts for the victim's two records are called the clone pair. Records are shuffled first and then
// answered one after another, where each randomizer may depend on the earlier answers. A shuffle of
// independent messages is the special case without such dependence; for it, pure_blanket_delta is smaller.
// The neighbouring relation is replace-one, and the shuffler is honest. The functions are pure and may be
// called from any thread. They require n >= 1.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// Encloses the exact divergence of the clone pair, which is a proven upper bound on delta. It is 0 for
// epsilon >= epsilon0.
numerics::Enclosure clone_pair_delta(double n, double epsilon0, double epsilon);

// Returns the closed form of the paper's Theorem 3.1, for epsilon0 <= ln(n / (16 ln(2/delta))). With
//     s = 8 sqrt(e^epsilon0 ln(4/delta) / n) + 8 e^epsilon0 / n,
//     epsilon = ln(1 + s (1 - e^-epsilon0) / (1 + e^(-epsilon0) / (1 + s))).
// This is the form that its authors evaluate. It is slightly above the printed one,
//     ln(1 + s (e^epsilon0 - 1)/(e^epsilon0 + 1)).
// The result is nullopt for a larger epsilon0, and for a delta outside (0, 1). The epsilon at which
// clone_pair_delta falls to delta is always smaller.
std::optional<double> clone_closed_form_epsilon_upper(double n, double epsilon0, double delta);

// By the paper's Theorem 3.8 for (epsilon0, delta0)-LDP randomizers, the closed form's epsilon at `delta`
// holds with a total delta of delta + (e^epsilon + 1)(1 + e^-epsilon0 / 2) n delta0. Returns the smallest
// epsilon whose total is at most `total`, or nullopt if there is no such epsilon. Its validity is
// as-published, because the theorem is quoted and not proved here.
std::optional<double> clone_approximate_epsilon_as_published(double n, double epsilon0, double delta0,
                                                             double total);

// Returns the bound for (epsilon0, delta0)-LDP randomizers, which docs/theory/clones.md proves also for
// answers that adapt. For epsilon < epsilon0,
//     delta <= delta0 + (1 - delta0) D + (1 + E)(n - 1) e^-epsilon0 delta0,
// where E = e^epsilon and D is the divergence of the clone pair whose clones have probability
// e^-epsilon0 (1 - delta0). For epsilon >= epsilon0, delta <= delta0.
numerics::UpperAndEstimate approximate_clone_pair_delta(double n, double epsilon0, double delta0,
                                                        double epsilon);

}  // namespace muster::accounting
