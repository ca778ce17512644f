#!/usr/bin/env python3
"""Epsilons of Gaussian check-ins from two types, from a homogeneous data set, and from X*.

The program compares them with the values of gaussian_two_types_test.cc and two_types_laws_test.cc.

The homogeneous data set and the profile-only law X* need no correction. The laws of their terms are integrated
directly, and the density of the sum of n terms is a Fourier series (fourier.py). Rounds are composed by FFT on two
grids of different steps, with extrapolation. These values are exact to five digits for one round and to four for more.

A, B and C are the stop-loss transforms of docs/theory/gaussian-two-types.md, of another client's term: A if she holds
the victim's record, B if she holds the victim's alternative, and C if she holds a third record. The correction beta is
the largest C - lambda A - (1 - lambda) B over the triangles of each cell. It is found by direct search. C is integrated
over N1 - N2, in that page's notation. beta itself, and no convex function above it, is added to A and to B. The
accountant bounds boxes of triangles from above, moves the mass of the common factor V to the ends of cells, and makes
the result convex. All three steps err upward. The cells of triangles and their weights are the accountant's, because
the theorem does not prescribe them. The ends of V's cells, too, are the accountant's, for the values of beta that
two_types_laws_test.cc stores. The stored epsilons are those of the theorem alone, without any cells of V. The tests say
how far above these values the accountant's may be; below them it must never be.

The program exits with status 1 unless the stored values are those of this program, to their last digit. It uses only
the standard library.

    python3 tools/golden/gaussian_two_types.py    # prints computed and stored values, two minutes
"""
import bisect
import math

import fourier
import inversion
import stored
from fourier import normal_density, upper_normal

TEST = "src/muster/theorems/swap/gaussian_two_types_test.cc"
COMPOSED_TEST = "src/muster/accounting/gaussian_two_types_charged_test.cc"
LAWS_TEST = "src/muster/theorems/swap/two_types_laws_test.cc"
CLIENTS, RATE = 60_000, 0.1
CELLS, NODES = 160, 10  # as in the accountant: cells of d, and nodes of K per deviation
COARSE = fourier.gauss_legendre(8)
FINE = fourier.gauss_legendre(12)
NARROW = fourier.gauss_legendre(4)


def normal_option(size, strike, deviation):
    """Returns the mean of (size V - strike)_+ for a lognormal V of
    mean 1, where ln V has the standard deviation `deviation`."""
    if deviation < 1e-9:
        return max(0.0, size - strike)
    at = math.log(size / strike) / deviation
    return size * upper_normal(-at - deviation / 2) - strike * upper_normal(-at + deviation / 2)


def chords(mu, deviation):
    """Returns normal_option(1, k, deviation) as a function of k, by chords between the ends of V's cells."""
    if deviation < 1e-9:
        return lambda k: max(0.0, 1 - k)
    ends = [9.0]
    while ends[-1] > -9:
        ends.append(max(-9.0, ends[-1] - min(0.6, 0.32 / mu) * max(1.0, abs(ends[-1]) / 3)))
    places = [math.exp(deviation * t - deviation * deviation / 2) for t in reversed(ends)]
    values = [normal_option(1.0, place, deviation) for place in places]

    def excess(k):
        if not places[0] < k < places[-1]:
            return max(0.0, 1 - k)
        right = bisect.bisect_right(places, k)
        share = (k - places[right - 1]) / (places[right] - places[right - 1])
        return values[right - 1] + share * (values[right] - values[right - 1])

    return excess


def third_client(mu, e, c, D, d, S, by_chords):
    """Returns the mean of (g - c)_+ for c > 0 and of (c - g)_+ for c < 0, integrated over N1 - N2 as in
    gaussian_triangle.py. If `by_chords`, the mass of the common factor V is at the ends of the accountant's cells."""
    slope = (d - D) / (2 * D)
    rest = mu * math.sqrt(max(0.0, S / 4 - d * d / (4 * D)))
    deviation, mean, level = mu * math.sqrt(D), -mu * mu * d / 2, -mu * mu * ((S + D) / 4 - d / 2) / 2 + rest * rest / 2
    kink = (math.log(e) - mean) / deviation
    total = 0.0
    excess = chords(mu, rest) if by_chords else lambda k: normal_option(1.0, k, rest)
    width, rule = (0.02, NARROW) if by_chords else (0.35, COARSE)  # the chords have kinks
    for z, w in fourier.panels(kink, kink + 7, width, rule) if c > 0 else fourier.panels(kink - 7, kink, width, rule):
        size = math.exp(level + slope * deviation * z) * abs(math.exp(mean + deviation * z) - e)
        if size > 0:
            total += w * normal_density(z) * size * excess(abs(c) / size)
    return total


