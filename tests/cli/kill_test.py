"""A run that is killed with SIGKILL at any moment and resumed leaves the same files as an uninterrupted run.

    python3 tests/cli/kill_test.py --command build/release/muster [--long]

Every round is saved, so a kill can fall while a round is computed as well as while a file is written or renamed.
Half of the kills come at a moment that is drawn from a seed of the test. The other half come as soon as a file
under a temporary name is seen, which is between its creation and its renaming. The counts of kills are printed, and
the test fails if all kills came too late.
"""

import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import muster_command
import run_files

PLAN = """
name = "killed"
[population]
clients = 100
data = "idx:data"
[participation]
protocol = "{protocol}"
{participation}
[randomizer]
kind = "ldp-sgd"
epsilon0 = 1.0
clip = 1.0
[rounds]
count = {rounds}
learning_rate = 0.2
momentum = 0.5
average = 0.1
log_every = 8
checkpoint_every = 1
[model]
kind = "logistic"
[privacy]
delta = 1e-4
"""

CHECK_IN = {"protocol": "shuffled-check-in", "participation": "rate = 1", "rounds": 60}
# Check-ins with dropout, and all other protocols except `shuffle`. Three of them draw slots for a whole run, and
# one enforces a minimum.
OTHERS = [
    {"protocol": "shuffled-check-in", "participation": "rate = 0.3\ndropout = 0.2", "rounds": 150},
    {"protocol": "subset", "participation": "subset = 20", "rounds": 150},
    {"protocol": "aggregated-check-in", "participation": "rate = 0.3\nminimum = 30", "rounds": 150},
    {"protocol": "random-check-in-fixed", "participation": "rate = 0.5\nslots = 50", "rounds": 3},
    {"protocol": "random-check-in-averaged", "participation": "rate = 0.5\nslots = 50", "rounds": 3},
    {"protocol": "random-check-in-sliding", "participation": "rate = 0.5\nslots = 20", "rounds": 2},
]


def long_wanted():
    if "--long" in sys.argv:
        sys.argv.remove("--long")
        return True
    return False


LONG = long_wanted()


class KillTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-kill-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        run_files.write_idx(self.folder / "data")

    def start(self, out, threads=1):
        command = [muster_command.COMMAND, "train", "plan.toml", "--out", out, "--resume", "--threads", str(threads)]
        return subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self, out, threads=1):
        began = time.monotonic()
        process = self.start(out, threads)
        _, words = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, words.decode())
        return time.monotonic() - began

    def kill_when(self, process, moment):
        """Kills the process when moment() is true; returns False if the process had ended by itself."""
        while process.poll() is None and not moment():
            time.sleep(0.0003)
        process.kill()
        _, words = process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, -9), words.decode())
        return process.returncode != 0

    def killed_often(self, plan, kills, seed):
        (self.folder / "plan.toml").write_text(PLAN.format(**plan))
        lasted = self.finish("whole")
        draw = random.Random(seed)
        out = self.folder / "killed"
        done = torn = finished = 0
        while done < kills and finished < 20:
            if done % 2 == 0:
                until = time.monotonic() + draw.uniform(0, 0.3 * lasted)
                moment = lambda: time.monotonic() >= until
            else:
                until = time.monotonic() + draw.uniform(0, 0.1 * lasted)
                name = draw.choice(["checkpoint"] * 3 + ["plan.txt", "metrics.csv", "result.json"]) + ".*.tmp"
                moment = lambda: time.monotonic() >= until and (any(out.glob(name)) or
                                                                time.monotonic() >= until + 2 * lasted)
            if self.kill_when(self.start("killed", draw.choice([1, 2])), moment):
                done += 1
                torn += any(path.suffix == ".tmp" for path in out.iterdir()) if out.exists() else 0
            elif (out / "result.json").exists():  # the run ended before all its kills: start it again
                finished += 1
                self.assertEqual(run_files.files_of(out), run_files.files_of(self.folder / "whole"))
                shutil.rmtree(out)
        self.finish("killed")
        self.assertEqual(run_files.files_of(out), run_files.files_of(self.folder / "whole"))
        shutil.rmtree(out)
        shutil.rmtree(self.folder / "whole")
        print(f"{plan['protocol']}: {done} kills, {torn} of them between a file's first byte and its renaming, "
              f"{finished + 1} runs ended, all alike (seed {seed})")
        return done, torn

    @unittest.skipIf(LONG, "in check")
    def test_a_shuffled_check_in(self):
        done, torn = self.killed_often(CHECK_IN, kills=8, seed=1)
        self.assertEqual(done, 8)
        self.assertGreater(torn, 0)

    @unittest.skipUnless(LONG, "with --long")
    def test_every_protocol_many_times(self):
        counts = [self.killed_often(plan, kills=60, seed=10 + i) for i, plan in enumerate([CHECK_IN] + OTHERS)]
        self.assertGreater(sum(done for done, _ in counts), 300)
        self.assertGreater(sum(torn for _, torn in counts), 20)


if __name__ == "__main__":
    muster_command.test_main()
