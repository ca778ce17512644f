"""Runs the examples of muster.opacus and docs/opacus.md, and checks the module's documentation and types.

    tools/check-peers opacus
"""

import sys
import unittest

import adapter_documentation

import muster.opacus


class Documentation(adapter_documentation.Documentation):
    module, page = muster.opacus, "docs/opacus.md"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
