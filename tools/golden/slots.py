#!/usr/bin/env python3
"""Values of random check-ins: those of slots_test.cc, and those of the table at the end of docs/theory/slots.md.

The program evaluates the bounds (1), (2) and (3) as that page states them. Each is the expected excess of a sum of
independent terms, whose density is a Fourier series (fourier.py). The weights of (2) have their exact law, 1 / (1 + c)
for a Poisson number c. The accountant replaces this law by one on fewer values, which errs upward. Bound (2) leaves
open the choice of Lambda and the bound on the Poisson tail, so it is computed twice: for the best of ten Lambda with
the exact tail, and for the accountant's twelve Lambda with Chernoff's bound. The stored values are of the second kind.
The lower bound is a sum over all binomial counts, and the values for four slots are sums over all outcomes.

If the terms take few values, their sum lies on a lattice. The series ends before the frequencies at which the lattice
matters, which changes delta by less than a relative 1e-6. Bound (1) at epsilon0 = 1 is computed by plain_shuffle.py.
The program uses only the standard library.

    python3 tools/golden/slots.py    # prints computed and stored values, a minute
"""
import itertools
import math
import re

import class_c
import fourier
import inversion
import plain_shuffle
import stored
from fourier import normal_density

TEST = "src/muster/theorems/slots/slots_test.cc"
PAGE = "docs/theory/slots.md"
RULE = fourier.gauss_legendre(12)
EXPONENTS = (2, 4, 6, 9, 12, 16, 20, 26, 34, 44, 56, 70)  # x of Chernoff's bounds e^-x, as in the accountant
DEVIATIONS = (2.5, 3, 3.25, 3.5, 3.75, 4, 4.5, 5, 5.5, 6)  # number of others minus Lambda, in standard deviations


class Pure:
    """X* minus its mean for an epsilon0-LDP randomizer; `reach` bounds the relevant values."""

    def __init__(self, epsilon0):
        self.top, self.q = math.exp(epsilon0), 1 / (math.exp(epsilon0) + 1)
        self.reach, self.variance = self.top, 2 * self.q * (self.top - 1) ** 2

    def term(self, epsilon):
        e = math.exp(epsilon)
        return fourier.centred([(self.top - e, self.q), (1 - e * self.top, self.q)])


class Gaussian:
    """X* minus its mean for the Gaussian, from the second derivative of the stop-loss transform at alpha = e^(mu y).

    With E = e^epsilon and the normal density phi, X* takes the value e^(mu y) - E with the mass phi(y + mu/2) dy if
    e^(mu y) > E, and the value 1 - E e^(-mu y) with the mass phi(y - mu/2) dy if e^(mu y) < E.
    """

    def __init__(self, mu):
        self.mu = mu
        self.reach, self.variance = math.exp(9 * mu), 2 * math.expm1(mu * mu)

    def term(self, epsilon):
        e, mu, kink = math.exp(epsilon), self.mu, epsilon / self.mu
        beyond, before = fourier.panels(kink, 9.5, 1.2, RULE), fourier.panels(-9.5, kink, 1.2, RULE)
        return fourier.centred([(math.exp(mu * y) - e, w * normal_density(y + mu / 2)) for y, w in beyond]
                               + [(1 - e * math.exp(-mu * y), w * normal_density(y - mu / 2)) for y, w in before])


def excess(count, atoms, end, reach):
    deviation = math.sqrt(count * math.fsum(mass * x * x for x, mass in atoms))
    return fourier.CentredSum([(count, atoms)], -12 * deviation, 12 * deviation + reach).excess(end)


def fixed(local, m, p0):
    """Returns bound (1) as a curve, for f(infinity) = 0."""
    return lambda epsilon: p0 / m * excess(m, local.term(epsilon), m / p0 * math.expm1(epsilon), local.reach)


def averaged(local, n, p0):
    """Returns bound (3) as a curve, with its last term replaced by p0^n, which is larger."""
    def delta(epsilon):
        reporting = [(x, p0 * mass) for x, mass in local.term(epsilon)]
        return excess(n, fourier.centred(reporting), n * math.expm1(epsilon), local.reach) / n + p0 ** n

    return delta


def poisson(mean):
    """Returns (count, probability) of the Poisson law,
    without the counts whose probability is below 1e-25."""
    found = ((c, math.exp(c * math.log(mean) - mean - math.lgamma(c + 1)))
             for c in range(max(0, int(mean - 12 * math.sqrt(mean))), int(mean + 14 * math.sqrt(mean) + 50)))
    return [(c, p) for c, p in found if p > 1e-25]


def poisson_beyond(mean, count):
    """Returns P(Poisson(mean) > count), summed from the term count + 1 on."""
    term = math.exp((count + 1) * math.log(mean) - mean - math.lgamma(count + 2))
    total, k = 0.0, count + 2
    while term > 1e-18 * total:
        total += term
        term *= mean / k
        k += 1
    return total


def chernoff_mean(count, exponent):
    """Returns the mean for which Chernoff's bound on P(Poisson >= count) is e^-exponent."""
    low, high = 0.0, float(count)
    for _ in range(200):
        mean = (low + high) / 2
        low, high = (mean, high) if mean - count + count * math.log(count / mean) > exponent else (low, mean)
    return low


