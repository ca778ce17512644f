#!/usr/bin/env python3
"""Epsilons of the star with a pool at 60,000 clients, in docs/theory/notes/star-with-a-pool.md and reference-values.md.

Evaluates Theorem 16 (docs/theory/star-with-a-pool.md) for the pools of the notes' table. The ratio comes from the five
items of part D, each solved exactly. The failure probability is the power of ten that gives the ratio of the table. The
expectation is taken of a sum of two groups of copies of X*. X* is integrated from the Gaussian's profile without nodes,
and the sum's density is a Fourier series (fourier.py). The weights of the two groups are the worst weights with that
ratio. The accountant, in contrast, divides the range of the smallest weight into slices.

The results are the theorem's own values for these pools, to four digits, so the accountant's values must not be below
them. The values of the notes are the accountant's. They are 0.2 per cent above, because the accountant's slices may
increase the variance by 0.3 per cent. The column `upper` of reference-values.md has the theorem's own values. The
program exits with status 1 unless each value of the notes is between the theorem's own value and 1.003 times that
value, each ratio is within 0.4 per cent, and each value of the column is the theorem's own one. It uses only the
standard library.

    python3 tools/golden/star_pool.py    # prints computed and stored values, ten seconds
"""
import math
import re

import fourier
import inversion
import stored
from fourier import normal_density, upper_normal

TABLE = "docs/theory/notes/star-with-a-pool.md"
VALUES = "docs/theory/reference-values.md"
CLIENTS, DELTA = 60_000, 1 / 60_000
# The shares of the failure probability that the five items of part D (docs/theory/star-with-a-pool.md) get. COUNTS is
# the share of each of two events, too few clones and too many. Any shares are valid whose sum is at most 1.
HIDDEN, COUNTS, JUMP, RISE, FALL = 0.25, 0.15, 0.05, 0.125, 0.125
FAILURES = [10.0 ** -power for power in range(3, 12)]
RULE = fourier.gauss_legendre(16)