def ends(mu, e, c):
    """Returns A(c) and B(c) for c > 0; for c < 0, the expected deficits of the same terms at c.

    Here r is a lognormal variable of mean 1 whose logarithm has the standard deviation mu, like a likelihood ratio.
    """
    def profile(alpha):  # the mean of (r - alpha)_+
        return 1 - alpha if alpha <= 0 else normal_option(1.0, alpha, mu)

    def deficit(alpha):  # the mean of (alpha - r)_+
        return 0.0 if alpha <= 0 else profile(alpha) - 1 + alpha

    if c > 0:
        return e * deficit((1 - c) / e), profile(e + c)
    return e * profile((1 - c) / e), deficit(e + c)


def cells_of(mu, count):
    """Returns the cells (first, last, lambda) of the accountant.
    Any cells are valid; finer ones give a smaller beta."""
    places = [abs(i) / (count // 2) for i in range(-(count // 2), count // 2 + 1)]
    edges = [math.copysign(0.6 * x + 0.4 * math.sin(math.pi * x / 2), i - count // 2) for i, x in enumerate(places)]
    whole = math.erf(mu / math.sqrt(8))
    return [(first, last, 0.5 * (1 - math.erf(mu * (first + last) / 2 / math.sqrt(8)) / whole))
            for first, last in zip(edges, edges[1:])]


def correction(mu, e, c, cells, by_chords=False, starts=16):
    """Returns beta at c: the largest C - lambda A - (1 - lambda) B over cells and eta. Formula (N) of
    docs/theory/gaussian-two-types.md assigns a triangle to the cell and eta. The search
    begins at about `starts` cells; `by_chords` as in third_client."""
    record, alternative = ends(mu, e, c)

    def lacking(index, eta):
        if not (0 <= index < len(cells) and 0 <= eta < 1):
            return -1.0
        first, last, share = cells[index]
        low, high = max(first, eta - 1), min(last, 1 - eta)
        if low >= high:
            return -1.0
        nearest = low if low > 0 else -high if high < 0 else 0.0
        S = 1 + eta + 2 * math.sqrt(max(0.0, eta * (1 - nearest * nearest / (1 - eta))))
        value = third_client(mu, e, c, 1 - eta, high if c > 0 else low, S, by_chords)
        return value - share * record - (1 - share) * alternative

    stride = max(1, len(cells) // starts)
    best = max((lacking(index, eta), index, eta) for index in range(stride // 2, len(cells), stride)
               for eta in (0.0, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1))
    eta_step = 0.5 * best[2] + 2e-4
    while stride > 1 or eta_step > 1e-5:
        value, index, eta = best
        best = max([best] + [(lacking(index + i * stride, eta + j * eta_step), index + i * stride, eta + j * eta_step)
                             for i, j in ((-1, 0), (1, 0), (0, -1), (0, 1))])
        if best[0] <= value:
            stride, eta_step = max(1, stride // 2), eta_step / 2
    return max(0.0, best[0])


def term(mu, e, kind):
    """Returns the atoms of a reporting client's term minus its mean. For kind A she
    holds x, for kind B she holds x', and otherwise the term is X*. With E = e^epsilon, r
    is the likelihood ratio of the victim's two records or, for kind A, its inverse."""
    points = fourier.panels(-9.5, 9.5 + mu, 1.0, FINE)
    if kind == "A":  # her term is 1 - E r
        return fourier.centred([(-e * math.expm1(mu * z - mu * mu / 2), w * normal_density(z)) for z, w in points])
    if kind == "B":  # her term is r - E
        return fourier.centred([(math.expm1(mu * z - mu * mu / 2), w * normal_density(z)) for z, w in points])
    kink = math.log(e) / mu
    beyond, before = fourier.panels(kink, 9.5, 1.0, FINE), fourier.panels(-9.5, kink, 1.0, FINE)
    return fourier.centred([(math.exp(mu * y) - e, w * normal_density(y + mu / 2)) for y, w in beyond]
                           + [(1 - e * math.exp(-mu * y), w * normal_density(y - mu / 2)) for y, w in before])


def one_round(mu, epsilon, reporting):
    """Returns 1/n times the mean of (sum of n terms)_+, for clients that report with probability RATE.
    `reporting` has the atoms of a reporting client's term minus its mean."""
    atoms = fourier.centred([(x, RATE * mass) for x, mass in reporting])
    deviation = math.sqrt(CLIENTS * math.fsum(mass * x * x for x, mass in atoms))
    total = fourier.CentredSum([(CLIENTS, atoms)], -12 * deviation, 12 * deviation + math.exp(9.5 * mu))
    return total.excess(CLIENTS * math.expm1(epsilon)) / CLIENTS


def hump(mu, e):
    """Returns beta as a piecewise linear function of K - 1 = c + e - 1. The changes of its slope are the
    masses that it adds to the laws of A and B."""
    cells = cells_of(mu, CELLS)
    nodes = [math.copysign(math.expm1(mu * abs(j) / NODES), j) for j in range(-6 * NODES, 6 * NODES + 1)]
    values = [correction(mu, e, y - (e - 1), cells) if abs(y) > e - 1 else 0.0 for y in nodes]
    slopes = [0.0] + [(b - a) / (v - u) for a, b, u, v in zip(values, values[1:], nodes, nodes[1:])] + [0.0]
    return [(y, right - left) for y, left, right in zip(nodes, slopes, slopes[1:])]


def curves(mu, added):
    """Returns delta(epsilon) of a homogeneous data set, of X*, and
    of two types with the masses `added` for beta (see hump)."""
    def of(kind, more=()):
        return lambda epsilon: one_round(mu, epsilon, term(mu, math.exp(epsilon), kind) + list(more))

    alternative, record = of("B", added), of("A", added)
    return of("B"), of("X"), lambda epsilon: max(alternative(epsilon), record(epsilon))


def composed(curve, mu, rounds, delta):
    """Returns the epsilon of several rounds. Connecting the points of the curve has an upward error
    proportional to the square of their distance, which extrapolation from two distances removes."""
    deviation = math.sqrt(RATE * math.expm1(mu * mu) / CLIENTS)
    found = []
    for per_deviation in (10, 20):
        step = deviation / per_deviation
        found.append(fourier.compose(*fourier.masses_of_both(curve, step, 9 * per_deviation), rounds, step, delta))
    return found[1] + (found[1] - found[0]) / 3


def main():
    compare = stored.Comparison()
    for mu, c, beta in stored.rows(LAWS_TEST, "TEST(TwoTypesNet, ReferenceCorrections)"):
        at = math.expm1(mu * round(math.log1p(c) / mu * 16) / 16)
        own = correction(mu, 1.0, at, cells_of(mu, 192), by_chords=True, starts=192)
        compare.near(f"mu = {mu}, c = {at:.6f}, beta", own, beta)
    for mu, two_types, _, pair, profile in stored.rows(TEST, "TEST(GaussianTwoTypes, ReferenceValues)"):
        of_pair, of_profile, of_types = curves(mu, hump(mu, math.exp(two_types)))
        where = f"one round, mu = {mu}, delta = 1e-6"
        compare.near(f"{where}, two types", inversion.epsilon_of(of_types, 1e-6, 1.3 * two_types), two_types)
        compare.near(f"{where}, the pair", inversion.epsilon_of(of_pair, 1e-6, 1.3 * pair), pair)
        compare.near(f"{where}, X*", inversion.epsilon_of(of_profile, 1e-6, 1.3 * profile), profile)
    for sigma, rounds, two_types, _, profile in stored.rows(
            COMPOSED_TEST, "TEST(GaussianTwoTypes, ComposedReferenceValues)"):
        mu, delta = 2 / sigma, 1e-5
        of_profile, of_types = curves(mu, hump(mu, 1.0))[1:]
        where = f"{rounds:g} rounds, sigma = {sigma:g}, delta = 1e-5"
        compare.near(f"{where}, two types", composed(of_types, mu, rounds, delta), two_types)
        compare.near(f"{where}, X*", composed(of_profile, mu, rounds, delta), profile)
    compare.leave()


if __name__ == "__main__":
    main()
