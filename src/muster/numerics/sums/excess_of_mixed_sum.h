// Certified enclosure of E(S - k)_+ for a sum S = sum over groups g of scale_g (Y_1 + ... + Y_{n_g}), where
// all Y are independent copies of one finitely supported law, or for a sum S of copies of several laws.
//
// The contour integral is that of expected_excess.h with the product of the groups' characteristic
// functions. It errs upward, and for the lower end bounds on what smoothing and aliases add are subtracted.
// The integrand is negligible where the factor of a single group is, because no factor exceeds 1 relative to
// its value on the real axis. Such frequencies are skipped with the help of the Lipschitz constant of that
// group's characteristic function. Any c > 0 is a valid contour, so a caller with many similar sums can pass
// the saddle point of the previous sum. Reference: docs/theory/star-with-a-pool.md, "Numerics". Pure
// functions; call from any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

struct ScaledCopies {
  double scale;   // multiplies each copy, >= 0
  double copies;  // the number n_g of copies, >= 0
};

// The saddle point of the integrand: the zero c > 0 of d/dc log( E e^{c(S-k)} / c^2 ).
double mixed_sum_saddle(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k);

// E(S - k)_+ by the integral along Re z = c. If k is not finite, the upper end is infinity.
Enclosure excess_of_mixed_sum(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                              double c);

// Chernoff's bound E e^{c(S-k)} / (e c) at the given c, rounded up.
double excess_of_mixed_sum_chernoff(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                                    double c);

struct LawCopies {
  const AtomicLaw* law;
  double copies;  // the number of copies of the law, >= 1
};

// E(S - k)_+ for the sum S of copies of several laws, to about a relative 1e-5. `contour` is the c to
// use, by default the saddle point. Where the characteristic function hardly decays, the smoothing is as
// fine as a few milliseconds of work allow, and the enclosure is wider.
Enclosure excess_of_laws(std::span<const LawCopies> laws, double k,
                         std::optional<double> contour = std::nullopt);

// A quick estimate of whether excess_of_laws() can afford its finest smoothing on the same contour.
bool finest_is_affordable(std::span<const LawCopies> laws, double k,
                          std::optional<double> contour = std::nullopt);

}  // namespace muster::numerics
