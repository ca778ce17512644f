#!/usr/bin/env python3
"""Epsilons by Theorem 5 of the later version of "Shuffled check-in" with its sign and powers repaired, for
published_distributed_test.cc. They bound nothing; the test shows that they fall with the rounds.

The theorem's sum over the number of reports is taken over every number, for Lemma 5, or replaced by the two terms of
Lemma 4, in logarithms throughout. The program exits with status 1 unless each stored value is the computed one to its
last digit. It uses only the standard library.

    python3 tools/golden/distributed_theorem_5.py    # prints computed and stored values, a second
"""
import math

import stored

TEST = "src/muster/papers/published/published_distributed_test.cc"
START = "TEST(Theorem5, RepairedStillFallsWithTheRounds)"
CLIENTS, RATE, SIGMA, DELTA, SLACK, LAST_ORDER = 60_000, 1e-3, 0.65, 1e-5, 0.5, 64


def log_sum(logs):
    top = max(logs)
    return top + math.log(math.fsum(math.exp(x - top) for x in logs))


def log_choose(n, k):
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def log_binomial(k):
    """Returns the logarithm of the probability that k of the other clients report."""
    return log_choose(CLIENTS - 1, k) + k * math.log(RATE) + (CLIENTS - 1 - k) * math.log1p(-RATE)


def log_moment(k, order):
    """Returns the logarithm of the moment as it is printed, given k other reports."""
    return ((order * math.log(k + 1) - math.log(k + order) - (order - 1) * math.log(k)) / 2
            - (order + 1) / (SIGMA ** 2 * (k + 1)))


def lemma4(order):
    mean = (CLIENTS - 1) * RATE
    return log_sum([log_moment(1, order) - SLACK ** 2 * mean / 2, log_moment(math.floor((1 - SLACK) * mean) + 1, order)])


def every_count(order):
    # More than a thousand reports, of which 60 are expected, have a probability below 1e-700.
    return log_sum([log_binomial(k) + log_moment(k, order) for k in range(1, 1000)])


def epsilons(averaged, first_power):
    """Returns epsilon as a function of the rounds, by Lemma 2 of the paper at the best order."""
    moments = {order: averaged(order) for order in range(2, LAST_ORDER + 1)}

    def divergence(order):
        rest = math.log1p(-RATE)
        terms = [(order - 1) * rest + math.log(order * RATE - RATE + 1)]
        weight = log_choose(order, 2) + 2 * math.log(RATE) + (order - 2) * rest
        terms += [weight + moments[2], weight + log_binomial(0) + 1 / SIGMA ** 2]
        for power in range(first_power, order + 1):
            weight = math.log(3) + log_choose(order, power) + power * math.log(RATE) + (order - power) * rest
            terms.append(weight + moments[power])
            if power >= 3:
                terms.append(weight + log_binomial(0) + power * (power - 1) / (2 * SIGMA ** 2))
        return log_sum(terms) / (order - 1)

    divergences = {order: divergence(order) for order in moments}
    return lambda rounds: min(rounds * rho + math.log1p(-1 / order) - (math.log(DELTA) + math.log(order)) / (order - 1)
                              for order, rho in divergences.items())


def main():
    by_lemma5, by_lemma4 = epsilons(every_count, 3), epsilons(lemma4, 2)
    computed = [by_lemma5(170), by_lemma5(3400), by_lemma4(3400)]
    figures = stored.expected(TEST, START)
    if len(figures) != len(computed):
        raise SystemExit(f"{TEST}: not {len(computed)} values after '{START}'")
    compare = stored.Comparison()
    for label, value, figure in zip(("170 rounds, Lemma 5", "3,400 rounds, Lemma 5", "3,400 rounds, Lemma 4"), computed, figures):
        compare.near(label, value, figure)
    compare.leave()


if __name__ == "__main__":
    main()
