"""Tests the command `muster reproduce`: its list, the files that it writes, resuming, and errors.

    python3 tests/cli/reproduce_test.py --command build/release/muster [--long]

With --long, the test computes all figures that need no training, instead of two tables, and trains one round of each
of the others.
"""

import csv
import json
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import muster_command
from muster_command import CommandTest, run

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

TABLE = "001-table-1"
QUICKEST = ["000-figure-1a", "000-figure-1b", "000-figure-1c", "000-table-2", "002-figure-2", "002-proposition-3-4",
            "004-table-1"]  # each takes half a second
TRAINED = "000-figure-3a"
ENDINGS = [".csv", ".svg", ".png", "-dark.png", ".json"]
KINDS = ["reported", "published", "corrected", "proven", "lower", "simulated"]
VERDICTS = {"holds", "holds with a note", "not reproduced", "false"}


class Reproduce(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="muster-reproduce-")
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name) / "out"

    def reproduce(self, *arguments):
        done = run("reproduce", *arguments, "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def check_figure(self, line):
        """Checks a figure's line of JSON and its files, and returns the figure and the rows of its table."""
        figure = json.loads(line)
        name = figure["id"]
        for ending in ENDINGS:
            self.assertTrue((self.out / (name + ending)).is_file(), name + ending)
        self.assertEqual((self.out / f"{name}.json").read_text(), line + "\n")
        claims = [(claim["id"], claim["verdict"]) for claim in figure["claims"]]
        self.assertTrue(claims, name)
        for claim, verdict in claims:
            self.assertIn(verdict, VERDICTS, claim)
        rows = list(csv.DictReader((self.out / f"{name}.csv").read_text().splitlines()))
        kinds = [KINDS.index(row["kind"]) for row in rows]
        self.assertEqual(kinds, sorted(kinds), name)
        self.assertEqual(len(rows), sum(curve["points"] for curve in figure["curves"]))
        xml.etree.ElementTree.parse(self.out / f"{name}.svg")
        for picture in f"{name}.png", f"{name}-dark.png":
            head = (self.out / picture).read_bytes()[:24]
            self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
            width, height = struct.unpack(">II", head[16:])
            self.assertEqual(width, 1920)
            self.assertGreater(height, 800)
        return figure, rows

    @unittest.skipIf(LONG, "in check")
    def test_the_table_prints_the_papers_digits(self):
        done = self.reproduce(TABLE, "--json")
        figure, rows = self.check_figure(done.stdout.rstrip("\n"))
        values = {}
        for row in rows:
            values.setdefault((row["kind"], row["curve"]), []).append(float(row["value"]))
        ours = values["published", "Ours: Theorem 1 and Lemma 2, orders to 30, distance 1"]
        self.assertEqual([f"{value:.5f}" for value in ours],
                         ["0.22820", "0.22820", "0.22821", "0.22821", "0.22821", "0.22822", "0.22822"])
        proven = values["proven", "any two records of norm at most 1, any dimension"]
        lower = values["lower", "one pair of data sets"]
        for above, below in zip(proven, lower):
            self.assertGreater(above, below)
        verdicts = {claim["id"]: claim["verdict"] for claim in figure["claims"]}
        self.assertEqual(verdicts["001-table-1-ours-digits"], "holds")
        # Rows of bounds name them: the proven ones and the lower ones as the accountant does for the same plan.
        bounds = {kind: [row["bound"] for row in rows if row["kind"] == kind] for kind in KINDS}
        account = ["account", "--protocol", "shuffle", "--clients", "60000", "--randomizer", "gaussian", "--sigma", "9.48",
                   "--delta", "1e-5", "--rounds", "1", "--json"]
        answer = self.one_line(run(*account))
        lower = [bound["bound"] for bound in answer["all"] if bound["epsilon"]["upper"] is None]
        self.assertEqual(set(bounds["proven"]), {answer["bound"]})
        self.assertTrue(set(bounds["lower"]) and set(bounds["lower"]) <= set(lower), (bounds["lower"], lower))
        self.assertNotIn("", bounds["corrected"])
        self.assertEqual({row["bound"] for row in rows if row["curve"].startswith("Ours: Theorem 1")},
                         {"liew-takahashi-2022-theorem-1"})

    @unittest.skipIf(LONG, "in check")
    def test_a_figure_that_is_there_is_left_alone(self):
        self.reproduce("000-table-2")
        picture = self.out / "000-table-2.png"
        before = picture.stat().st_mtime_ns
        done = self.reproduce("000-table-2", "--resume")
        self.assertEqual((done.stdout, picture.stat().st_mtime_ns), ("", before))
        (self.out / "000-table-2.json").unlink()  # as if the command had been killed before its last file
        self.reproduce("000-table-2", "--resume")
        self.assertTrue((self.out / "000-table-2.json").is_file())

    @unittest.skipIf(LONG, "in check")
    def test_a_figure_that_is_cut_off_is_written_anew(self):
        fresh = self.reproduce("000-table-2").stderr
        self.assertNotIn("anew", fresh)
        whole = {ending: (self.out / f"000-table-2{ending}").read_bytes() for ending in ENDINGS}
        for ending, content in whole.items():
            file = self.out / f"000-table-2{ending}"
            for damaged in (b"", content[:len(content) // 2]):
                file.write_bytes(damaged)
                words = self.reproduce("000-table-2", "--resume").stderr
                self.assertIn(f"000-table-2: written anew, because in {self.out} {file.name} ", words)
                self.assertEqual(file.read_bytes(), content, ending)
        for ending in ENDINGS:
            (self.out / f"000-table-2{ending}").write_bytes(b"")
        self.assertIn("written anew", self.reproduce("000-table-2", "--resume").stderr)
        self.assertIn("already\n", self.reproduce("000-table-2", "--resume").stderr)

    @unittest.skipIf(LONG, "in check")
    def test_the_list(self):
        words = run("reproduce", "--list")
        lines = run("reproduce", "--list", "--json").stdout.splitlines()
        entries = [json.loads(line) for line in lines]
        self.assertIn(TABLE, [entry["id"] for entry in entries])
        for entry in entries:
            self.assertEqual(list(entry), ["id", "what", "parameters", "data", "time", "claims"])
            self.assertIn(entry["id"], words.stdout)
            self.assertGreater(entry["claims"], 0)
        self.assertLessEqual(max(map(len, words.stdout.splitlines())), 80)

    @unittest.skipIf(LONG, "in check")
    def test_refusals(self):
        self.assertIn("did you mean 001-table-1?", self.refused("reproduce", "001-table-11")["message"])
        self.assertIn("--list", self.refused("reproduce", "nothing")["message"])
        self.assertEqual(self.refused("reproduce")["key"], "ID")
        self.assertEqual(self.refused("reproduce", "--list", TABLE)["key"], "--list")
        self.assertEqual(self.refused("reproduce", "--list", "--scale", "0.5")["key"], "--list")
        error = self.refused("reproduce", TABLE, "--quick", "--out", str(self.out))
        self.assertEqual((error["key"], error["reason"]), ("--quick", "contradiction"))
        self.assertIn(TABLE, error["message"])
        # If one id is wrong, nothing is computed.
        self.assertEqual(self.refused("reproduce", "000-table-2", "nothing", "--out", str(self.out))["key"], "nothing")
        self.assertFalse(self.out.exists())
        self.out.write_text("a file")
        for folder in self.out, "/proc/none":
            self.assertEqual(self.refused("reproduce", "000-table-2", "--out", str(folder), status=3)["kind"], "file")
        self.assertEqual(self.out.read_text(), "a file")

    @unittest.skipIf(LONG, "in check")
    def test_refusals_of_trainings(self):
        for scale in "0", "-0.1", "nan", "inf", "1.5", "half":
            error = self.refused("reproduce", TRAINED, f"--scale={scale}", "--out", str(self.out))
            self.assertEqual((error["key"], error["value"]), ("--scale", scale))
            self.assertIn("(0, 1]", error["allowed"])
        for flag in "--scale=0.5", "--data=.", "--logs=.", "--threads=1":
            error = self.refused("reproduce", TABLE, flag, "--out", str(self.out))
            self.assertEqual((error["key"], error["reason"]), (flag.split("=")[0], "inapplicable"))
        # The first plan could be trained, but nothing is trained if another one lacks its data.
        for path in "/proc/none", "idx:/proc/none":
            error = self.refused("reproduce", TRAINED, "--data", path, "--out", str(self.out), status=3)
            self.assertEqual(error["kind"], "data")
        self.assertEqual(self.refused("reproduce", TRAINED, "--data", "cifar:.", "--out", str(self.out))["key"], "--data")
        error = self.refused("reproduce", TRAINED, "--logs", "/proc/none", "--out", str(self.out), status=3)
        self.assertEqual(error["kind"], "file")
        self.assertFalse(self.out.exists())

    @unittest.skipIf(LONG, "in check")
    def test_quick_figures_have_a_verdict_for_each_claim(self):
        done = self.reproduce(*QUICKEST, "--json")
        figures = [self.check_figure(line)[0]["id"] for line in done.stdout.splitlines()]
        self.assertEqual(figures, QUICKEST)

    @unittest.skipUnless(LONG, "with --long")
    def test_the_subsampled_shuffle_at_the_point_of_its_ratios(self):
        _, rows = self.check_figure(self.reproduce("004-figure-2a", "--json").stdout.rstrip("\n"))
        values = {}
        for row in rows:
            if float(row["x"]) == 1e5:
                values.setdefault(row["kind"], []).append(float(row["value"]))
        self.assertIn("1.040", [f"{value:.3f}" for value in values["corrected"]])
        self.assertLessEqual(min(values["proven"]), 0.1095)
        self.assertGreaterEqual(min(values["proven"]), values["lower"][0])

    @unittest.skipUnless(LONG, "with --long")
    def test_all_quick_figures(self):
        done = self.reproduce("--quick", "--json")
        entries = [json.loads(line) for line in run("reproduce", "--list", "--json").stdout.splitlines()]
        listed = [entry["id"] for entry in entries if entry["data"] == "none"]
        figures = [self.check_figure(line)[0]["id"] for line in done.stdout.splitlines()]
        self.assertEqual(figures, listed)

    @unittest.skipUnless(LONG, "with --long")
    def test_a_trained_figure_is_drawn_again_from_its_logs(self):
        short = [TRAINED, "--scale", "0.0003", "--json"]  # two rounds
        figure, rows = self.check_figure(self.reproduce(*short).stdout.rstrip("\n"))
        self.assertIn("2 of 6,800 rounds (--scale 0.0003)", figure["differences"])
        self.assertIn("not_reproduced", {claim["verdict"].replace(" ", "_") for claim in figure["claims"]})
        self.assertNotIn("false", {claim["verdict"] for claim in figure["claims"]})
        proven = [row for row in rows if row["kind"] == "proven"]
        self.assertEqual(len(proven), 2)
        for row in proven:
            self.assertLessEqual(float(row["low"]), float(row["value"]))
            self.assertGreaterEqual(float(row["high"]), float(row["value"]))
        self.assertEqual(len(list((self.out / "runs").iterdir())), 3)
        files = {ending: (self.out / (TRAINED + ending)).read_bytes() for ending in ENDINGS}
        # The runs exist already, and are neither trained again nor overwritten.
        error = self.refused("reproduce", *short[:-1], "--out", str(self.out), status=3)
        self.assertIn("--resume continues it", error["message"])
        (self.out / f"{TRAINED}.csv").unlink()
        self.assertNotIn("training, 0 of", self.reproduce(*short, "--resume").stderr)
        logs, self.out = self.out / "logs", self.out.with_name("again")
        self.reproduce(*short, "--logs", str(logs))
        self.assertFalse((self.out / "runs").exists())
        for ending, content in files.items():
            self.assertEqual((self.out / (TRAINED + ending)).read_bytes(), content, ending)
        error = self.refused("reproduce", TRAINED, "--scale", "0.0004", "--logs", str(logs), status=3)
        self.assertIn("is a log of another scale", error["message"])

    @unittest.skipUnless(LONG, "with --long")
    def test_an_interrupted_training_continues(self):
        short = [TRAINED, "--scale", "0.003", "--json"]  # twenty rounds
        process = subprocess.Popen([muster_command.COMMAND, "reproduce", *short, "--out", str(self.out)],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "training, 0 of" in line:
                break
        process.send_signal(signal.SIGINT)
        printed, words = process.communicate(timeout=300)
        self.assertEqual((process.returncode, printed), (130, ""))
        self.assertIn("--resume continues", words)
        self.assertFalse((self.out / f"{TRAINED}.json").exists())
        resumed = self.reproduce(*short, "--resume").stdout
        self.out = self.out.with_name("whole")
        self.assertEqual(self.reproduce(*short).stdout, resumed)

    @unittest.skipUnless(LONG, "with --long")
    def test_every_figure_that_trains_has_a_verdict_for_each_claim(self):
        entries = [json.loads(line) for line in run("reproduce", "--list", "--json").stdout.splitlines()]
        trained = [entry["id"] for entry in entries if entry["data"] != "none" and "CIFAR" not in entry["data"]]
        for name in trained:
            figure, _ = self.check_figure(self.reproduce(name, "--scale", "0.0005", "--json", "--resume").stdout.rstrip("\n"))
            self.assertTrue(figure["differences"], name)


if __name__ == "__main__":
    muster_command.test_main()
