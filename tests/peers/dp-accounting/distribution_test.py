"""Tests the privacy loss distributions that muster.dp_accounting.pld exports, with dp_accounting's own arithmetic.

    tools/check-peers dp-accounting

They are compared with muster's two-sided statements, and with the truth for a few clients, which is found by going
through all outcomes. Distributions that are wrong on purpose must fail the same tests.
"""

import collections
import itertools
import math
import pickle
import sys
import unittest

import dp_accounting
import numpy as np
from dp_accounting.pld import privacy_loss_distribution as distributions

import muster
from muster.dp_accounting import Accountant, LocalRandomizerDpEvent, ShuffledDpEvent, pld

# The composed rows of the table of reference values in docs/theory/reference-values.md: clients, rate, epsilon0,
# rounds, delta.
ROWS = [(60_000, 0.1, 2.0, 6800, 1e-5), (10**6, 0.001, 2.0, 100_000, 1e-8), (60_000, 1 / 6, 1.5, 1200, 1e-5),
        (10**6, 0.01, 2.0, 1000, 1e-8)]
REPLACE_ONE = dp_accounting.NeighboringRelation.REPLACE_ONE


def check_in(clients, rate, epsilon0, rounds, delta, randomizer="ldp-sgd"):
    return muster.plan(protocol="shuffled-check-in", clients=clients, rate=rate, randomizer=randomizer, epsilon0=epsilon0,
                       rounds=rounds, delta=delta)


def check_rows(test, export):
    """Checks that one round, composed by dp_accounting, lies between muster's lower and 1.001 times its upper value."""
    for row in ROWS:
        plan, (rounds, delta) = check_in(*row), row[3:]
        proven = muster.account(plan)
        composed = export(plan.replace({"rounds.count": 1})).self_compose(rounds).get_epsilon_for_delta(delta)
        print(f"{row}: muster {proven.lower:.6f} .. {proven.upper:.6f}, composed by dp_accounting {composed:.6f}")
        test.assertLessEqual(proven.lower, composed)
        test.assertLessEqual(composed, 1.001 * proven.upper)
        whole = export(plan, value_discretization_interval=1e-4).get_epsilon_for_delta(delta)
        test.assertLessEqual(proven.lower, whole)
        # An interval of 1e-4 is coarse against the smallest of these epsilons.
        test.assertLessEqual(whole, 1.001 * proven.upper + 1e-4)


class Enumerated:
    """The true laws of one round and of two, for few clients with binary or k-ary randomized response."""

    def __init__(self, answers, epsilon0, rate):
        likely = math.exp(epsilon0) / (math.exp(epsilon0) + answers - 1)
        self.channel = [[likely if x == y else (1 - likely) / (answers - 1) for y in range(answers)]
                        for x in range(answers)]
        self.rate = rate
        self.answers = answers

    def round(self, records):
        """Returns the law of the histogram of the messages of clients with these records."""
        law = {(0,) * self.answers: 1.0}
        for record in records:
            after = collections.defaultdict(float)
            for histogram, chance in law.items():
                after[histogram] += chance * (1 - self.rate)
                for answer in range(self.answers):
                    one_more = list(histogram)
                    one_more[answer] += 1
                    after[tuple(one_more)] += chance * self.rate * self.channel[record][answer]
            law = after
        return law

    @staticmethod
    def divergence(first, second, epsilon):
        return sum(max(0.0, first[each] - math.exp(epsilon) * second[each]) for each in first)

    @staticmethod
    def twice(law):
        return {(a, b): p * q for (a, p), (b, q) in itertools.product(law.items(), law.items())}


def delta_below_zero(distribution, epsilon):
    """Returns the distribution's hockey-stick divergence at any epsilon, also negative, from its masses alone."""
    pmf = distribution._pmf_remove.to_dense_pmf()
    losses = (np.arange(pmf.size) + pmf._lower_loss) * pmf._discretization
    above = losses > epsilon
    return pmf._infinity_mass - float(np.sum(pmf._probs[above] * np.expm1(epsilon - losses[above])))


