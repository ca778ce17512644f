// Bounds the Renyi divergence D_l of order l of one message from its local guarantee; the results are rounded
// up.
//
//   pure epsilon-DP   D_l <= log( (e^{l eps} + e^{(1-l) eps}) / (e^eps + 1) ) / (l - 1): binary randomized
//                     response attains it and no eps-DP pair exceeds it, in either order of its two laws.
//                     (The ratio P/Q of such a pair has mean 1 under Q and lies in [e^-eps, e^eps]. As x^l is
//                     convex, the worst law of the ratio is the one on the two ends with that mean.)
//   Gaussian          D_l = l mu^2 / 2 for means mu deviations apart, in any dimension.
// There is no such bound from (epsilon, delta > 0): see
// docs/theory/no-conversion-from-approximate-dp.md. Any order l > 1 is allowed; order 1, which would
// need a limit of its own, is not. Pure functions.
#pragma once

namespace muster::accounting {

double pure_rdp(double epsilon, double order);
double gaussian_rdp(double mu, double order);

}  // namespace muster::accounting
