#!/usr/bin/env python3
"""Floors of extreme questions, for accountant_extremes_test.cc: numbers that no valid upper bound is below.

The victim holds x, or x' in the neighbouring data set; everybody else holds x', and so does a slot's dummy. A message
of x, less likely under x', is called conspicuous: for Gaussian and Laplace noise, one whose coordinate along x - x'
exceeds a threshold; for randomized response, the answer x. The adversary counts the rounds in which a message is
conspicuous and guesses x if there are at least j. With P_j and Q_j for the probabilities of this guess, delta >= P_j -
e^epsilon Q_j, for every threshold and every j. They are binomial tails of the probabilities of one round, which are
products over the clients, and none of the bounds' formulas is used. If only the sum of k noisy messages is seen, the
threshold of the sum depends on k, and a round may be conspicuous only for some k. For ldp-sgd, two opposite records in
one dimension give randomized response, and the sum of such messages shows how many of them are conspicuous. In slots,
the server asks one of the clients at the victim's slot. In a fixed window, the others' slots are random. A bound for
sliding windows holds for all choices of the others, so none of them is at the victim's slot. Gaussian tails have a
continued fraction, so that nothing underflows; errors are below 1e-10.

The delta of one Gaussian message is Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), and its epsilon is
found by bisection. For very many clients, the adversary adds up all messages of all rounds. With n clients, T rounds
and Gaussian noise, the sum is one Gaussian message with sqrt(T/n) times the distance. Of Laplace messages, the number
of those that are nearer to x is counted; among 10^18 messages it is normal up to a relative error of 1e-6. The program
uses only the standard library, and compares the floors with those stored in the test.

    python3 tools/golden/extremes.py    # prints computed and stored values, five seconds
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
    """Returns the largest epsilon that the guess shows, over all j. `one_round` is the pair (ln P, ln Q) of the
    probabilities of a conspicuous message in one round."""
    log_p, log_q = one_round
    pairs = [(log_at_least(j, rounds, log_p), log_at_least(j, rounds, log_q)) for j in range(1, rounds + 1)]
    return max((math.log(math.exp(p) - delta) - q for p, q in pairs if math.exp(p) > delta), default=0.0)


def delta_floor(rounds, epsilon, one_round):
    """Returns the largest delta that the guess shows at epsilon, over all j. `one_round` is as in epsilon_floor."""
    log_p, log_q = one_round
    pairs = [(log_at_least(j, rounds, log_p), log_at_least(j, rounds, log_q)) for j in range(1, rounds + 1)]
    return max(math.exp(p) - math.exp(min(epsilon + q, 700)) for p, q in pairs)


def log_mean(terms):
    """Returns ln of a sum of probabilities, which are given as pairs (weight, ln of a factor)."""
    top = max(log for _, log in terms)
    return top + math.log(math.fsum(weight * math.exp(log - top) for weight, log in terms))


def best(shown, low, high, count=400):
    """Returns the largest value of shown on a coarse grid over [low, high] and on a fine one around the best of it."""
    step = (high - low) / count
    middle = max((low + step * i for i in range(count + 1)), key=shown)
    return max(shown(middle + step * 2 * i / count) for i in range(-count // 2, count // 2 + 1))


def gaussian_round(threshold, sigma, victim, others, rate):
    """Returns (ln P, ln Q) of a round, as for epsilon_floor, with Gaussian noise. The victim reports with probability
    `victim`, and each of `others` clients with probability `rate`."""
    conspicuous = math.log(victim) + log_normal_tail(threshold - 2 / sigma)
    alternative = log_normal_tail(threshold)
    crowd = (others, math.log(rate) + alternative)
    return log_some((1, conspicuous), crowd), log_some((1, math.log(victim) + alternative), crowd)


def response_round(epsilon0, clients, rate=1.0):
    """Returns (ln P, ln Q) of a round of randomized response in which each client reports with probability `rate`."""
    low = math.log(rate) - epsilon0 - math.log1p(math.exp(-epsilon0))
    return log_some((1, low + epsilon0), (clients - 1, low)), log_some((clients, low))


def seen_round(log_record, log_alternative, seen, present):
    """Returns (ln P, ln Q) of a round in which there are always `seen` messages, and the victim's is among them with
    probability `present`. The first two arguments are ln of the probabilities that a message of x, and one of x', is
    conspicuous."""
    without = log_some((seen, log_alternative))
    among = log_some((1, log_record), (seen - 1, log_alternative))
    return log_mean([(present, among), (1 - present, without)]), without


def gaussian_seen(threshold, sigma, seen, present):
    return seen_round(log_normal_tail(threshold - 2 / sigma), log_normal_tail(threshold), seen, present)


def laplace_round(threshold, epsilon0, clients):
    """Returns (ln P, ln Q) of a round in which everybody reports, with Laplace noise of scale 1/epsilon0 about x = 1 or
    x' = 0."""
    beyond = epsilon0 * (threshold - 1)
    log_record = math.log1p(-0.5 * math.exp(beyond)) if beyond < 0 else -beyond - math.log(2)
    return seen_round(log_record, -epsilon0 * threshold - math.log(2), clients, 1)


