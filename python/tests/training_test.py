"""Tests that train and sweep leave, and that Run reads and reports, what `muster train` and `muster report` do.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/training_test.py --command build/release/muster
"""

import json
import logging
import math
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import muster_command
import numpy as np
from interrupts import expect_soon
from small_data import DIGITS, SMALL

import muster

# Composing rounds of a subset takes milliseconds.
STATED = {"protocol": "subset", "subset": 10, "clients": 100, "randomizer": "l2", "epsilon0": 2.0, "clip": 0.5, "rounds": 6,
          "delta": 1e-5, "model": "logistic", "learning_rate": 0.5, "log_every": 2}
# A run of this plan would take minutes, most of them on the test set after every round.
LONG = {**DIGITS, "rounds": 1000, "log_every": 1, "model": "cnn"}


def plan(**changes):
    stated = {**STATED, **SMALL, **changes}
    return muster.plan(**{name: value for name, value in stated.items() if value is not None})


def untimed(line):
    """Returns a line of metrics or a result without times, speeds and the folder, which differ from run to run."""
    return {key: value for key, value in line.items() if key not in ("seconds", "examples_per_second", "out")}


def lines(file):
    return [untimed(json.loads(line)) for line in pathlib.Path(file).read_text().splitlines()]


class Folders(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)

    def written(self, given):
        """Writes a plan to a file, and returns its path."""
        file = self.folder / "plan.toml"
        # Keys that a statistic has no use for are 0, and are left out.
        stated = {key: value for key, value in given.to_dict().items() if value != 0}
        file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in stated.items()))
        return file

    def same_run(self, mine, theirs):
        for name in ("plan.txt", "model.safetensors"):
            self.assertEqual((mine / name).read_bytes(), (theirs / name).read_bytes(), name)
        self.assertEqual(lines(mine / "metrics.jsonl"), lines(theirs / "metrics.jsonl"))
        self.assertEqual(lines(mine / "result.json"), lines(theirs / "result.json"))
        self.assertEqual({each.name for each in mine.iterdir()}, {each.name for each in theirs.iterdir()})


