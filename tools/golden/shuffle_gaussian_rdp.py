#!/usr/bin/env python3
"""Epsilons of the shuffle Gaussian in Renyi terms: the table "Shuffle Gaussian in Renyi terms" of docs/theory/reference-values.md.

The Renyi divergence of order l of the homogeneous pair is log(E[S^l]) / (l - 1). S is the mean of n lognormals with
moments exp(t^2 j (j - 1) / 2), j = 1, 2, ..., where t is the distance of the records divided by the standard deviation
of the noise. E[S^l] is l! / n^l times the coefficient of x^l in the n-th power of the exponential series of these
moments. J.C.P. Miller's recurrence computes it with 60 digits, so that no accuracy is lost even if E[S^l] is 1 + 1e-7.
The accountant computes the excess over 1 in doubles with another recurrence. The program uses only the standard
library.

    python3 tools/golden/shuffle_gaussian_rdp.py    # prints the table's rows, a minute
"""
import decimal
from decimal import Decimal

decimal.getcontext().prec = 60
decimal.getcontext().Emax, decimal.getcontext().Emin = decimal.MAX_EMAX, decimal.MIN_EMIN

CLIENTS, DEVIATION, DELTA = 60_000, Decimal("9.48"), 1 / Decimal(60_000)
ROWS = [(1, 30, (1, 7)), (1, 2000, (1, 7, 1000)), (2, 2000, (1, 7, 1000))]  # distance, largest order, rounds


def divergences(distance, largest):
    """Returns the Renyi divergences of orders 2 .. largest
    of the pair at the given distance of the records."""
    square = (Decimal(distance) / DEVIATION) ** 2
    n = CLIENTS
    series, power, factorial = [Decimal(1)], [Decimal(1)], Decimal(1)
    found = []
    for order in range(1, largest + 1):
        factorial *= order
        series.append((square * order * (order - 1) / 2).exp() / factorial)
        power.append(sum((k * (n + 1) - order) * series[k] * power[order - k] for k in range(1, order + 1)) / order)
        if order > 1:
            found.append((power[order] * factorial / Decimal(n) ** order).ln() / (order - 1))
    return found


def epsilon(divergence, rounds):
    """Returns the epsilon of `rounds` rounds by the conversion
    of Canonne, Kamath and Steinke, at the best order."""
    def at(order, rho):
        l = Decimal(order)
        return rounds * rho + ((1 / DELTA).ln() + (l - 1) * (1 - 1 / l).ln() - l.ln()) / (l - 1)

    return min(at(order, rho) for order, rho in enumerate(divergence, 2))


def main():
    second = divergences(1, 2)[0]
    print(f"order 2, Delta = 1: {second:.10e}, closed form {(1 + ((1 / DEVIATION ** 2).exp() - 1) / CLIENTS).ln():.10e}")
    known = {}
    for distance, largest, rounds in ROWS:
        if distance not in known:
            known[distance] = divergences(distance, max(row[1] for row in ROWS if row[0] == distance))
        cells = " | ".join(f"{epsilon(known[distance][:largest - 1], T):.10f}" for T in rounds)
        print(f"| {distance} | to {largest:,} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
