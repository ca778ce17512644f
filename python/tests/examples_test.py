"""Runs the examples of examples/python, and checks that the notebook shows what its cells print now.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/examples_test.py --command build/release/muster
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import muster_command

EXAMPLES = pathlib.Path("examples/python")
# Something that each example prints, for the examples which need numpy alone.
PRINTED = {
    "own_randomizer_profile.py": r"0\.2 +1\.800 +0\.18\d+ +0\.30\d+",
    "plan_a_launch.py": r"the shuffler colludes: epsilon at most 1\d\d\.\d+",
    "own_numpy_model.py": r"epsilon   at most 1\.0000 and at least 0\.9\d+ at delta 1e-06",
}


def ran(*words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300)


class Examples(unittest.TestCase):
    def test_programs(self):
        for name, printed in PRINTED.items():
            with self.subTest(name):
                done = ran(EXAMPLES / name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, printed)

    def test_notebook(self):
        done = ran("tools/notebook", EXAMPLES / "tour.ipynb", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("9 cells", done.stdout)

    # The check must see a changed word, a changed number and an output that is missing.
    def test_a_changed_notebook_is_found(self):
        cell = {"cell_type": "code", "source": ["print('sum', 0.5 + 0.25)"],
                "outputs": [{"name": "stdout", "output_type": "stream", "text": ["sum 0.75\n"]}]}
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "small.ipynb"
        for text, expected in (("sum 0.75\n", 0), ("sum 0.76\n", 0), ("sum 0.77\n", 1), ("total 0.75\n", 1), ("", 1)):
            cell["outputs"][0]["text"] = [text]
            path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
            done = ran("tools/notebook", path, "--check")
            self.assertEqual(done.returncode, expected, (text, done.stderr))


if __name__ == "__main__":
    muster_command.test_main()
