"""Runs the examples of muster.dp_accounting and docs/dp-accounting.md, and checks the module's documentation and types.

    tools/check-peers dp-accounting
"""

import sys
import unittest

import adapter_documentation

import muster.dp_accounting


class Documentation(adapter_documentation.Documentation):
    module, page = muster.dp_accounting, "docs/dp-accounting.md"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
