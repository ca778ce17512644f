"""Tests what muster.torch, docs/pytorch.md and examples/python/own_pytorch_model.py say.

    tools/check-peers pytorch
"""

import subprocess
import sys
import unittest

import module_documentation


class PyTorch(module_documentation.Documentation):
    package = "muster.torch"
    page = "docs/pytorch.md"

    def test_the_program(self):
        done = subprocess.run([sys.executable, "examples/python/own_pytorch_model.py"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"epsilon   at most (1\.0000|0\.9\d+) at delta 1e-05\n")


def load_tests(loader, tests, pattern):
    return loader.loadTestsFromTestCase(PyTorch)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
