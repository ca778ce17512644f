// Renyi divergences of one message: what a local guarantee says in Renyi terms. Upper bounds, rounded up.
//
//   pure epsilon-DP   D_l <= log( (e^{l eps} + e^{(1-l) eps}) / (e^eps + 1) ) / (l - 1): binary randomized
//                     response attains it and no eps-DP pair exceeds it, in either order of its two laws.
//                     (The ratio of such a pair has mean 1 under Q and lies in [e^-eps, e^eps]; x^l is
//                     convex, so the two ends with that mean are worst.)
//   Gaussian          D_l = l mu^2 / 2, means mu deviations apart; any dimension.
// From (epsilon, delta > 0) there is none: docs/theory/no-conversion-from-approximate-dp.md. Any order l > 1;
// 0 at order 1 would need its own limit and is not offered. Pure functions.
#pragma once

namespace muster::accounting {

double pure_rdp(double epsilon, double order);
double gaussian_rdp(double mu, double order);

}  // namespace muster::accounting
