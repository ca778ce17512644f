// The hockey-stick divergence of many independent rounds, alike or not: one certified contour
// integral over a lattice.
//
// A round's loss takes finitely many values on the multiples of a spacing h, and may be infinite. With
// infinite losses taken as zero, and m the law of the sum of all losses,
//     delta(eps) = sum over lattice losses l > eps of m(l) (1 - e^{eps-l}).
// Let phi(z) be the product of the rounds' transforms (moment generating functions), and l0 the first lattice
// point not below eps. Then this is the inverse transform of phi against the kernel sum over l >= l0
// of (1 - e^{eps-l}) e^{-zl}. Infinite losses add at most the probability that there is one. The integral is
// taken along Re z = c, c being the saddle point, by the trapezoidal rule, whose aliases are positive, so
// that it errs upward (numerics/sums/contour.h). Frequencies whose terms are shown to be negligible by
// Lipschitz constants of the transforms are skipped. The relative accuracy is the same at any delta, and the
// sum over many rounds needs about 100 frequencies. For few rounds, whose transform hardly decays, all
// frequencies come from fast Fourier transforms (numerics/lattice_transform.h). Pure functions; call from any
// thread.
//
// Rare losses far out need a long period, while the bulk of the losses needs a fine lattice; and large losses
// make the transform decay slowly. Where the sum over frequencies would therefore be too long, the losses are
// moved to a coarser lattice (coarser_lattice.h) or convolved (convolved_losses.h). The method and its
// errors: docs/theory/composition.md, "The divergence of a sum of lattice losses".
#pragma once

#include <optional>
#include <span>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// `rounds` rounds, each with the same law of the loss under P, the first law of its pair.
struct RepeatedLoss {
  // The finite nonzero losses, on multiples of the spacing; what their masses and `infinity` leave of 1 is at
  // zero loss.
  const numerics::AtomicLaw* losses;
  double infinity;  // P-mass at infinite loss
  double rounds;    // a whole number >= 1
  // Added to the loss of each round, also to a loss of zero.
  double shift = 0;
};

// The sum of all rounds' shifts, and a bound on the rounding error of this sum and of `epsilon` minus it.
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

// An upper bound of delta by the integral, or else by Chernoff's bound alone: quick, and sometimes much too
// large.
double composed_delta_roughly(std::span<const RepeatedLoss> parts, double spacing, double epsilon);

// The most work for one integral: `work` counts atoms times frequencies, of which 1e8 take about a tenth of a
// second, and a fast transform has at most 2^cells cells.
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

// The sum of `upper`, a bound on what finite losses contribute to delta, and `at_infinity`, the probability
// that some loss is infinite; rounded up, at most 1.
double with_infinite_losses(double upper, double at_infinity);

}  // namespace muster::accounting
