"""Calls that change files fail in a running deployment: no role goes on after an error, and nothing is lost or doubled.

    python3 tests/cli/disk_faults_test.py --command build/release/muster
        --library build/release/tests/support/libmuster_disk_faults.so [--faults N] [--seed N]

Issuer, shuffler, aggregator and a client of six devices run at the same time, each with a library
(tests/support/disk_faults.cc) that makes one of its calls fail: with EIO, with ENOSPC as do all later writes, or
with a write of half of the bytes. After the first two, the role has to end with exit 3 and the name of the file. It is
started again at once for its next fault, and goes on without faults once it has had all of them.
"""

import math
import os
import random
import re
import time

import muster_command
import role_processes
from deployed_tasks import DeployedTasks

DEVICES = (6, 6, 1, 1)
CLIENTS = [f"client{i}" for i in range(len(DEVICES))]
FAULTY = ("issuer", "shuffler", "aggregator", "client0")
KINDS = {"eio": ("Input/output error", "disk I/O error"),
         "enospc": ("No space left on device", "database or disk is full"),
         "short": ()}
SECONDS = 3
# A role makes more calls than this in two rounds.
LAST_CALL = 200


class FaultyRole:
    """One role with the faults that it has yet to meet."""

    def __init__(self, test, deployment, name, faults):
        self.test, self.deployment, self.name, self.faults, self.met = test, deployment, name, faults, []
        self.report = test.folder / f"{name}.fault"
        self.start()

    def start(self):
        """Starts the role with its next fault, or without one."""
        self.report.unlink(missing_ok=True)
        environment, self.began = {}, time.monotonic()
        if self.faults:
            self.kind, at = self.faults[0]
            environment = {"LD_PRELOAD": os.path.abspath(OPTIONS["--library"]), "DISK_FAULTS_AT": str(at),
                           "DISK_FAULTS_FOLDER": str(self.test.folder.resolve() / self.name),
                           "DISK_FAULTS_KIND": self.kind, "DISK_FAULTS_REPORT": str(self.report)}
        self.role = self.deployment.start_any(self.name, environment)
        if not self.faults:
            self.deployment.expect_up(self.name)

    def look(self):
        """Goes on to the next fault once the role has met this one, and done what it has to do then."""
        ended = self.role.process.poll()
        reported = self.report.read_text().split() if self.report.exists() else None
        if reported is None:
            self.test.assertIn(ended, (None, 0) if self.name == "aggregator" else (None,), self.role.said())
            return
        if self.kind == "short":
            # A role that met half a write early goes on all the same.
            if ended is None:
                self.deployment.expect_up(self.name)
                ended = self.role.stop()
            self.test.assertEqual(ended, 0, self.role.said())
        elif ended is None:
            self.test.assertLess(time.monotonic(), self.began + 2 * role_processes.PATIENCE,
                                 f"{self.name} goes on after {reported}")
            return
        else:
            self.role.process.communicate()
            self.expect_refusal(*reported)
        self.met.append((self.kind, reported[0]))
        self.faults.pop(0)
        self.start()

    def expect_refusal(self, call, path):
        """The role has said which file failed and how, and nothing after that."""
        said = self.role.said()
        self.test.assertEqual(self.role.process.returncode, 3, (call, path, said))
        # The file for which a journal or a temporary file stands is the one that is known to an operator.
        file = re.sub(r"-wal|-journal|\.\d+-\d+\.tmp", "", os.path.relpath(path, self.test.folder.resolve()))
        message = said.splitlines()[-1]
        self.test.assertIn(file, message, (call, path))
        self.test.assertTrue(any(words in message for words in KINDS[self.kind]), message)


class DiskFaults(DeployedTasks):
    def faults(self, draw, count):
        """As many faults of each kind, at calls of which the first ones are the most likely."""
        kinds = [kind for kind in KINDS for _ in range(count)]
        draw.shuffle(kinds)
        return [(kind, int(math.exp(draw.uniform(0, math.log(LAST_CALL))))) for kind in kinds]

    def test_roles_whose_disk_fails_lose_and_double_nothing(self):
        count, draw = int(OPTIONS["--faults"]), random.Random(int(OPTIONS["--seed"]))
        rounds = 2 + 4 * count
        text = role_processes.plan(rounds=rounds, epsilon0=0.5 if rounds < 20 else 0.1)
        deployment = self.deployment(devices=DEVICES, seconds=SECONDS, text=text, most=20 * rounds)
        deployment.start_servers()
        uploads = self.proxy(deployment, "client0", "shuffler", also=CLIENTS[1:])
        for name in ("issuer", "shuffler"):
            self.assertEqual(deployment.running[name].stop(), 0)
        roles = [FaultyRole(self, deployment, name, self.faults(draw, count)) for name in FAULTY]
        for name in CLIENTS[1:]:
            deployment.start_any(name)
        began = time.monotonic()
        while any(role.faults for role in roles) and roles[2].role.process.poll() != 0:
            for role in roles:
                if role.faults:
                    role.look()
            time.sleep(0.05)
        had = time.monotonic()
        for role in roles:
            print(f"{role.name}: {', '.join(f'{kind} {call}' for kind, call in role.met)}")
            if role.faults and role.name != "aggregator":
                self.assertEqual(role.role.stop(), 0)
                role.faults = []
                role.start()
        self.assertGreaterEqual(2 * sum(len(role.met) for role in roles), 3 * count * len(FAULTY),
                                "the task was over too early")
        aggregator = deployment.running["aggregator"]
        output = aggregator.process.communicate(timeout=20 * rounds * SECONDS)[0]
        self.assertEqual(aggregator.process.returncode, 0, aggregator.said())
        counts = self.expect_done(output, uploads, sum(DEVICES), rounds)["counts"]
        for name in ("issuer", "shuffler", *CLIENTS):
            self.assertEqual(deployment.running[name].stop(), 0, deployment.running[name].said())
        print(f"{had - began:.0f} s with faults (seed {OPTIONS['--seed']}), {time.monotonic() - began:.0f} s in all; "
              f"{counts}")


OPTIONS = {"--library": "", "--faults": "1", "--seed": "1"}

if __name__ == "__main__":
    muster_command.take_options(OPTIONS)
    muster_command.test_main()
