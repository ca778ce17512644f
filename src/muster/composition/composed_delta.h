// Bounds the hockey-stick divergence of the composition of many independent rounds, which may differ from
// each other. The divergence is one contour integral, computed with a proven error bound.
//
// A round's privacy loss takes finitely many finite values, all multiples of a spacing h, and may also be
// infinite. Let S be the sum of all losses, where infinite losses count as zero, and let m be the law of
// S. Apart from infinite losses,
//     delta(eps) = sum over lattice losses l > eps of m(l) (1 - e^{eps-l}).
// Let phi(z) be the product of the rounds' moment generating functions, and l0 the first lattice point not
// below eps. The sum is then the integral of phi(z) K(z) h / (2 pi i) from c - i pi/h to c + i pi/h, where
// K(z) is the sum over l >= l0 of (1 - e^{eps-l}) e^{-zl}. Infinite losses add at most the probability that
// any loss is infinite. The integral is computed at the saddle point c by the trapezoidal rule. The errors
// of this rule, its aliases (numerics/sums/contour.h), are positive, so it errs upward. Frequencies are
// skipped if Lipschitz constants of the factors of phi show that their terms are negligible. The relative
// accuracy does not depend on delta. For many rounds, about 100 frequencies suffice. For few rounds phi
// hardly decays, and fast Fourier transforms (numerics/lattice_transform.h) compute all frequencies. Pure
// functions; call from any thread.
//
// The sum over frequencies can be too long: rare, very large losses need a long period although most losses
// need a fine lattice, and large losses make phi decay slowly. The losses are then moved to a coarser lattice
// (coarser_lattice.h) or convolved (convolved_losses.h). For the method and its errors see
// docs/theory/composition.md, "The divergence of a sum of lattice losses".
#pragma once

#include <optional>
#include <span>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

// Searches for an epsilon end here. Where it would be larger, its upper bound is infinite.
inline constexpr double kMaxSearchedEpsilon = 1e20;

// Rounds that all have the same law of the loss under P, where (P, Q) is the pair of a round.
struct RepeatedLoss {
  // The finite nonzero losses, which are multiples of the spacing. Their masses, `infinity` and the mass at
  // zero loss sum to 1.
  const numerics::AtomicLaw* losses;
  double infinity;  // P-mass at infinite loss
  double rounds;    // the number of rounds, a whole number >= 1
  // Added to the loss of each round, including a loss of zero.
  double shift = 0;
};

// The sum of all rounds' shifts, and a bound on the total rounding error of this sum and of `epsilon` minus
// the sum.
struct TotalShift {
  double value, rounding;
};
TotalShift total_shift(std::span<const RepeatedLoss> parts, double epsilon);

// Which ends of an enclosure are wanted. An end that is not wanted is still valid but may be trivial: 0 or 1.
enum class Ends { both, upper, lower };

// Encloses delta at epsilon, which may be negative. Where the integral fails, a coarser lattice, convolution
// or Chernoff's bound gives the answer.
numerics::Enclosure composed_delta(std::span<const RepeatedLoss> parts, double spacing, double epsilon,
                                   Ends ends = Ends::both);

// An upper bound of delta by the integral or, where it fails, only by Chernoff's bound: quick, but sometimes
// much too large.
double composed_delta_roughly(std::span<const RepeatedLoss> parts, double spacing, double epsilon);

// Limits on the work of one integral. `work` limits the product of the numbers of atoms and of frequencies;
// 1e8 take about a tenth of a second. A fast transform may have at most 2^cells cells.
struct Effort {
  double work = 1e8;
  int cells = 20;
};
// Encloses delta, ignoring the parts' shifts. The integral is used except where delta is nearly 1 or comes
// almost only from infinite losses; there, closed-form bounds are tight. Returns nullopt if the integral
// takes too much work, or if its enclosure is wider than 0.02 times its upper end.
std::optional<numerics::Enclosure> composed_delta_by_integral(std::span<const RepeatedLoss> parts,
                                                              double spacing, double epsilon,
                                                              Effort most = {});

// The sum of `upper`, an upper bound on the part of delta that finite losses contribute, and `at_infinity`,
// the probability that some loss is infinite. The result is rounded up, and at most 1.
double with_infinite_losses(double upper, double at_infinity);

}  // namespace muster::accounting
