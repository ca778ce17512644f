#!/usr/bin/env python3
"""Exact deltas of small populations: the values of known_false_test.cc and stated_figures_test.cc, by enumeration.

Most values are hockey-stick divergences of two laws of multisets of messages, which are built up client by client from
the definition (class_c.py, with_another). For a value of a claim, the two laws are those that the claim itself states.
The two Renyi quantities are integrals by the trapezoidal rule, and the printed moment is evaluated by its printed
formula. The first eight rows are the false claims of docs/theory/false-claims.md. The other values are figures that
docs/theory/as-published.md and false-claims.md derive. Uses only the standard library.

    python3 tools/golden/small_truths.py    # prints computed and stored values, a second
"""
import math
import re

import stored
from class_c import hockey_stick, with_another
from fourier import normal_density

FALSE_TEST = "tests/oracle/known_false_test.cc"
STATED_TEST = "tests/oracle/stated_figures_test.cc"


def response(k, epsilon0, record):
    other = 1 / (math.exp(epsilon0) + k - 1)
    return {message: other * (math.exp(epsilon0) if message == record else 1) for message in range(k)}


def reporting(law, rate):
    return {-1: 1 - rate} | {message: rate * mass for message, mass in law.items()}


def law_of(clients):
    multisets = {(): 1.0}
    for law in clients:
        multisets = with_another(multisets, law)
    return multisets


def pair(others, a, b, rates):
    """Returns the laws of the view if the victim's law is a, and
    if it is b; `rates` are the victim's, then the others'."""
    shown = [reporting(law, rate) for law, rate in zip(others, rates[1:])]
    return law_of([*shown, reporting(a, rates[0])]), law_of([*shown, reporting(b, rates[0])])


def worse(p, q, epsilon):
    return max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def binary(n, with_alternative, epsilon0, rate):
    x, y = response(2, epsilon0, 0), response(2, epsilon0, 1)
    return pair([y] * with_alternative + [x] * (n - 1 - with_alternative), x, y, [rate] * n)


def two_cells(n, victim_rate, others_rate, own):
    """The others report as clones with the rate `others_rate`, and a clone's message is a fair coin. If the victim
    reports, her message is her own record with probability `own`."""
    coin = {0: 0.5, 1: 0.5}
    return pair([coin] * (n - 1), {0: own, 1: 1 - own}, {0: 1 - own, 1: own}, [victim_rate] + [others_rate] * (n - 1))


def two_shuffled_gaussians():
    """Returns log E_Q (P/Q)^2, where the victim's message has
    the mean 1 or 0, and the other message has the mean -1."""
    h, total = 0.05, 0.0
    grid = [i * h for i in range(-240, 281)]
    laws = {mean: [normal_density(x - mean) for x in grid] for mean in (-1, 0, 1)}
    for i in range(len(grid)):
        for j in range(len(grid)):
            p = laws[1][i] * laws[-1][j] + laws[1][j] * laws[-1][i]
            q = laws[0][i] * laws[-1][j] + laws[0][j] * laws[-1][i]
            total += p * p / q / 2
    return math.log(total * h * h)


def moment_of_means(k, order):
    """Returns E_Q (P/Q)^order for P = N(0, 1/k) and Q = N(1/(k+1), 1/(k+1))."""
    h = 1 / (200 * math.sqrt(k))
    points = [i * h for i in range(-12_000, 12_001)]
    exponents = [-order * k * x * x / 2 - (1 - order) * (k + 1) * (x - 1 / (k + 1)) ** 2 / 2 for x in points]
    factor = h * math.sqrt(k ** order * (k + 1) ** (1 - order) / (2 * math.pi))
    return factor * math.fsum(map(math.exp, exponents))


def false_claims():
    """Yields (truth, value of the claim) for the first eight claims."""
    low = 1 / (math.e + 1)
    for epsilon in (0.7, 0.95):
        yield (hockey_stick(*binary(12, 0, 1, 0.5), epsilon),
               hockey_stick(*two_cells(12, 0.5, 0.5 * 2 * low, 1 - low), epsilon))
    rare = 1 / (math.exp(2) + 3)
    own = rare * math.exp(2)
    others = [response(4, 2, 2)] * 11
    yield (hockey_stick(*pair(others, response(4, 2, 0), response(4, 2, 1), [1.0] * 12), 1),
           hockey_stick(*two_cells(12, own + rare, 2 * rare, own / (own + rare)), 1))
    yield worse(*binary(3, 1, 1, 1.0), 0), max(worse(*binary(3, i, 1, 1.0), 0) for i in (0, 2))
    yield two_shuffled_gaussians(), math.log1p(math.expm1(1) / 2)
    yield moment_of_means(9, 3), math.sqrt(10 ** 3 / (12 * 9 ** 2)) * math.exp(-4 / 10)

    def with_rates(victim, of_others):
        x, y = response(2, 2, 0), response(2, 2, 1)
        return max(worse(*pair([y] * i + [x] * (4 - i), x, y, [victim] + [of_others] * 4), 1.8) for i in range(5))

    yield with_rates(0.631, 0.631), with_rates(0.631, 0.375)

    def given_reports(record):
        """The claim puts the victim among k reports with probability 1/2, where k has the law Bin(2, 1/2).

        There is only one other client. For k = 2, the case without the victim therefore has no messages, and the two
        records do not differ in it.
        """
        other, x, y = response(2, 1, record), response(2, 1, 0), response(2, 1, 1)
        alone = hockey_stick(*[{(m,): 0.5 * law[m] + 0.5 * other[m] for m in law} for law in (x, y)], 0.3)
        both = hockey_stick(law_of([other, x]), law_of([other, y]), 0.3)
        return alone / 2 + both / 2 / 4

    yield (max(hockey_stick(*pair([response(2, 1, record)], response(2, 1, 0), response(2, 1, 1), [0.5] * 2), 0.3)
               for record in (0, 1)),
           max(map(given_reports, (0, 1))))


def main():
    compare = stored.Comparison()
    figures = re.findall(r"\{([0-9.e-]+), (-?[0-9.e-]+)\}", stored.part(FALSE_TEST, "figures = {"))
    for number, (values, texts) in enumerate(zip(false_claims(), figures), 1):
        for name, value, text in zip(("truth", "the claim gives"), values, texts):
            compare.near(f"false claim {number}, {name}", value, stored.Figure(text))
    for n, k, epsilon0, epsilon, delta in stored.rows(FALSE_TEST, "{Case{6", "Case"):
        n, k = int(n), int(k)
        laws = pair([response(k, epsilon0, 2)] * (n - 1), response(k, epsilon0, 0), response(k, epsilon0, 1), [1.0] * n)
        compare.near(f"{n} clients, {k} symbols, epsilon0 = {epsilon0:g}, epsilon = {epsilon}",
                     hockey_stick(*laws, epsilon), delta, 2e-10)
    start = "TEST(KaryResponse, ThirdSymbolIsNotAlwaysTheWorst)"
    for record, delta in zip((0, 2), stored.expected(STATED_TEST, start)):
        laws = pair([response(3, 1, record)] * 3, response(3, 1, 0), response(3, 1, 1), [1.0] * 4)
        compare.near(f"4 clients, 3 symbols, the others hold {record}, epsilon = 0.8", worse(*laws, 0.8), delta)
    compare.leave()


if __name__ == "__main__":
    main()
