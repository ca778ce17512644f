"""If calls that change files fail in a deployment, no role goes on after an error, and nothing is lost or doubled.

    python3 tests/cli/disk_faults_test.py --command build/release/muster
        --library build/release/tests/support/libmuster_disk_faults.so [--faults N] [--seed N]

Issuer, shuffler, aggregator and a client of two devices run at the same time, each with a library
(tests/support/disk_faults.cc) that makes one of its calls fail. The call fails with EIO, or it and all later writes
fail with ENOSPC, or it writes only half of the bytes. After a fault of the first two kinds, the role has to end with
exit status 3 and the name of the file. It is started again at once for its next fault, and without one after the last.
"""

import collections
import math
import os
import random
import re
import time

import muster_command
import role_processes
from deployed_tasks import DeployedTasks

DEVICES = (2, 10, 1, 1)  # enough for a round without those that have faults
CLIENTS = [f"client{i}" for i in range(len(DEVICES))]
FAULTY = ("issuer", "shuffler", "aggregator", "client0")
KINDS = {"eio": ("Input/output error", "disk I/O error"),
         "enospc": ("No space left on device", "database or disk is full"),
         "short": ()}
# The calls that each role makes in every round, and the highest number that the failing call may have. Some calls are
# made a few times in a round, others dozens of times.
WRITING, ALL = ("write", "pwrite"), ("write", "pwrite", "fsync", "fdatasync", "ftruncate", "rename")
CALLS = {"issuer": ALL, "shuffler": ALL, "aggregator": ("pwrite", "fdatasync", "ftruncate"),
         "client0": ("pwrite", "fdatasync", "ftruncate")}
LAST = {"fsync": 5, "rename": 3}
LAST_OF_OTHERS = 40
SECONDS = 3


class FaultyRole:
    """One role with the faults that it has yet to meet."""

    def __init__(self, test, deployment, name, faults):
        self.test, self.deployment, self.name, self.faults, self.met = test, deployment, name, faults, []
        self.report = test.folder / f"{name}.fault"
        self.start()

    def start(self):
        """Starts the role with its next fault, or without one."""
        self.report.unlink(missing_ok=True)
        environment, self.met_at = {}, None
        if self.faults:
            self.kind, call, at = self.faults[0]
            environment = {"LD_PRELOAD": os.path.abspath(OPTIONS["--library"]), "DISK_FAULTS_KIND": self.kind,
                           "DISK_FAULTS_CALL": call, "DISK_FAULTS_AT": str(at),
                           "DISK_FAULTS_FOLDER": str(self.test.folder.resolve() / self.name),
                           "DISK_FAULTS_REPORT": str(self.report)}
        self.role = self.deployment.start_any(self.name, environment)
        if not self.faults:
            self.deployment.expect_up(self.name)

    def has_met(self):
        return bool(self.faults) and self.report.exists() and self.report.stat().st_size > 0

    def is_done(self):
        return self.role.process.poll() == 0

    def look(self):
        """Goes on to the next fault once the role has met this one and has done what it must do then."""
        ended = self.role.process.poll()
        if not self.has_met():
            self.test.assertIn(ended, (None, 0) if self.deployment.may_end(self.name) else (None,), self.role.said())
            return
        call, path = self.report.read_text().split()
        self.met_at = self.met_at or time.monotonic()
        if self.kind == "short":
            # A role goes on after a short write, also one that met it while it started.
            if ended is None:
                self.deployment.expect_up(self.name)
                ended = self.role.stop()
            self.test.assertEqual(ended, 0, self.role.said())
        elif ended is None:
            self.test.assertLess(time.monotonic(), self.met_at + role_processes.PATIENCE,
                                 f"{self.name} goes on after {call} of {path}")
            return
        else:
            self.role.process.communicate()
            self.expect_refusal(call, path)
        self.met.append((self.kind, call))
        self.faults.pop(0)
        self.start()

    def expect_refusal(self, call, path):
        """Checks that the last words of the role say which file failed and how."""
        said = self.role.said()
        self.test.assertEqual(self.role.process.returncode, 3, (call, path, said))
        # The message names the file that an operator knows, not its journal or a temporary file.
        file = re.sub(r"-wal|-journal|\.\d+-\d+\.tmp", "", os.path.relpath(path, self.test.folder.resolve()))
        message = said.splitlines()[-1]
        self.test.assertIn(file, message, (call, path))
        self.test.assertTrue(any(words in message for words in KINDS[self.kind]), message)


class DiskFaults(DeployedTasks):
    def faults(self, draw, name, count):
        """Returns `count` faults of each kind. All calls that the role makes are equally likely. Low numbers of a call
        are the most likely, because a process first reads what the one before it has left."""
        kinds = [kind for kind in KINDS for _ in range(count)]
        draw.shuffle(kinds)
        calls = [draw.choice([call for call in CALLS[name] if kind == "eio" or call in WRITING]) for kind in kinds]
        numbers = [int(math.exp(draw.uniform(0, math.log(LAST.get(call, LAST_OF_OTHERS) + 1)))) for call in calls]
        # The aggregator renames a file when it writes the model, after the ledger has said that the task is over.
        return list(zip(kinds, calls, numbers)) + ([("eio", "rename", 1)] if name == "aggregator" else [])

    def test_roles_whose_disk_fails_lose_and_double_nothing(self):
        count, draw = int(OPTIONS["--faults"]), random.Random(int(OPTIONS["--seed"]))
        rounds = 1 + 3 * count
        text = role_processes.plan(rounds=rounds, epsilon0=0.5 if rounds < 20 else 0.1)
        deployment = self.deployment(devices=DEVICES, seconds=SECONDS, text=text, most=20 * rounds)
        deployment.start_servers()
        uploads = self.proxy(deployment, "client0", "shuffler", also=CLIENTS[1:])
        for name in ("issuer", "shuffler"):
            self.assertEqual(deployment.running[name].stop(), 0)
        roles = [FaultyRole(self, deployment, name, self.faults(draw, name, count)) for name in FAULTY]
        for name in CLIENTS[1:]:
            deployment.start_any(name)
        began = time.monotonic()
        # Faults that are not met before the task is over are left out.
        while any(role.has_met() for role in roles) or any(role.faults for role in roles) and not roles[2].is_done():
            for role in roles:
                if role.faults:
                    role.look()
            time.sleep(0.05)
        for role in roles:
            counted = collections.Counter(f"{kind} {call}" for kind, call in role.met)
            print(f"{role.name}: {', '.join(f'{number} {words}' for words, number in sorted(counted.items()))}")
            if role.faults and role.name != "aggregator":
                self.assertEqual(role.role.stop(), 0)
                role.faults = []
                role.start()
        met = [len(role.met) for role in roles]
        self.assertGreaterEqual(2 * sum(met), 3 * count * len(FAULTY), f"{met}: the task was over too early")
        aggregator = deployment.running["aggregator"]
        output = aggregator.process.communicate(timeout=20 * rounds * SECONDS)[0]
        self.assertEqual(aggregator.process.returncode, 0, aggregator.said())
        counts = self.expect_done(output, uploads, sum(DEVICES), rounds)["counts"]
        for name in ("issuer", "shuffler", *CLIENTS):
            self.assertEqual(deployment.running[name].stop(), 0, deployment.running[name].said())
        print(f"{sum(met)} faults (seed {OPTIONS['--seed']}); {counts}, after {time.monotonic() - began:.0f} s")


OPTIONS = {"--library": "", "--faults": "1", "--seed": "22"}

if __name__ == "__main__":
    muster_command.take_options(OPTIONS)
    muster_command.test_main()
