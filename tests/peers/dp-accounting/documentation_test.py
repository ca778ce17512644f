"""Runs the examples of muster.dp_accounting and docs/dp-accounting.md, and checks the module's documentation and types.

    tools/check-peers dp-accounting
"""

import subprocess
import sys
import unittest

import adapter_documentation

import muster.dp_accounting


class Documentation(adapter_documentation.Documentation):
    module, page = muster.dp_accounting, "docs/dp-accounting.md"

    def imported_after(self, first):
        """Returns what the import of the module says after some statements."""
        done = subprocess.run([sys.executable, "-c", f"{first}\ntry: import muster.dp_accounting\n"
                               "except ImportError as error: print(type(error).__name__, error.name, error)"],
                              capture_output=True, text=True, check=True)
        return done.stdout

    # Without the package, the module says how to install it; with another version, what that version lacks.
    def test_another_version_and_none(self):
        self.assertEqual(self.imported_after("import sys; sys.modules['dp_accounting'] = None"),
                         "ModuleNotFoundError dp_accounting muster.dp_accounting needs the package dp-accounting: pip install dp-accounting\n")
        self.assertRegex(self.imported_after("import dp_accounting\ndel dp_accounting.NeighboringRelation"),
                         r"\AImportError dp_accounting muster\.dp_accounting was written for dp-accounting 0\.6; in this one, .*NeighboringRelation.*\n\Z")
        self.assertRegex(self.imported_after("import dp_accounting, sys; sys.modules['dp_accounting.pld'] = None"),
                         r"\AImportError dp_accounting.pld muster.* was written for .*dp_accounting.pld")
        # What the package itself lacks is said as Python says it.
        self.assertRegex(self.imported_after("import sys; sys.modules['attr'] = None"), r"\AModuleNotFoundError attr import")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