def sum_round(loss, sigma, clients, rate, counts):
    """Returns (ln P, ln Q) of a round in which the sum of k messages is conspicuous if k is one of `counts` and the
    privacy loss exceeds `loss`."""
    under_x, under_alternative = [], []
    for k in counts:
        present, mu = k / clients, 2 / sigma / math.sqrt(k)
        threshold = (loss + math.log1p((present - 1) * math.exp(-loss)) - math.log(present)) / mu + mu / 2
        among, without = log_normal_tail(threshold - mu), log_normal_tail(threshold)
        weight = math.comb(clients, k) * rate ** k * (1 - rate) ** (clients - k) if clients < 100 else math.exp(
            math.lgamma(clients + 1) - math.lgamma(k + 1) - math.lgamma(clients - k + 1)
            + k * math.log(rate) + (clients - k) * math.log1p(-rate))
        under_x += [(weight * present, among), (weight * (1 - present), without)]
        under_alternative.append((weight, without))
    return log_mean(under_x), log_mean(under_alternative)


def gaussian_floor(rounds, delta, sigma, victim, others, rate):
    """Returns the largest epsilon over many thresholds."""
    return best(lambda threshold: epsilon_floor(rounds, delta, gaussian_round(threshold, sigma, victim, others, rate)),
                0.3 / sigma, 4 / sigma, 740)


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


def small_gaussian_epsilon(mu, delta):
    """Does what gaussian_epsilon does, for a mu so small that delta is mu E(Z - epsilon/mu)_+ to all digits."""
    low, high = 1.0, 60.0
    for _ in range(200):
        z = (low + high) / 2
        fraction = 0.0
        for k in range(200, 0, -1):
            fraction = k / (z + fraction)
        # E(Z - z)_+ = phi(z) - z P(Z > z) = phi(z) (1 - z / (z + fraction)).
        found = math.log(mu) - z * z / 2 - 0.5 * math.log(2 * math.pi) + math.log(fraction / (z + fraction))
        low, high = (z, high) if found > math.log(delta) else (low, z)
    return low * mu


def floors_of_epsilon():
    """Returns the floors of questions about epsilon, by the label of the question in the test."""
    asked_alone = 2 / 0.03, 4 / 0.03
    every_laplace_bit = math.sqrt(1e6 / 1e12) * 1e-9  # the distance of the numbers of ones, in standard deviations
    return {
        "two check-ins": gaussian_floor(2, 1e-5, 0.15, 0.1, 999, 0.1),
        "averaged slots": epsilon_floor(3, 1e-5, response_round(25, 1000, 0.01)),
        "ten of 22": epsilon_floor(2, 1e-5, response_round(22, 10)),
        "a sum of ten": best(
            lambda loss: epsilon_floor(3, 1e-5, sum_round(loss, 0.05, 10, 0.1, range(1, 11))), 1, 3000),
        "a sum of one hundred": epsilon_floor(10, 1e-5, response_round(30, 100, 0.5)),
        "unequal rates": gaussian_floor(2, 1e-5, 0.15, 0.1, 999, 0.05),
        "two of Laplace": best(lambda at: epsilon_floor(2, 0.1, laplace_round(at, 32.72, 5)), 0.5, 1.5),
        "a sliding window": best(lambda at: epsilon_floor(1, 1e-6, gaussian_seen(at, 0.03, 53, 1)), *asked_alone),
        "a check-in": gaussian_floor(1, 1e-5, 0.03, 0.1, 999, 0.1),
        "seven rounds at 2^-12": gaussian_floor(7, 1e-5, 2 ** -12, 0.1, 999, 0.1),
        "epsilon0 = 700": epsilon_floor(3, 1e-5, response_round(700, 1000, 0.1)),
        "epsilon0 = 10^6": epsilon_floor(3, 1e-5, response_round(1e6, 1000, 0.1)),
        "much noise": gaussian_epsilon(2 / 1e4, 1e-203),
        "a sum of one": gaussian_epsilon(2 / 0.5, 1e-5),
        "losses of the size of rounding errors": small_gaussian_epsilon(every_laplace_bit, 1e-30),
        "rare large losses": small_gaussian_epsilon(2 / 574.9635778401002 * math.sqrt(1e3 / 1e12), 1e-30)}


def floors_of_delta():
    """Returns the floors of questions about delta, by the label of the question in the test."""
    near_the_mean = range(4950, 5051)
    asked = 0.5 * (1 - (1 - 0.5 / 10) ** 1000) / (1000 * 0.5 / 10)  # the victim checks in and is asked
    return {
        "small noise a client, normal noise in the sum": best(
            lambda loss: delta_floor(2, 156.7, sum_round(loss, 0.002, 10_000, 0.5, near_the_mean)), 20, 300, 40),
        "a subset": best(lambda at: delta_floor(2, 130.68, gaussian_seen(at, 0.15, 100, 0.1)), 2 / 0.15, 4 / 0.15),
        "fixed slots": best(lambda at: delta_floor(2, 253.9, gaussian_seen(at, 0.1, 10, asked)), 2 / 0.1, 4 / 0.1),
        "one client": gaussian_delta(2 / 0.05, 710),
        "three of five": best(lambda at: delta_floor(1, 1, gaussian_seen(at, 0.02, 3, 0.6)), 20, 80, 40)}


def main():
    compare = stored.Comparison()
    text = (stored.ROOT / TEST).read_text(encoding="utf-8")

    for label, computed in (floors_of_epsilon() | floors_of_delta()).items():
        # The stored floor must be the computed one, rounded down to the last digit that is stored.
        figure = stored.Figure(re.search(r"([0-9][0-9.e'-]*)(?:,\s+|\) << )\"" + re.escape(label) + r"\"\)?", text)[1])
        good = computed - 2 * figure.half <= figure <= computed
        compare.differ += not good
        print(f"{label}: computed {computed:.12g}, stored {figure:.12g}{'' if good else '  DIFFERENT'}")
    compare.leave()


if __name__ == "__main__":
    main()
