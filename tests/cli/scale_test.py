"""Trains 10^9 clients, and ten million clients that share a smaller data set, in little memory.

    python3 tests/cli/scale_test.py --command build/release/muster

The memory of a process is its greatest resident size, which the system reports to its parent. With 10^9 clients, each
round tosses 10^9 coins; a table with one byte per client would take a thousand megabytes.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import muster_command
import run_files

MEGABYTES = 150
PLAN = """
name = "large"
[population]
clients = {clients}
share = true
data = "idx:data"
[participation]
protocol = "shuffled-check-in"
rate = {rate}
[randomizer]
kind = "gaussian"
sigma = 2.0
clip = 0.05
[rounds]
count = {rounds}
learning_rate = 1.0
log_every = {rounds}
checkpoint_every = {rounds}
[model]
kind = "cnn"
[privacy]
delta = 1e-10
"""


class ScaleTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-scale-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def train(self, out, threads):
        """Returns the last line of output, the lines before it, and the greatest resident size in megabytes."""
        command = [muster_command.COMMAND, "train", "plan.toml", "--out", out, "--json", "--threads", str(threads)]
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        lines = process.stdout.read().decode().splitlines()
        process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0, lines)
        return json.loads(lines[-1]), [json.loads(line) for line in lines[:-1]], usage.ru_maxrss / 1024

    def test_ten_million_clients_over_sixty_thousand_examples(self):
        run_files.write_idx(self.folder / "data", train=60_000, test=10_000)
        (self.folder / "plan.toml").write_text(PLAN.format(clients=10_000_000, rate=1e-4, rounds=3))
        result, _, memory = self.train("run", 1)
        print(f"n = 1e7, 60,000 examples: {memory:.0f} MB resident")
        self.assertEqual(result["rounds"], 3)
        self.assertLess(memory, MEGABYTES)

    def test_a_thousand_million_clients(self):
        run_files.write_idx(self.folder / "data", train=1_000, test=100)
        (self.folder / "plan.toml").write_text(PLAN.format(clients=10**9, rate=1e-6, rounds=2))
        runs = []
        for threads in 1, 2:
            result, logged, memory = self.train(f"run{threads}", threads)
            print(f"n = 1e9, {threads} threads: {memory:.0f} MB resident, {result['seconds']:.1f} s for 2 rounds")
            self.assertLess(memory, MEGABYTES)
            # 1,000 check-ins per round are expected. By Bernstein's inequality, a deviation of 250 or more
            # has probability below 1e-12.
            self.assertLess(abs(logged[-1]["check_ins"] - 1000), 250)
            runs.append(run_files.files_of(self.folder / f"run{threads}"))
        self.assertEqual(*runs)


if __name__ == "__main__":
    muster_command.test_main()
