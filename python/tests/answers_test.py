"""Tests that the package gives the command's answers, number for number.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/answers_test.py --command build/release/muster
"""

import csv
import io
import math
import pickle
import unittest

import muster_command
import numpy as np
from command_line import PROTOCOLS, RANDOMIZERS, flags, keywords, plan, said, timeless

import muster


class Answers(unittest.TestCase):
    maxDiff = None

    def same(self, stated, all=False, **question):
        """Returns the package's statement and the command's JSON, which must say the same."""
        expected = said("account", *flags(stated), *flags(question), *(["--all"] if all else []))
        got = muster.account(plan(stated), all=all, **question)
        self.assertEqual(timeless(got.to_dict()), timeless(expected), stated)
        return got, expected

    def test_a_randomizer_given_by_its_profile(self):
        for protocol, needs in PROTOCOLS.items():
            stated = {"protocol": protocol, **needs, "clients": 100, "rounds": 1, "delta": 1e-5, "randomizer": "profile",
                      "profile": "plans/profiles/three-letters.csv"}
            self.same(stated)
        given = muster.plan(**stated)
        self.assertEqual(pickle.loads(pickle.dumps(given)), given)

    def test_every_protocol_and_randomizer(self):
        for protocol in PROTOCOLS:
            for randomizer in RANDOMIZERS:
                got, expected = self.same(keywords(protocol, randomizer))
                self.assertEqual(got.upper, expected["epsilon"]["upper"])
                self.assertEqual(got.lower, expected["epsilon"]["lower"])
                self.assertEqual(got.local, expected["local"]["epsilon"])
                self.assertEqual(float(got), got.upper)
                for name in ("bound", "validity", "view", "neighbouring", "numerical_error", "citation", "rounds"):
                    self.assertEqual(getattr(got, name), expected[name])
                self.assertEqual(list(got.assumptions), expected["assumptions"])
                self.assertEqual([bound.bound for bound in got.bounds], [each["bound"] for each in expected["all"]])

    def test_several_rounds(self):
        for protocol, randomizer in (("random-check-in-averaged", "ldp-sgd"), ("shuffle", "pure")):
            self.same(keywords(protocol, randomizer, rounds=3))

    def test_delta_at_an_epsilon(self):
        stated = keywords("shuffled-check-in", "ldp-sgd", delta=None)
        expected = said("account", *flags(stated), "--epsilon", "0.25")
        for given in (plan(stated), plan({**stated, "delta": 0.1})):  # a plan's delta is ignored then
            got = muster.account(given, epsilon=0.25)
            self.assertEqual(timeless(got.to_dict()), timeless(expected))
            self.assertEqual((got.quantity, got.at, float(got)), ("delta", 0.25, expected["delta"]["upper"]))

    def test_views_schedules_and_unequal_rates(self):
        stated = keywords("shuffled-check-in", "pure")
        for changes, question in (({}, {"view": "shuffler-colludes"}), ({}, {"view": "sum-only"}),
                                  ({"rate": (0.05, 0.1)}, {}), ({"rounds": 0}, {}), ({"delta": 0.25}, {})):
            self.same({**stated, **changes}, **question)
        expected = said("account", *flags(stated), "--dropout", "[[1, 0.0], [2, 0.5]]")
        for dropout in ([[1, 0.0], [2, 0.5]], "[[1, 0.0], [2, 0.5]]", np.array([[1, 0], [2, 0.5]]).tolist()):
            got = muster.account(plan({**stated, "dropout": dropout}))
            self.assertEqual(timeless(got.to_dict()), timeless(expected))

    # A bound that a paper states without proof is listed only if it is asked for, and never gives the upper value.
    def test_all(self):
        stated = keywords("shuffle", "pure", rounds=1)
        plain, _ = self.same(stated)
        everything, _ = self.same(stated, all=True)
        self.assertEqual({bound.validity for bound in plain.bounds}, {"proven"})
        self.assertIn("as-published", {bound.validity for bound in everything.bounds})
        self.assertEqual(everything.upper, min(bound.upper for bound in everything.bounds
                                               if bound.validity == "proven" and bound.upper is not None))
        self.assertLess(min(bound.upper for bound in everything.bounds if bound.upper is not None), math.inf)
        self.assertEqual(float(everything), everything.upper)

    def test_calibrations(self):
        for knob, stated, changes in (
                ("epsilon0", keywords("shuffle", "pure"), {}), ("epsilon0", keywords("shuffle", "pure", epsilon0=None), {}),
                ("sigma", keywords("aggregated-check-in", "gaussian", sigma=None), {}),
                ("rate", keywords("shuffled-check-in", "ldp-sgd"), {}),
                ("rounds", keywords("shuffle", "k-rr", rounds=None, clients=100), {}),
                ("clients", keywords("shuffle", "ldp-sgd", clients=None), {}),
                ("minimum", keywords("aggregated-check-in", "gaussian", sigma=8.0), {}),
                ("epsilon0", keywords("random-check-in-fixed", "ldp-sgd"), {"view": "shuffler-colludes"}),
                ("accuracy", keywords("shuffled-check-in", "laplace", epsilon0=None, rate=None), {})):
            target = 2.0 if "view" in changes else 0.4
            # The command refuses a flag for what it solves for; a plan may state it.
            asked = {name: value for name, value in stated.items() if name != knob}
            expected = said("calibrate", *flags(asked), "--for", knob, "--epsilon", str(target), *flags(changes))
            got = muster.calibrate(plan(stated), knob, epsilon=target, **changes)
            self.assertEqual(timeless(got.to_dict()), timeless(expected), knob)
            value = expected["value"]
            self.assertEqual(got.value, next(iter(value.values())) if isinstance(value, dict) else value)
            self.assertLessEqual(float(got.statement), target)
            if "view" not in changes:
                self.assertEqual(float(muster.account(got.plan)), float(got.statement), knob)

    def rows(self, stated, *arguments):
        printed = muster_command.run("account", *flags(stated), "--curve=csv", *arguments)
        self.assertEqual(printed.returncode, 0, printed.stderr)
        return list(csv.DictReader(io.StringIO(printed.stdout)))

    def test_curves(self):
        for protocol, randomizer, rounds in (("shuffled-check-in", "ldp-sgd", 1), ("aggregated-check-in", "gaussian", 1),
                                             ("shuffle", "pure", 3)):
            stated = keywords(protocol, randomizer, rounds=rounds)
            rows = self.rows(stated)
            for over in ("delta", "rounds"):
                wanted = [row for row in rows if row["curve"] == over]
                curve = muster.curve(plan(stated), over=over)
                self.assertEqual(list(curve.at), [float(row[over]) for row in wanted])
                for side, column in ((curve.upper, "epsilon_upper"), (curve.lower, "epsilon_lower"),
                                     (curve.local, "epsilon_local")):
                    self.assertEqual(side.dtype, np.float64)
                    self.assertEqual(list(side), [float(row[column]) for row in wanted])
        stated = keywords("shuffle", "pure", delta=None)
        rows = self.rows(stated, "--epsilon", "0.5")
        for over in ("epsilon", "rounds"):
            wanted = [row for row in rows if row["curve"] == over]
            curve = muster.curve(plan(stated), over=over, epsilon=0.5)
            self.assertEqual((curve.quantity, list(curve.at)), ("delta", [float(row[over]) for row in wanted]))
            self.assertEqual(list(curve.upper), [float(row["delta_upper"]) for row in wanted])

    def test_a_curve_at_points(self):
        given = plan(keywords("shuffle", "pure"))
        for over, at in (("rounds", [1, 3]), ("delta", np.array([1e-8, 1e-6])), ("epsilon", (0.0, 0.5, 1.0))):
            curve = muster.curve(given, over=over, at=at)
            for point, upper, lower in zip(curve.at, curve.upper, curve.lower):
                if over == "rounds":
                    statement = muster.account(given.replace({"rounds.count": int(point)}))
                else:
                    statement = muster.account(given, **{over: float(point)})
                self.assertEqual((upper, lower), (statement.upper, statement.lower))
            self.assertFalse(curve.upper.flags.writeable)
            self.assertTrue(curve.svg().startswith("<svg"))

    def test_many_plans(self):
        plans = [plan(keywords("random-check-in-sliding", randomizer)) for randomizer in RANDOMIZERS]
        expected = [timeless(muster.account(each).to_dict()) for each in plans]
        for threads in (1, 2, None):
            got = muster.account_many(plans, threads=threads)
            self.assertEqual([timeless(each.to_dict()) for each in got], expected)
        self.assertEqual(muster.account_many([]), [])
        self.assertEqual(float(muster.account_many(plans[:1], epsilon=0.1)[0]),
                         float(muster.account(plans[0], epsilon=0.1)))
        lacking = plan(keywords("shuffle", "pure", delta=None))
        with self.assertRaises(muster.PlanError) as caught:
            muster.account_many([plans[0], lacking])
        self.assertEqual(caught.exception.key, "privacy.delta")

    def test_a_plan_from_a_file(self):
        path = "plans/quickstart.toml"
        got = muster.account(muster.Plan.read(path))
        self.assertEqual(timeless(got.to_dict()), timeless(said("account", path)))
        changed = muster.account(muster.Plan.read(path).replace({"rounds.count": 1, "privacy.delta": 1e-7}))
        self.assertEqual(timeless(changed.to_dict()), timeless(said("account", path, "--rounds", "1", "--delta", "1e-7")))

    def test_text(self):
        stated = keywords("shuffle", "pure")
        printed = muster_command.run("account", *flags(stated)).stdout
        self.assertIn(str(muster.account(plan(stated))), printed)


if __name__ == "__main__":
    muster_command.test_main()
