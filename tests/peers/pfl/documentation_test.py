"""Runs the examples of muster.pfl and docs/pfl.md, and checks the module's documentation and types.

    tools/check-peers pfl
"""

import subprocess
import sys
import unittest

import adapter_documentation

import muster.pfl


class Documentation(adapter_documentation.Documentation):
    module, page = muster.pfl, "docs/pfl.md"

    def imported_after(self, first):
        """Returns what the import of the module says after some statements."""
        done = subprocess.run([sys.executable, "-c", f"{first}\ntry: import muster.pfl\n"
                               "except ImportError as error: print(type(error).__name__, error.name, error)"],
                              capture_output=True, text=True, check=True)
        return done.stdout

    # Without the package, the module says how to install it; with another version, what that version lacks.
    def test_another_version_and_none(self):
        self.assertEqual(self.imported_after("import sys; sys.modules['pfl'] = None"),
                         "ModuleNotFoundError pfl muster.pfl needs the package pfl: pip install pfl\n")
        self.assertRegex(self.imported_after("import pfl.stats\ndel pfl.stats.WeightedStatistics"),
                         r"\AImportError pfl.stats muster\.pfl was written for pfl 0\.6; in this one, .*WeightedStatistics.*\n\Z")
        self.assertRegex(self.imported_after("import pfl, sys; sys.modules['pfl.metrics'] = None"),
                         r"\AImportError pfl.metrics muster.* was written for .*pfl.metrics")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
