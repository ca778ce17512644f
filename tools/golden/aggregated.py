#!/usr/bin/env python3
"""Epsilons of noisy sums: the figures of docs/theory/aggregated.md and its notes, and those of gaussian_sums_test.cc.

The data set is the one that attains formula (1) of that page: the victim holds x, or x' in the neighbouring data set,
all others hold x', and x and x' are as far apart as possible. Given the number k of reports, the sum is normal noise
about 0 or, if the victim holds x and reports, about the distance mu_k. The privacy loss is the logarithm of the ratio
of the two laws of the sum. The number of reports is averaged by the Gauss rule of a binomial law, which is exact for
polynomials of degree 15, and the noise by Gauss-Legendre panels. One round is integrated directly. The density of the
sum of many losses is a Fourier series (fourier.py), which is integrated against 1 - e^(epsilon - loss) term by term.
The program does not use formula (1), the Gaussian's profile, interpolated curves or lattices of losses. With more nodes
or with wider intervals, the results change by less than a relative 1e-9.

The pair that dominates both orders has the positive losses of the order x against x', their mirror image, and otherwise
the loss 0. In the column of the types, the program computes recursion (2) of the page for the two orders of the data
set alone, which are two of the types of every round. No types can cost less. This recursion uses a lattice, and its
errors are below a relative 3e-4.

The program exits with status 1 unless the stored figures agree with the computed ones. A figure of a data set may be up
to 5e-4 below, and one of a pair that dominates up to 5e-4 above, because the accountant rounds in these directions. A
figure of types may be up to 1e-2 above the two orders, or 6e-2 for a thousand clients, for which the accountant joins
many numbers of reports. The program uses only the standard library.

    python3 tools/golden/aggregated.py           # prints computed and stored values, without types, three seconds
    python3 tools/golden/aggregated.py --long    # also computes types, a minute
"""
import cmath
import math
import operator
import re
import sys

import fourier
import inversion
import stored
from fourier import normal_density

PAGE = "docs/theory/aggregated.md"
NOTES = "docs/theory/notes/aggregated.md"
TEST = "src/muster/accounting/gaussian_sums_test.cc"
START = "TEST(GaussianSums, AThousandRoundsWithinOnePerCent)"
RULE = fourier.gauss_legendre(12)
NODES = 8


def binomial_rule(n, g, nodes=NODES):
    """Returns the Gauss rule of the law Bin(n, g) as (point, weight). The points are the roots of the
    Krawtchouk polynomial whose degree is `nodes`, in standard deviations from the mean."""
    if g == 1:
        return [(float(n), 1.0)]
    deviation = math.sqrt(n * g * (1 - g))
    centres = [j * (1 - 2 * g) / deviation for j in range(nodes)]
    norms = [j * (n - j + 1) / n for j in range(nodes)]

    def polynomials(t, degree):
        values = [1.0]
        for j in range(degree):
            values.append((t - centres[j]) * values[j] - (norms[j] * values[j - 1] if j else 0))
        return values

    # The roots of a polynomial of the sequence are separated by those of the one before it.
    roots = []
    for degree in range(1, nodes + 1):
        ends = [-9.0, *roots, 9.0]
        found = []
        for low, high in zip(ends, ends[1:]):
            rises = polynomials(high, degree)[degree] > 0
            for _ in range(60):
                middle = (low + high) / 2
                low, high = (low, middle) if (polynomials(middle, degree)[degree] > 0) == rises else (middle, high)
            found.append(low)
        roots = found
    squares = [math.prod(norms[1:j + 1]) for j in range(nodes)]
    return [(n * g + deviation * t, 1 / math.fsum(p * p / s for p, s in zip(polynomials(t, nodes - 1), squares)))
            for t in roots]


def reports(n, g, mu, own=None):
    """Returns (probability, lambda_k, mu_k) for the numbers k of reports that matter. The victim's rate is `own`, and
    that of the others is g. If k report, the victim is among them with probability lambda_k."""
    own = own or g
    found = []
    for j, share in binomial_rule(n - 1, g):  # if she reports, j others do
        k = j + 1
        among = own * k * (1 - g) / (own * k * (1 - g) + (1 - own) * (n - k) * g)
        found.append((own * share / among, among, mu / math.sqrt(k)))
    return found


def round_atoms(numbers):
    """Returns one round as (loss, probability if the victim holds x, probability if she holds x')."""
    atoms = []
    for share, among, distance in numbers:
        points = [(-9.5, distance / 2), (distance / 2, 9.5 + distance)]  # the loss changes its sign at distance / 2
        for z, w in (point for ends in points for point in fourier.panels(*ends, 1.0, RULE)):
            rise = among * math.expm1(distance * z - distance * distance / 2)
            mass = share * w * normal_density(z)
            atoms.append((math.log1p(rise), mass * (1 + rise), mass))
    return atoms


