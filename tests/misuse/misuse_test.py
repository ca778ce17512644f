"""Mistakes in the use of the library do not compile, and the corrected code does.

    python3 tests/misuse/misuse_test.py --compiler g++ --source mistakes.cc

The source marks each part that may be wrong, and the compiler reads the source twice. With the right parts it must
accept every line. With the wrong parts it must refuse exactly the lines that contain one.
"""

import argparse
import os
import pathlib
import re
import subprocess
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OPTIONS = None

# The compiler's messages about a name that does not exist. Such an error would prove nothing about the types.
UNKNOWN_NAME = re.compile(r"not declared|undeclared|no member named|has no member|does not name|unknown type")


def errors(*flags):
    """Returns the exit status of the compiler, and its error messages for each (file, line) that has any."""
    done = subprocess.run([OPTIONS.compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'src'}", *flags, OPTIONS.source],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, cwd=HERE, env={**os.environ, "LC_ALL": "C"})
    told = {}
    for line in done.stdout.splitlines():
        if found := re.match(r"(.*?):(\d+):\d+: (?:fatal )?error: (.*)", line):
            told.setdefault((found.group(1), int(found.group(2))), []).append(found.group(3))
    return done.returncode, told


class Misuse(unittest.TestCase):
    def test_the_right_tokens_compile(self):
        self.assertEqual(errors(), (0, {}))

    def test_each_wrong_token_is_refused_where_it_stands(self):
        lines = (HERE / OPTIONS.source).read_text(encoding="utf-8").splitlines()
        marked = {(OPTIONS.source, number) for number, line in enumerate(lines, 1)
                  if "MISTAKE(" in line and not line.startswith(("#", "//"))}
        self.assertGreater(len(marked), 15)
        status, told = errors("-DMISTAKES")
        self.assertNotEqual(status, 0)
        self.assertEqual(set(told), marked, "lines with an error and lines with a mistake")
        for (_, number), messages in told.items():
            for message in messages:
                self.assertNotRegex(message, UNKNOWN_NAME, lines[number - 1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--source", required=True, help="beside this file")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest])
