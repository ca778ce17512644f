// Hiding among the clones (docs/theory/clones.md): plain shuffle, and sequences that adapt within the round.
//
// Feldman, McMillan, Talwar, "Hiding Among the Clones: A Simple and Nearly Optimal Analysis of Privacy
// Amplification by Shuffling", FOCS 2021. Every other client behaves like the victim's two records with
// probability e^-epsilon0: C ~ Bin(n-1, e^-epsilon0), A ~ Bin(C, 1/2), the victim on her own side with
// probability p = e^epsilon0/(e^epsilon0 + 1), and (A + 1, C - A) against (A, C - A + 1) is what the server
// can learn. Records are shuffled first and then answered one after another, each randomizer chosen with the
// earlier answers in view; a shuffle of independent messages is the special case. Replace-one, shuffler
// honest. For independent messages pure_blanket_delta is smaller. Pure; call from any thread. n >= 1.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"

namespace muster::accounting {

// The divergence of the clone pair, exactly; proven. 0 beyond epsilon0.
numerics::Enclosure clone_pair_delta(double n, double epsilon0, double epsilon);

// The closed form, Theorem 3.1, for epsilon0 <= ln(n / (16 ln(2/delta))): with
// s = 8 sqrt(e^epsilon0 ln(4/delta) / n) + 8 e^epsilon0 / n,
//     epsilon = ln(1 + s (1 - e^-epsilon0) / (1 + e^(-epsilon0) / (1 + s))),
// the form its authors evaluate, slightly above the printed ln(1 + s (e^epsilon0 - 1)/(e^epsilon0 + 1)).
// nullopt outside that range. The pair above is always smaller.
std::optional<double> clone_closed_form_epsilon(double n, double epsilon0, double delta);

// (epsilon0, delta0)-LDP randomizers, Theorem 3.8 as published: the closed form at `delta`, in total
// (epsilon, delta + (e^epsilon + 1)(1 + e^-epsilon0 / 2) n delta0). The smallest epsilon with that total at
// most `total`; nullopt where none. As-published: quoted, not proved here.
std::optional<double> clone_approximate_epsilon(double n, double epsilon0, double delta0, double total);

// (epsilon0, delta0)-LDP randomizers, proven here, adaptive sequences too:
//     delta <= delta0 + (1 - delta0) D + (1 + E)(n - 1) e^-epsilon0 delta0,
// D the clone pair's divergence with clones of probability e^-epsilon0 (1 - delta0).
numerics::Enclosure approximate_clone_pair_delta(double n, double epsilon0, double delta0, double epsilon);

}  // namespace muster::accounting
