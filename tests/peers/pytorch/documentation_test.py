"""Runs the examples of muster.torch, docs/pytorch.md and examples/python/own_pytorch_model.py, and checks the module's
documentation and types.

    tools/check-peers pytorch
"""

import subprocess
import sys
import unittest

import adapter_documentation

import muster.torch


class Documentation(adapter_documentation.Documentation):
    module, page = muster.torch, "docs/pytorch.md"

    def test_the_program(self):
        done = subprocess.run([sys.executable, "examples/python/own_pytorch_model.py"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"epsilon   at most (1\.0000|0\.9\d+) at delta 1e-05\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
