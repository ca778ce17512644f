// Closed forms of the second moment E |z|^2 of a decoded message z, summed over its coordinates, for each
// randomizer except the Gaussian. For Laplace noise, the variance is given instead.
//
// C is the clip norm `clip`, and d is the dimension. `c` is the factor that makes a noisy sign unbiased:
// 1/(1 - 2q) for the flip probability q, which is coth(epsilon0 / 2) up to the rounding of q (flip.h). A
// decoded message is unbiased, so its variance is the second moment minus the squared length of the clipped
// vector. docs/theory/vector-randomizers.md derives the formulas. Thread-safe.
#pragma once

namespace muster::randomizers {

// c without rounding: coth(epsilon0 / 2).
double ideal_sign_scale(double epsilon0);

// kappa = sqrt(pi) Gamma((d+1)/2) / Gamma(d/2) = 1 / E |<v, u>|, where v is uniform on the unit sphere of R^d
// and u is any unit vector. It is sqrt(pi) Gamma(1) / Gamma(1/2) = 1 for d = 1, and near sqrt(pi d / 2) for
// large d.
double inverse_mean_projection(double dimension);

// ldp-sgd and l2: (C c kappa)^2.
double sphere_second_moment(double c, double clip, double dimension);
// linf: (d C c)^2.
double linf_second_moment(double c, double clip, double dimension);
// l1: d (C c)^2.
double l1_second_moment(double c, double clip, double dimension);

// k-rr with w = 1 - kept: (1 - 2w/k + w^2/k) / (1 - w)^2, for every record.
double k_rr_second_moment(double kept, double k);
// 1 - w without rounding: (e^epsilon0 - 1) / (e^epsilon0 + k - 1).
double ideal_kept(double epsilon0, double k);

// The variance 8 (C / epsilon0)^2 of Laplace noise of scale 2 C / epsilon0, for values in [-C, C].
double laplace_variance(double epsilon0, double clip);

}  // namespace muster::randomizers
