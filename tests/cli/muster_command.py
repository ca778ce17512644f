"""Runs the built command for the tests of this folder: `test_main()` takes --command and runs unittest."""

import json
import os
import subprocess
import sys
import unittest

COMMAND = None
BASE = {"--protocol": "shuffled-check-in", "--clients": "60000", "--rate": "0.1", "--randomizer": "ldp-sgd",
        "--epsilon0": "2", "--rounds": "6800", "--delta": "1e-5"}


def run(*arguments, **options):
    return subprocess.run([COMMAND, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=300,
                          **{"text": True, **options})


def flags(**changes):
    """Returns the flags of BASE, some of them changed (`epsilon0="3"`) or left out (`delta=None`)."""
    words = dict(BASE)
    for name, value in changes.items():
        flag = "--" + name.replace("_", "-")
        words.pop(flag, None)
        if value is not None:
            words[flag] = value
    return [word for pair in words.items() for word in pair]


class CommandTest(unittest.TestCase):
    maxDiff = None

    def one_line(self, done):
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout + done.stderr)
        self.assertTrue(done.stdout.endswith("\n"))
        return json.loads(done.stdout)

    def refused(self, *arguments, status=2):
        """Returns the error of a command that must be refused: always in words on stderr, and with --json
        also as one line on stdout that says the same."""
        words = run(*arguments)
        self.assertEqual(words.returncode, status, (arguments, words.stdout, words.stderr))
        self.assertEqual(words.stdout, "")
        self.assertTrue(words.stderr.startswith("muster: "), words.stderr)
        self.assertEqual(words.stderr.count("\n"), 1, words.stderr)
        both = run(*arguments, "--json")
        self.assertEqual((both.returncode, both.stderr), (status, words.stderr))
        error = self.one_line(both)["error"]
        self.assertEqual(list(error), ["code", "kind", "reason", "key", "value", "allowed", "message"])
        self.assertEqual(error["code"], status)
        self.assertEqual(error["reason"] != "", error["kind"] in ("plan", "usage"), error)
        self.assertEqual(words.stderr, f"muster: {error['message']}\n")
        return error


def take_options(options):
    """Takes the flags that are keys of `options`, and their values, from the command line."""
    for flag in options:
        if flag in sys.argv:
            at = sys.argv.index(flag)
            options[flag] = sys.argv[at + 1]
            del sys.argv[at:at + 2]


def test_main():
    global COMMAND
    at = sys.argv.index("--command")
    COMMAND = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(module="__main__")
