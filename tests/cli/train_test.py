"""Tests the command `muster train`: its output, its files, and signals.

    python3 tests/cli/train_test.py --command build/release/muster

The test runs a small plan (grey noise, logistic regression, 20 clients) in separate processes, sends real signals,
and compares the checkpoints of runs that must agree byte for byte.
"""

import json
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest

import muster_command
import run_files

PLAN = """
name = "small"
[population]
clients = 20
data = "idx:data"
[participation]
protocol = "shuffled-check-in"
rate = 1          # with so few clients, an accountant that answers at once
[randomizer]
kind = "ldp-sgd"
epsilon0 = 2.0
clip = 1.0
[rounds]
count = 480
learning_rate = 0.2
momentum = 0.5
average = 0.1
log_every = 24
checkpoint_every = 70
[model]
kind = "logistic"
[privacy]
delta = 1e-4
"""


class TrainTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.plan = self.folder / "small.toml"
        self.plan.write_text(PLAN)
        run_files.write_idx(self.folder / "data", train=20)

    def command(self, *flags):
        return [muster_command.COMMAND, "train", str(self.plan), *map(str, flags)]

    def train(self, *flags, status=0, **options):
        done = subprocess.run(self.command(*flags), capture_output=True, text=True, timeout=120, cwd=self.folder,
                              check=False, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def lines(self, *flags, **options):
        return [json.loads(line) for line in self.train("--json", *flags, **options).stdout.splitlines()]

    def error(self, *flags, **options):
        lines = self.lines(*flags, **options)
        self.assertEqual(len(lines), 1)
        return lines[0]["error"]

    def assert_table_agrees(self, run):
        """Checks that metrics.csv has the rows of metrics.jsonl, in the same digits."""
        lines = (self.folder / run / "metrics.jsonl").read_text().splitlines()
        header, *rows = (self.folder / run / "metrics.csv").read_text().splitlines()
        self.assertEqual(len(rows), len(lines))
        for row, line in zip(rows, lines):
            cells = [f'"{key}":{cell or "null"}' for key, cell in zip(header.split(","), row.split(","), strict=True)]
            self.assertEqual("{" + ",".join(cells) + "}", line)

    def assert_same_run(self, a, b):
        self.assertEqual(run_files.files_of(self.folder / a), run_files.files_of(self.folder / b))

    def stop_midway(self, out, signal_number, *flags):
        """Starts a run, sends the signal after the fifth line of its output, and returns status and output."""
        process = subprocess.Popen(self.command("--json", "--out", out, *flags), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, cwd=self.folder)
        first = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal_number)
        rest, _ = process.communicate(timeout=120)
        return process.returncode, "".join(first) + rest

    def test_rounds_that_no_theorem_amplifies_are_named(self):
        """At rate 1 a plain shuffle is charged; with epsilon0 above 100, only the noise of each message is."""
        words = "epsilon counts no amplification by the protocol, only the noise of each message"
        self.assertNotIn(words, self.train("--rounds", 2, "--out", "amplified").stderr)
        done = self.train("--rounds", 2, "--epsilon0", 500, "--out", "alone")
        self.assertIn(f"{words}, in all rounds: a plain shuffle is not computed for epsilon0 above 100",
                      " ".join(done.stderr.split()))

    def test_prints_json_lines_and_nothing_else(self):
        lines = self.lines("--out", "run")
        self.assertEqual([line["round"] for line in lines[:-1]], list(range(24, 481, 24)))
        for line in lines[:-1]:
            self.assertEqual(list(line), ["round", "accuracy", "epsilon", "check_ins", "neutral", "loss"])
            self.assertEqual(line["neutral"], 0)
        epsilons = [line["epsilon"] for line in lines[:-1]]
        self.assertEqual(epsilons, sorted(epsilons))
        final = lines[-1]
        self.assertEqual(list(final), ["accuracy", "epsilon", "delta", "rounds", "seconds", "examples_per_second",
                                       "fidelity", "stopped", "out", "neutral", "clients_per_record", "validity", "neighbouring", "view",
                                       "loss"])
        self.assertEqual((final["neutral"], final["clients_per_record"]), (0, 1))
        self.assertEqual((final["rounds"], final["delta"], final["fidelity"], final["stopped"], final["out"]),
                         (480, 1e-4, "message", "done", "run"))
        self.assertEqual((final["accuracy"], final["loss"]), (lines[-2]["accuracy"], lines[-2]["loss"]))
        self.assertEqual(final["epsilon"], lines[-2]["epsilon"])

    def test_prints_a_table_for_people(self):
        done = self.train()
        self.assertIn("accuracy", done.stdout.splitlines()[0])
        self.assertIn("proven", done.stdout)
        self.assertIn("480 rounds done", done.stderr)
        self.assertEqual(len(list((self.folder / "runs").glob("small-????????"))), 1)

    def test_threads_change_no_bit(self):
        for threads in 1, 2, 3:
            self.lines("--out", f"threads{threads}", "--threads", threads)
        self.assert_same_run("threads1", "threads2")
        self.assert_same_run("threads1", "threads3")

    def test_signals_end_the_round_and_resume_as_if_nothing_had_happened(self):
        whole = self.lines("--out", "whole")[-1]
        for number in signal.SIGINT, signal.SIGTERM:
            out = f"signal{int(number)}"
            status, output = self.stop_midway(out, number)
            self.assertEqual(status, 130, output)
            stopped = json.loads(output.splitlines()[-1])
            self.assertEqual(stopped["stopped"], "interrupted")
            self.assertLess(stopped["rounds"], 480)
            self.assert_table_agrees(out)
            resumed = self.lines("--out", out, "--resume")[-1]
            self.assertEqual((resumed["stopped"], resumed["accuracy"]), ("done", whole["accuracy"]))
            self.assert_same_run("whole", out)

    def test_a_killed_run_resumes_from_its_last_checkpoint(self):
        self.lines("--out", "whole")
        status, _ = self.stop_midway("killed", signal.SIGKILL)
        self.assertEqual(status, -signal.SIGKILL)
        self.assertFalse((self.folder / "killed/metrics.csv").exists())
        self.lines("--out", "killed", "--resume", "--threads", 2)
        self.assert_same_run("whole", "killed")
        self.assert_table_agrees("killed")

    def test_a_finished_run_is_shown_not_repeated(self):
        final = self.lines("--out", "run")[-1]
        before = (self.folder / "run" / "checkpoint").read_bytes()
        refused = self.error("--out", "run", status=3)
        self.assertIn("--resume", refused["message"])
        self.assertIn("--out", refused["message"])
        self.assertEqual(self.lines("--out", "run", "--resume"), [final])
        self.assertIn("finished", self.train("--out", "run", "--resume").stderr)
        self.assertEqual((self.folder / "run" / "checkpoint").read_bytes(), before)

    def test_a_changed_plan_does_not_resume(self):
        self.stop_midway("run", signal.SIGINT)
        refused = self.error("--out", "run", "--resume", "--rounds", 481, status=3)
        self.assertEqual(refused["kind"], "checkpoint")
        self.assertEqual(refused["key"], "run/plan.txt")
        self.assertEqual((refused["value"], refused["allowed"]), ("rounds.count = 480", "rounds.count = 481"))
        self.lines("--out", "run", "--resume")

    def test_a_result_that_is_none_is_refused(self):
        self.lines("--out", "run", "--rounds", 2)
        path = self.folder / "run" / "result.json"
        good = path.read_text()
        for bad in ("", "junk", "[]", "{}", "[" * 100000, good.replace('"rounds":2', '"rounds":-2'),
                    good.replace('"epsilon"', '"epsilun"'), good.replace('"accuracy":', '"accuracy":"x","a":'),
                    good.replace('"delta":', '"delta":1e9,"d":'), good.replace('"seconds":', '"seconds":null,"s":')):
            path.write_text(bad)
            self.assertEqual(self.error("--out", "run", "--rounds", 2, "--resume", status=3)["key"], "run/result.json")
            self.train("--out", "run", "--rounds", 2, "--resume", status=3)
        self.assertEqual(path.read_text(), bad)

    def test_a_corrupt_checkpoint_is_refused_and_left_alone(self):
        self.stop_midway("run", signal.SIGINT)
        checkpoint = self.folder / "run" / "checkpoint"
        corrupt = bytearray(checkpoint.read_bytes())
        corrupt[5000] ^= 1
        checkpoint.write_bytes(corrupt)
        self.assertEqual(self.error("--out", "run", "--resume", status=3)["kind"], "checkpoint")
        self.assertEqual(checkpoint.read_bytes(), bytes(corrupt))

    def test_folders_that_cannot_be_written(self):
        (self.folder / "file").write_text("x")
        self.assertEqual(self.error("--out", "file", status=3)["kind"], "file")
        self.assertEqual(self.error("--out", "file/below", status=3)["kind"], "file")
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "letter").write_text("dear")
        self.assertEqual(self.error("--out", "mine", status=3)["kind"], "file")
        self.assertEqual([path.name for path in (self.folder / "mine").iterdir()], ["letter"])

    def test_a_full_disk_leaves_nothing_half_written(self):
        def fill():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        self.assertEqual(self.error("--out", "run", status=3, preexec_fn=fill)["kind"], "file")
        self.assertFalse((self.folder / "run").exists())

    def test_the_budget_is_never_passed(self):
        epsilon = {line["round"]: line["epsilon"] for line in self.lines("--out", "free")[:-1]}
        budget = (epsilon[192] + epsilon[216]) / 2
        final = self.lines("--out", "run", "--budget", budget)[-1]
        self.assertEqual(final["stopped"], "budget")
        self.assertLessEqual(final["epsilon"], budget)
        self.assertTrue(192 <= final["rounds"] < 216, final)
        self.assertEqual(self.error("--out", "none", "--budget", 1e-9, status=4)["kind"], "budget")
        self.assertFalse((self.folder / "none").exists())

    def test_no_rounds_are_legal(self):
        lines = self.lines("--out", "none", "--rounds", 0)
        self.assertEqual((len(lines), lines[0]["rounds"], lines[0]["epsilon"]), (1, 0, 0))

    def test_sums_instead_of_messages(self):
        gaussian = PLAN.replace("ldp-sgd", "gaussian").replace("epsilon0", "sigma")
        self.plan.write_text(gaussian.replace("rate = 1 ", "rate = 0.5 "))
        flags = ("--rounds", 12, "--fidelity", "sum")
        final = self.lines("--out", "sums", *flags)[-1]
        self.assertEqual(final["fidelity"], "sum")
        self.lines("--out", "threads", "--threads", 3, *flags)
        self.assert_same_run("sums", "threads")
        self.assertEqual(self.lines("--out", "sums", "--resume", *flags), [final])
        refused = self.error("--out", "sums", "--resume", "--rounds", 12, status=3)
        self.assertEqual((refused["value"], refused["allowed"]), ("sum", "message"))

    def test_a_run_without_an_end_is_refused_before_it_starts(self):
        for flags, key in ((("--clients", 1e12), "population.clients"),
                           (("--clients", 1e12, "--rate", 1e-9, "--rounds", 2**40 - 1), "rounds.count"),
                           (("--clients", 1e12, "--rate", 0.5, "--rounds", 1, "--fidelity", "message"),
                            "population.clients")):
            for more in ((), ("--seeds", 2)):
                refused = self.error(*flags, *more, status=2)
                self.assertEqual((refused["kind"], refused["key"]), ("plan", key))
                self.assertIn("at most about", refused["allowed"])
                self.assertRegex(refused["message"], "a run of about .* messages and .* coins, .* (h [0-9]+ min|days) or more on")
        self.assertFalse((self.folder / "runs").exists())

    def test_a_long_run_says_so_before_it_starts(self):
        process = subprocess.Popen(self.command("--out", "run", "--clients", 1e12, "--share", "true", "--rate", 1e-9,
                                                "--rounds", 9),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        said = []
        while not said or "muster: training" not in said[-1]:
            said.append(process.stderr.readline())
            self.assertTrue(said[-1], said)
        process.kill()
        process.communicate(timeout=60)
        self.assertRegex("".join(said), r"muster: about 9e\+03 messages and 9e\+12 coins are ahead: .* on [0-9]+ thread")
        self.assertIn("1000000000000 clients share 20 records", "".join(said))

    def test_flags_that_do_not_apply_are_refused_by_name(self):
        for fidelity in ("sum", "exact"):  # ldp-sgd has no sampler of sums; there is no fidelity `exact`
            refused = self.error("--fidelity", fidelity, status=2)
            self.assertEqual((refused["key"], refused["value"]), ("--fidelity", fidelity))
        self.error("--threads", 0, status=2)
        self.error("--threads", "many", status=2)
        self.assertFalse((self.folder / "runs").exists())


if __name__ == "__main__":
    muster_command.test_main()