def root(grows, low, high):
    """Returns the point at which an increasing function changes its sign."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(middle) < 0 else (low, middle)
    return high


def quantile(probability):
    return root(lambda z: probability - upper_normal(z), 0, 38)


def least(function, low, high, steps=60):
    """Returns the minimum of a unimodal function, by golden-section search."""
    share = (math.sqrt(5) - 1) / 2
    a, b = high - share * (high - low), low + share * (high - low)
    at_a, at_b = function(a), function(b)
    for _ in range(steps):
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - share * (high - low)
            at_a = function(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + share * (high - low)
            at_b = function(b)
    return min(at_a, at_b)


class Ratio:
    """The ratio of part D of docs/theory/star-with-a-pool.md, for records within `radius` of the centre, if everybody
    reports."""

    def __init__(self, radius):
        self.radius = radius
        self.law = [(math.exp(radius * z - radius * radius / 2), w * normal_density(z))
                    for z, w in fourier.panels(-10, 10, 1, RULE)]

    def rise(self, clones, probability):
        """Returns e1 of item 4 of part D. Half of `probability`
        is spent on the excess of the ratio r above the cut t."""
        def excess(cut):  # the mean of (r - t)_+
            z = math.log(cut) / self.radius
            return upper_normal(z - self.radius / 2) - cut * upper_normal(z + self.radius / 2)

        def deviation(c):
            cut = root(lambda t: probability / (2 * c * clones) - excess(t), 0.5, math.exp(12 * self.radius))
            transform = math.fsum(w * math.expm1(c * (min(r, cut) - 1)) for r, w in self.law)
            return (math.log1p(transform) + math.log(2 / probability) / clones) / c

        scale = math.sqrt(2 * math.log(2 / probability) / (clones * math.expm1(self.radius ** 2)))
        return least(deviation, 0.1 * scale, 1.1 * scale, 25)

    def fall(self, clones, probability):
        """Returns e2 of item 5 of part D."""
        def deviation(c):
            transform = math.fsum(w * math.expm1(-c * (r - 1)) for r, w in self.law)
            return (math.log1p(transform) + math.log(1 / probability) / clones) / c

        scale = math.sqrt(2 * math.log(1 / probability) / (clones * math.expm1(self.radius ** 2)))
        return least(deviation, 0.2 * scale, 3 * scale, 25)

    def of(self, pool, users, failure):
        sig = self.radius
        q = 1.5 * sig * sig + sig * quantile(HIDDEN * failure / pool)
        hidden = pool * upper_normal((q - 0.5 * sig * sig) / sig)

        def exponent(share, chance):  # the Kullback-Leibler divergence of two coins
            return share * math.log(share / chance) + (1 - share) * math.log((1 - share) / (1 - chance))

        surprise = -math.log(COUNTS * failure) / pool
        chance = math.exp(-q) * (1 - hidden)
        fewest = math.ceil(pool * root(lambda a: surprise - exponent(a, chance), 1e-300, chance))
        chance = math.exp(-q)
        if surprise > -math.log(chance):
            return math.inf
        most = math.floor(pool * root(lambda a: exponent(a, chance) - surprise, chance, 1 - 1e-15)) + 1
        if fewest < 2:
            return math.inf
        jump = math.exp(0.5 * sig * sig + sig * quantile(JUMP * failure / users))
        given = (1 - hidden) ** most
        rise = self.rise(fewest, RISE * failure / users * given)
        fall = self.fall(fewest, FALL * failure / users * given)
        if fall >= 1:
            return math.inf
        return 1 + max((n * (rise + fall) + jump) / (n * (1 - fall)) for n in (fewest, most))


def term(mu, epsilon):
    """Returns X* of the Gaussian as atoms, from the second
    derivative of its stop-loss transform at alpha = e^(mu y).

    With E = e^epsilon and the normal density phi, X* takes the value e^(mu y) - E with the mass phi(y + mu/2) dy if
    e^(mu y) > E, and the value 1 - E e^(-mu y) with the mass phi(y - mu/2) dy if e^(mu y) < E.
    """
    e, kink = math.exp(epsilon), epsilon / mu
    beyond, before = fourier.panels(kink, 10, 0.8, RULE), fourier.panels(-10, kink, 0.8, RULE)
    return fourier.centred([(math.exp(mu * y) - e, w * normal_density(y + mu / 2)) for y, w in beyond]
                           + [(1 - e * math.exp(-mu * y), w * normal_density(y - mu / 2)) for y, w in before])


def profile(mu, epsilon):
    return upper_normal(epsilon / mu - mu / 2) - math.exp(epsilon) * upper_normal(epsilon / mu + mu / 2)


def curve(mu, pool, failure, ratio):
    """Returns the right side of Theorem 16 as a curve: the maximum
    over weight vectors with the two levels c and c * ratio."""
    users = CLIENTS - 1 - pool

    def delta(epsilon):
        atoms = term(mu, epsilon)
        spread = 1 + (ratio - 1) ** 2 / (4 * ratio)
        deviation = math.sqrt(users * spread * math.fsum(mass * x * x for x, mass in atoms))
        high = 12 * deviation + ratio * math.exp(9.5 * mu)
        end = users * math.expm1(epsilon)

        def value(c):
            heavy = users * (1 - c) / (c * (ratio - 1))
            groups = [(heavy, [(c * ratio * x, mass) for x, mass in atoms]),
                      (users - heavy, [(c * x, mass) for x, mass in atoms])]
            return -fourier.CentredSum(groups, -12 * deviation, high).excess(end)

        middle = (1 + 1 / ratio) / 2
        reach = 0.3 * (1 - 1 / ratio)
        return -least(value, middle - reach, middle + reach, 8) / users + failure * profile(mu, epsilon)

    return delta


def rows(page, width):
    """Yields the rows with `width` cells of the tables of a page."""
    for line in (stored.ROOT / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == width:
            yield cells


def table():
    """Yields mu, K, ratio and epsilon of every row of the notes, and the text of mu."""
    for cells in rows(TABLE, 5):
        if re.fullmatch(r"[0-9./]+", cells[0]):
            mu = math.prod(float(part) if i == 0 else 1 / float(part) for i, part in enumerate(cells[0].split("/")))
            yield mu, int(cells[1].replace(",", "")), stored.Figure(cells[2]), stored.Figure(cells[3]), cells[0]


def main():
    compare = stored.Comparison()
    column = {cells[1]: stored.Figure(cells[3]) for cells in rows(VALUES, 6) if cells[2] == "1/60,000" and cells[3]}
    for mu, pool, ratio, epsilon, name in table():
        ratios = {failure: Ratio(mu / 2).of(pool, CLIENTS - 1 - pool, failure) for failure in FAILURES}
        failure = min(FAILURES, key=lambda power: abs(ratios[power] - ratio))
        where = f"mu = {mu:.6g}, a pool of {pool}, failure {failure:g}"
        compare.near(f"{where}, ratio", ratios[failure], ratio, 0.004 * ratio)
        own = inversion.epsilon_of(curve(mu, pool, failure, ratios[failure]), DELTA, 1.2 * epsilon)
        compare.between(f"{where}, epsilon", own, epsilon, 1.003 * own)
        compare.near(f"{where}, the theorem's own epsilon", own, column[name])
    compare.leave()


if __name__ == "__main__":
    main()
