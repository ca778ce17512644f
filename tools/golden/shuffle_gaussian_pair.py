#!/usr/bin/env python3
"""Epsilons of the pair of the shuffled Gaussian, for shuffle_gaussian_pair_test.cc and star_pool_test.cc.

The pair's curves are E(mean_n r - e^epsilon)_+ and E(1 - e^epsilon mean_n r)_+ for n independent lognormals r of
mean 1 (docs/theory/shuffle-gaussian.md). The density of their sum is written as a Fourier series (fourier.py). The
characteristic function of r is integrated by the trapezoidal rule over the normal variable itself. The accountant, in
contrast, rounds r to finitely many values. Halving the step or doubling the interval changes the results by less than a
relative 1e-10. For the row of 1,000 clients, convolution on lattices of 1/4, 1/8 and 1/16, with extrapolation, also
gives 0.17172868.

This program confirms all values in the tests to their last digit. It also confirms the values in
docs/theory/reference-values.md for 7 and 1,000 rounds, which it composes by FFT of the privacy loss.

The program uses only the standard library, and compares the values with those stored in the tests.

    python3 tools/golden/shuffle_gaussian_pair.py    # prints computed and stored values, five seconds
"""
import math
import re

import fourier
import inversion
import stored

PAIR_TEST = "src/muster/theorems/exact/shuffle_gaussian_pair_test.cc"
PAGE = "docs/theory/reference-values.md"
STAR_TEST = "src/muster/theorems/everyone/star_pool_test.cc"
STEP = 0.01  # the step in the normal variable
REACH = 10.5


class Pair:
    def __init__(self, n, mu, step=STEP, wider=1.0):
        points = [i * step for i in range(round(-REACH / step), round((REACH + mu) / step) + 1)]
        ratio = [(math.expm1(mu * z - mu * mu / 2), step * fourier.normal_density(z)) for z in points]
        deviation = math.sqrt(n * math.expm1(mu * mu))
        # The interval of the centred sum has twelve standard deviations, and on the right also the largest ratio that
        # matters.
        high = wider * (12 * deviation + math.exp(mu * 9.5))
        self.n, self.sum = n, fourier.CentredSum([(n, ratio)], -12 * wider * deviation, high)

    def forward(self, epsilon):
        return self.sum.excess(self.n * math.expm1(epsilon)) / self.n

    def reverse(self, epsilon):
        return math.exp(epsilon) * self.sum.shortfall(self.n * math.expm1(-epsilon)) / self.n


def composed(pair, mu, rounds, delta):
    """Returns the larger epsilon of the two orders. Connecting the points of a curve has an upward error
    proportional to the square of their distance, which extrapolation from two distances removes."""
    deviation = math.sqrt(math.expm1(mu * mu) / pair.n)

    def at(curve, per_deviation):
        step = deviation / per_deviation
        return fourier.compose(*fourier.masses_of_pair(curve, step, 8 * per_deviation), rounds, step, delta)

    return max((4 * at(curve, 20) - at(curve, 10)) / 3 for curve in (pair.forward, pair.reverse))


def main():
    compare = stored.Comparison()
    few = 1 / 60_000
    pairs = [tuple(row) for row in stored.rows(PAIR_TEST, "TEST(ShuffleGaussianPair, ReferenceValues)", few=few)]
    pairs += [(60_000, mu, few, lower, 0) for mu, _, lower in stored.rows(STAR_TEST, "TEST(StarPool, ReferenceValues)")]
    for n, mu, delta, forward, reverse in pairs:
        pair = Pair(n, mu)
        high = 8 * math.sqrt(math.expm1(mu * mu) / n)  # doubles resolve the curve up to here
        found = inversion.epsilon_of(pair.forward, delta, high), inversion.epsilon_of(pair.reverse, delta, high)
        where = f"{n:g} clients, mu = {mu:.10g}, delta = {delta:.6g}"
        print(f"{where}: forward {found[0]:.10f}, reverse {found[1]:.10f}")
        for name, computed, figure in (("forward", found[0], forward), ("reverse", found[1], reverse)):
            if figure > 0:
                compare.near(f"    {name}", computed, figure)
    text = " ".join((stored.ROOT / PAGE).read_text(encoding="utf-8").split())
    stated = re.search(r"The pair at mu = 1/9.48 composed: ([0-9.]+) after 7 rounds, ([0-9.]+) after 1,000", text)
    for rounds, figure in zip((7, 1_000), stated.groups()):
        compare.near(f"60,000 clients, mu = 1/9.48, {rounds} rounds",
                     composed(Pair(60_000, 1 / 9.48), 1 / 9.48, rounds, few), stored.Figure(figure))
    compare.leave()


if __name__ == "__main__":
    main()
