"""Tests a randomizer that is given by the file of its privacy profile: `--randomizer profile --profile FILE`."""

import json
import math
import pathlib
import tempfile
import unittest

import muster_command
from muster_command import CommandTest, flags, run

LETTERS, RAPPOR = "plans/profiles/three-letters.csv", "plans/profiles/rappor.csv"
ROUNDS = {"rounds": "20", "delta": "1e-6"}
PROTOCOLS = {"shuffle": {"rate": None}, "subset": {"rate": None, "subset": "6000"}, "shuffled-check-in": {},
             "random-check-in-fixed": {"slots": "1000"}, "random-check-in-averaged": {"slots": "100"},
             "random-check-in-sliding": {"slots": "1000"}, "aggregated-check-in": {"minimum": "5000"}}


def given(path, **changes):
    return flags(**{"randomizer": "profile", "epsilon0": None, "profile": str(path), **ROUNDS, **changes})


def gaussian(mu, alpha):
    """Returns the divergence of two normal laws at the distance mu, by its closed form."""
    upper = lambda x: 0.5 * math.erfc(x / math.sqrt(2))
    return upper(math.log(alpha) / mu - mu / 2) - alpha * upper(math.log(alpha) / mu + mu / 2)


def table(rows):
    return "alpha,divergence\n" + "".join(f"{alpha!r},{value!r}\n" for alpha, value in rows)


