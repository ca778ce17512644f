"""Tests that what the command refuses, the package refuses alike: kind, exit status, reason, key, value and words.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/refusals_test.py --command build/release/muster
"""

import math
import os
import pathlib
import re
import tempfile
import unittest
import warnings

import muster_command
import numpy as np
from command_line import flags, keywords, plan, refused

import muster

GOOD = pathlib.Path("plans/mnist-ldp-sgd.toml")
FIELDS = ("code", "kind", "reason", "value", "allowed")


def in_python(words, key):
    """Returns the command's words with the key in place of a flag that begins them, and `rate=` in place of --rate. If
    a key is missing, "a plan needs it", because in Python a plan is made before anything is asked of it."""
    words = words.replace(" is missing: account needs it;", " is missing: a plan needs it;")
    return re.sub(r"--([\w-]+)", lambda flag: flag[1].replace("-", "_") + "=", re.sub(r"^--[\w-]+", key, words))


class Refusals(unittest.TestCase):
    maxDiff = None

    def caught(self, call):
        with self.assertRaises(muster.MusterError) as caught:
            call()
        return caught.exception

    def alike(self, expected, call, key=None):
        """Checks that the package's refusal has the command's fields and words, and returns it. Its words name
        arguments in place of flags, and have a "=" between an argument and its value where a flag has none."""
        error = self.caught(call)
        self.assertEqual([getattr(error, name) for name in FIELDS], [expected[name] for name in FIELDS])
        key = key or expected["key"]
        self.assertEqual(error.key, key)
        expected_words, words = in_python(expected["message"], key), str(error)
        if expected["message"].startswith("--"):
            words = words.replace(f"{key} = ", f"{key} ", 1)
        self.assertEqual(words, expected_words)
        return error

    def test_values(self):
        stated = keywords("shuffled-check-in", "ldp-sgd", clients=60000, rounds=6800)
        for name, value in (("rate", 0), ("rate", math.nan), ("rate", -0.1), ("rate", 1.1), ("rate", (0.2, 0.1)),
                            ("rate", (0.0, 0.1)), ("rate", (0.1, math.nan)), ("rate", ""), ("rate", "1e400"), ("rate", 2),
                            ("rate", math.inf), ("clients", 0), ("clients", 1.5), ("clients", -3), ("clients", 1e13),
                            ("clients", 2**64), ("clients", -2**70), ("clients", "abc"), ("clients", np.float64(2.5)),
                            ("rounds", -1), ("rounds", "abc"), ("rounds", 10**16), ("epsilon0", 0), ("epsilon0", math.inf),
                            ("epsilon0", -math.inf), ("delta", 0), ("delta", 1), ("delta", 2), ("delta", -1e-9),
                            ("delta", math.nan), ("sigma", 5), ("subset", 5), ("minimum", 5), ("slots", 5), ("k", 5),
                            ("randomizer", "laplas"), ("protocol", "subsets"), ("dropout", 1), ("dropout", "[[2, 0.1]]"),
                            ("dropout", "[[1, 0.1]")):
            changed = {**stated, name: value}
            with self.subTest(name, value=value):
                self.alike(refused("account", *flags(changed)), lambda: plan(changed))
        for name in ("protocol", "randomizer"):
            lacking = {key: value for key, value in stated.items() if key != name}
            self.alike(refused("account", *flags(lacking)), lambda: plan(lacking))

    # What calibrate can find may be missing until an account needs it.
    def test_missing_keys(self):
        for name in ("rate", "clients", "epsilon0", "rounds", "delta"):
            lacking = keywords("shuffled-check-in", "ldp-sgd", **{name: None})
            given = plan(lacking)
            self.alike(refused("account", *flags(lacking)), lambda: muster.account(given))
        self.assertFalse(plan(keywords("shuffle", "pure", epsilon0=None)).complete)
        for lacking in (keywords("random-check-in-fixed", "pure", slots=None), keywords("subset", "pure", subset=None),
                        keywords("shuffle", "k-rr", k=None)):
            self.alike(refused("account", *flags(lacking)), lambda: plan(lacking))

    def test_protocols(self):
        for protocol, changes in (("subset", {"subset": 60001}), ("subset", {"rate": 0.1}), ("shuffle", {"rate": 0.1}),
                                  ("random-check-in-sliding", {"slots": 0}), ("aggregated-check-in", {"minimum": 60001}),
                                  ("aggregated-check-in", {"minimum": 0})):
            stated = keywords(protocol, "ldp-sgd", clients=60000, **changes)
            self.alike(refused("account", *flags(stated)), lambda: plan(stated))

    def test_questions(self):
        stated = keywords("aggregated-check-in", "gaussian", rounds=1)
        given = plan(stated)
        for view in ("nobody", "", "Shuffler-honest"):
            self.alike(refused("account", *flags(stated), "--view", view), lambda: muster.account(given, view=view), "view")
        error = self.alike(refused("account", *flags(stated), "--view", "shuffler-honest"),
                           lambda: muster.account(given, view="shuffler-honest"))
        self.assertIsInstance(error, muster.UncoveredError)
        without = {name: value for name, value in stated.items() if name != "delta"}
        for value in (math.nan, -1, math.inf, "", "x"):
            self.alike(refused("account", *flags(without), "--epsilon", str(value)),
                       lambda: muster.account(given, epsilon=value), "epsilon")
        both = self.caught(lambda: muster.account(given, delta=1e-5, epsilon=1))
        expected = refused("account", *flags(stated), "--epsilon", "1")
        self.assertEqual((both.code, both.kind, both.reason), (expected["code"], expected["kind"], expected["reason"]))

    def test_calibrations(self):
        stated = keywords("shuffled-check-in", "ldp-sgd", clients=1000)
        given = plan(stated)
        for knob, epsilon, key in (("epsilom0", 1, "knob"), ("sigma", 1, "knob"), ("minimum", 1, "knob"),
                                   ("rounds", 0, "epsilon"), ("rounds", -1, "epsilon"), ("rounds", math.nan, "epsilon"),
                                   ("rounds", 1e-9, "epsilon")):
            asked = flags({name: value for name, value in stated.items() if name != knob})
            expected = refused("calibrate", *asked, "--for", knob, "--epsilon", str(epsilon))
            self.alike(expected, lambda: muster.calibrate(given, knob, epsilon=epsilon), key)
        schedule = plan({**stated, "dropout": [[1, 0.0], [2, 0.5]]})
        without = flags({name: value for name, value in stated.items() if name != "epsilon0"})
        expected = refused("calibrate", *without, "--dropout", "[[1, 0.0], [2, 0.5]]", "--for", "epsilon0", "--epsilon", "1")
        self.alike(expected, lambda: muster.calibrate(schedule, "epsilon0", epsilon=1))

    def test_curves(self):
        stated = keywords("shuffled-check-in", "pure")
        nothing = {**stated, "rounds": 0}
        # --json does not go with --curve, so the command says this in words alone.
        error = self.caught(lambda: muster.curve(plan(nothing)))
        words = muster_command.run("account", *flags(nothing), "--curve").stderr
        self.assertEqual(in_python(words, error.key), f"muster: {error}\n")
        schedule = plan({**stated, "rounds": 3, "dropout": [[1, 0.0], [2, 0.5]]})
        self.assertEqual(self.caught(lambda: muster.curve(schedule)).key, "participation.dropout")
        given = plan(stated)
        for over, at, key in (("round", None, "over"), ("rounds", [], "at"), ("rounds", [2, 1], "at"),
                              ("rounds", [1, 1], "at"), ("rounds", [0], "at"), ("rounds", [1.5], "at"),
                              ("rounds", [True], "at"), ("delta", [0.5, 1.0], "at"), ("delta", [math.nan], "at"),
                              ("epsilon", None, "at"), ("epsilon", [-1.0], "at"), ("epsilon", ["x"], "at")):
            error = self.caught(lambda: muster.curve(given, over=over, at=at))
            self.assertEqual((error.code, error.key), (2, key), (over, at))
        # What has not even the type of an argument is refused as a plan's values are.
        for asked, key, value in (({"at": [[1, 2], [3, 4]]}, "at", "array([[1, 2],"), ({"at": 5}, "at", "array(5)"),
                                  ({"at": [[1, 2], [3]]}, "at", "[[1, 2], [3]]"), ({"over": 3}, "over", "3"),
                                  ({"over": None}, "over", "None"), ({"over": b"rounds"}, "over", "b'rounds'")):
            error = self.caught(lambda: muster.curve(given, **asked))
            self.assertIsInstance(error, muster.PlanError)
            self.assertEqual((error.code, error.reason, error.key), (2, "wrong-type", key))
            self.assertTrue(error.value.startswith(value), error.value)
            self.assertEqual(error.allowed, {"at": "array [n] of numbers", "over": "rounds | delta | epsilon"}[key])

    def test_plan_files(self):
        good = GOOD.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "plan.toml"
            pipe = folder + "/pipe"
            os.mkfifo(pipe)
            for text in (good.replace("clip     = 0.1", "clip = = 1"), good.replace("clip     = 0.1", "clip = 1e400"),
                         good.replace("clip     = 0.1", "clip = -1"), good.replace("clip     = 0.1", "clop = 0.1"),
                         good.replace("clip     = 0.1", "clip = true"), good.replace("count", "cuont"), "",
                         good.replace("clients = 60000", "clients = 60000.0"), "\ufeff[", "name = \"\x7f\"\n",
                         "a = [" * 300, good + "[[" * 3):
                path.write_text(text, encoding="utf-8")
                self.alike(refused("account", str(path)), lambda: muster.Plan.read(path))
            path.write_bytes(b"name = \"\xff\"\n")
            self.alike(refused("account", str(path)), lambda: muster.Plan.read(path))
            for name in ("no/such/plan.toml", "/", "/proc/self/mem", pipe, "/dev/zero", "quickstart"):
                error = self.alike(refused("account", name), lambda: muster.Plan.read(name))
                self.assertIsInstance(error, (muster.FileError, OSError))
            self.assertEqual(self.caught(lambda: muster.Plan.read("plans/quickstart.toml\0.bak")).code, 3)
            self.caught(lambda: muster.Plan.read(b"\xff\xfe"))

    def test_what_is_no_dict(self):
        given = muster.Plan.read(GOOD)
        for wrong in (3, None, [], "rounds.count"):
            for call, key in ((lambda: muster.Plan.from_dict(wrong), "stated"), (lambda: given.replace(wrong), "changes")):
                error = self.caught(call)
                self.assertIsInstance(error, muster.PlanError)
                self.assertEqual((error.code, error.reason, error.key, error.value, error.allowed),
                                 (2, "wrong-type", key, repr(wrong), "keys of a plan with their values"))
        self.assertEqual(self.caught(lambda: muster.Plan.from_dict({3: {"count": 1}})).key, "3.count")

    def test_what_a_new_protocol_leaves_out(self):
        given = muster.Plan.read(GOOD)
        with self.assertWarnsRegex(UserWarning, r"participation.rate = 0.1 \(.*, line \d+, column \d+\) does not apply"):
            changed = given.replace({"participation.protocol": "shuffle"})
        self.assertEqual(len(changed.left_out), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what was left out is gone, and is not said again
            self.assertEqual(changed.replace({"rounds.count": 3}).left_out, ())
        expected = refused("account", str(GOOD), "--protocol", "shuffle", "--rate", "0.1")
        self.alike(expected, lambda: given.replace({"participation.protocol": "shuffle", "participation.rate": 0.1}))


if __name__ == "__main__":
    muster_command.test_main()
