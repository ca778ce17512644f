"""Runs the examples of muster.flower and docs/flower.md, and checks the module's documentation and types.

    tools/check-peers flower
"""

import contextlib
import io
import pathlib
import subprocess
import sys
import unittest

import adapter_documentation
from flwr.supercore.task_identity import TaskIdentity

import muster.flower

TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1


class Documentation(adapter_documentation.Documentation):
    module, page = muster.flower, "docs/flower.md"

    # With another version of Flower, the module says what that version lacks.
    def test_another_flower(self):
        done = subprocess.run([sys.executable, "-c", "import flwr.serverapp\ndel flwr.serverapp.PrivacySpent\n"
                               "try: import muster.flower\nexcept ImportError as error: print(error)"],
                              capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\Amuster\.flower was written for Flower 1\.42; in this one, .*PrivacySpent.*\n\Z")

    def test_types_of_the_example(self):
        clean, said = adapter_documentation.types_of("-p", "check_in_app",
                                                     path=[pathlib.Path("examples/python/flower_app").resolve()])
        self.assertTrue(clean, said)

    def test_the_page(self):
        with contextlib.redirect_stderr(io.StringIO()):  # Flower's log
            super().test_the_page()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
