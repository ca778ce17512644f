"""Tests the accountants of muster.opacus by Opacus's own interface and calibration.

    tools/check-peers opacus
"""

import copy
import io
import math
import pickle
import sys
import unittest
from unittest import mock

import torch
from opacus.accountants import IAccountant, RDPAccountant, create_accountant
from opacus.accountants.utils import get_noise_multiplier

import muster
import muster.opacus

DELTA = 1e-5


def plan_of(protocol, rounds, **randomizer):
    stated = {"shuffled-check-in": {"rate": 0.1}, "aggregated-check-in": {"rate": 0.1}, "shuffle": {},
              "subset": {"subset": 100}}[protocol]
    return muster.plan(protocol=protocol, clients=1000, randomizer="gaussian", rounds=rounds, delta=DELTA, **stated,
                       **randomizer)


RATES = {"shuffled-check-in": 0.1, "aggregated-check-in": 0.1, "shuffle": 1.0, "subset": 0.1}


class Accountant(unittest.TestCase):
    def test_epsilon_is_that_of_the_plan(self):
        for protocol, rate in RATES.items():
            made = muster.opacus.accountant_class(clients=1000, protocol=protocol)
            self.assertTrue(issubclass(made, IAccountant))
            accountant = create_accountant(made.mechanism())
            self.assertIs(type(accountant), made)
            self.assertEqual((len(accountant), accountant.get_epsilon(DELTA)), (0, 0.0))
            # One round needs no composition, and takes little time.
            rounds = 5 if protocol == "shuffled-check-in" else 1
            for _ in range(rounds):
                accountant.step(noise_multiplier=8.0, sample_rate=rate)
            self.assertEqual((accountant.history, len(accountant)), ([(8.0, rate, rounds)], rounds))
            expected = muster.account(plan_of(protocol, rounds, sigma=8.0))
            self.assertEqual(accountant.get_epsilon(delta=DELTA), float(expected))

    # Rounds that differ compose, in whatever order they came.
    def test_different_rounds(self):
        made = muster.opacus.accountant_class(clients=1000)
        one, other = made(), made()
        for noise in (8.0, 6.0, 8.0):
            one.step(noise_multiplier=noise, sample_rate=0.1)
        other.history = [(8.0, 0.1, 2), (6.0, 0.1, 1)]
        self.assertEqual(len(one.history), 3)
        self.assertAlmostEqual(one.get_epsilon(DELTA), other.get_epsilon(DELTA), delta=1e-12)
        running = muster.RunningAccountant()
        running.charge(plan_of("shuffled-check-in", 0, sigma=6.0), 1)
        running.charge(plan_of("shuffled-check-in", 0, sigma=8.0), 2)
        self.assertAlmostEqual(one.get_epsilon(DELTA), running.epsilon(DELTA).upper, delta=1e-12)

    # Rounds of one kind may be charged together only if no other came between, so they keep their order.
    def test_rounds_are_composed_in_their_order(self):
        accountant = muster.opacus.accountant_class(clients=1000, protocol="aggregated-check-in")()
        for noise in (8.0, 8.0, 6.0, 8.0):
            accountant.step(noise_multiplier=noise, sample_rate=0.1)
        with mock.patch("muster.opacus.accountants.RunningAccountant", wraps=muster.RunningAccountant) as made:
            made.return_value = mock.MagicMock()
            accountant.get_epsilon(DELTA)
        charged = [(call.args[0]["randomizer.sigma"], call.args[1]) for call in made.return_value.charge.call_args_list]
        self.assertEqual(charged, [(8.0, 2), (6.0, 1), (8.0, 1)])

    # Without noise nothing is protected, and infinity says so.
    def test_no_noise(self):
        accountant = muster.opacus.accountant_class(clients=1000)()
        accountant.step(noise_multiplier=0.0, sample_rate=0.1)
        self.assertEqual(accountant.get_epsilon(DELTA), math.inf)

    def test_classes(self):
        make = muster.opacus.accountant_class
        self.assertIs(make(clients=1000), make(clients=1e3, protocol="shuffled-check-in"))
        self.assertIsNot(make(clients=1000), make(clients=1001))
        aggregated = make(clients=1000, protocol="aggregated-check-in", minimum=20)
        self.assertEqual(aggregated.mechanism(), "muster-aggregated-check-in-1000-minimum-20")
        accountant = aggregated()
        accountant.step(noise_multiplier=3.0, sample_rate=0.1)
        expected = plan_of("aggregated-check-in", 1, sigma=3.0, minimum=20)
        self.assertEqual(accountant.get_epsilon(DELTA), float(muster.account(expected)))

    def test_refusals(self):
        make = muster.opacus.accountant_class
        for words, call in (
                ("protocol = random-check-in-fixed cannot be charged", lambda: make(clients=10, protocol="random-check-in-fixed")),
                ("minimum = 3 does not apply", lambda: make(clients=10, minimum=3)),
                ("clients", lambda: make(clients=0)), ("clients", lambda: make(clients=1.5)),
                ("sample_rate = 2", lambda: make(clients=10)().step(noise_multiplier=1.0, sample_rate=2)),
                ("sample_rate = nan", lambda: make(clients=10)().step(noise_multiplier=1.0, sample_rate=math.nan)),
                ("sample_rate = 0.0", lambda: make(clients=10)().step(noise_multiplier=1.0, sample_rate=0.0)),
                ("noise_multiplier = -1", lambda: make(clients=10)().step(noise_multiplier=-1, sample_rate=0.1)),
                ("noise_multiplier = nan", lambda: make(clients=10)().step(noise_multiplier=math.nan, sample_rate=0.1)),
                ("noise_multiplier = inf", lambda: make(clients=10)().step(noise_multiplier=math.inf, sample_rate=0.1)),
                ("k / 10 for a whole", lambda: make(clients=10, protocol="subset")().step(noise_multiplier=1, sample_rate=0.25)),
                ("because everybody", lambda: make(clients=10, protocol="shuffle")().step(noise_multiplier=1, sample_rate=0.5)),
                ("delta", lambda: make(clients=10)().get_epsilon(0)), ("delta", lambda: make(clients=10)().get_epsilon(1)),
                ("accountant_class makes", muster.opacus.CheckInAccountant)):
            with self.assertRaisesRegex((muster.PlanError, muster.UsageError), words):
                call()
        accountant = make(clients=10)()
        for steps in (-1, 1.5, True, math.nan, "many"):
            accountant.history = [(1.0, 0.1, steps)]
            with self.assertRaisesRegex(muster.PlanError, "steps"):
                accountant.get_epsilon(DELTA)

    def test_state(self):
        made = muster.opacus.accountant_class(clients=1000)
        accountant = made()
        accountant.step(noise_multiplier=8.0, sample_rate=0.1)
        accountant.step(noise_multiplier=7.0, sample_rate=0.1)
        file = io.BytesIO()
        torch.save(accountant.state_dict(), file)
        file.seek(0)
        state = torch.load(file, weights_only=True)
        loaded = made()
        loaded.load_state_dict(state)
        for again in (loaded, copy.deepcopy(accountant), pickle.loads(pickle.dumps(accountant))):
            self.assertIs(type(again), made)
            self.assertEqual(again.history, accountant.history)
        # The accountant does not share its history with the state that was loaded.
        loaded.step(noise_multiplier=7.0, sample_rate=0.1)
        self.assertEqual(state["history"], accountant.history)
        before = list(loaded.history)
        for wrong in ({}, {"history": []}, {**state, "mechanism": "rdp"}, {**state, "history": [(8.0, 2.0, 1)]},
                      {**state, "history": [(8.0, 0.1, -1)]}, RDPAccountant().state_dict()):
            with self.assertRaises(ValueError):
                loaded.load_state_dict(wrong)
            self.assertEqual(loaded.history, before)

    # No state makes an accountant forget what it charged, whether it is older, of other rounds, or without origins.
    def test_no_state_forgets_a_charge(self):
        made = muster.opacus.accountant_class(clients=1000)
        one, other = made(), made()
        for accountant, steps in ((one, 2), (other, 5)):
            for _ in range(steps):
                accountant.step(noise_multiplier=8.0, sample_rate=0.1)
        older = one.state_dict()
        one.step(noise_multiplier=8.0, sample_rate=0.1)
        for state in (older, made().state_dict(), one.state_dict()):
            one.load_state_dict(state)
            self.assertEqual(one.history, [(8.0, 0.1, 3)])
        without_origins = {name: value for name, value in one.state_dict().items() if name != "origins"}
        for state, steps in ((other.state_dict(), 5), (without_origins, 3)):
            with self.assertRaisesRegex(muster.CheckpointError, f"has {steps} steps, and lacks 3 of the 3") as caught:
                one.load_state_dict(state)
            error = caught.exception
            self.assertEqual((error.code, error.key, error.value), (3, "history", f"{steps} steps"))
            self.assertEqual(one.history, [(8.0, 0.1, 3)])
        # What goes on from a state elsewhere is a later state, and two that go on from one state are not.
        later, beside = made(), copy.deepcopy(one)
        later.load_state_dict(without_origins)
        later.load_state_dict(made().state_dict())
        self.assertEqual(len(later), 3)
        later = pickle.loads(pickle.dumps(one))
        later.step(noise_multiplier=7.0, sample_rate=0.1)
        one.load_state_dict(later.state_dict())
        self.assertEqual(one.history, [(8.0, 0.1, 3), (7.0, 0.1, 1)])
        beside.step(noise_multiplier=7.0, sample_rate=0.1)
        with self.assertRaisesRegex(muster.CheckpointError, "has 4 steps, and lacks 1 of the 4"):
            beside.load_state_dict(one.state_dict())

    def test_origins_that_are_none(self):
        accountant = muster.opacus.accountant_class(clients=1000)()
        accountant.step(noise_multiplier=8.0, sample_rate=0.1)
        state = accountant.state_dict()
        for origins in (3, {"a": 2}, {"a": -1}, {"a": 0.5}, {"a": "one"}, ["a"]):
            with self.assertRaisesRegex(muster.PlanError, "out of range"):
                accountant.load_state_dict({**state, "origins": origins})

    # Opacus's bisection ends on the safe side of what muster.calibrate finds, and within its tolerance in epsilon.
    def test_noise_multiplier(self):
        for protocol, rate in RATES.items():
            made = muster.opacus.accountant_class(clients=1000, protocol=protocol)
            sigma = get_noise_multiplier(target_epsilon=0.5, target_delta=DELTA, sample_rate=rate, steps=1,
                                         accountant=made.mechanism())
            found = muster.calibrate(plan_of(protocol, 1), "sigma", epsilon=0.5)
            self.assertGreaterEqual(sigma, found.value * (1 - 1e-9))
            self.assertGreater(float(muster.account(plan_of(protocol, 1, sigma=sigma))), 0.5 - 0.011)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