def check_small(test, export):
    """Checks that the exported pair dominates the truth of all small data sets, in both orders, for 1 and 2 rounds."""
    ratio = 0.0
    for clients, answers, rate, epsilon0 in [(3, 2, 0.5, 1.0), (4, 2, 0.8, 2.0), (3, 3, 0.3, 1.0), (4, 2, 1.0, 1.0)]:
        stated = {"protocol": "shuffle"} if rate == 1 else {"protocol": "shuffled-check-in", "rate": rate}
        one = export(muster.plan(clients=clients, randomizer="k-rr", k=answers, epsilon0=epsilon0, rounds=1, **stated),
                     delta=1e-9)
        two = export(muster.plan(clients=clients, randomizer="k-rr", k=answers, epsilon0=epsilon0, rounds=2, **stated),
                     delta=1e-9)
        twice = one.self_compose(2)
        truth = Enumerated(answers, epsilon0, rate)
        for others in itertools.combinations_with_replacement(range(answers), clients - 1):
            p, q = truth.round((0, *others)), truth.round((1, *others))
            for first, second in ((p, q), (q, p)):
                pairs = [(first, second, [one])]
                if answers == 2:
                    pairs.append((truth.twice(first), truth.twice(second), [twice, two]))
                for a, b, bounds in pairs:
                    for epsilon in (-0.9, -0.3, 0.0, 0.1, 0.5, 0.9 * epsilon0, 1.3 * epsilon0):
                        true = truth.divergence(a, b, epsilon)
                        for bound in bounds:
                            value = delta_below_zero(bound, epsilon)
                            test.assertGreaterEqual(value, true * (1 - 1e-9) - 1e-13, (clients, answers, epsilon, others))
                            ratio = max(ratio, true / value if value > 0 else 0)
    print(f"largest true / exported: {ratio:.6f}")
    test.assertGreater(ratio, 0.9)


