"""Runs the package's own tests with numpy 2, whose arrays differ in memory from those of Debian's numpy 1.

    tools/check-peers numpy2
"""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import numpy as np

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--command", type=pathlib.Path, required=True)
COMMAND = parser.parse_args().command.resolve()


class Numpy2(unittest.TestCase):
    def test_the_packages_tests_pass(self):
        self.assertEqual(np.__version__.split(".")[0], "2")
        tests = sorted(pathlib.Path("python/tests").glob("*_test.py"))
        # These two need programs of Debian, and no arrays.
        chosen = [each for each in tests if each.name not in ("plot_test.py", "types_test.py")]
        self.assertGreater(len(chosen), 7)
        path = os.pathsep.join([os.environ["PYTHONPATH"], "tests/cli"])
        for each in chosen:
            with self.subTest(each.name):
                done = subprocess.run([sys.executable, each, "--command", COMMAND], capture_output=True, text=True,
                                      check=False, env={**os.environ, "PYTHONPATH": path})
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    # A shell starts jobs in the background with Ctrl-C ignored, which the tests of Ctrl-C would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(argv=sys.argv[:1])