class Training(Folders):
    def test_a_run_is_that_of_the_command(self):
        for name, changes in (("messages", {}), ("sum", {"randomizer": "k-rr", "k": 3, "clip": None, "model": "histogram", "learning_rate": None}),
                              ("average", {"average": 0.1, "momentum": 0.5})):
            with self.subTest(run=name):
                given, fidelity = plan(**changes), "sum" if name == "sum" else "message"
                seen = []
                run = muster.train(given, out=self.folder / name, callback=seen.append, threads=2, fidelity=fidelity)
                theirs = self.folder / f"{name}-of-the-command"
                done = muster_command.run("train", self.written(given), "--out", theirs, "--fidelity", fidelity, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.same_run(self.folder / name, theirs)
                self.assertEqual([untimed(line) for line in seen], lines(theirs / "metrics.jsonl"))
                self.assertEqual(untimed(run.result), untimed(json.loads(done.stdout.splitlines()[-1])))
                again = muster.Run(theirs)
                self.assertEqual(again.plan.hash, given.hash)
                self.assertEqual(run.metrics.dtype.names, again.metrics.dtype.names)
                np.testing.assert_array_equal(run.metrics["round"], [2, 4, 6])
                np.testing.assert_array_equal(run.metrics["epsilon"], again.metrics["epsilon"])
                np.testing.assert_array_equal(run.parameters, again.parameters)
                model = muster.Model(given)
                self.assertEqual((model.accuracy(run.parameters), model.loss(run.parameters)),
                                 (run.result["accuracy"], run.result.get("loss")))

    def test_reports(self):
        run = muster.train(plan(), out=self.folder / "run")
        page = run.report()
        self.assertEqual(page, str(self.folder / "run" / "report.html"))
        mine = pathlib.Path(page).read_bytes()
        done = muster_command.run("report", self.folder / "run", "--svg", self.folder / "theirs.svg", "--out",
                                  self.folder / "theirs.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(mine, (self.folder / "theirs.html").read_bytes())
        self.assertEqual(run.report(self.folder / "mine.html", svg=self.folder / "mine.svg"), str(self.folder / "mine.html"))
        self.assertEqual((self.folder / "mine.svg").read_bytes(), (self.folder / "theirs.svg").read_bytes())
        for wrong in (self.folder / "run" / "checkpoint", self.written(plan())):
            with self.assertRaises(muster.FileError):
                run.report(wrong)
        html = run._repr_html_()
        self.assertIn("accuracy 0.", html)
        for word in ("<script", "<style", "http://", "https://"):
            self.assertNotIn(word, html)
        self.assertEqual(repr(run), f"<muster.Run {self.folder / 'run'}: done>")

    def test_an_exception_in_the_callback_stops_a_run_that_can_be_resumed(self):
        expected = muster.train(plan(), out=self.folder / "whole")
        calls = []

        def stop(logged):
            calls.append((logged["round"], threading.current_thread() is threading.main_thread()))
            raise LookupError("enough")
        with self.assertRaisesRegex(LookupError, "enough"):
            muster.train(plan(), out=self.folder / "run", callback=stop)
        self.assertEqual(calls, [(2, True)])
        unfinished = muster.Run(self.folder / "run")
        self.assertIsNone(unfinished.result)
        self.assertIn("unfinished", repr(unfinished))
        with self.assertRaisesRegex(muster.FileError, "holds an unfinished run"):
            muster.train(plan(), out=self.folder / "run")
        resumed = muster.train(plan(), out=self.folder / "run", resume=True)
        np.testing.assert_array_equal(resumed.parameters, expected.parameters)
        self.assertEqual(resumed.metrics["round"].tolist(), [2, 4, 6])
        with self.assertRaisesRegex(muster.FileError, "holds a finished run; resume=True shows its result, out=FOLDER"):
            muster.train(plan(), out=self.folder / "run")
        again = muster.train(plan(), out=self.folder / "run", resume=True, callback=stop)  # nothing is logged
        self.assertEqual(untimed(again.result), untimed(resumed.result))
        with self.assertRaises(muster.CheckpointError):
            muster.train(plan(seed=2), out=self.folder / "run", resume=True)

    def test_ctrl_c_ends_a_run_that_can_be_resumed(self):
        given, folder = plan(**LONG), self.folder / "run"
        sent, ticks, done = [], [], threading.Event()

        def interrupt_later():
            while not (folder / "metrics.jsonl").exists() or not (folder / "metrics.jsonl").stat().st_size:
                time.sleep(0.02)
            while not done.wait(0.002):
                ticks.append(time.monotonic())
                if len(ticks) == 20:
                    sent.append(time.monotonic())
                    os.kill(os.getpid(), signal.SIGINT)
        other = threading.Thread(target=interrupt_later)
        other.start()
        with self.assertRaises(KeyboardInterrupt):
            muster.train(given, out=folder)
        ended = time.monotonic()
        done.set()
        other.join()
        self.assertGreater(len(ticks), 20)  # the other thread ran meanwhile
        expect_soon(self, "train", ended - sent[0])

        def stop(logged):
            raise StopIteration(logged["round"])
        with self.assertRaises(StopIteration) as stopped:
            muster.train(given, out=folder, resume=True, callback=stop)
        rounds = muster.Run(folder).metrics["round"]
        self.assertEqual(rounds.tolist(), list(range(1, stopped.exception.value + 1)))

    def test_a_killed_process_is_resumed(self):
        expected = muster.train(plan(), out=self.folder / "whole")
        code = (f"import os, signal, sys\nsys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                "import training_test as t\n"
                f"t.muster.train(t.plan(), out={str(self.folder / 'run')!r}, "
                "callback=lambda logged: logged['round'] == 4 and os.kill(os.getpid(), signal.SIGKILL))")
        died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertEqual(died.returncode, -signal.SIGKILL, died.stderr)
        resumed = muster.train(plan(), out=self.folder / "run", resume=True)
        np.testing.assert_array_equal(resumed.parameters, expected.parameters)
        self.same_run(self.folder / "run", self.folder / "whole")

    def test_refusals_are_those_of_the_command(self):
        (self.folder / "other").mkdir()
        (self.folder / "other" / "file").write_text("")
        budget = plan(budget=1e-9)
        for given, out, error in ((plan(data=None), "run", muster.PlanError), (budget, "run", muster.BudgetReached),
                                  (plan(), "other", muster.FileError), (plan(data="csv:none.csv"), "run", muster.DataError)):
            with self.assertRaises(error) as caught:
                muster.train(given, out=self.folder / out)
            done = muster_command.run("train", self.written(given), "--out", self.folder / f"{out}-2" if out == "run" else
                                      self.folder / out, "--json")
            refused = json.loads(done.stdout.splitlines()[-1])["error"]
            self.assertEqual((caught.exception.code, caught.exception.kind, caught.exception.reason),
                             (done.returncode, refused["kind"], refused["reason"]), refused)
            for name in ("run", "run-2"):
                subprocess.run(["rm", "-rf", self.folder / name], check=True)
        with self.assertRaisesRegex(muster.UsageError, "^fidelity sum does not go with randomizer l2"):
            muster.train(plan(), out=self.folder / "run", fidelity="sum")
        for name, value in (("threads", 0), ("fidelity", "x")):
            with self.assertRaises(muster.PlanError) as caught:
                muster.train(plan(), **{"out": self.folder / "run", name: value})
            self.assertEqual(caught.exception.key, name)
        for wrong in ({"callback": 3}, {"out": 3}):
            with self.assertRaises(TypeError):
                muster.train(plan(), **{"out": self.folder / "run", **wrong})
        with self.assertRaises(TypeError):
            muster.train("plans/quickstart.toml")
        self.assertFalse((self.folder / "run").exists())
        for damaged in ("none", "other"):
            with self.assertRaises(muster.FileError):
                muster.Run(self.folder / damaged)

    # A run that states a smaller epsilon than is proven is refused, and notes are those of the command.
    def test_stated_epsilons_and_notes(self):
        with self.assertLogs("muster") as logs:
            run = muster.train(plan(clients=10_000, share=True, rounds=1), out=self.folder / "run")
        self.assertIn("10000 clients share 1000 records", "".join(logs.output))
        file = self.folder / "run" / "metrics.jsonl"
        text = file.read_text()
        epsilon = float(run.metrics["epsilon"][0])
        self.assertTrue(math.isfinite(epsilon) and f"{epsilon!r}" in text)
        file.write_text(text.replace(f"{epsilon!r}", f"{epsilon / 2!r}"))
        with self.assertRaises(muster.FileError):
            muster.Run(self.folder / "run")


class Sweeps(Folders):
    def test_a_sweep_is_that_of_the_command(self):
        over = {"randomizer.epsilon0": [1, 2.5], "rounds.learning_rate": [[[1, 0.5], [3, 0.1]], "inverse-sqrt:1"]}
        seen = []
        found = muster.sweep(plan(), over, seeds=2, out=self.folder / "mine", callback=seen.append)
        done = muster_command.run("train", self.written(plan()), "--sweep", "randomizer.epsilon0=1,2.5", "--sweep",
                                  "rounds.learning_rate=[[1, 0.5], [3, 0.1]],inverse-sqrt:1", "--seeds", "2", "--out",
                                  self.folder / "theirs", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)

        def timeless(summary):
            for each in summary["combinations"]:
                each["seconds"] = None
            return {**summary, "out": None}
        self.assertEqual(timeless(found.summary), timeless(json.loads(done.stdout.splitlines()[-1])))
        names = [name for each in found.summary["combinations"] for name in each["runs"]]
        self.assertEqual(len(names), 8)
        for name in names[:2]:
            self.same_run(self.folder / "mine" / name, self.folder / "theirs" / name)
        self.assertEqual([os.path.basename(run.folder) for run in found.runs], names)
        self.assertEqual(sorted({each["run"] for each in seen}), sorted(names))
        self.assertEqual(len(seen), 3 * 8)
        self.assertEqual(found.svg(), (self.folder / "mine" / "summary.svg").read_text())
        self.assertIn("8 of 8 runs finished", repr(found))
        again = muster.sweep(plan(), over, seeds=2, out=self.folder / "mine", resume=True)
        self.assertEqual(timeless(again.summary), timeless(found.summary))
        with self.assertRaisesRegex(muster.FileError, "resume=True continues it, out=FOLDER starts another"):
            muster.sweep(plan(), over, seeds=2, out=self.folder / "mine")

    def test_a_stopped_sweep_is_resumed(self):
        def stop(logged):
            raise LookupError(logged["run"])
        with self.assertRaises(LookupError):
            muster.sweep(plan(), {"randomizer.clip": [0.1, 0.2]}, out=self.folder / "s", callback=stop)
        summary = json.loads((self.folder / "s" / "summary.json").read_text())
        self.assertEqual((summary["stopped"], summary["finished"]), ("interrupted", 0))
        found = muster.sweep(plan(), {"randomizer.clip": [0.1, 0.2]}, out=self.folder / "s", resume=True)
        self.assertEqual((found.summary["stopped"], found.summary["finished"]), ("done", 2))
        self.assertEqual(str(pickle.loads(pickle.dumps(found))), str(found))

    def test_refusals(self):
        for over, error in (({"seed": [1, 2]}, muster.UsageError), ({"no.key": [1]}, muster.UsageError),
                            ({"randomizer.clip": []}, muster.UsageError), ({"randomizer.clip": [1, 1]}, muster.UsageError),
                            ({"randomizer.clip": [-1]}, muster.PlanError), ("randomizer.clip=1", muster.PlanError),
                            ({"randomizer.clip": [True]}, muster.PlanError), ({"randomizer.clip": [None]}, muster.UsageError)):
            with self.assertRaises(error, msg=over) as caught:
                muster.sweep(plan(), over, out=self.folder / "s")
            self.assertEqual(caught.exception.code, 2)
        for seeds in (0, 1.5, True, 1001):
            with self.assertRaises(muster.PlanError):
                muster.sweep(plan(), {"randomizer.clip": [1]}, seeds=seeds, out=self.folder / "s")
        self.assertFalse((self.folder / "s").exists())


if __name__ == "__main__":
    logging.getLogger("muster").addHandler(logging.NullHandler())  # its notes would be printed
    muster_command.test_main()
