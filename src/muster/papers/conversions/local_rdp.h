// Bounds the Renyi divergence D_l of order l of one message, given its local guarantee. The results are
// rounded up.
//
//   pure epsilon-DP   D_l <= log( (e^{l eps} + e^{(1-l) eps}) / (e^eps + 1) ) / (l - 1), in both directions.
//                     Binary randomized response attains it, and no eps-DP pair exceeds it: the ratio P/Q has
//                     mean 1 under Q and lies in [e^-eps, e^eps]. As x^l is convex, its expectation is
//                     largest if the ratio takes only the two ends of this interval.
//   Gaussian          D_l = l mu^2 / 2 for two normal laws with means mu deviations apart, in any dimension.
// There is no such bound from (epsilon, delta > 0): see
// docs/theory/no-conversion-from-approximate-dp.md. The order is a real number above 1. The functions are
// pure.
#pragma once

namespace muster::accounting {

double pure_rdp_upper(double epsilon, double order);
double gaussian_rdp_upper(double mu, double order);

}  // namespace muster::accounting
