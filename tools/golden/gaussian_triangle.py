#!/usr/bin/env python3
"""The values of gaussian_triangle_test.cc: the mean of (g - c)_+ for a third client's term g = e^N1 - e^(epsilon + N2).

By docs/theory/gaussian-two-types.md (Proof, 1), N1 and N2 are jointly normal. The squared distances D and S of that
page and d, a difference of two other squared distances, give their variances mu^2 X and mu^2 Y and their covariance
mu^2 W. Let E = e^epsilon. For a fixed difference U = N1 - N2, g = e^N2 (e^U - E) is a lognormal variable times a
number, and its expected excess has a closed form. Gauss-Legendre panels integrate this excess over the U for which
e^U - E has one sign. The accountant instead holds the common part of N1 and N2 fixed, and the quadrature in the test
holds one of the two fixed. Values are computed in doubles, with errors below 2e-15. The program uses only the standard
library, and compares the values with those stored in the test.

    python3 tools/golden/gaussian_triangle.py    # prints computed and stored values, a second
"""
import math

import fourier
import stored
from fourier import normal_density, upper_normal

TEST = "src/muster/theorems/swap/gaussian_triangle_test.cc"
RULE = fourier.gauss_legendre(20)


def excess(mu, e, c, D, d, S):
    X, Y, W = (S + D) / 4 + d / 2, (S + D) / 4 - d / 2, (S - D) / 4
    assert d * d < D * S
    variance = X + Y - 2 * W  # the variance of U, in units of mu^2
    slope = (W - Y) / variance  # the slope of the regression of N2 on U
    left = Y - slope * slope * variance  # the variance of N2 given U, in units of mu^2
    deviation, rest = mu * math.sqrt(variance), mu * math.sqrt(left)
    mean = -mu * mu * (X - Y) / 2
    kink = (math.log(e) - mean) / deviation

    def inner(z):
        """Returns the mean of (|g| - |c|)_+ given that U is z standard deviations above its mean."""
        centre = -mu * mu * Y / 2 + slope * deviation * z + rest * rest / 2
        size = math.exp(centre) * abs(math.expm1(mean + deviation * z - math.log(e)) * e)
        if size == 0:
            return 0.0
        at = math.log(size / abs(c)) / rest
        return size * upper_normal(-at - rest / 2) - abs(c) * upper_normal(-at + rest / 2)

    points = fourier.panels(kink, 13, 0.1, RULE) if c > 0 else fourier.panels(-13, kink, 0.1, RULE)
    total = math.fsum(w * normal_density(z) * inner(z) for z, w in points)
    return total if c > 0 else 1 - e - c + total  # (g - c)_+ = g - c + (c - g)_+, and the mean of g is 1 - e


def main():
    compare = stored.Comparison()
    for mu, e, c, D, d, S, value in stored.rows(TEST, "TEST(GaussianTriangle, ReferenceValues)"):
        found = excess(mu, e, c, D, d, S)
        print(f"mu = {mu}, E = {e}, c = {c}, D = {D}, d = {d}, S = {S}: {found:.15f}")
        compare.near("    to the last digit", found, value, 1.2 * value.half + 2e-15)
    compare.leave()


if __name__ == "__main__":
    main()
