"""Tests the command `muster calibrate`, which inverts `muster account` and answers in the same form."""

import json
import re
import unittest

import muster_command
from muster_command import CommandTest, flags, run

ONE = {"rounds": "1", "delta": "1e-6"}
TARGET = ["--epsilon", "0.03"]


class Calibrate(CommandTest):
    def calibrate(self, *arguments):
        done = run("calibrate", *arguments, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.one_line(done)

    def epsilon(self, **changes):
        return json.loads(run("account", *flags(**{**ONE, **changes}), "--json").stdout)["epsilon"]["upper"]

    def test_the_value_meets_the_target_and_a_step_beyond_misses_it(self):
        for knob, step in (("epsilon0", 1.0001), ("rate", 1.0001), ("clients", 0.9999)):
            answer = self.calibrate(*flags(**{**ONE, knob: None}), "--for", knob, *TARGET)
            value = answer["value"]
            self.assertLessEqual(answer["epsilon"]["upper"], 0.03)
            exact = repr(value) if knob != "clients" else str(value)
            self.assertEqual(self.epsilon(**{knob: exact}), answer["epsilon"]["upper"])
            beyond = repr(value * step) if knob != "clients" else str(int(value * step))
            self.assertGreater(self.epsilon(**{knob: beyond}), 0.03)

    def test_the_shape_is_that_of_account(self):
        account = json.loads(run("account", *flags(**ONE), "--json").stdout)
        answer = self.calibrate(*flags(**{**ONE, "epsilon0": None}), "--for", "epsilon0", *TARGET)
        self.assertEqual(list(answer), list(account) + ["value"])
        self.assertEqual((answer["delta"], answer["rounds"]), (1e-6, 1))

    def test_whole_numbers_are_whole(self):
        line = run("calibrate", *flags(**{**ONE, "rounds": None}), "--for", "rounds", "--epsilon", "0.05", "--json").stdout
        self.assertRegex(line, r',"value":[1-9][0-9]*}$')

    def test_values_have_six_digits(self):
        answer = run("calibrate", *flags(**{**ONE, "epsilon0": None}), "--for", "epsilon0", *TARGET).stdout
        value = re.match(r"epsilon0 = ([0-9.]+): the largest that keeps epsilon <= 0.03 at delta 1e-06", answer)[1]
        self.assertLessEqual(len(value.replace(".", "").lstrip("0")), 6)

    def test_what_the_plan_says_of_the_knob_is_ignored(self):
        plan = ["plans/mnist-ldp-sgd.toml", "--rounds", "1"]
        self.assertEqual(self.calibrate(*plan, "--for", "epsilon0", *TARGET)["value"],
                         self.calibrate(*flags(rounds="1", epsilon0=None, clip="0.1"), "--for", "epsilon0", *TARGET)["value"])

    def test_accuracy_chooses_a_pair(self):
        arguments = flags(**{**ONE, "epsilon0": None, "rate": None})
        answer = self.calibrate(*arguments, "--for", "accuracy", *TARGET)
        self.assertEqual(list(answer["value"]), ["epsilon0", "rate", "variance"])
        self.assertLessEqual(answer["epsilon"]["upper"], 0.03)
        self.assertGreater(answer["value"]["rate"], 0.5)
        gaussian = flags(**{**ONE, "epsilon0": None, "rate": None, "randomizer": "gaussian"})
        self.assertEqual(list(self.calibrate(*gaussian, "--for", "accuracy", *TARGET)["value"]), ["sigma", "rate", "variance"])

    def test_refusals(self):
        knob = ["--for", "epsilon0"]
        for arguments, key in (([*flags(**ONE), *TARGET], "--for"), ([*flags(**ONE), *knob], "--epsilon"),
                               ([*flags(**ONE), *knob, *TARGET], "randomizer.epsilon0"),
                               ([*flags(**{**ONE, "epsilon0": None}), "--for", "noise", *TARGET], "--for"),
                               ([*flags(**{**ONE, "sigma": None}), "--for", "sigma", *TARGET], "--for"),
                               ([*flags(**ONE), "--for", "minimum", *TARGET], "--for"),
                               ([*flags(**{**ONE, "epsilon0": None, "delta": None}), *knob, *TARGET], "privacy.delta"),
                               ([*flags(**{**ONE, "clients": None, "delta": "1e-14"}), "--for", "clients", "--epsilon", "1e-9"],
                                "--epsilon"),
                               ([*flags(**{**ONE, "epsilon0": None, "rate": None, "randomizer": "pure"}), "--for", "accuracy",
                                 *TARGET], "randomizer.kind")):
            self.assertEqual(self.refused("calibrate", *arguments)["key"], key, arguments)
        for value in ("0", "-1", "nan", "inf", "1e400", "", "x"):
            error = self.refused("calibrate", *flags(**{**ONE, "epsilon0": None}), *knob, "--epsilon", value)
            self.assertEqual((error["key"], error["value"]), ("--epsilon", value))


if __name__ == "__main__":
    muster_command.test_main()
