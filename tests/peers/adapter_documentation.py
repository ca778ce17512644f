"""Tests what a module for users of a framework and its page say: every example runs, and the types are clean.

    class Documentation(adapter_documentation.Documentation):
        module, page = muster.pfl, "docs/pfl.md"
"""

import doctest
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import muster

OPTIONS = doctest.ELLIPSIS


class Documentation(unittest.TestCase):
    module = None
    page = ""

    @classmethod
    def setUpClass(cls):
        if cls.module is None:
            raise unittest.SkipTest("only the modules' own classes are tests")

    def test_every_public_name_has_an_example(self):
        for name in self.module.__all__:
            public = getattr(self.module, name)
            own = {f"{name}.{member}": value for member, value in vars(public).items() if not member.startswith("_")
                   and (inspect.isfunction(value) or isinstance(value, property))} if inspect.isclass(public) else {}
            for each, value in {name: public, **own}.items():
                self.assertIn(">>> ", inspect.getdoc(value) or "", each)
        defined = {name for name, value in vars(self.module).items() if not name.startswith("_")
                   and getattr(value, "__module__", "") == self.module.__name__}
        self.assertEqual(defined, set(self.module.__all__))

    def test_examples(self):
        result = doctest.testmod(self.module, optionflags=OPTIONS)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 20)

    def test_the_page(self):
        page = pathlib.Path(self.page)
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
        shown = "\n".join(block + "\n" for block in blocks)
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        runner.run(doctest.DocTestParser().get_doctest(shown, {}, page.name, str(page), 0))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 10)

    # The frameworks have no types of their own.
    def test_types(self):
        package = pathlib.Path(muster.__file__).parent
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--disable-error-code", "import-untyped",
                                   self.module.__file__], capture_output=True, text=True, check=False, cwd=cache,
                                  env={**os.environ, "MYPY_CACHE_DIR": cache, "MYPYPATH": str(package.parent)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
