// The second moment E |z|^2 of a decoded message z, in closed form: one formula a randomizer, one place.
//
// Summed over coordinates. `c` is what a sign is multiplied by so that its mean is unbiased: 1/(1 - 2q),
// which is coth(epsilon0 / 2) up to the rounding of the coin (flip.h). A decoded message is unbiased, so its
// variance is the second moment minus the squared length of the clipped vector. Derived in
// docs/randomizers.md. Thread-safe.
#pragma once

namespace muster::randomizers {

// coth(epsilon0 / 2): c of an ideal coin.
double ideal_sign_scale(double epsilon0);

// kappa = sqrt(pi) Gamma((d+1)/2) / Gamma(d/2) = 1 / E |<v, u>|, v uniform on the sphere of R^d and |u| = 1:
// 1 in one dimension, near sqrt(pi d / 2) in many.
double inverse_mean_projection(double dimension);

// ldp-sgd and l2: (C c kappa)^2.
double sphere_second_moment(double c, double clip, double dimension);
// linf: (d C c)^2.
double linf_second_moment(double c, double clip, double dimension);
// l1: d (C c)^2.
double l1_second_moment(double c, double clip, double dimension);

// k-rr that keeps the true answer with probability 1 - w and sends a uniform one otherwise: (1 - 2w/k +
// w^2/k) / (1 - w)^2, whatever the record.
double k_rr_second_moment(double kept, double k);
// 1 - w = (e^epsilon0 - 1) / (e^epsilon0 + k - 1).
double ideal_kept(double epsilon0, double k);

// Of Laplace noise of scale 2 C / epsilon0 on values in [-C, C]: the variance, 8 (C / epsilon0)^2.
double laplace_variance(double epsilon0, double clip);

}  // namespace muster::randomizers
