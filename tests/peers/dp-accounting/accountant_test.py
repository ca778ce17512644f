"""Tests muster.dp_accounting.Accountant with dp_accounting itself: its contract for accountants, and its calibration.

    tools/check-peers dp-accounting

Accountants that are wrong on purpose must fail the same tests.
"""

import math
import pickle
import sys
import unittest

import dp_accounting
from dp_accounting import dp_event, privacy_accountant_test

import muster
from muster.dp_accounting import (
    Accountant,
    CheckedInDpEvent,
    LocalRandomizerDpEvent,
    ShuffledDpEvent,
    SubsampledDpEvent,
    mechanism_from,
    plan_of,
)

PURE = LocalRandomizerDpEvent("pure", epsilon0=1.0)
GAUSSIAN = LocalRandomizerDpEvent("gaussian", sigma=3.0)
ROUNDS = [ShuffledDpEvent(5000, PURE), SubsampledDpEvent(5000, 500, LocalRandomizerDpEvent("ldp-sgd", epsilon0=2.0)),
          CheckedInDpEvent(5000, 0.1, GAUSSIAN), CheckedInDpEvent(5000, (0.05, 0.1), PURE),
          CheckedInDpEvent(5000, 0.2, LocalRandomizerDpEvent("k-rr", epsilon0=1.0, k=5), dropout=0.5)]
PLANS = [dict(protocol="shuffle", randomizer="pure", epsilon0=1.0),
         dict(protocol="subset", subset=500, randomizer="ldp-sgd", epsilon0=2.0),
         dict(protocol="shuffled-check-in", rate=0.1, randomizer="gaussian", sigma=3.0),
         dict(protocol="shuffled-check-in", rate=(0.05, 0.1), randomizer="pure", epsilon0=1.0),
         dict(protocol="shuffled-check-in", rate=0.2, dropout=0.5, randomizer="k-rr", epsilon0=1.0, k=5)]


class Contract(privacy_accountant_test.PrivacyAccountantTest):
    """The contract that dp_accounting has for every accountant, tested with empty accountants."""

    def _make_test_accountants(self):
        return [Accountant(), Accountant(dp_accounting.NeighboringRelation.REPLACE_ONE)]


def check_charges(test, make):
    """Checks that epsilon and delta of composed events are those that muster states of the same rounds."""
    for event, stated in zip(ROUNDS, PLANS, strict=True):
        for nested in (lambda e: dp_accounting.SelfComposedDpEvent(e, 20),
                       lambda e: dp_accounting.ComposedDpEvent([e, dp_accounting.SelfComposedDpEvent(e, 19)])):
            plan = muster.plan(clients=5000, rounds=20, **stated)
            composed = make().compose(nested(event))
            test.assertEqual(composed.get_epsilon(1e-5), float(muster.account(plan, delta=1e-5)), event)
            test.assertEqual(composed.get_delta(0.1), float(muster.account(plan, epsilon=0.1)), event)
    mixed, running = make(), muster.RunningAccountant()
    mixed.compose(dp_accounting.ComposedDpEvent([ROUNDS[0], dp_accounting.SelfComposedDpEvent(ROUNDS[2], 5)]), 2)
    running.charge(muster.plan(clients=5000, **PLANS[0]), 2)
    running.charge(muster.plan(clients=5000, **PLANS[2]), 10)
    test.assertEqual(mixed.get_epsilon(1e-6), float(running.epsilon(1e-6)))
    test.assertEqual(mixed.get_delta(0.2), float(running.delta(0.2)))


class RoundNotCharged(Accountant):
    """Wrong on purpose: one of several rounds is not charged."""

    def _maybe_compose(self, event, count, do_compose):
        return super()._maybe_compose(event, count - 1 if count > 1 else count, do_compose)


