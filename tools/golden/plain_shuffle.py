#!/usr/bin/env python3
"""Epsilons of one plain shuffle, from the definitions: the table "Plain shuffle, one round" of docs/theory/reference-values.md.

Each delta is a finite sum over binomial counts, in double precision. Counts more than nine standard deviations from the
mean are left out. The other probabilities come from the recurrence of the binomial law, normalized by their sum.
Epsilon is found by bisection and the secant method (inversion.py). The total error is below 1e-10. No code or transform
is shared with the accountant, which inverts Laplace transforms along a contour. The program uses only the standard
library.

    python3 tools/golden/plain_shuffle.py           # prints the table's rows, two minutes
    python3 tools/golden/plain_shuffle.py --small   # the first row only
"""
import array
import math
import sys

from inversion import epsilon_of

DEVIATIONS = 9
ROWS = [(10_000, 1, 1e-6), (10_000, 2, 1e-6), (100_000, 4, 1e-6), (1_000_000, 4, 1e-8)]  # n, epsilon0, delta
LARGEST_FOR_SYMBOLS = 100_000  # for a larger n, the sum over three counts is too slow
SYMBOLS = 10


class Binomial:
    """Bin(n, p) on a window around its mean: probabilities, and the tails P(K >= k) and P(K <= k)."""

    def __init__(self, n, p):
        deviation = math.sqrt(n * p * (1 - p))
        self.first = max(0, math.floor(n * p - DEVIATIONS * deviation - 1))
        self.last = min(n, math.ceil(n * p + DEVIATIONS * deviation + 1))
        mode = min(max(math.floor((n + 1) * p), self.first), self.last)
        mass = [0.0] * (self.last - self.first + 1)
        mass[mode - self.first] = 1.0
        odds = p / (1 - p)
        for k in range(mode, self.last):
            mass[k + 1 - self.first] = mass[k - self.first] * (n - k) / (k + 1) * odds
        for k in range(mode, self.first, -1):
            mass[k - 1 - self.first] = mass[k - self.first] * k / (n - k + 1) / odds
        total = math.fsum(mass)
        self.mass = array.array("d", (m / total for m in mass))
        above, sum_above = array.array("d", bytes(8 * (len(mass) + 1))), 0.0
        for i in range(len(mass) - 1, -1, -1):
            sum_above += self.mass[i]
            above[i] = sum_above
        self.above = above

    def at_least(self, k):
        return 1.0 if k <= self.first else 0.0 if k > self.last else self.above[k - self.first]

    def at_most(self, k):
        return 1.0 - self.at_least(k + 1)


class Halves:
    """The laws Bin(m, 1/2), each computed when it is first used."""

    def __init__(self):
        self.laws = {}

    def __getitem__(self, m):
        if m not in self.laws:
            self.laws[m] = Binomial(m, 0.5)
        return self.laws[m]


def blanket(n, epsilon0):
    """Returns the curve delta(epsilon) of any epsilon0-LDP randomizer: 1/n times the mean of (sum of n terms)_+.

    With E = e^epsilon and q = 1 / (e^epsilon0 + 1), a term is e^epsilon0 - E with probability q, 1 - E e^epsilon0 with
    probability q, and 0 otherwise.
    """
    top = math.exp(epsilon0)
    count, halves = Binomial(n, 2 / (1 + top)), Halves()

    def delta(epsilon):
        e = math.exp(epsilon)
        up, down = top - e, e * top - 1
        total = []
        for i, probability in enumerate(count.mass):
            m = count.first + i
            if m == 0:
                continue
            least = math.floor(m * down / (up + down)) + 1  # the fewest large terms for which the sum is positive
            # The mean of (A (up + down) - m down)_+ for A ~ Bin(m, 1/2). The mean of A over the event A >= k is
            # m/2 P(Bin(m - 1, 1/2) >= k - 1).
            total.append(probability * (m / 2 * (up + down) * halves[m - 1].at_least(least - 1)
                                        - m * down * halves[m].at_least(least)))
        return math.fsum(total) / n

    return delta


