#!/usr/bin/env python3
"""Expected excesses E(g - c)_+ of a third client's term g = e^N1 - E e^N2: the values of gaussian_triangle_test.cc.

By docs/theory/gaussian-two-types.md, N1 and N2 are jointly normal; the distances D, d, S give their variances mu^2 X
and mu^2 Y and their covariance mu^2 W. Here the difference U = N1 - N2 is held fixed and g = e^N2 (e^U - E): given U,
the excess is that of one lognormal variable times a number, and Gauss-Legendre panels integrate over the U of one
sign of e^U - E. The accountant holds fixed what is common to N1 and N2, and the quadrature of the test holds fixed one
of them. Doubles, errors below 2e-15. The standard library alone; the values stored in the test are compared.

    python3 tools/golden/gaussian_triangle.py    # prints computed and stored values, a second
"""
import math

import fourier
import stored
from fourier import normal_density, upper_normal

TEST = "src/muster/accounting/theorems/swap/gaussian_triangle_test.cc"
RULE = fourier.gauss_legendre(20)


def excess(mu, e, c, D, d, S):
    X, Y, W = (S + D) / 4 + d / 2, (S + D) / 4 - d / 2, (S - D) / 4
    assert d * d < D * S
    variance = X + Y - 2 * W  # of U, in units of mu^2, as are the next three
    slope = (W - Y) / variance  # of N2 on U
    left = Y - slope * slope * variance  # the variance of N2 that U leaves
    deviation, rest = mu * math.sqrt(variance), mu * math.sqrt(left)
    mean = -mu * mu * (X - Y) / 2
    kink = (math.log(e) - mean) / deviation

    def inner(z):
        """E(|g| - |c|)_+ given U, z deviations above its mean."""
        centre = -mu * mu * Y / 2 + slope * deviation * z + rest * rest / 2
        size = math.exp(centre) * abs(math.expm1(mean + deviation * z - math.log(e)) * e)
        if size == 0:
            return 0.0
        at = math.log(size / abs(c)) / rest
        return size * upper_normal(-at - rest / 2) - abs(c) * upper_normal(-at + rest / 2)

    points = fourier.panels(kink, 13, 0.1, RULE) if c > 0 else fourier.panels(-13, kink, 0.1, RULE)
    total = math.fsum(w * normal_density(z) * inner(z) for z, w in points)
    return total if c > 0 else 1 - e - c + total  # (g - c)_+ = g - c + (c - g)_+, and E g = 1 - E


def main():
    compare = stored.Comparison()
    for mu, e, c, D, d, S, value in stored.rows(TEST, "TEST(GaussianTriangle, ReferenceValues)"):
        found = excess(mu, e, c, D, d, S)
        print(f"mu = {mu}, E = {e}, c = {c}, D = {D}, d = {d}, S = {S}: {found:.15f}")
        compare.near("    to the last digit", found, value, 1.2 * value.half + 2e-15)
    compare.leave()


if __name__ == "__main__":
    main()
