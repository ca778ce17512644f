#!/usr/bin/env python3
"""Epsilons of shuffled check-ins over many rounds: the table "Shuffled check-in" of docs/theory/reference-values.md.

One round is the expected excess of a sum of n independent terms, whose density is a Fourier series (fourier.py). For
the profile-only bound, the terms are X*. For class C the other clients all hold the victim's record (A), all hold her
alternative (B), or half of them each (AB), and the largest of the three results is taken. For the lower value the terms
are those of one homogeneous data set. Its epsilon is computed for both orders of the victim's two records, and the
larger one is taken. Rounds are composed by FFT of the privacy loss, on two grids of different steps. Connecting the
points of the curve has an upward error proportional to the square of the step, which extrapolation from the two steps
removes. The results have relative errors of about 1e-5. The accountant, in contrast, inverts Laplace transforms along
contours, once for one round and again for all rounds. The program uses only the standard library.

The program exits with status 1 unless each value in the columns `upper` and `class C` is between the computed value and
1.0005 times that value, and each value in the column `lower` is within one unit of its last digit.

    python3 tools/golden/check_in_rounds.py    # prints computed and stored values, half a minute
"""
import math
import re

import fourier
import inversion
import gaussian_two_types
import stored

TABLE = "docs/theory/reference-values.md"


class Pure:
    def __init__(self, epsilon0):
        self.top = math.exp(epsilon0)
        self.q = 1 / (self.top + 1)
        self.reach, self.variance = self.top, self.top + 1 / self.top - 2

    def term(self, epsilon, kind):
        """Returns the atoms of a reporting client's term minus its mean. For kind A she
        holds x, for kind B she holds x', and for kind X the term is X*."""
        e = math.exp(epsilon)
        ratio = [(self.top - 1, self.q), (1 / self.top - 1, 1 - self.q)]
        if kind == "X":
            return fourier.centred([(self.top - e, self.q), (1 - e * self.top, self.q)])
        return fourier.centred(ratio if kind == "B" else [(-e * x, mass) for x, mass in ratio])


class Gaussian:
    def __init__(self, mu):
        self.mu = mu
        self.reach, self.variance = math.exp(9.5 * mu), math.expm1(mu * mu)

    def term(self, epsilon, kind):
        return gaussian_two_types.term(self.mu, math.exp(epsilon), kind)


def one_round(n, rate, local, *kinds):
    """Returns the curve delta(epsilon) of n terms, with equally many of each kind."""
    def delta(epsilon):
        groups = [(n / len(kinds), fourier.centred([(x, rate * mass) for x, mass in local.term(epsilon, kind)]))
                  for kind in kinds]
        deviation = math.sqrt(math.fsum(count * mass * x * x for count, atoms in groups for x, mass in atoms))
        total = fourier.CentredSum(groups, -12 * deviation, 12 * deviation + local.reach)
        return total.excess(n * math.expm1(epsilon)) / n

    return delta


def epsilon(curve, masses_of, deviation, rounds, delta, high):
    if rounds == 1:
        return inversion.epsilon_of(curve, delta, high)
    found = []
    for per_deviation in (10, 20):
        step = deviation / per_deviation
        size = 1 << math.ceil(math.log2(18 * per_deviation * math.sqrt(rounds)))
        found.append(fourier.compose(*masses_of(curve, step, 9 * per_deviation), rounds, step, delta, size))
    return found[1] + (found[1] - found[0]) / 3


def table():
    text = (stored.ROOT / TABLE).read_text(encoding="utf-8")
    for line in text[text.index("## Shuffled check-in"):text.index("## Plain shuffle")].splitlines():
        cells = [cell.strip(" *") for cell in line.split("|")[1:-1]]
        if len(cells) == 8 and cells[0][:1].isdigit():
            yield cells


def main():
    compare = stored.Comparison()
    for clients, rate, mechanism, rounds, delta, upper, class_c, lower in table():
        n, rounds = int(clients.replace(",", "")), int(rounds.replace(",", ""))
        g, delta = stored.Figure(rate), float(delta)
        parameter = float(re.search(r"[0-9.]+$", mechanism)[0])
        local = Gaussian(parameter) if mechanism.startswith("Gaussian") else Pure(parameter)
        deviation = math.sqrt(g * local.variance / n)

        def found(curve, masses_of, wider=1.0):
            return epsilon(curve, masses_of, wider * deviation, rounds, delta, 8 * wider * deviation)

        where = f"{clients} clients, rate {rate}, {mechanism}, {rounds:,} rounds, delta = {delta:g}"
        own = found(one_round(n, g, local, "X"), fourier.masses_of_both, 1.3)
        compare.between(f"{where}, upper", own, stored.Figure(upper), 1.0005 * own)
        if class_c:
            types = [one_round(n, g, local, *kinds) for kinds in ("A", "B", "AB")]
            own = found(lambda e: max(curve(e) for curve in types), fourier.masses_of_both)
            compare.between(f"{where}, class C", own, stored.Figure(class_c), 1.0005 * own)
        orders = [found(one_round(n, g, local, kind), fourier.masses_of_pair) for kind in "AB"]
        figure = stored.Figure(lower)
        compare.near(f"{where}, lower", max(orders), figure, 2 * figure.half)
    compare.leave()


if __name__ == "__main__":
    main()