def one_round(numbers, sign):
    """Returns delta(epsilon) of x against x' (sign 1) or of x' against x (sign -1)."""
    def delta(epsilon):
        total = []
        for share, among, distance in numbers:
            level = math.expm1(sign * epsilon) / among  # where the loss, or its negative, is epsilon
            if level <= -1:
                continue
            z = math.log1p(level) / distance + distance / 2
            ends = (z, max(z, 9.5) + distance) if sign > 0 else (min(z, -9.5), z)
            for point, w in fourier.panels(*ends, 1.0, RULE):
                rise = among * math.expm1(distance * point - distance * distance / 2)
                gain = rise - math.expm1(epsilon) if sign > 0 else -math.expm1(epsilon) - math.exp(epsilon) * rise
                total.append(share * w * normal_density(point) * gain)
        return math.fsum(total)

    return delta


def orders(atoms):
    """Returns the laws of the loss of the pair of data sets in
    both orders, and of the pair that dominates both orders."""
    forward = [(loss, p) for loss, p, _ in atoms]
    backward = [(-loss, q) for loss, _, q in atoms]
    both = [(loss, p) for loss, p, _ in atoms if loss > 0] + [(-loss, q) for loss, _, q in atoms if loss > 0]
    return forward, backward, both


class Rounds:
    """The loss of many rounds, whose law in one round is given; the mass that the law lacks is at loss 0."""

    def __init__(self, law, rounds):
        mean = math.fsum(loss * mass for loss, mass in law)
        atoms = fourier.centred(law)
        deviation = math.sqrt(rounds * math.fsum(mass * x * x for x, mass in atoms))
        self.mean = rounds * mean
        self.sum = fourier.CentredSum([(rounds, atoms)], -12 * deviation, 16 * deviation)

    def delta(self, epsilon):
        """Returns the mean of (1 - e^(epsilon - loss))_+."""
        start, end = epsilon - self.mean, self.sum.low + self.sum.length
        total = [end - start + math.expm1(start - end)]
        for k, coefficient in enumerate(self.sum.coefficients, 1):
            i_w = 2j * math.pi * k / self.sum.length
            at_start = cmath.exp(-i_w * start) * (1 / i_w - 1 / (1 + i_w))
            at_end = cmath.exp(-i_w * end) * (1 / i_w - math.exp(start - end) / (1 + i_w))
            total.append(2 * (coefficient * (at_start - at_end)).real)
        return math.fsum(total) / self.sum.length

    def epsilon(self, delta):
        low, high = 0.0, self.mean + 16 * self.sum.length / 28
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return low


def kernel(law, step):
    """Returns (first index, masses) of a law on a lattice. Under this law, the mean of a function is the mean under the
    given law of the cubic polynomials through four neighbouring values of the function."""
    masses = {}
    for loss, mass in law:
        first = math.floor(loss / step) - 1
        t = loss / step - first
        for i in range(4):
            share = math.prod((t - j) / (i - j) for j in range(4) if j != i)
            masses[first + i] = masses.get(first + i, 0.0) + mass * share
    kept = [i for i, mass in masses.items() if abs(mass) > 1e-11]
    return min(kept), [masses.get(i, 0.0) for i in range(min(kept), max(kept) + 1)]


def two_types(atoms, rounds, delta, high):
    """Returns the epsilon of recursion (2) of docs/theory/aggregated.md for the two orders of the data set."""
    forward, backward, _ = orders(atoms)
    deviation = math.sqrt(math.fsum(mass * loss * loss for loss, mass in forward))
    step, count = deviation / 2, 1 + math.ceil(4 * high / deviation)
    kernels = [kernel(law, step) for law in (forward, backward)]
    reach = max(max(-first, first + len(masses)) for first, masses in kernels)
    grows = [(-math.expm1(-i * step), math.exp(-i * step)) for i in range(reach, 0, -1)]
    # values[i] is V at i * step. For negative arguments, V(-e) = 1 - e^-e + e^-e V(e).
    values = [0.0] * (count + reach)
    for _ in range(rounds):
        before = [a + b * value for (a, b), value in zip(grows, values[reach:0:-1])] + values
        found = []
        for first, masses in kernels:
            turned, start = masses[::-1], reach - (first + len(masses) - 1)
            windows = (before[start + i:start + i + len(turned)] for i in range(count))
            found.append([sum(map(operator.mul, turned, window)) for window in windows])
        values = [max(pair) for pair in zip(*found)] + [0.0] * reach
    i = next(i for i in range(count) if values[i + 1] <= delta)
    share = math.log(values[i] / delta) / math.log(values[i] / values[i + 1])
    return (i + share) * step


