"""Tests the package's types: `mypy --strict` finds no error, and `_muster.pyi` says what the built extension has.

The test needs Debian's mypy; without it, the exit status is 77.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import muster_command

import muster

if importlib.util.find_spec("mypy") is None:
    print("skipped: mypy is not installed")
    sys.exit(77)

PACKAGE = pathlib.Path(muster.__file__).parent


class Types(unittest.TestCase):
    def run_module(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, check=False,
                                  cwd=cache, env={**os.environ, "MYPY_CACHE_DIR": cache})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_strict(self):
        # Modules for users of frameworks are checked where the frameworks are installed (tests/peers).
        self.run_module("mypy", "--strict", str(PACKAGE), "--exclude", r"/(dp_accounting|flower|opacus|pfl|torch)\b")

    def test_the_stub_is_true(self):
        self.run_module("mypy.stubtest", "muster._muster", "--ignore-unused-allowlist", "--allowlist",
                        str(pathlib.Path(__file__).with_name("stubtest_allowlist.txt").resolve()))

    # A stub that names what the extension does not have, or lacks what it has, is refused.
    def test_a_false_stub_is_found(self):
        stub = (PACKAGE / "_muster.pyi").read_text(encoding="utf-8")
        for wrong in (stub + "def no_such() -> int: ...\n", stub.replace("    def html(self) -> str: ...\n", "", 1)):
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / "muster"
                shutil.copytree(PACKAGE, copy)
                (copy / "_muster.pyi").write_text(wrong, encoding="utf-8")
                done = subprocess.run(
                    [sys.executable, "-m", "mypy.stubtest", "muster._muster", "--allowlist",
                     str(pathlib.Path(__file__).with_name("stubtest_allowlist.txt").resolve())],
                    capture_output=True, text=True, check=False, cwd=folder, env={**os.environ, "PYTHONPATH": folder})
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("Found 1 error", done.stdout)

    # With the types of the package, mypy finds mistakes in programs, such as a text in place of a number.
    def test_mistakes_are_found(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8") as file:
            file.write("import muster\nmuster.plan(protocol=3)\nx: str = muster.Plan.read('a').hash\n"
                       "muster.account('plan')\n")
            file.flush()
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", file.name], capture_output=True, text=True,
                                  check=False, cwd=tempfile.gettempdir(),
                                  env={**os.environ, "MYPYPATH": str(PACKAGE.parent), "MYPY_CACHE_DIR": os.devnull})
        self.assertIn("Found 2 errors", done.stdout)


if __name__ == "__main__":
    muster_command.test_main()