def clones(n, epsilon0):
    """Returns the curve delta(epsilon) of the clone pair, with C ~ Bin(n - 1, e^-epsilon0) and A ~ Bin(C, 1/2).

    Under P the outcome is (A + 1, C - A) with probability p = 1 / (1 + e^-epsilon0), and otherwise (A, C - A + 1).
    Under Q the two are exchanged.
    """
    p = 1 / (1 + math.exp(-epsilon0))
    count, halves = Binomial(n - 1, math.exp(-epsilon0)), Halves()

    def delta(epsilon):
        e = math.exp(epsilon)
        # Given C = c, let B be the law Bin(c, 1/2), and x the first count of the outcome. Then P - E Q is
        # a B(x - 1) - b B(x), where E = e^epsilon, and B(x - 1) / B(x) = x / (c - x + 1).
        a, b = p - e * (1 - p), e * p - (1 - p)
        total = []
        for i, probability in enumerate(count.mass):
            c = count.first + i
            least = math.floor(b * (c + 1) / (a + b)) + 1
            total.append(probability * (a * halves[c].at_least(least - 1) - b * halves[c].at_least(least)))
        return math.fsum(total)

    return delta


def symbols(n, epsilon0, k):
    """Returns the curve delta(epsilon) of k-ary randomized response: 1/n times the mean of (sum of n terms)_+.

    With E = e^epsilon, a term is e^epsilon0 - E with probability `rare`, 1 - E e^epsilon0 with probability `rare`, 1 -
    E with probability (k - 2) `rare`, and 0 otherwise.
    """
    top = math.exp(epsilon0)
    rare = 1 / (top + k - 1)
    first = Binomial(n, rare)
    seconds, others = {}, {}
    share = (k - 2) * rare / (1 - 2 * rare)

    def delta(epsilon):
        e = math.exp(epsilon)
        up, down, others_down = top - e, e * top - 1, e - 1
        total = []
        for i, of_first in enumerate(first.mass):
            a = first.first + i
            if a not in seconds:
                seconds[a] = Binomial(n - a, rare / (1 - rare))
            second = seconds[a]
            for j, of_second in enumerate(second.mass):
                b = second.first + j
                x = a * up - b * down
                if x <= 0:
                    break
                left = n - a - b
                for size in (left, left - 1):
                    if size not in others:
                        others[size] = Binomial(size, share)
                most = math.ceil(x / others_down) - 1  # the sum is positive up to this number of other symbols
                total.append(of_first * of_second * (x * others[left].at_most(most)
                                                     - others_down * left * share * others[left - 1].at_most(most - 1)))
        return math.fsum(total) / n

    return delta


def closed_form(n, epsilon0, delta):
    """Returns the epsilon of Theorem 3.1 of "Hiding among the clones", FOCS 2021."""
    hidden = math.exp(epsilon0) / n
    spread = 8 * math.sqrt(hidden * math.log(4 / delta)) + 8 * hidden
    return math.log(1 + (math.exp(epsilon0) - 1) / (math.exp(epsilon0) + 1 / (1 + spread)) * spread)


def main():
    rows = ROWS[:1] if "--small" in sys.argv[1:] else ROWS
    for n, epsilon0, delta in rows:
        found = [epsilon_of(blanket(n, epsilon0), delta, epsilon0), None, epsilon_of(clones(n, epsilon0), delta, epsilon0)]
        if n <= LARGEST_FOR_SYMBOLS:
            # The curve of the blanket is above that of ten symbols, so its epsilon is an upper end for the search.
            found[1] = epsilon_of(symbols(n, epsilon0, SYMBOLS), delta, found[0])
        cells = " | ".join("" if x is None else f"{x:.10f}" for x in found)
        print(f"| {n:,} | {epsilon0} | {delta:g} | {cells} |", flush=True)
    print(f"closed form of the clones at n = 100,000, epsilon0 = 4, delta = 1e-6: {closed_form(100_000, 4, 1e-6):.10f}")


if __name__ == "__main__":
    main()
