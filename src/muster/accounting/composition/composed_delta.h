// The hockey-stick divergence of many rounds, equal or not: one certified contour integral over a lattice.
//
// The rounds' losses are independent, each a finite law on multiples of a spacing h, plus a mass at infinity.
// With phi the product of their transforms and l0 the first lattice point above eps,
//     delta(eps) = sum over lattice losses l > eps of m(l) (1 - e^{eps-l}),     m the law of the sum,
// is the inverse transform of phi against the kernel sum over l >= l0 of (1 - e^{eps-l}) e^{-zl}, taken along
// Re z = c at the saddle point by the trapezoidal rule: its aliases are positive, so it errs upward
// (numerics/sums/contour.h). Frequencies whose term is negligible are leapt over with the factors' Lipschitz
// constants. Relative accuracy at any delta, about 100 frequencies whatever the number of rounds. For few
// rounds, whose transform hardly decays, every frequency comes from one fast Fourier transform
// (numerics/lattice_transform.h). Pure functions; call from any thread.
//
// Losses that are rare and far out would need a period as long as they are at a step as short as the bulk's,
// and large ones decay slowly: where the sum is too long, the law is convolved (convolved_losses.h).
#pragma once

#include <optional>
#include <span>

#include "muster/numerics/enclosure.h"
#include "muster/numerics/sums/atomic_law.h"

namespace muster::accounting {

struct RepeatedLoss {
  const numerics::AtomicLaw* losses;  // under P, on multiples of the spacing; the mass at zero loss implicit
  double infinity;                    // P-mass at infinite loss
  double rounds;                      // whole, >= 1
  double shift = 0;                   // each round's loss, zero and infinity among them, is larger by this
};

// What the rounds' shifts add up to, and how far rounding may have moved that or an epsilon less it.
struct TotalShift {
  double value, rounding;
};
TotalShift total_shift(std::span<const RepeatedLoss> parts, double epsilon);

// Which ends of an enclosure are wanted: another one may be as little as 0 or as large as 1.
enum class Ends { both, upper, lower };

// At epsilon of any sign: by the integral, else by convolution or Chernoff's bound.
numerics::Enclosure composed_delta(std::span<const RepeatedLoss> parts, double spacing, double epsilon,
                                   Ends ends = Ends::both);

// From above: by the integral, else by Chernoff's bound alone. Quick, and some times too large.
double composed_delta_roughly(std::span<const RepeatedLoss> parts, double spacing, double epsilon);

// By the integral, or where the answer is plain without one (a delta next to 1, or infinite losses alone);
// shifts are left out. None where the integral is too long, or its round-off leaves more than .02 open.
// What one answer may cost: atoms times frequencies, about a tenth of a second for 1e8, and the log2 of the
// cells of a fast transform.
struct Effort {
  double work = 1e8;
  int cells = 20;
};
std::optional<numerics::Enclosure> composed_delta_by_integral(std::span<const RepeatedLoss> parts,
                                                              double spacing, double epsilon,
                                                              Effort most = {});

// An upper end for finite losses, and the chance that some loss is infinite: at most 1.
double with_infinite_losses(double upper, double at_infinity);

}  // namespace muster::accounting
