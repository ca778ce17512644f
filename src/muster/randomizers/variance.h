// Closed forms of the second moment E |z|^2 of a decoded message z, summed over its coordinates, for each
// randomizer except the Gaussian. For Laplace noise, the variance is given instead.
//
// C is the clip norm `clip`, and d is the dimension. `c` is the factor that makes a noisy sign unbiased:
// 1/(1 - 2q) for the flip probability q, which is coth(epsilon0 / 2) up to the rounding of q (flip.h). A
// decoded message is unbiased, so its variance is the second moment minus the squared length of the clipped
// vector. docs/theory/vector-randomizers.md derives the formulas. The functions are thread-safe.
#pragma once

namespace muster::randomizers {

// Returns c without rounding, which is coth(epsilon0 / 2).
double ideal_sign_scale(double epsilon0);

// Returns kappa = sqrt(pi) Gamma((d+1)/2) / Gamma(d/2) = 1 / E |<v, u>|, where v is uniform on the unit
// sphere of R^d and u is any unit vector. It is sqrt(pi) Gamma(1) / Gamma(1/2) = 1 for d = 1, and near
// sqrt(pi d / 2) for large d.
double inverse_mean_projection(double dimension);

// Returns (C c kappa)^2, for ldp-sgd and l2.
double sphere_second_moment(double c, double clip, double dimension);
// Returns (d C c)^2, for linf.
double linf_second_moment(double c, double clip, double dimension);
// Returns d (C c)^2, for l1.
double l1_second_moment(double c, double clip, double dimension);

// Returns (1 - 2w/k + w^2/k) / (1 - w)^2 with w = 1 - kept, for k-rr with any record.
double k_rr_second_moment(double kept, double k);
// Returns 1 - w without rounding, which is (e^epsilon0 - 1) / (e^epsilon0 + k - 1).
double ideal_kept(double epsilon0, double k);

// Returns the variance 8 (C / epsilon0)^2 of Laplace noise of scale 2 C / epsilon0, for values in [-C, C].
double laplace_variance(double epsilon0, double clip);

}  // namespace muster::randomizers