def counted(local, m, p0, others, rate, as_the_accountant=True):
    """Returns bound (2) as a curve: the smallest value over Lambda."""
    if as_the_accountant:
        choices = [(chernoff_mean(others + 1, x), math.exp(-x)) for x in EXPONENTS if x < others]
    else:
        means = [others - steps * math.sqrt(others) for steps in DEVIATIONS]
        choices = [(mean, poisson_beyond(mean, others)) for mean in means]
    one_per_slot = fixed(local, m, p0)

    def delta(epsilon):
        term, plain = local.term(epsilon), one_per_slot(epsilon)
        best = plain
        for mean, charge in choices:
            if charge * plain < best:
                atoms = [(x / (1 + c), mass * p) for c, p in poisson(mean * rate / m) for x, mass in term]
                value = p0 / m * excess(m, atoms, m / p0 * math.expm1(epsilon), local.reach)
                best = min(best, value + charge * plain)
        return best

    return delta


def pair_reverse(epsilon0, m, p0, others, rate):
    """Returns the reverse curve of the data set whose others and dummy hold the alternative. It is a sum
    over the number of slots that show the rarer message."""
    chance = rate / m
    weight, mass = 0.0, math.exp(others * math.log1p(-chance))
    for c in range(200):  # Bin(others, chance)
        weight += mass / (c + 1)
        mass *= (others - c) / (c + 1) * chance / (1 - chance)
    top = math.exp(epsilon0)
    q = 1 / (top + 1)
    law = plain_shuffle.Binomial(m, q)

    def delta(epsilon):
        def gain(k):
            return max(0.0, 1 - math.exp(epsilon) * (1 + p0 * weight * ((k * top + (m - k) / top) / m - 1)))

        return math.fsum(mass * gain(k) for k, mass in enumerate(law.mass, law.first))

    return delta


def watched(epsilon0, m, epsilon):
    """Returns the divergence if everyone knows who was asked. The victim and one other client are at her
    slot, and each of the others is alone at a slot."""
    e, q = math.exp(epsilon), 1 / (math.exp(epsilon0) + 1)
    total = 0.0
    for asked in [None, *range(m)]:  # the slot at which the victim is asked, each with probability 1 / (2 m)
        for messages in itertools.product((0, 1), repeat=m):
            both = []
            for record in (0, 1):  # the victim's record; the others hold 1
                held = [record if slot == asked else 1 for slot in range(m)]
                mass = math.prod(1 - q if message == own else q for message, own in zip(messages, held))
                both.append(mass * (0.5 if asked is None else 0.5 / m))
            total += max(0.0, both[0] - e * both[1])
    return total


def main():
    compare = stored.Comparison()
    watching, four = stored.expected(TEST, "TEST(Slots, VariantsThatBreakTheTheoremAreCaught)")
    compare.near("four slots, epsilon0 = 1, epsilon = 0.5, everyone knows who was asked", watched(1, 4, 0.5), watching)
    compare.near("four slots, epsilon0 = 1, epsilon = 0.5, (1)", class_c.any_randomizer(4, 1, 0.5), four)

    pure, delta = Pure(1), 1e-6
    references = stored.part(TEST, "TEST(Slots, ReferenceValues)")
    one_per_slot, whole_run, by_counting = map(stored.Figure, re.findall(r"expect_about\(.*, ([0-9.]+)\);", references))
    lower = stored.Figure(re.search(r"lower\.reverse\(([0-9.]+) \* 1\.003\)", references)[1])
    where = "epsilon0 = 1, delta = 1e-6"
    compare.near(f"{where}, 10,000 slots, (1)",
                 inversion.epsilon_of(plain_shuffle.blanket(10_000, 1), delta, 1), one_per_slot)
    compare.near(f"{where}, 60,000 clients, (3)",
                 inversion.epsilon_of(averaged(pure, 60_000, 1 - 50 / 60_000), delta, 0.03), whole_run)
    compare.near(f"{where}, 10,000 slots and clients, (2)",
                 inversion.epsilon_of(counted(pure, 10_000, 1, 9_999, 1), delta, 0.04), by_counting)
    best = inversion.epsilon_of(counted(pure, 10_000, 1, 9_999, 1, as_the_accountant=False), delta, 0.04)
    print(f"    at the best Lambda, with the exact tail: {best:.6f}")
    compare.near(f"{where}, 10,000 slots and clients, the pair",
                 inversion.epsilon_of(pair_reverse(1, 10_000, 1, 9_999, 1), delta, 0.03), lower)

    gaussian = Gaussian(0.4)
    table = re.search(r"^\| Gaussian, mu = \.4.*\| (0\.\d+); counted: (0\.\d+) \|$",
                      (stored.ROOT / PAGE).read_text(encoding="utf-8"), re.MULTILINE)
    where = "Gaussian, mu = 0.4, 10,000 slots and clients, delta = 1e-6"
    compare.near(f"{where}, (1)", inversion.epsilon_of(fixed(gaussian, 10_000, 1), delta, 0.02), stored.Figure(table[1]))
    compare.near(f"{where}, (2)",
                 inversion.epsilon_of(counted(gaussian, 10_000, 1, 9_999, 1), delta, 0.015), stored.Figure(table[2]))

    # The test's values are upper ends of enclosures. The third, 1e-18, is below the resolution of doubles.
    ceilings = re.findall(r"\{(?:std::pair\{)?([0-9.e-]+), ([0-9.e-]+)\}",
                          stored.part(TEST, "TEST(Slots, CountedGaussianIsPreciseFarOut)"))
    curve = counted(gaussian, 1_000, 0.5, 60_000, 0.5)
    for epsilon, ceiling in ceilings[:2]:
        own = curve(float(epsilon))
        compare.between(f"Gaussian, mu = 0.4, 1,000 slots, 60,001 clients, rate 1/2, epsilon = {epsilon}, (2)",
                        own, stored.Figure(ceiling), 1.002 * own)
    compare.leave()


if __name__ == "__main__":
    main()
