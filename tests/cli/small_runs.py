"""Gives each test its own folder, with a plan and a data set whose training takes less than a second."""

import json
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest

import muster_command

PLAN = """
name = "small"
[population]
clients = 1000
share = true
data = "idx:data"
[participation]
protocol = "shuffled-check-in"
rate = 0.1
[randomizer]
kind = "ldp-sgd"
epsilon0 = 0.5
clip = 1.0
[rounds]
count = 24
learning_rate = 0.2
log_every = 6
checkpoint_every = 5
[model]
kind = "logistic"
[privacy]
delta = 1e-4
"""

def write_data(folder, seed=1):
    """Writes 40 training and 50 test images, half of them black and half of them noise."""
    folder.mkdir()
    bits = random.Random(seed)
    for name, count in (("train", 40), ("t10k", 50)):
        images = b"".join(bits.randbytes(784) if i % 2 else bytes(784) for i in range(count))
        (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 2051, count, 28, 28) + images)
        labels = bytes(i % 2 for i in range(count))
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 2049, count) + labels)


class SmallRuns(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-cli-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "small.toml").write_text(PLAN)
        write_data(self.folder / "data")

    def with_clients(self, clients):
        """Changes the plan's number of clients, because the accountant is several times faster for 20 than for 1000."""
        path = self.folder / "small.toml"
        path.write_text(path.read_text().replace("clients = 1000", f"clients = {clients}"))

    def plan_in_slots(self):
        """Changes the plan to two runs of ten slots."""
        path = self.folder / "small.toml"
        plan = path.read_text().replace('"shuffled-check-in"', '"random-check-in-averaged"')
        path.write_text(plan.replace("rate = 0.1", "rate = 0.1\nslots = 10").replace("count = 24", "count = 2"))

    def command(self, *arguments):
        return [muster_command.COMMAND, *map(str, arguments)]

    def run_command(self, *arguments, status=0):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=300, cwd=self.folder,
                              check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def train(self, *flags, status=0):
        return self.run_command("train", "small.toml", *flags, status=status)

    def json_lines(self, *flags, status=0):
        return [json.loads(line) for line in self.train("--json", *flags, status=status).stdout.splitlines()]

    def refusal(self, *arguments, status):
        """Returns the error of a command that prints nothing else. Its words and its JSON line must agree."""
        done = self.run_command(*arguments, "--json", status=status)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 1, done.stdout)
        error = json.loads(lines[0])["error"]
        self.assertEqual(done.stderr, f"muster: {error['message']}\n")
        return error

    def stop_after(self, lines, *flags):
        """Starts training, sends SIGINT after `lines` lines of its output, and returns its status and output."""
        process = subprocess.Popen(self.command("train", "small.toml", "--json", *flags), stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, cwd=self.folder)
        first = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=300)
        return process.returncode, [json.loads(line) for line in "".join([*first, rest]).splitlines()]

    def metrics(self, out):
        return [json.loads(line) for line in (self.folder / out / "metrics.jsonl").read_text().splitlines()]

    def report(self, *arguments):
        """Returns the page of a run, and the output on stderr."""
        done = self.run_command("report", *arguments)
        return (self.folder / done.stdout.strip()).read_text(encoding="utf-8"), done.stderr

    def edited(self, out, change):
        """Rewrites the logged lines of a run."""
        lines = self.metrics(out)
        change(lines)
        (self.folder / out / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
