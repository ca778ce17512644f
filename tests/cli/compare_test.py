"""Tests the command `muster compare`: the pairs that it compares, its formats, and what it refuses.

    python3 tests/cli/compare_test.py --command build/release/muster
"""

import csv
import io
import json
import pathlib
import tempfile
import xml.etree.ElementTree

import muster_command
from muster_command import CommandTest, run

PLAN = "plans/mnist-ldp-sgd.toml"
FAST = ("--protocol", "shuffled-check-in", "--randomizer", "ldp-sgd,l1", "--rounds", "1000")
ROW = ["protocol", "randomizer", "knob", "value", "rate", "epsilon", "bound", "validity", "neighbouring", "view",
       "numerical_error", "assumptions", "citation", "trusted", "variance", "bits", "messages", "why_not"]


class Compare(CommandTest):
    def test_every_format_says_the_same(self):
        done = run("compare", PLAN, *FAST, "--epsilon", "1", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answer = self.one_line(done)
        self.assertEqual(list(answer), ["epsilon", "delta", "clients", "rounds", "for", "rows", "references", "left_out"])
        self.assertEqual([answer[key] for key in ("epsilon", "delta", "clients", "rounds", "for", "left_out")],
                         [1, 1e-5, 60000, 1000, "noise", []])
        *local, replaced, changed = answer["references"]
        rows = answer["rows"] + local
        self.assertEqual([(row["protocol"], row["randomizer"]) for row in rows],
                         [(protocol, kind) for protocol in ("shuffled-check-in", "local") for kind in ("ldp-sgd", "l1")])
        for row in rows:
            self.assertEqual(list(row), ROW)
            self.assertEqual((row["knob"], row["validity"], row["messages"]), ("epsilon0", "proven", 6e6))
            self.assertLessEqual(row["epsilon"]["lower"] or 0, row["epsilon"]["upper"])
            self.assertLessEqual(row["epsilon"]["upper"], 1)
            self.assertGreater(row["epsilon"]["upper"], 0.99)
        self.assertEqual([row["bits"] for row in rows], [129, 16, 129, 16])
        self.assertEqual([row["trusted"] for row in rows], ["the shuffler"] * 2 + ["nobody"] * 2)
        self.assertLess(rows[0]["variance"], rows[2]["variance"])
        for row, neighbouring in ((replaced, "replace-one"), (changed, "add-remove")):
            self.assertEqual(list(row), ROW)
            self.assertEqual((row["protocol"], row["knob"], row["rate"], row["neighbouring"], row["view"], row["messages"]),
                             ("central", "sigma", 0.1, neighbouring, "server-trusted", 6e6))
            self.assertLessEqual(row["epsilon"]["upper"], 1)
            self.assertGreater(row["epsilon"]["lower"], 0.99)
            self.assertLess(row["variance"], rows[0]["variance"])
        # The first row has the values that calibrate gives for the same plan.
        alone = self.one_line(run("calibrate", PLAN, "--rounds", "1000", "--for", "epsilon0", "--epsilon", "1", "--json"))
        self.assertEqual((rows[0]["value"], rows[0]["epsilon"], rows[0]["bound"]),
                         (alone["value"], alone["epsilon"], alone["bound"]))
        table = list(csv.DictReader(io.StringIO(run("compare", PLAN, *FAST, "--epsilon", "1", "--csv").stdout)))
        for row, line in zip(rows + [replaced, changed], table, strict=True):
            self.assertEqual([float(line[key]) for key in ("value", "epsilon_upper", "variance", "bits", "messages")],
                             [row["value"], row["epsilon"]["upper"], row["variance"], row["bits"], row["messages"]])
        words = run("compare", PLAN, *FAST, "--epsilon", "1").stdout
        self.assertIn("shuffled-check-in: view shuffler-honest; trusts the shuffler\n", words)
        self.assertRegex(words, rf"\n  l1 +{rows[1]['value']} ")
        picture = run("compare", PLAN, *FAST, "--epsilon", "1", "--svg").stdout
        circles = xml.etree.ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(list(circles)), 6)

    def test_without_a_target_it_is_what_the_plan_costs(self):
        answer = self.one_line(run("compare", PLAN, *FAST[:2], "--randomizer", "ldp-sgd", "--rounds", "1000", "--json"))
        own = self.one_line(run("account", PLAN, "--rounds", "1000", "--json"))["epsilon"]["upper"]
        self.assertGreaterEqual(answer["epsilon"], own)
        # The answer is the plan's own epsilon, rounded up to six digits.
        self.assertAlmostEqual(answer["epsilon"], own, delta=1e-6)
        self.assertAlmostEqual(answer["rows"][0]["value"], 2, places=4)

    def test_what_is_not_compared_says_what_it_needs(self):
        done = run("compare", PLAN, "--randomizer", "l1", "--rounds", "1", "--epsilon", "1", "--json")
        self.assertIn("muster: not compared: subset: needs participation.subset (--subset)\n", done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual({row["protocol"] for row in answer["rows"]},
                         {"shuffle", "shuffled-check-in", "aggregated-check-in"})
        self.assertIn({"name": "random-check-in-fixed", "why": "needs participation.slots (--slots)"},
                      answer["left_out"])

    def test_keys_that_are_left_out_are_said_once(self):
        done = run("compare", PLAN, "--protocol", "shuffle,shuffled-check-in", "--randomizer", "ldp-sgd,l1", "--rounds", "1",
                   "--epsilon", "1", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^muster: participation.rate = 0.1 \(plans/mnist-ldp-sgd.toml, line \d+, column \d+\) "
                                      r"does not apply to protocol shuffle, and is left out there\n$")
        flags = ("--randomizer", "l1,k-rr", "--k", "10", "--protocol", "shuffled-check-in", "--rounds", "1", "--epsilon", "1")
        words = run("compare", "plans/histogram-k-rr.toml", *flags, "--clip", "1").stderr
        self.assertIn("muster: randomizer.k = 10 (--k) does not apply to randomizer l1, and is left out there\n", words)
        self.assertIn("muster: randomizer.clip = 1 (--clip) does not apply to randomizer k-rr, and is left out there\n", words)
        self.assertEqual(words.count("randomizer.k ="), 1, words)

    def test_where_nothing_applies_the_wrong_flag_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            pure = pathlib.Path(folder, "pure.toml")
            pure.write_text(pathlib.Path(PLAN).read_text().replace('"ldp-sgd"', '"pure"').replace("clip ", "# clip "))
            error = self.refused("compare", str(pure), "--clip", "-1")
        self.assertEqual((error["key"], error["value"], error["allowed"]), ("randomizer.clip", "-1", "number > 0"))

    def test_refusals(self):
        for arguments, key in (
                ([PLAN, "--epsilon", "0"], "--epsilon"), ([PLAN, "--epsilon", "-1"], "--epsilon"),
                ([PLAN, "--epsilon", "nan"], "--epsilon"), ([PLAN, "--epsilon", "1e400"], "--epsilon"),
                ([PLAN, "--protocol", "shufle"], "participation.protocol"),
                ([PLAN, "--randomizer", "gausian"], "randomizer.kind"),
                ([PLAN, "--protocol", "shuffle,"], "--protocol"), ([PLAN, "--protocol", "shuffle,shuffle"], "--protocol"),
                ([PLAN, "--protocol", "subset"], "participation.subset"), ([PLAN, "--randomizer", "k-rr"], "randomizer.k"),
                ([PLAN, "--randomizer", "laplace"], "randomizer.kind"), ([PLAN, "--rounds", "0"], "rounds.count"),
                ([PLAN, "--epsilon0", "3"], "randomizer.epsilon0"), ([PLAN, "--slots", "3", "--protocol", "shuffle"],
                                                                     "participation.slots"),
                ([PLAN, "--for", "rate"], "--for"), ([PLAN, "--csv", "--svg"], "--csv"),
                ([PLAN, "--dropout", "[[1, 0.0], [9, 0.5]]"], "participation.dropout"), ([], "PLAN")):
            self.assertEqual(self.refused("compare", *arguments)["key"], key, arguments)
        self.assertIn("did you mean shuffle?", self.refused("compare", PLAN, "--protocol", "shufle")["message"])
        self.assertIn("did you mean gaussian?", self.refused("compare", PLAN, "--randomizer", "gausian")["message"])
        self.refused("compare", "no/such/plan.toml", status=3)


if __name__ == "__main__":
    muster_command.test_main()
