"""Ctrl-C ends a run within seconds, however large the step under way is, and the run loses only that step.

    python3 tests/cli/interrupt_test.py --command build/release/muster
"""

import json
import signal
import subprocess
import time
import unittest

import muster_command
import run_files
import small_runs

# A step of 10^9 coins and five million messages takes most of a minute. LIMIT, in seconds, is far less, but far more
# than the command needs to stop.
HUGE = ["--clients", "1e9", "--rate", "0.005", "--rounds", "2", "--threads", "1"]
LIMIT = 10


class InterruptTest(small_runs.SmallRuns):
    def interrupted(self, *flags):
        """Starts training, sends SIGINT into its first step, and returns its last line of output."""
        process = subprocess.Popen(self.command("train", "small.toml", "--json", *flags), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=self.folder)
        for line in process.stderr:
            if "training, 0 of" in line:
                break
        time.sleep(1)
        self.assertIsNone(process.poll(), "the step was too small to be interrupted")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        words, _ = process.communicate(timeout=300)
        self.assertLess(time.monotonic() - began, LIMIT)
        self.assertEqual(process.returncode, 130)
        return json.loads(words.splitlines()[-1])

    def test_a_step_of_a_thousand_million_coins_is_abandoned(self):
        plan = (self.folder / "small.toml").read_text()
        for name, randomizer, flags in (("message", 'kind = "ldp-sgd"\nepsilon0 = 0.5', []),
                                        ("sum", 'kind = "gaussian"\nsigma = 5.0', ["--fidelity", "sum"])):
            (self.folder / "small.toml").write_text(plan.replace('kind = "ldp-sgd"\nepsilon0 = 0.5', randomizer))
            for again in ([], ["--resume"]):
                result = self.interrupted("--out", name, *HUGE, *flags, *again)
                self.assertEqual((result["stopped"], result["rounds"], result["epsilon"]), ("interrupted", 0, 0))
            self.assertTrue((self.folder / name / "checkpoint").exists())
            self.assertFalse((self.folder / name / "result.json").exists())

    def test_a_run_that_is_resumed_is_the_run_that_was_not_interrupted(self):
        long_steps = ["--clients", "60000", "--rate", "1", "--rounds", "4", "--log-every", "1", "--threads", "2"]
        self.json_lines("--out", "whole", *long_steps)
        for lines in (1, 2):  # interrupts the step after the first line, then the next one
            status, printed = self.stop_after(1, "--out", "part", "--resume", *long_steps)
            self.assertEqual(status, 130)
            self.assertEqual((printed[-1]["stopped"], printed[-1]["rounds"]), ("interrupted", lines))
        self.json_lines("--out", "part", "--resume", *long_steps)
        self.assertEqual(run_files.files_of(self.folder / "part"), run_files.files_of(self.folder / "whole"))


if __name__ == "__main__":
    muster_command.test_main()