class CoinIgnored(Accountant):
    """Wrong on purpose: a check-in is charged as if the coin came up at half the rate."""

    def _maybe_compose(self, event, count, do_compose):
        if isinstance(event, CheckedInDpEvent) and isinstance(event.rate, float):
            event = CheckedInDpEvent(event.clients, event.rate / 2, event.event)
        return super()._maybe_compose(event, count, do_compose)


class Charges(unittest.TestCase):
    def test_are_musters(self):
        check_charges(self, Accountant)

    def test_wrong_accountants_fail(self):
        for wrong in (RoundNotCharged, CoinIgnored):
            with self.assertRaises(AssertionError):
                check_charges(unittest.TestCase(), wrong)

    def test_the_ledger_has_what_was_composed(self):
        accountant = Accountant().compose(ROUNDS[0], 3)
        self.assertEqual(accountant.ledger, dp_accounting.SelfComposedDpEvent(ROUNDS[0], 3))
        self.assertEqual(accountant.neighboring_relation, dp_accounting.NeighboringRelation.REPLACE_ONE)

    def test_extremes(self):
        accountant = Accountant().compose(ROUNDS[0], 3)
        self.assertEqual(accountant.get_epsilon(1), 0)
        self.assertAlmostEqual(accountant.get_epsilon(0), 3.0, places=9)
        self.assertGreaterEqual(accountant.get_epsilon(0), 3.0)
        self.assertEqual(accountant.get_delta(math.inf), 0)
        gaussian = Accountant().compose(ROUNDS[2])
        self.assertEqual(gaussian.get_epsilon(0), math.inf)
        self.assertLess(gaussian.get_delta(math.inf), 1e-100)
        for delta in (-0.1, 1.1, math.nan):
            with self.assertRaisesRegex(muster.PlanError, r"target_delta = .* allowed: number in \[0, 1\]"):
                accountant.get_epsilon(delta)
        for epsilon in (-0.1, math.nan):
            with self.assertRaisesRegex(muster.PlanError, "target_epsilon = .* allowed: number >= 0"):
                accountant.get_delta(epsilon)


