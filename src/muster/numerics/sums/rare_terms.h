// E(Y_1 + ... + Y_n - k)_+ where rare large terms contribute much of it and are treated separately from the
// rest.
//
// A law with a heavy tail, tilted at the saddle point of the sum, has two modes: the bulk and the largest
// atoms. An inversion integral over both needs a period as long as the largest atom and a resolution as fine
// as the bulk. Let B be a size and p = P(Y > B). The probability that at least one of the n terms exceeds B
// is at most n p, which should be small. Let w(y) be the weight of an atom y, and S_m the sum of m terms
// conditioned to be at most B. Then
// The three parts are for no large term (above B), for one, and for at least two (R). The expectation for one
// large atom y lies between Jensen's bound (E S_{n-1} + y - k)_+ and the least of the upper bounds of
// excess_bounds.h. Only atoms for which these bounds leave a gap are integrated, all in one inversion. With
// two large terms y and y', convexity gives (s + y + y')_+ <= ((s + 2y)_+ + (s + 2y')_+) / 2 for the sum s of
// the other terms. By (x + a)_+ <= x_+ + a_+ the other terms can be capped at B, which gives
// Where the bulk up to this B is still too heavy-tailed to integrate, B is smaller and R is larger. Then the
// part of R for two large terms,
// is enclosed as that for one large term is. Only the part for three or more is left to a bound, by the same
// convexity for three large terms, with n-3 other terms in C:
// Terms below -B', for a second size B', are raised to -B'. That adds at most
// n P(Y < -B') (C(k + B') + n E(Y - B)_+), with n-1 capped terms in this C. Every part is enclosed.
// Reference: docs/theory/profile-only.md, "Rare large terms". Pure function; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// The expected excess for n >= 2 independent copies of `law`; nullopt where no term would be treated
// separately.
std::optional<Enclosure> excess_with_rare_terms(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
