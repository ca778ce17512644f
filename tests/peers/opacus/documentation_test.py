"""Tests what muster.opacus and docs/opacus.md say.

    tools/check-peers opacus
"""

import sys
import unittest

import module_documentation


class Opacus(module_documentation.Documentation):
    package = "muster.opacus"
    page = "docs/opacus.md"


def load_tests(loader, tests, pattern):
    return loader.loadTestsFromTestCase(Opacus)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
