"""Tests the command `muster account --json`: its fields, its digits, and the values of other implementations."""

import math
import re
import unittest

import muster_command
from muster_command import CommandTest, flags, run

TOP = ["epsilon", "delta", "rounds", "bound", "validity", "neighbouring", "view", "numerical_error", "assumptions",
       "citation"]


class Account(CommandTest):
    def account(self, *arguments):
        """Returns the answer without the seconds that each bound
        took; all other fields are the same in every run."""
        done = run("account", *arguments, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = self.one_line(done)
        for bound in [answer, *answer["all"]]:
            self.assertGreaterEqual(bound.pop("seconds"), 0)
        return answer

    def test_shape(self):
        answer = self.account(*flags())
        self.assertEqual(list(answer), TOP + ["local", "all"])
        self.assertEqual(list(answer["epsilon"]), ["upper", "lower"])
        self.assertEqual(answer["delta"], 1e-5)
        self.assertEqual(answer["rounds"], 6800)
        self.assertEqual(list(answer["local"]), ["epsilon", "delta", "rounds"])
        self.assertEqual(answer["neighbouring"], "replace-one")
        self.assertEqual(answer["view"], "shuffler-honest")
        self.assertEqual(answer["validity"], "proven")
        for bound in answer["all"]:
            self.assertEqual(list(bound), TOP)
            self.assertEqual((bound["delta"], bound["rounds"]), (1e-5, 6800))
            for side in bound["epsilon"].values():
                self.assertTrue(side is not None or bound["assumptions"], bound)

    # Assumptions that the program cannot check itself are stated with every number.
    def test_every_protocol_says_whom_it_counts_on(self):
        counted, coins, slots = "1000 honest clients", "coins are secret, independent of the data", "independently of its data"
        for protocol, changes, expected in (
                ("shuffle", {"rate": None}, [counted]),
                ("subset", {"rate": None, "subset": "100"}, [counted, "secret from the server"]),
                ("shuffled-check-in", {}, [counted, coins]),
                ("shuffled-check-in", {"rate": "0.05:0.1"}, [counted, coins]),
                ("aggregated-check-in", {}, [counted, coins]),
                ("random-check-in-fixed", {"slots": "10"}, ["999 other honest clients", slots, "never shows"]),
                ("random-check-in-averaged", {"slots": "10"}, [counted, slots, "choices are secret"]),
                ("random-check-in-sliding", {"slots": "10"}, [slots, "never shows"])):
            answer = self.account(*flags(protocol=protocol, clients="1000", epsilon0="0.5", rounds="2", **changes))
            self.assertEqual((answer["validity"], answer["neighbouring"]), ("proven", "replace-one"), protocol)
            for words in expected:
                self.assertIn(words, "; ".join(answer["assumptions"]), protocol)

    def test_the_best_proven_bound_is_on_top_and_the_rest_is_sorted(self):
        answer = self.account(*flags(), "--all")
        order = {"proven": 0, "conditional": 1, "as-published": 2}
        ranks = [(order[b["validity"]], math.inf if b["epsilon"]["upper"] is None else b["epsilon"]["upper"])
                 for b in answer["all"]]
        self.assertEqual(ranks, sorted(ranks))
        self.assertEqual(answer["epsilon"]["upper"], ranks[0][1])
        self.assertLess(answer["epsilon"]["lower"], answer["epsilon"]["upper"])
        self.assertIn("as-published", [b["validity"] for b in answer["all"]])
        self.assertNotIn("as-published", [b["validity"] for b in self.account(*flags())["all"]])

    def test_doubles_carry_17_digits(self):
        text = run("account", *flags(), "--json").stdout
        for number in re.findall(r'":(-?\d+\.\d+(?:e[+-]?\d+)?)', text):
            self.assertEqual("%.17g" % float(number), number)

    # The expected values come from independent programs: an upper bound, which is correct to about four digits
    # and rounded up, and a lower bound.
    def test_reference_values(self):
        gaussian = {"randomizer": "gaussian", "epsilon0": None, "sigma": "5"}
        for changes, upper, lower in (
                ({}, 1.265918, 0.9274),
                ({"clients": "1e6", "rate": "0.001", "rounds": "100000", "delta": "1e-8"}, 0.145688, 0.10838),
                ({"rate": "0.16666666666666666", "epsilon0": "1.5", "rounds": "1200"}, 0.420880, 0.32204),
                ({"rounds": "1", "delta": "1e-6"}, 0.012574, 0.009341),
                ({"randomizer": "ldp-sgd"}, 0.930108, 0.9274),
                ({**gaussian, "rounds": "5540"}, 0.12735, 0.12581)):
            epsilon = self.account(*flags(**{"randomizer": "pure", **changes}))["epsilon"]
            self.assertLess(epsilon["upper"], upper * 1.0001, changes)
            self.assertGreater(epsilon["upper"], upper * 0.999, changes)
            self.assertLess(epsilon["lower"], lower * 1.0002, changes)
            self.assertGreater(epsilon["lower"], lower * 0.997, changes)

    def test_epsilon_asks_for_delta(self):
        upper = self.account(*flags())["epsilon"]["upper"]
        answer = self.account(*flags(delta=None), "--epsilon", repr(upper))
        self.assertEqual(list(answer), TOP + ["local", "all"])
        self.assertEqual(answer["epsilon"], upper)
        self.assertLessEqual(answer["delta"]["upper"], 1.01e-5)
        self.assertGreater(answer["delta"]["upper"], 0.9e-5)
        self.assertLessEqual(answer["delta"]["lower"], answer["delta"]["upper"])

    def test_a_plan_whose_delta_epsilon_replaces(self):
        answer = self.account("plans/mnist-ldp-sgd.toml", "--epsilon", "2")
        self.assertEqual(answer["epsilon"], 2)

    def test_a_plan_and_its_flags_agree(self):
        self.assertEqual(self.account("plans/mnist-ldp-sgd.toml"), self.account(*flags(clip="0.1")))
        self.assertEqual(self.account("plans/mnist-ldp-sgd.toml", "--rounds", "10"), self.account(*flags(rounds="10")))

    def test_no_line_is_wider_than_80_columns(self):
        slots = flags(protocol="random-check-in-fixed", slots="1000", rounds="3")
        summed = flags(protocol="aggregated-check-in", minimum="5000", rate="0.05:0.1")
        for arguments in (["account", "plans/mnist-ldp-sgd.toml", "--all"], ["account", "plans/histogram-k-rr.toml", "--all"],
                          ["account", "plans/mnist-gaussian.toml", "--all"], ["account", *slots, "--all"],
                          ["account", *flags(delta=None, protocol="shuffle", rate=None), "--epsilon", "1", "--all"],
                          ["account", *summed], ["account", "plans/mnist-ldp-sgd.toml", "--curve"],
                          ["calibrate", "plans/mnist-ldp-sgd.toml", "--for", "accuracy", "--epsilon", "1"], ["--help"],
                          *([command, "--help"] for command in ("account", "calibrate", "train", "report"))):
            done = run(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80], [], arguments)

    def test_numbers_are_as_a_person_writes_them(self):
        lost = flags(rate="0.01", dropout="0.3", rounds="10")
        self.assertNotEqual(0.01 * (1 - 0.3), 0.007)
        self.assertIn("each reporting with probability 0.007 in\n", run("account", *lost).stdout)
        self.assertIn("60000 honest clients, each at effective rate 0.007", self.account(*lost)["assumptions"])

    def test_no_line_of_a_note_is_empty(self):
        said = run("account", *flags(rounds="0")).stdout
        self.assertIn("\n  the definition of differential privacy alone\n  - nothing is released\n", said)
        self.assertFalse([line for line in said.splitlines() if line and not line.strip()])

    def test_one_is_singular_and_numbers_are_plain(self):
        self.assertIn("; 1 client, reporting with probability 0.1 in each round;\n",
                      run("account", *flags(clients="1")).stdout)
        said = run("account", *flags(randomizer="gaussian", epsilon0=None, sigma="0.03", rounds="1")).stdout
        for error in re.findall("numerical error ([^,;)]*)", said):
            self.assertTrue(float(error) < 0.01 or "e" not in error, error)

    def test_the_local_guarantee_needs_nobody(self):
        slots = flags(protocol="random-check-in-fixed", rounds="10", slots="100")
        said = run("account", *slots).stdout
        self.assertIn("\nIf nobody else is trusted, over 10 rounds: epsilon ", said)
        curve = run("account", *slots, "--curve").stdout
        self.assertIn("  if nobody else is trusted\n", curve)
        for text in said, curve:
            self.assertNotIn("f the shuffler colludes,", text.replace("even if", ""))

    def test_no_rounds_cost_nothing(self):
        answer = self.account(*flags(rounds="0"))
        self.assertEqual((answer["epsilon"]["upper"], answer["rounds"]), (0, 0))

    def test_edges_are_answered(self):
        for changes in ({"rate": "1"}, {"clients": "1"}, {"clients": "1", "rate": "1"}, {"clients": "1e12"}):
            answer = self.account(*flags(**{"rounds": "10", **changes}))
            self.assertGreaterEqual(answer["epsilon"]["upper"], 0, changes)
            self.assertLessEqual(answer["epsilon"]["upper"], answer["local"]["epsilon"] * (1 + 1e-9), changes)

    def test_every_protocol_with_every_randomizer_answers(self):
        protocols = {"shuffle": {"rate": None}, "subset": {"rate": None, "subset": "6000"}, "shuffled-check-in": {},
                     "random-check-in-fixed": {"slots": "1000"}, "random-check-in-averaged": {"slots": "100"},
                     "random-check-in-sliding": {"slots": "1000"}, "aggregated-check-in": {"minimum": "5000"}}
        own = {"random-check-in-fixed": "server-trusted", "random-check-in-averaged": "server-trusted",
               "random-check-in-sliding": "server-trusted", "aggregated-check-in": "sum-only"}
        randomizers = {"pure": {}, "ldp-sgd": {}, "l1": {}, "l2": {}, "linf": {}, "laplace": {}, "k-rr": {"k": "4"},
                       "gaussian": {"epsilon0": None, "sigma": "5"},
                       "profile": {"epsilon0": None, "profile": "plans/profiles/three-letters.csv"}}
        for protocol, keys in protocols.items():
            for randomizer, more in randomizers.items():
                changes = {"protocol": protocol, "randomizer": randomizer, "rounds": "1", "delta": "1e-6"}
                answer = self.account(*flags(**{**changes, **keys, **more}))
                self.assertEqual(answer["validity"], "proven")
                self.assertEqual(answer["view"], own.get(protocol, "shuffler-honest"))
                self.assertLessEqual(answer["epsilon"]["lower"], answer["epsilon"]["upper"])
                self.assertLessEqual(answer["epsilon"]["upper"], answer["local"]["epsilon"])

    def test_a_range_of_rates_costs_no_less_than_its_ends(self):
        low, high = (self.account(*flags(rate=rate, rounds="1"))["epsilon"] for rate in ("0.05", "0.1"))
        both = self.account(*flags(rate="0.05:0.1", rounds="1"))["epsilon"]
        self.assertGreaterEqual(both["upper"], max(low["lower"], high["lower"]))
        self.assertEqual(self.account(*flags(rate="0.1:0.1", rounds="1")), self.account(*flags(rounds="1")))

    def test_dropout_is_a_lower_rate(self):
        self.assertEqual(self.account(*flags(rate="0.2", dropout="0.5")), self.account(*flags()))

    def test_a_colluding_shuffler_leaves_the_local_value(self):
        answer = self.account(*flags(), "--view", "shuffler-colludes")
        self.assertEqual(answer["view"], "shuffler-colludes")
        self.assertEqual(answer["epsilon"]["upper"], answer["local"]["epsilon"])


if __name__ == "__main__":
    muster_command.test_main()