class Events(unittest.TestCase):
    def test_are_values(self):
        for event in [*ROUNDS, PURE, GAUSSIAN]:
            self.assertEqual(pickle.loads(pickle.dumps(event)), event)
            self.assertEqual(dp_accounting.DpEvent.from_named_tuple(event.to_named_tuple()), event)
            self.assertIsInstance(hash(event), int)
            with self.assertRaises(Exception):
                event.clients = 1

    def test_become_plans(self):
        for event, stated in zip(ROUNDS, PLANS, strict=True):
            self.assertEqual(plan_of(event, 7), muster.plan(clients=5000, rounds=7, **stated))

    def test_randomized_response_is_k_rr(self):
        for noise in (1e-6, 0.1, 0.5, 0.999, 1 - 1e-12):
            for buckets in (2, 3, 1000):
                local = mechanism_from(dp_accounting.RandomizedResponseDpEvent(noise, buckets))
                self.assertEqual((local.randomizer, local.k), ("k-rr", buckets))
                # In k-rr, a client's own answer has probability e^epsilon0 / (e^epsilon0 + k - 1). Each other answer has
                # 1 over the same denominator.
                others = math.exp(local.epsilon0) + buckets - 1
                self.assertAlmostEqual(math.exp(local.epsilon0) / others / (1 - noise + noise / buckets), 1, places=12)
                self.assertAlmostEqual(1 / others / (noise / buckets), 1, places=12)
                theirs = dp_accounting.pld.privacy_loss_distribution.from_randomized_response(
                    noise, buckets, pessimistic_estimate=False, value_discretization_interval=1e-6,
                    neighboring_relation=dp_accounting.NeighboringRelation.REPLACE_ONE)
                self.assertGreaterEqual(local.epsilon0, theirs.get_epsilon_for_delta(0) - 1e-9)
        wrapped = CheckedInDpEvent(1000, 0.1, dp_accounting.RandomizedResponseDpEvent(0.5, 4))
        self.assertTrue(Accountant().supports(wrapped))
        self.assertEqual(plan_of(wrapped)["randomizer.k"], 4)

    def test_noise_on_a_sum_is_refused_with_the_reason(self):
        for event in (dp_accounting.GaussianDpEvent(1.0), dp_accounting.LaplaceDpEvent(1.0),
                      dp_event.DiscreteLaplaceDpEvent(1.0, 1)):
            with self.assertRaisesRegex(muster.UncoveredError, "noise on a sum .* added or removed"):
                mechanism_from(event)
            for outer in (event, ShuffledDpEvent(1000, event), dp_accounting.PoissonSampledDpEvent(0.1, event)):
                self.assertFalse(Accountant().supports(outer))
                with self.assertRaises(dp_accounting.UnsupportedEventError):
                    Accountant().compose(outer)
        for noise, buckets in ((0, 4), (1, 4), (-1, 4), (math.nan, 4), (0.5, 1)):
            with self.assertRaises(muster.PlanError):
                mechanism_from(dp_accounting.RandomizedResponseDpEvent(noise, buckets))
        with self.assertRaisesRegex(muster.UncoveredError, "NoOpDpEvent is not a local randomizer"):
            mechanism_from(dp_accounting.NoOpDpEvent())

    def test_bad_parameters_are_unsupported_and_say_why(self):
        bad = [(ShuffledDpEvent(0, PURE), "population.clients = 0"), (ShuffledDpEvent(1000, PURE.__class__("purr")), "purr"),
               (SubsampledDpEvent(10, 11, PURE), "participation.subset = 11"), (CheckedInDpEvent(10, 2.0, PURE), "rate"),
               (CheckedInDpEvent(10, math.nan, PURE), "rate"), (CheckedInDpEvent(True, 0.1, PURE), "clients"),
               (CheckedInDpEvent(10, 0.1, LocalRandomizerDpEvent("gaussian")), "sigma"),
               (CheckedInDpEvent(10, 0.1, LocalRandomizerDpEvent("pure", epsilon0=1.0, sigma=2.0)), "sigma"),
               (PURE, "not a round of a local randomizer")]
        for event, why in bad:
            self.assertFalse(Accountant().supports(event), event)
            with self.assertRaisesRegex(dp_accounting.UnsupportedEventError, why):
                Accountant().compose(event)
        for count in (-1, 1.5, True):
            with self.assertRaisesRegex(muster.PlanError, "count = "):
                Accountant().compose(ROUNDS[0], count)

    def test_other_relations_are_refused(self):
        for relation in dp_accounting.NeighboringRelation:
            if relation != dp_accounting.NeighboringRelation.REPLACE_ONE:
                with self.assertRaisesRegex(muster.UncoveredError, "added or removed"):
                    Accountant(relation)


class Calibration(unittest.TestCase):
    # dp_accounting promises a sigma within its tolerance of the smallest; muster's is the smallest with six digits.
    def test_sigma_is_musters(self):
        tolerance, target, delta = 1e-3, 0.1, 1e-5
        plan = muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="gaussian", clip=1.0,
                           rounds=1000)

        def event(sigma):
            return dp_accounting.SelfComposedDpEvent(
                CheckedInDpEvent(60_000, 0.1, LocalRandomizerDpEvent("gaussian", sigma=sigma)), 1000)

        theirs = dp_accounting.calibrate_dp_mechanism(Accountant, event, target, delta,
                                                      dp_accounting.ExplicitBracketInterval(1, 20), tol=tolerance)
        ours = muster.calibrate(plan, "sigma", epsilon=target, delta=delta)
        print(f"sigma: dp_accounting {theirs:.6f}, muster {ours.value:.6f}")
        self.assertLessEqual(Accountant().compose(event(theirs)).get_epsilon(delta), target)
        self.assertLessEqual(float(ours.statement), target)
        self.assertLessEqual(abs(theirs - ours.value), tolerance + 1e-5)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
