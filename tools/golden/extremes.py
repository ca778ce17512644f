#!/usr/bin/env python3
"""Floors of extreme questions, for accountant_extremes_test.cc: numbers that no valid upper bound is below.

The victim holds x, or x' in the neighbouring data set; everybody else holds x'. A message of x, less likely under x', is
called conspicuous: for Gaussian noise, one whose coordinate along x - x' exceeds a threshold; for randomized response,
the answer x. The adversary counts the rounds in which a message is conspicuous and guesses x if there are at least j.
With P_j and Q_j for the probabilities of this guess, delta >= P_j - e^epsilon Q_j, for every threshold and every j.
They are binomial tails of the probabilities of one round, which are products over the clients, and none of the bounds'
formulas is used. Gaussian tails have a continued fraction, so that nothing underflows; errors are below 1e-10.

The delta of one Gaussian message is Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), and its epsilon is found
by bisection.
Uses only the standard library, and compares the floors with those stored in the test.

    python3 tools/golden/extremes.py    # prints computed and stored values, two seconds
"""
import math
import re

import stored

TEST = "src/muster/accounting/accountant_extremes_test.cc"


def log_normal_tail(x):
    """Returns ln P(Z > x) for a standard normal Z."""
    if x < 5:
        return math.log(0.5 * math.erfc(x / math.sqrt(2)))
    fraction = 0.0
    for k in range(200, 0, -1):
        fraction = k / (x + fraction)
    return -x * x / 2 - 0.5 * math.log(2 * math.pi) - math.log(x + fraction)


def log_some(*groups):
    """Returns ln of the probability that at least one of many independent events happens, where each group (m, ln p)
    has m events of probability p."""
    none = sum(m * math.log1p(-math.exp(log_p)) if log_p < 0 else -math.inf for m, log_p in groups)
    if none < -1e-8:
        return math.log(-math.expm1(none))
    return math.log(sum(m * math.exp(log_p - groups[0][1]) for m, log_p in groups)) + groups[0][1]


def log_at_least(j, rounds, log_p):
    """Returns ln P(at least j of `rounds` independent events of probability p)."""
    log_rest = math.log1p(-math.exp(log_p)) if log_p < -1e-300 else -math.inf
    terms = [math.log(math.comb(rounds, i)) + i * log_p + ((rounds - i) * log_rest if i < rounds else 0)
             for i in range(j, rounds + 1)]
    top = max(terms)
    return top + math.log(math.fsum(math.exp(term - top) for term in terms))


def epsilon_floor(rounds, delta, one_round):
    """Returns the largest epsilon that a guess shows, of a pair (ln P, ln Q) for one round, over all j."""
    log_p, log_q = one_round
    pairs = [(log_at_least(j, rounds, log_p), log_at_least(j, rounds, log_q)) for j in range(1, rounds + 1)]
    return max((math.log(math.exp(p) - delta) - q for p, q in pairs if math.exp(p) > delta), default=0.0)


def gaussian_round(threshold, sigma, victim, others, rate):
    """The victim reports with probability `victim`, and each of `others` clients with probability `rate`."""
    conspicuous = math.log(victim) + log_normal_tail(threshold - 2 / sigma)
    alternative = log_normal_tail(threshold)
    crowd = (others, math.log(rate) + alternative)
    return log_some((1, conspicuous), crowd), log_some((1, math.log(victim) + alternative), crowd)


def response_round(epsilon0, others):
    """Randomized response in which everybody reports."""
    low = -epsilon0 - math.log1p(math.exp(-epsilon0))
    return log_some((1, low + epsilon0), (others, low)), log_some((others + 1, low))


def gaussian_floor(rounds, delta, sigma, victim, others, rate):
    """Returns the largest epsilon over many thresholds: a coarse grid, and a fine one around the best of it."""

    def shown(threshold):
        return epsilon_floor(rounds, delta, gaussian_round(threshold, sigma, victim, others, rate))

    step = 1 / sigma / 200
    best = max((step * i for i in range(60, 800)), key=shown)
    return max(shown(best + step * i / 500) for i in range(-500, 501))


def gaussian_delta(mu, epsilon):
    """Returns the delta of one message whose two means differ by mu standard deviations."""
    gain = log_normal_tail(epsilon / mu - mu / 2)
    loss = epsilon + log_normal_tail(epsilon / mu + mu / 2)
    return math.exp(gain) * -math.expm1(loss - gain)


def gaussian_epsilon(mu, delta):
    low, high = 0.0, mu * (mu + 60)
    for _ in range(200):
        epsilon = (low + high) / 2
        low, high = (epsilon, high) if gaussian_delta(mu, epsilon) > delta else (low, epsilon)
    return low


def main():
    compare = stored.Comparison()
    text = (stored.ROOT / TEST).read_text(encoding="utf-8")

    def floor(label, computed):
        """The stored floor must be the computed one, rounded down to the last digit that is stored."""
        figure = stored.Figure(re.search(r"([0-9.e']+),\s+\"" + re.escape(label) + r"\"\)", text)[1])
        good = computed - 2 * figure.half <= figure <= computed
        compare.differ += not good
        print(f"{label}: computed {computed:.12g}, stored {figure:.12g}{'' if good else '  DIFFERENT'}")

    floor("two check-ins", gaussian_floor(2, 1e-5, 0.15, 0.1, 999, 0.1))
    floor("ten of 22", epsilon_floor(2, 1e-5, response_round(22, 9)))
    floor("unequal rates", gaussian_floor(2, 1e-5, 0.15, 0.1, 999, 0.05))
    floor("one client", gaussian_delta(2 / 0.05, 710))
    floor("a check-in", gaussian_floor(1, 1e-5, 0.03, 0.1, 999, 0.1))
    floor("seven rounds at 2^-12", gaussian_floor(7, 1e-5, 2 ** -12, 0.1, 999, 0.1))
    floor("much noise", gaussian_epsilon(2 / 1e4, 1e-203))
    floor("a sum of one", gaussian_epsilon(2 / 0.5, 1e-5))
    compare.leave()


if __name__ == "__main__":
    main()
