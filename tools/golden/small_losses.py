#!/usr/bin/env python3
"""Deltas at tiny epsilon0, for class_c_pool_test.cc: lower bounds of what class C may cost, in decimal arithmetic.

Binary randomized response is in class C, so the delta of a data set of it is a lower bound of every bound for the
class. Here all others hold the victim's alternative x', or all hold her record x. The laws of the numbers of ones and
zeros that are reported are those of the protocol's definition: the others' counts have a trinomial law, and the
victim's report is added to it. The difference of the two laws is summed where it is positive. The likelihood ratios
differ from 1 by as little as 1e-12, so 80 digits are computed. Neither Theorem 22 (docs/theory/homogeneous.md), whose
value this is, nor Theorem 24 (docs/theory/floor.md), which is below it, is used.

The program exits with status 1 unless each stored value is the computed one, rounded down to its last digit. It uses
only the standard library.

    python3 tools/golden/small_losses.py    # prints computed and stored values, a second
"""
import decimal
import math
import re

import stored

TEST = "src/muster/theorems/everyone/class_c_pool_test.cc"
START = "TEST(ClassCPool, SmallEpsilon0IsNotPassedFromBelow)"
decimal.getcontext().prec = 80
ONE = decimal.Decimal(1)


def counts(clients, one, zero):
    """Returns {(ones, zeros): probability} of the reports of clients that report a one, a zero, or nothing."""
    silent = ONE - one - zero
    return {(ones, heard - ones): math.comb(clients, heard) * math.comb(heard, ones) * one ** ones
            * zero ** (heard - ones) * (silent ** (clients - heard) if heard < clients else ONE)
            for heard in (range(clients + 1) if silent else (clients,)) for ones in range(heard + 1)}


def with_victim(others, one, zero):
    """Returns the law of all reports, where the victim's is a one or
    a zero with the given probabilities, and otherwise nothing."""
    law = {}
    for (ones, zeros), mass in others.items():
        for after, share in (((ones + 1, zeros), one), ((ones, zeros + 1), zero), ((ones, zeros), ONE - one - zero)):
            law[after] = law.get(after, 0) + mass * share
    return law


def delta(epsilon0, n, rate, epsilon):
    """Returns the larger delta of the two orders of the victim's
    records. A record's own symbol is sent with probability p."""
    e, rate = epsilon.exp(), +rate
    p = rate / (1 + (-epsilon0).exp())
    q = rate - p
    others = counts(n - 1, q, p)
    x, alternative = with_victim(others, p, q), with_victim(others, q, p)
    return max(sum(max(a[view] - e * b[view], 0) for view in a) for a, b in ((x, alternative), (alternative, x)))


def main():
    compare = stored.Comparison()
    number = r"([0-9.e-]+)"
    call = rf"\({number}, {number}, {number}\)\.delta\({number}\)\.upper,\s+{number}\)"
    found = re.findall(call, stored.part(TEST, START))
    if len(found) != 3:
        raise SystemExit(f"{TEST}: not three values after '{START}'")
    for epsilon0, n, rate, epsilon, value in found:
        computed = delta(decimal.Decimal(float(epsilon0)), int(n), decimal.Decimal(float(rate)),
                         decimal.Decimal(float(epsilon)))
        figure = stored.Figure(value)
        good = computed - decimal.Decimal(2 * figure.half) <= decimal.Decimal(float(figure)) <= computed
        compare.differ += not good
        print(f"epsilon0 = {epsilon0}, {n} clients, rate {rate}, epsilon = {epsilon}: computed {computed:.15g}, "
              f"stored {value}{'' if good else '  DIFFERENT'}")
    compare.leave()


if __name__ == "__main__":
    main()
