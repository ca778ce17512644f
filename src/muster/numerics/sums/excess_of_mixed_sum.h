// Certified enclosure of E( sum over groups of scale_g (Y_1 + ... + Y_{n_g}) - k )_+ : independent copies of
// one finitely supported law, each group at its own scale; or of several laws.
//
// The contour integral of expected_excess.h with the product of the groups' characteristic functions: errs
// upward, smoothing and aliases bounded for the lower end. A term is negligible as soon as one group's factor
// is, and frequencies are leapt over with that group's Lipschitz constant. Any c > 0 is a valid contour: a
// caller with many similar sums passes the saddle of the last one. Reference:
// docs/theory/star-with-a-pool.md, "Numerics".
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::numerics {

struct ScaledCopies {
  double scale;   // >= 0
  double copies;  // >= 0
};

// The zero over c of d/dc log( E e^{c(S-k)} / c^2 ): the contour on which the integrand is smallest.
double mixed_sum_saddle(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k);

Enclosure excess_of_mixed_sum(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                              double c);

// Chernoff's bound E e^{c(S-k)} / (e c) at the given c.
double excess_of_mixed_sum_chernoff(const AtomicLaw& law, const std::vector<ScaledCopies>& groups, double k,
                                    double c);

struct LawCopies {
  const AtomicLaw* law;
  double copies;  // >= 1
};

// Copies of several laws added up, to about 1e-5 of the value; at the saddle point unless told. Where the
// transform hardly decays the smoothing is what a millisecond affords, and the enclosure wider.
Enclosure excess_of_laws(std::span<const LawCopies> laws, double k,
                         std::optional<double> contour = std::nullopt);

}  // namespace muster::numerics