def number(text):
    """Returns a number that the pages write as 60,000 or 10^8."""
    base, _, power = text.replace(",", "").partition("^")
    return stored.Figure(base) if not power else stored.Figure(base) ** float(power)


def table():
    """Yields the rows of the first table of the notes, as numbers and figures."""
    for line in stored.part(NOTES, "| clients, g, sigma, rounds").splitlines()[2:]:
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        yield (*map(number, cells[0].split(", ")), *map(stored.Figure, cells[2:]))


def many_rounds(compare, where, numbers, rounds, delta, figures):
    """Compares the figures of one data set and of one pair, and returns an epsilon above every order's."""
    atoms = round_atoms(numbers)
    own = [Rounds(law, rounds).epsilon(delta) for law in orders(atoms)]
    compare.below(f"{where}, one data set", max(own[:2]), figures[0], 5e-4)
    compare.between(f"{where}, one pair", own[2], figures[1], (1 + 5e-4) * own[2])
    return own[2]


def compare_one_round(compare):
    text = " ".join((stored.ROOT / NOTES).read_text(encoding="utf-8").split())
    figures = re.search(r"forward \(exact worst\) \| (\S+) .*pair backwards \| (\S+) "
                        r".*costs (\S+) with n = 1e6 and (\S+) with n = 1e9", text).groups()
    for n, sign, high, figure in zip((6e4, 6e4, 1e6, 1e9), (1, -1, 1, 1), (4e-3, 4e-3, 6e-4, 3e-6), figures):
        where = f"one round, {n:,.0f} clients, g = 0.1, mu = 0.4, {'forward' if sign > 0 else 'backwards'}"
        found = inversion.epsilon_of(one_round(reports(n, 0.1, 0.4), sign), 1e-6, high)
        compare.near(where, found, stored.Figure(figure))


def main():
    compare = stored.Comparison()
    long = "--long" in sys.argv[1:]
    page = " ".join((stored.ROOT / PAGE).read_text(encoding="utf-8").split())

    def figures(pattern):
        return [stored.Figure(text) for text in re.search(pattern, page).groups()]

    pair, data_set, of_types = figures(r"one pair costs (\.\d+), the data set that attains \(1\) costs (\.\d+) when it "
                                       r"is composed, and the types cost (\.\d+)")
    rows = [("the page: ", 1e8, 0.01, 0.004, 1000, data_set, of_types, pair)] + [("", *row) for row in table()]
    for source, n, g, sigma, rounds, *(row_data_set, row_types, row_pair) in rows:
        where = f"{source}{n:,.0f} clients, g = {g}, sigma = {sigma}, {rounds:,.0f} rounds"
        numbers = reports(n, g, 2 / sigma)
        high = many_rounds(compare, where, numbers, rounds, 1e-6, (row_data_set, row_pair))
        if long and (rounds <= 500 or source):
            own = two_types(round_atoms(numbers), int(rounds), 1e-6, 1.2 * high)
            compare.between(f"{where}, types", own, row_types, own * (1.01 if n > 1000 else 1.06))
    for name, which in (("kDataSet", 0), ("kPair", 2)):
        figure = stored.Figure(re.search(rf"{name} = ([0-9.]+)", stored.part(TEST, START))[1])
        law = orders(round_atoms(reports(1e8, 0.01, 2 / 0.004)))[which]
        compare.near(f"the test: {name}", Rounds(law, 1000).epsilon(1e-6), figure, 2 * figure.half)
    compare_one_round(compare)
    lower, upper = figures(r"5,540 rounds, delta = 1e-5: between (\.\d+) and (\.\d+)\.")
    unequal = orders(round_atoms(reports(6e4, 0.05, 0.4, 0.1)))
    compare.below("rates in [.05, .1], one data set", Rounds(unequal[0], 5540).epsilon(1e-5), lower, 5e-4)
    hidden = [(share * weight, among, distance) for others, share in binomial_rule(6e4 - 1, 0.05 / 0.1)
              for weight, among, distance in reports(others + 1, 0.1, 0.4)]
    own = Rounds(orders(round_atoms(hidden))[2], 5540).epsilon(1e-5)
    compare.between("rates in [.05, .1], one pair", own, upper, (1 + 5e-4) * own)
    compare.leave()


if __name__ == "__main__":
    main()
