// Encloses E(Y_1 + ... + Y_n - k)_+ where rare large terms contribute much of it. They are treated separately
// from the rest.
//
// A law with a heavy tail, tilted at the saddle point of the sum, has two modes: the bulk and the largest
// atoms. An inversion integral over both needs a period as long as the largest atom and a resolution as fine
// as the bulk. Let B be a size, and call a term large if it exceeds B, which has the probability
// p = P(Y > B). At least one of the n terms is large with probability at most n p, which should be small. Let
// w(y) be the weight of an atom y, and S_m the sum of m terms conditioned to be at most B. Then
//     E(Y_1 + ... + Y_n - k)_+ = (1-p)^n E(S_n - k)_+
//                                + n (1-p)^{n-1} sum over y > B of w(y) E(S_{n-1} + y - k)_+  +  R.
// The three parts are for no large term, for one, and for at least two (R). The expectation for one large
// atom y lies between Jensen's bound (E S_{n-1} + y - k)_+ and the least of the upper bounds of
// excess_bounds.h. Only atoms for which these bounds leave a gap are integrated, all in one inversion. With
// two large terms y and y', convexity gives (s + y + y')_+ <= ((s + 2y)_+ + (s + 2y')_+) / 2 for the sum s
// of the other terms. By (x + a)_+ <= x_+ + a_+ the other terms can be capped at B. With C(x) at least the
// expected excess over x of a sum of n-2 copies of min(Y, B), this gives
//     0 <= R <= (n p / 2) ( n sum over y > B of w(y) C(k - 2y)  +  n p n E(Y - B)_+ ).
// Where the bulk up to this B is still too heavy-tailed to integrate, B is smaller and R is larger. Then the
// part of R for exactly two large terms,
//     n (n-1)/2 (1-p)^{n-2} sum over y, y' > B of w(y) w(y') E(S_{n-2} + y + y' - k)_+,
// is enclosed by the same bounds as the part for one. Only the part R_3 for three or more is left to an upper
// bound, by the same convexity for three large terms, with n-3 copies of min(Y, B) in C:
//     0 <= R_3 <= ((n p)^2 / 6) ( n sum over y > B of w(y) C(k - 3y)  +  n p n E(Y - B)_+ ).
// Terms below -B', for a second size B', are raised to -B'. That adds at most
// n P(Y < -B') (C(k + B') + n E(Y - B)_+), with n-1 copies of min(Y, B) in this C. Every part is enclosed.
// Reference: docs/theory/profile-only.md, "Rare large terms". Pure functions; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// The expected excess for n >= 2 independent copies of `law`; nullopt if no term would be treated separately
// and, in general, if two large terms contribute too much for every B that is tried.
std::optional<Enclosure> excess_with_rare_terms(const AtomicLaw& law, double n, double k);

// The same with the part for two large terms enclosed at once, by the largest B at which any term is treated
// separately. The relative width is 1e-4 to a few parts in a hundred. Use it where the function above returns
// nullopt and the enclosure by an integral over the whole law is wider. Returns nullopt where no term would
// be treated separately.
std::optional<Enclosure> excess_with_rare_pairs(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
