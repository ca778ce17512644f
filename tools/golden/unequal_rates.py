#!/usr/bin/env python3
"""Epsilons of clients whose rates differ, and deltas of secret subsets: figures of unequal-rates.md and of two tests.

Each value is the expected excess of a sum of independent terms, whose density is a Fourier series (fourier.py). With
rates in [lo, hi] and n clients, the terms are those of docs/theory/unequal-rates.md: (2) in its closed form, with X*,
for any epsilon0-LDP randomizer; (3) for class C, where the others all hold x', all hold x, or hold one of the two with
equal probability; and the section "Lower bound" for binary randomized response, in both orders. The terms for the case
that everybody reports are below 1e-100 here and left out. A secret subset of k clients has k terms, by
docs/theory/subset.md. With three times as many coefficients, the results differ by less than a relative 3e-7. The
accountant, in contrast, inverts Laplace transforms along contours, and bounds all mixtures of types at once.

The program exits with status 1 unless each figure agrees: a lower bound of the page is the computed one, rounded to its
last digit; an upper bound is at most a relative 5e-5 above it, because the accountant rounds up; and each value in
unequal_rates_test.cc and subset_test.cc is on the side of the computed one on which the test needs it, and near it.
It uses only the standard library.

    python3 tools/golden/unequal_rates.py    # prints computed and stored values, five seconds
"""
import math
import re

import fourier
import inversion
import stored
from check_in_rounds import Gaussian, Pure

PAGE = "docs/theory/unequal-rates.md"
RATES_TEST = "src/muster/theorems/swap/unequal_rates_test.cc"
CROWDS = "TEST(UnequalRates, ClassCInLargeCrowds)"
SUBSET_TEST = "src/muster/theorems/subset/subset_test.cc"
SUBSET = "TEST(Subset, IsCloseToTheCheckInOfTheSameMeanSize)"


def mean_excess(groups, threshold, local, scale=1.0):
    """Returns E(S - threshold)_+ for the centred sum S of groups (number, atoms of a
    term). A term's atoms are those of `local`, times `scale`, and others near zero."""
    groups = [(number, fourier.centred(atoms)) for number, atoms in groups]
    deviation = math.sqrt(math.fsum(number * mass * x * x for number, atoms in groups for x, mass in atoms))
    # The atoms of a pure randomizer are nearly multiples of e^epsilon0 - 1, so coefficients are large again at this
    # lattice's frequency.
    lattice = 1.6 * 2 * math.pi / (scale * (local.top - 1)) if isinstance(local, Pure) else 0
    return fourier.CentredSum(groups, -12 * deviation, 12 * deviation + scale * local.reach, lattice).excess(threshold)


def term(local, epsilon, kind):
    """Returns the atoms of a reporting client's term, whose mean is 1 - e^epsilon."""
    return [(x - math.expm1(epsilon), mass) for x, mass in local.term(epsilon, kind)]


def upper(local, n, lo, hi, kinds):
    """Returns the curve delta(epsilon) of (2) or (3), with equally many terms of each kind."""
    hidden = lo / hi

    def delta(epsilon):
        absent = [(-math.expm1(epsilon), hidden * (1 - hi))]
        groups = [(n / len(kinds), absent + [(x, lo * mass) for x, mass in term(local, epsilon, kind)])
                  for kind in kinds]
        return mean_excess(groups, n * hidden * math.expm1(epsilon), local) / (n * hidden)

    return delta


def lower(local, n, lo, hi, kind):
    """Returns the curve of the data set in which all others hold x', for one order of the victim's records."""
    def delta(epsilon):
        absent = [(-(1 - hi) / (1 - lo) * math.expm1(epsilon), 1 - lo)]
        terms = absent + [(hi / lo * x, lo * mass) for x, mass in term(local, epsilon, kind)]
        return mean_excess([(n, terms)], n * math.expm1(epsilon), local, hi / lo) / n

    return delta


def subset(local, n, k):
    return lambda epsilon: mean_excess([(k, term(local, epsilon, "X"))], n * math.expm1(epsilon), local) / n


def epsilon(curve, high):
    return inversion.epsilon_of(curve, 1e-6, high)


def check_page(compare):
    text = (stored.ROOT / PAGE).read_text(encoding="utf-8")

    def above(label, computed, figure):
        compare.between(label, computed, figure, (1 + 5e-5) * computed)

    rows = re.findall(r"\| n = (\S+), epsilon0 = (\d) \| (\S+) \| (\S+) \| (\S+) \|", text)
    for clients, parameter, *figures in rows:
        n, local = float(clients.replace(",", "")), Pure(float(parameter))
        high = 2 * float(figures[0])
        any_pure, class_c, pair = map(stored.Figure, figures)
        where = f"{n:,.0f} clients, rates in [.05, .1], epsilon0 = {parameter}"
        above(f"{where}, any randomizer", epsilon(upper(local, n, 0.05, 0.1, "X"), high), any_pure)
        above(f"{where}, class C",
              max(epsilon(upper(local, n, 0.05, 0.1, kinds), high) for kinds in ("A", "B", "AB")), class_c)
        compare.near(f"{where}, lower bound",
                     max(epsilon(lower(local, n, 0.05, 0.1, kind), high) for kind in "AB"), pair)
    stated = re.search(r"rates in \[\.05, \.1\] cost (\S+)\s+and equal rates \.1 cost (\S+)\.\s", text).groups()
    for lo, figure in zip((0.05, 0.1), map(stored.Figure, stated)):
        computed = epsilon(upper(Pure(1), 6e4, lo, 0.1, "X"), 0.02)
        above(f"60,000 clients, epsilon0 = 1, rates in [{lo}, .1]", computed, figure)


def main():
    compare = stored.Comparison()
    check_page(compare)
    for path, start, pattern, computed, above in (
            (RATES_TEST, CROWDS, r"unequal\(2, 6e4, 0\.05, 0\.1\)\.delta\((\S+)\)\.upper, 1e-6",
             max(epsilon(upper(Pure(2), 6e4, 0.05, 0.1, kinds), 0.03) for kinds in ("A", "B", "AB")), True),
            (RATES_TEST, CROWDS, r"Pair\(2, 6e4, 0\.05, 0\.1\)\.forward\((\S+)\)\.lower, 1e-6",
             epsilon(lower(Pure(2), 6e4, 0.05, 0.1, "B"), 0.03), False),
            (SUBSET_TEST, SUBSET, r"kPure = (\S+?)[,;]", subset(Pure(2), 6e4, 6e3)(0.012574), False),
            (SUBSET_TEST, SUBSET, r"kGaussian = (\S+?)[,;]", subset(Gaussian(0.4), 6e4, 6e3)(0.001583), False)):
        figure = stored.Figure(re.search(pattern, stored.part(path, start))[1])
        label = f"{path.rsplit('/')[-1]}, {figure:.12g}"
        if above:
            compare.between(label, computed, figure, (1 + 5e-5) * computed)
        else:
            compare.below(label, computed, figure, 5e-6)
    compare.leave()


if __name__ == "__main__":
    main()
