// E(Y_1 + ... + Y_n - k)_+ where rare large terms carry much of it: they are taken apart from the rest.
//
// A law with a heavy tail tilted to its saddle point has two humps, the bulk and the largest atoms, and an
// inversion integral over both needs a period as long as the largest atom at a step as short as the bulk.
// Here B is a size that one of the n terms passes with a small probability, n p = n P(Y > B), and with S the
// sum of terms conditioned to be at most B,
//     E(sum - k)_+ = (1-p)^n E(S_n - k)_+
//                    + n (1-p)^{n-1} sum over atoms y > B of w(y) E(S_{n-1} + y - k)_+
//                    + R:
// none is large; one is; R, at least two are. The expectation for one large atom lies between Jensen's (E S +
// y - k)_+ and the least of Chernoff's and Scarf's bounds and put-call parity; only where these leave a gap
// is it integrated, for all such atoms in one inversion. With two large terms y, y' convexity gives (s + y +
// y')_+ <= ((s + 2y)_+ + (s + 2y')_+) / 2 and (x + a)_+ <= x_+ + a_+ caps the others at B, so that
//     0 <= R <= n p / 2 ( n sum w(y) C(k - 2y) + n p n E(Y - B)_+ ),
//     C(x) >= E(sum of n-2 capped terms - x)_+.
// Terms below -B' are raised to it: the value grows by a factor of at most 1 / (1 - n P(Y < -B')). Every
// piece is enclosed. docs/theory/profile-only.md, "Rare large terms". Pure.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// For independent copies of `law`, n >= 2. None where nothing would be taken apart.
std::optional<Enclosure> excess_with_rare_terms(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