class Profile(CommandTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text, name="mine.csv"):
        path = pathlib.Path(self.folder.name) / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def account(self, *arguments):
        done = run("account", *arguments, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.one_line(done)

    def test_every_protocol_answers(self):
        for protocol, keys in PROTOCOLS.items():
            answer = self.account(*given(LETTERS, protocol=protocol, **keys))
            self.assertEqual(answer["validity"], "proven")
            self.assertLessEqual(answer["epsilon"]["lower"] or 0, answer["epsilon"]["upper"])
            self.assertLessEqual(answer["epsilon"]["upper"], answer["local"]["epsilon"])

    def test_a_tabulated_gaussian_costs_what_the_gaussian_costs(self):
        mu = 2 / 5
        rows = [(alpha, max(gaussian(mu, alpha), 0)) for alpha in (math.exp(2.6 * i / 800) for i in range(801))]
        mine = self.account(*given(self.write(table(rows))))
        own = self.account(*flags(randomizer="gaussian", epsilon0=None, sigma="5", **ROUNDS))
        (swap,) = [bound for bound in own["all"] if bound["bound"] == "swap-profile"]
        self.assertEqual(mine["bound"], "swap-profile")
        self.assertLess(abs(mine["epsilon"]["upper"] - swap["epsilon"]["upper"]), 1e-3 * swap["epsilon"]["upper"])
        self.assertGreaterEqual(mine["epsilon"]["upper"], own["epsilon"]["lower"])
        self.assertEqual(mine["epsilon"]["lower"], 0)

    def test_the_matrix_of_randomized_response_costs_what_it_costs(self):
        other = 1 / (math.exp(2) + 3)
        matrix = "".join(",".join(repr(math.exp(2) * other if x == y else other) for y in range(4)) + "\n"
                         for x in range(4))
        mine, own = self.account(*given(self.write(matrix))), self.account(*flags(randomizer="k-rr", k="4", **ROUNDS))
        self.assertLess(abs(mine["epsilon"]["upper"] / own["epsilon"]["upper"] - 1), 1e-6)
        self.assertGreater(mine["epsilon"]["lower"], 0)

    def test_a_plan_file_names_the_file(self):
        plan = self.write("[population]\nclients = 60000\n[participation]\nprotocol = 'shuffled-check-in'\nrate = 0.1\n"
                          f"[randomizer]\nkind = 'profile'\nprofile = '{RAPPOR}'\n[rounds]\ncount = 20\n"
                          "[privacy]\ndelta = 1e-6\n", "plan.toml")
        for more, path in (([], RAPPOR), (["--profile", LETTERS], LETTERS)):
            self.assertEqual(self.account(str(plan), *more)["epsilon"], self.account(*given(path))["epsilon"])

    def test_calibrate_solves_for_what_the_profile_leaves_open(self):
        for knob in ("rounds", "rate", "clients"):
            done = run("calibrate", *given(RAPPOR, **{knob: None}), "--for", knob, "--epsilon", "0.5", "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""), knob)
            self.assertLessEqual(json.loads(done.stdout)["epsilon"]["upper"], 0.5)
        for knob in ("epsilon0", "sigma"):
            error = self.refused("calibrate", *given(RAPPOR), "--for", knob, "--epsilon", "0.5")
            self.assertEqual((error["key"], error["value"], error["reason"]), ("--for", knob, "inapplicable"))
        error = self.refused("calibrate", *given(RAPPOR, rate=None), "--for", "accuracy", "--epsilon", "0.5")
        self.assertEqual((error["kind"], error["key"], error["value"]), ("plan", "randomizer.kind", "profile"))

    def test_other_commands_refuse_it_by_name(self):
        out = str(pathlib.Path(self.folder.name) / "out")
        for arguments in (["train", "plans/quickstart.toml", "--randomizer", "profile", "--profile", RAPPOR],
                          ["train", "plans/quickstart.toml", "--randomizer", "profile", "--out", out]):
            error = self.refused(*arguments)
            self.assertEqual((error["key"], error["value"]), ("randomizer.kind", "profile"))
            self.assertNotIn("profile", error["allowed"])
        # The command does not open the file, which does not exist.
        plan = pathlib.Path("plans/quickstart.toml").read_text().replace('"ldp-sgd"', '"profile"')
        bad = self.write(plan.replace("epsilon0", "profile = 'none.csv' #"), "plan.toml")
        for command in ("train", "compare"):
            self.assertEqual(self.refused(command, str(bad))["key"], "randomizer.kind", command)
        error = self.refused("compare", "plans/quickstart.toml", "--randomizer", "ldp-sgd,profile")
        self.assertEqual((error["key"], error["value"]), ("randomizer.kind", "profile"))

    def test_flags_that_do_not_go_together(self):
        self.assertEqual(self.refused("account", *given(LETTERS, epsilon0="2"))["key"], "randomizer.epsilon0")
        self.assertEqual(self.refused("account", *given(LETTERS, clip="2"))["key"], "randomizer.clip")
        self.assertEqual(self.refused("account", *flags(profile=LETTERS))["key"], "randomizer.profile")
        error = self.refused("account", *given(LETTERS, profile=None))
        self.assertEqual((error["key"], error["reason"]), ("randomizer.profile", "missing"))

    def test_files_that_cannot_be_read(self):
        large = self.write(b"\n" * ((4 << 20) + 1), "large.csv")
        for path in ("/no/such/file.csv", self.folder.name, "/dev/null", str(large)):
            error = self.refused("account", *given(path), status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", path))
        self.assertEqual(self.refused("account", *given(""))["key"], "randomizer.profile")

    def test_files_that_are_no_profile(self):
        """Each file of the fuzz target's corpus whose name begins with bad_ is refused with file, line and what is
        allowed."""
        corpus = sorted(pathlib.Path("tests/fuzz/corpus/profile").glob("bad_*"))
        self.assertGreater(len(corpus), 40)
        for path in corpus:
            error = self.refused("account", *given(path))
            self.assertEqual((error["kind"], error["key"]), ("plan", "randomizer.profile"), path)
            self.assertNotEqual(error["allowed"], "", path)
            self.assertIn(f"{path}, line ", error["message"])

    def test_a_table_made_concave_in_one_cell_is_refused(self):
        rows = [(math.exp(2.6 * i / 60), gaussian(0.4, math.exp(2.6 * i / 60))) for i in range(61)]
        for cell in (1, 20, 40, 59):
            (left, above), (right, below) = rows[cell - 1], rows[cell + 1]
            alpha = rows[cell][0]
            chord = above + (below - above) * (alpha - left) / (right - left)
            concave = rows[:cell] + [(alpha, chord * 1.001)] + rows[cell + 1:]
            error = self.refused("account", *given(self.write(table(concave))))
            self.assertIn(f"mine.csv, line {cell + 2}: divergence = ", error["message"])
            self.assertIn("number in [0, ", error["allowed"])


if __name__ == "__main__":
    muster_command.test_main()
