"""Tests the command `muster train` under mpirun: the same bits on 1, 2 and 4 ranks, and no rank that hangs.

    python3 tests/cli/mpi_test.py --command build/release/muster --mpirun mpirun [--abandon-test BINARY] [--long]

The runs are small and in separate processes. Every command has a time limit, so a rank that waits forever for one
that failed makes the test fail.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import muster_command
import run_files


def option(name):
    if name not in sys.argv:
        return None
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


MPIRUN = [option("--mpirun") or "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
          "--mca", "btl_vader_single_copy_mechanism", "none"]
# With this setting, ranks that wait leave the processor to other ranks and tests.
os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"
ABANDON_TEST = option("--abandon-test")
LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

SLURM_SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples" / "slurm" / "train.sbatch"

PLAN = """
name = "ranks"
[population]
clients = {clients}
data = "{data}"
{held}
[participation]
protocol = "{protocol}"
{participation}
[randomizer]
{randomizer}
clip = 1.0
[rounds]
count = {rounds}
learning_rate = {learning_rate}
{local}
momentum = 0.5
average = 0.1
log_every = {log_every}
checkpoint_every = 5
[model]
kind = "logistic"
[privacy]
delta = 1e-4
"""
SIGNS = 'kind = "ldp-sgd"\nepsilon0 = 1.0'
NOISE = 'kind = "gaussian"\nsigma = 5.0'
BASE = {"clients": 300, "protocol": "shuffled-check-in", "participation": "rate = 0.3\ndropout = 0.1",
        "randomizer": SIGNS, "rounds": 40, "log_every": 20, "data": "idx:data", "learning_rate": "[[1, 0.2], [20, 0.1]]",
        "held": "", "local": ""}
# A population whose epsilon is computed quickly, for tests that do not depend on who sends.
QUICK = {"clients": 40, "participation": "rate = 1"}
PLANS = {
    "check-in": {},
    "people": {"clients": 60, "held": 'records = 5\npartition = "dirichlet:0.3"',
               "local": "local_steps = 3\nlocal_rate = 0.1\nlocal_batch = 2"},
}
MORE_PLANS = {
    "averaged": {"protocol": "random-check-in-averaged", "participation": "rate = 0.5\nslots = 30", "rounds": 2},
    "gaussian": {"randomizer": NOISE},
    "shuffle": {"protocol": "shuffle", "participation": "", "rounds": 10},
    "subset": {"protocol": "subset", "participation": "subset = 7"},
    "aggregated": {"protocol": "aggregated-check-in", "participation": "rate = 0.02\nminimum = 6", "randomizer": NOISE},
    "fixed": {"protocol": "random-check-in-fixed", "participation": "rate = 0.5\nslots = 30", "rounds": 2},
    "sliding": {"protocol": "random-check-in-sliding", "participation": "rate = 0.5\nslots = 250", "rounds": 1},
}


class MpiTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-mpi-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        run_files.write_idx(self.folder / "data", train=300)

    def write_plan(self, name="plan", **changes):
        (self.folder / f"{name}.toml").write_text(PLAN.format(**{**BASE, **changes}))

    def command(self, *flags, plan="plan"):
        return [muster_command.COMMAND, "train", f"{plan}.toml", *map(str, flags)]

    def run_here(self, command, status=0):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def on_ranks(self, ranks, *flags, status=0, **options):
        return self.run_here([*MPIRUN, "-n", str(ranks), *self.command(*flags, **options)], status)

    def each_its_own(self, *commands, status=0):
        """Runs several commands as one job, one rank for each."""
        parts = []
        for command in commands:
            parts += [":"] * bool(parts) + ["-n", "1", *command]
        return self.run_here([*MPIRUN, *parts], status)

    def start(self, ranks, *flags):
        """Starts a job and waits until it has begun its rounds."""
        job = subprocess.Popen([*MPIRUN, "-n", str(ranks), *self.command(*flags)], cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.wait_for_rounds(job)
        return job

    def wait_for_rounds(self, job):
        said = ""
        while "muster: training" not in said:
            line = job.stderr.readline()
            self.assertTrue(line, said)
            said += line

    def assert_same_run(self, a, b):
        self.assertEqual(run_files.files_of(self.folder / a), run_files.files_of(self.folder / b))

    def one_error(self, done):
        """Returns the error of a job, which must be one line on stdout and, besides mpirun's own lines, one line on
        stderr."""
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, done.stdout + done.stderr)
        error = json.loads(lines[0])["error"]
        said = [line for line in done.stderr.splitlines() if line.startswith("muster: ")]
        self.assertEqual(said, ["muster: " + error["message"]])
        return error

    def same_bits(self, plans):
        for name, changes in plans.items():
            with self.subTest(plan=name):
                self.write_plan(**changes)
                self.run_here(self.command("--out", f"{name}-1", "--threads", 1))
                self.on_ranks(2, "--out", f"{name}-2", "--threads", 1)
                self.on_ranks(4, "--out", f"{name}-4", "--threads", 2)
                self.assert_same_run(f"{name}-1", f"{name}-2")
                self.assert_same_run(f"{name}-1", f"{name}-4")

    @unittest.skipIf(LONG, "in check")
    def test_the_same_bits_on_any_number_of_ranks(self):
        self.same_bits(PLANS)

    @unittest.skipIf(LONG, "in check")
    def test_neutral_answers_of_all_ranks_are_counted(self):
        rows = [f"{3e38 if i % 7 == 0 else 0.5},{i % 10 / 10},{i % 2}\n" for i in range(360)]
        (self.folder / "odd.csv").write_text("huge,small,kind\n" + "".join(rows))
        self.same_bits({"odd": {"data": "csv:odd.csv", "learning_rate": "100.0"}})
        counts = [json.loads((self.folder / f"odd-{ranks}" / "result.json").read_text())["neutral"] for ranks in (1, 2, 4)]
        self.assertGreater(counts[0], 0)
        self.assertEqual(counts, counts[:1] * 3)

    @unittest.skipUnless(LONG, "with --long")
    def test_the_same_bits_for_every_protocol(self):
        self.same_bits(MORE_PLANS)

    @unittest.skipUnless(LONG, "with --long")
    def test_the_same_bits_where_a_rank_draws_the_noise_of_all(self):
        self.write_plan(randomizer=NOISE)
        self.run_here(self.command("--out", "one", "--fidelity", "sum"))
        self.on_ranks(2, "--out", "two", "--fidelity", "sum")
        self.assert_same_run("one", "two")

    @unittest.skipIf(LONG, "in check")
    def test_rank_0_alone_prints(self):
        self.write_plan()
        one = self.run_here(self.command("--out", "one", "--json"))
        four = self.on_ranks(4, "--out", "four", "--json")
        self.assertEqual([run_files.untimed(line) for line in one.stdout.splitlines()],
                         [run_files.untimed(line) for line in four.stdout.splitlines()])
        self.assertEqual(four.stderr.count("rounds done"), 1, four.stderr)
        shown = self.on_ranks(2, "--out", "four", "--json", "--resume")
        self.assertEqual(shown.stdout.splitlines(), four.stdout.splitlines()[-1:])

    @unittest.skipIf(LONG, "in check")
    def test_a_run_goes_on_with_another_number_of_ranks(self):
        self.write_plan(**QUICK, rounds=500, log_every=500)
        self.run_here(self.command("--out", "whole"))
        # The signal is SIGUSR1, because mpirun passes it on to its ranks at once.
        for ranks in 2, 4:
            job = self.start(ranks, "--out", "parts", "--resume", "--json")
            time.sleep(0.05)
            job.send_signal(signal.SIGUSR1)
            out, words = job.communicate(timeout=60)
            self.assertEqual(job.returncode, 130, words)
            self.assertEqual(json.loads(out.splitlines()[-1])["stopped"], "interrupted")
            self.assertFalse((self.folder / "parts" / "result.json").exists())
        self.run_here(self.command("--out", "parts", "--resume"))
        self.assert_same_run("whole", "parts")

    @unittest.skipUnless(LONG, "with --long")
    def test_a_killed_rank_ends_the_job_and_the_run_goes_on(self):
        self.write_plan(rounds=500, log_every=500)
        for victim in 0, 1:
            job = self.start(2, "--out", "killed", "--resume")
            time.sleep(0.05)
            children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
            self.assertEqual(len(children), 2)
            pathlib.Path(f"/proc/{children[victim]}/cmdline").read_text()  # fails unless the process runs
            subprocess.run(["kill", "-KILL", children[victim]], check=True)
            job.communicate(timeout=60)
            self.assertNotEqual(job.returncode, 0)
        self.on_ranks(2, "--out", "killed", "--resume")
        self.run_here(self.command("--out", "whole"))
        self.assert_same_run("whole", "killed")

    @unittest.skipIf(LONG, "in check")
    def test_what_one_rank_cannot_do_all_refuse(self):
        self.write_plan()
        self.write_plan("other", rounds=41)
        mine = ["--out", "run", "--json"]
        # A failure that all ranks share is printed once.
        self.assertEqual(self.one_error(self.on_ranks(4, *mine, plan="absent", status=3))["kind"], "file")
        self.assertEqual(self.one_error(self.on_ranks(2, *mine, "--rounds", -1, status=2))["key"], "rounds.count")
        self.assertEqual(self.one_error(self.on_ranks(2, *mine, "--bogus", status=2))["key"], "--bogus")
        self.assertEqual(self.one_error(self.on_ranks(2, *mine, "--seeds", 2, status=2))["key"], "--sweep")
        # Only one rank fails.
        done = self.each_its_own(self.command(*mine), self.command(*mine, plan="absent"), status=3)
        self.assertIn("(on rank 1 of 2)", self.one_error(done)["message"])
        done = self.each_its_own(self.command(*mine, plan="absent"), self.command(*mine), status=3)
        self.assertNotIn("(on rank", self.one_error(done)["message"])
        # One rank has another plan, or other data.
        done = self.each_its_own(self.command(*mine), self.command(*mine, plan="other"), status=2)
        self.assertRegex(self.one_error(done)["message"], r"rank 0 reads.* \(on rank 1 of 2\)$")
        elsewhere = self.folder / "elsewhere"
        run_files.write_idx(elsewhere / "data", train=300, seed=2)
        shutil.copy(self.folder / "plan.toml", elsewhere)
        there = ["sh", "-c", 'cd elsewhere && exec "$@"', "sh", *self.command(*mine)]
        done = self.each_its_own(self.command(*mine), there, status=3)
        self.assertIn("is not the data set that rank 0 reads", self.one_error(done)["message"])
        self.assertFalse((self.folder / "run" / "result.json").exists())

    @unittest.skipIf(LONG, "in check")
    def test_a_disk_that_fills_on_rank_0_ends_all_ranks(self):
        rows = [f"{i % 7},{i % 10},{i % 2}\n" for i in range(360)]
        (self.folder / "small.csv").write_text("one,other,kind\n" + "".join(rows))
        self.write_plan(**QUICK, rounds=100000, log_every=1, data="csv:small.csv")
        # 8 KiB are enough for the plan, the checkpoint and the first dozens of lines of the metrics.
        limited = ["bash", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$@"', "bash"]
        mine = self.command("--out", "run", "--json", "--budget", 1e6)
        done = subprocess.run([*MPIRUN, "-n", "1", *limited, *mine, ":", "-n", "1", *mine], cwd=self.folder,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        error = json.loads(done.stdout.splitlines()[-1])["error"]
        self.assertEqual((error["kind"], error["key"]), ("file", "run/metrics.jsonl"))

    @unittest.skipUnless(LONG, "with --long")
    def test_the_budget_is_asked_of_rank_0_for_all(self):
        self.write_plan()
        one = self.run_here(self.command("--out", "one", "--json", "--budget", 0.5)).stdout.splitlines()[-1]
        two = self.on_ranks(2, "--out", "two", "--json", "--budget", 0.5).stdout.splitlines()[-1]
        self.assertEqual(run_files.untimed(one), run_files.untimed(two))
        self.assertEqual(json.loads(two)["stopped"], "budget")
        refused = self.on_ranks(2, "--out", "none", "--json", "--budget", 1e-9, status=4)
        self.assertEqual(self.one_error(refused)["kind"], "budget")
        self.assertFalse((self.folder / "none").exists())

    @unittest.skipIf(LONG, "in check")
    def test_the_slurm_script_stops_in_time_and_goes_on(self):
        # The environment that Slurm gives, and what mpirun needs in a container and for the superuser.
        environment = {**os.environ, "MUSTER": muster_command.COMMAND, "SLURM_NTASKS": "2", "SLURM_CPUS_PER_TASK": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                       "PATH": f"{os.path.dirname(MPIRUN[0])}:{os.environ['PATH']}"}
        environment.pop("SLURM_JOB_ID", None)
        self.write_plan(rounds=500, log_every=500)
        command = ["bash", str(SLURM_SCRIPT), "plan.toml", "--out", "slurm", "--json"]
        self.run_here(["bash", "-n", str(SLURM_SCRIPT)])
        job = subprocess.Popen(command, cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
        self.wait_for_rounds(job)
        job.send_signal(signal.SIGUSR1)
        out, words = job.communicate(timeout=60)
        self.assertEqual(job.returncode, 130, words)
        self.assertEqual(json.loads(out.splitlines()[-1])["stopped"], "interrupted")
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_here(self.command("--out", "whole"))
        self.assert_same_run("whole", "slurm")

    @unittest.skipUnless(ABANDON_TEST and not LONG, "in check, with --abandon-test")
    def test_a_rank_that_cannot_meet_the_others_ends_the_job(self):
        self.run_here([*MPIRUN, "-n", "2", ABANDON_TEST], status=7)


if __name__ == "__main__":
    muster_command.test_main()
