// The hockey-stick divergence of many independent rounds, alike or not: one certified contour
// integral over a lattice.
//
// Each round's loss has a finite law on multiples of a spacing h, and a mass at infinity. With phi the
// product of their transforms and l0 the first lattice point above eps,
//     delta(eps) = sum over lattice losses l > eps of m(l) (1 - e^{eps-l}),     m the law of the sum,
// is the inverse transform of phi against the kernel sum over l >= l0 of (1 - e^{eps-l}) e^{-zl}. It is
// taken along Re z = c at the saddle point by the trapezoidal rule, whose aliases are positive, so that it
// errs upward (numerics/sums/contour.h). Frequencies with negligible terms are skipped by the factors'
// Lipschitz constants. The accuracy is relative at any delta, with about 100 frequencies whatever the
// number of rounds. For few rounds, whose transform hardly decays, all frequencies come from one fast
// Fourier transform (numerics/lattice_transform.h). Pure functions; call from any thread.
//
// Losses that are rare and far out need a long period at the short step of the bulk, and large losses make
// the transform decay slowly. Where the sum would be too long, the law is moved to a coarser lattice
// (coarser_lattice.h) or convolved (convolved_losses.h). The method and its errors:
// docs/theory/composition.md, "The divergence of a sum of lattice losses".
#pragma once

#include <optional>
#include <span>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct RepeatedLoss {
  // The finite nonzero losses under P, on multiples of the spacing; the mass at zero loss is implicit.
  const numerics::AtomicLaw* losses;
  double infinity;  // P-mass at infinite loss
  double rounds;    // a whole number >= 1
  // Added to the loss of each round, also where it is zero or infinite.
  double shift = 0;
};

// The sum of the rounds' shifts, and a bound on the rounding error of it and of an epsilon minus it.
struct TotalShift {
  double value, rounding;
};
TotalShift total_shift(std::span<const RepeatedLoss> parts, double epsilon);

// Which ends of an enclosure are wanted. The other end is still valid but may be as useless as 0 or 1.
enum class Ends { both, upper, lower };

// Encloses delta at epsilon of any sign: by the integral, or else on a coarser lattice, by convolution or
// by Chernoff's bound.
numerics::Enclosure composed_delta(std::span<const RepeatedLoss> parts, double spacing, double epsilon,
                                   Ends ends = Ends::both);

// An upper bound by the integral, or else by Chernoff's bound alone: quick, and sometimes much too large.
double composed_delta_roughly(std::span<const RepeatedLoss> parts, double spacing, double epsilon);

// The work that one answer may take: in atoms times frequencies, of which 1e8 take about a tenth of a
// second, and in log2 of the number of cells of a fast transform.
struct Effort {
  double work = 1e8;
  int cells = 20;
};
// Encloses delta, ignoring the parts' shifts. Uses the integral, except where a closed bound is already tight
// (a delta next to 1, or nearly all of it from infinite losses). nullopt if the integral takes too much work,
// or if its enclosure is wider than .02 of its upper end.
std::optional<numerics::Enclosure> composed_delta_by_integral(std::span<const RepeatedLoss> parts,
                                                              double spacing, double epsilon,
                                                              Effort most = {});

// The sum, at most 1, of an upper bound for finite losses and the probability that some loss is
// infinite; rounded up.
double with_infinite_losses(double upper, double at_infinity);

}  // namespace muster::accounting
