"""Runs the examples of muster.pfl and docs/pfl.md, and checks the module's documentation and types.

    tools/check-peers pfl
"""

import sys
import unittest

import adapter_documentation

import muster.pfl


class Documentation(adapter_documentation.Documentation):
    module, page = muster.pfl, "docs/pfl.md"


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