def rounded_down(source, **more):
    """Wrong on purpose: losses are rounded down to a lattice four times as coarse."""
    right = pld(source, **more)._pmf_remove.to_dense_pmf()
    masses = collections.defaultdict(float)
    for i, mass in enumerate(right._probs):
        masses[(i + right._lower_loss) // 4] += mass
    return distributions.PrivacyLossDistribution.create_from_rounded_probability(
        dict(masses), right._infinity_mass, 4 * right._discretization)


def infinity_forgotten(source, **more):
    """Wrong on purpose: the losses above a tenth of the largest are not charged."""
    right = pld(source, **more)._pmf_remove.to_dense_pmf()
    last = (right.size + right._lower_loss) // 10
    kept = {i + right._lower_loss: mass for i, mass in enumerate(right._probs) if i + right._lower_loss <= last}
    return distributions.PrivacyLossDistribution.create_from_rounded_probability(kept, 0.0, right._discretization)


def round_not_charged(source, **more):
    """Wrong on purpose: a hundredth of a plan's rounds, but at least one round, is not charged."""
    rounds = source["rounds.count"]
    return pld(source.replace({"rounds.count": rounds - max(1, rounds // 100)}), **more)


class Distributions(unittest.TestCase):
    def test_rows_of_the_reference_values(self):
        check_rows(self, pld)

    def test_truth_of_few_clients(self):
        check_small(self, pld)

    def test_wrong_ones_fail(self):
        for wrong, checks in ((rounded_down, [check_rows, check_small]), (infinity_forgotten, [check_rows, check_small]),
                              (round_not_charged, [check_rows, check_small])):
            for check in checks:
                with self.assertRaises((AssertionError, ValueError), msg=f"{wrong.__name__} {check.__name__}"):
                    check(unittest.TestCase(), wrong)

    # The whole run of every protocol is exported, also where rounds are charged by types (only the sum is seen).
    def test_every_protocol(self):
        for stated in (dict(protocol="shuffle"), dict(protocol="subset", subset=500),
                       dict(protocol="shuffled-check-in", rate=0.1), dict(protocol="aggregated-check-in", rate=0.1),
                       dict(protocol="random-check-in-fixed", rate=1.0, slots=100),
                       dict(protocol="random-check-in-averaged", rate=0.9, slots=100),
                       dict(protocol="random-check-in-sliding", rate=0.9, slots=100)):
            for randomizer in (dict(randomizer="gaussian", sigma=5.0), dict(randomizer="laplace", epsilon0=1.0, clip=1.0)):
                if stated["protocol"] == "aggregated-check-in" and randomizer["randomizer"] != "gaussian":
                    continue
                for rounds in (1, 3):
                    plan = muster.plan(clients=5000, rounds=rounds, delta=1e-6, **stated, **randomizer)
                    proven = muster.account(plan)
                    exported = pld(plan).get_epsilon_for_delta(1e-6)
                    self.assertLessEqual(proven.lower, exported, plan)
                    self.assertLessEqual(exported, 1.001 * proven.upper, plan)

    def test_dropout_by_stages(self):
        plan = muster.plan(protocol="shuffled-check-in", clients=5000, rate=0.2, dropout=[[1, 0.0], [6, 0.5]], rounds=10,
                           randomizer="gaussian", sigma=3.0, delta=1e-5)
        proven = muster.account(plan)
        self.assertLessEqual(proven.lower, pld(plan).get_epsilon_for_delta(1e-5))
        self.assertLessEqual(pld(plan).get_epsilon_for_delta(1e-5), 1.001 * proven.upper)

    # Rounds that are composed with noise on a sum, charged for a replaced record, cost at least what each part costs.
    def test_mixtures(self):
        interval = 1e-3
        plan = check_in(*ROWS[0])
        ours = pld(plan, value_discretization_interval=interval)
        theirs = distributions.from_gaussian_mechanism(8.0, value_discretization_interval=interval,
                                                       neighboring_relation=REPLACE_ONE)
        both, other = ours.compose(theirs), theirs.compose(ours)
        proven = muster.account(plan)
        for delta in (1e-7, 1e-5, 1e-3):
            parts = [each.get_epsilon_for_delta(delta) for each in (ours, theirs)]
            whole = both.get_epsilon_for_delta(delta)
            print(f"delta {delta:g}: muster {parts[0]:.4f}, Gaussian {parts[1]:.4f}, both {whole:.4f}")
            self.assertGreaterEqual(whole, max(parts))
            self.assertGreaterEqual(whole, float(muster.account(plan, delta=delta).lower))
            self.assertLessEqual(whole, 1.001 * (ours.get_epsilon_for_delta(delta / 2)
                                                 + theirs.get_epsilon_for_delta(delta / 2)))
            self.assertAlmostEqual(whole, other.get_epsilon_for_delta(delta), places=6)
        self.assertGreaterEqual(both.get_epsilon_for_delta(1e-5), proven.lower)
        with self.assertRaises(ValueError):
            pld(plan).compose(theirs)  # of another interval

    def test_sources_agree(self):
        plan = check_in(5000, 0.1, 1.0, 20, 1e-5)
        expected = pld(plan).get_epsilon_for_delta(1e-5)
        running = muster.RunningAccountant()
        running.charge(plan, 20)
        statement = muster.account(plan)
        for source in (statement, pickle.loads(pickle.dumps(statement)), running.epsilon(1e-5),
                       muster.account_many([plan])[0]):
            self.assertEqual(pld(source).get_epsilon_for_delta(1e-5), expected)
        for source in (running, muster.account(plan, epsilon=0.1)):
            self.assertAlmostEqual(pld(source).get_epsilon_for_delta(1e-5) / expected, 1, places=3)
        self.assertEqual(pld(muster.RunningAccountant()).get_epsilon_for_delta(1e-5), 0)
        accountant = Accountant().compose(ShuffledDpEvent(5000, LocalRandomizerDpEvent("pure", epsilon0=1.0)), 5)
        self.assertAlmostEqual(pld(accountant).get_epsilon_for_delta(1e-5) / accountant.get_epsilon(1e-5), 1, places=3)

    def test_an_interval_makes_epsilon_larger_and_never_smaller(self):
        plan = check_in(5000, 0.1, 1.0, 1, 1e-5)
        fine = pld(plan).get_epsilon_for_delta(1e-5)
        for interval in (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 3.0):
            self.assertGreaterEqual(pld(plan, value_discretization_interval=interval).get_epsilon_for_delta(1e-5),
                                    fine * (1 - 1e-9))

    def test_refusals(self):
        plan = check_in(5000, 0.1, 1.0, 20, 1e-5)
        for interval in (0, -1, math.nan, math.inf, True, "fine"):
            with self.assertRaisesRegex(muster.PlanError, "value_discretization_interval"):
                pld(plan, value_discretization_interval=interval)
        with self.assertRaisesRegex(muster.PlanError, "value_discretization_interval = 1e-12 is too small .* allowed"):
            pld(plan, value_discretization_interval=1e-12)
        for delta in (0, 1, math.nan, True):
            with self.assertRaisesRegex(muster.PlanError, "delta"):
                pld(plan, delta=delta)
        with self.assertRaisesRegex(muster.UsageError, "own view"):
            pld(muster.account(plan, view="shuffler-colludes"))
        with self.assertRaisesRegex(muster.UncoveredError, "NonPrivateDpEvent"):
            pld(Accountant().compose(dp_accounting.NonPrivateDpEvent()))
        with self.assertRaisesRegex(TypeError, "source is a Plan"):
            pld(3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
