// E(Y_1 + ... + Y_n - k)_+ where rare large terms contribute much of it: they are taken
// apart from the rest.
//
// A law with a heavy tail, tilted to its saddle point, has two humps: the bulk and the largest atoms. An
// inversion integral over both needs a period as long as the largest atom and a resolution as fine as the
// bulk. Let B be a size that any of the n terms exceeds with a small probability, at most n p for
// p = P(Y > B), and let S_m be the sum of m terms conditioned to be at most B. Then
//     E(sum - k)_+ = (1-p)^n E(S_n - k)_+
//                    + n (1-p)^{n-1} sum over atoms y > B of w(y) E(S_{n-1} + y - k)_+
//                    + R
// for the cases that no term is large, that one is, and (R) that at least two are. The expectation for
// one large atom lies between Jensen's bound (E S_{n-1} + y - k)_+ and the least of the upper bounds of
// excess_bounds.h. Only where these leave a gap is it integrated, for all such atoms in one inversion.
// With two large terms y and y', convexity gives (s + y + y')_+ <= ((s + 2y)_+ + (s + 2y')_+) / 2, and
// (x + a)_+ <= x_+ + a_+ caps the others at B, so that
//     0 <= R <= n p / 2 ( n sum w(y) C(k - 2y) + n p n E(Y - B)_+ ),
//     C(x) >= E(sum of n-2 capped terms - x)_+.
// Terms below -B' are raised to -B'. That adds at most n P(Y < -B') (C(k + B') + n E(Y - B)_+), here with
// n-1 capped terms. Every part is enclosed. Reference: docs/theory/profile-only.md, "Rare large terms".
// Pure function; call from any thread.
#pragma once

#include <optional>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

// For n >= 2 independent copies of `law`. None where no term would be taken apart.
std::optional<Enclosure> excess_with_rare_terms(const AtomicLaw& law, double n, double k);

}  // namespace muster::numerics
