"""Tests what a module of a framework and its page say: every example runs, and the types are clean."""

import doctest
import importlib
import inspect
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import unittest

import muster

OPTIONS = doctest.ELLIPSIS


class Documentation(unittest.TestCase):
    """A subclass says which package and which page."""

    package = ""
    page = ""

    def modules(self):
        whole = importlib.import_module(self.package)
        return [whole, *(importlib.import_module(f"{self.package}.{each.name}")
                         for each in pkgutil.iter_modules(whole.__path__))]

    def test_every_public_name_has_an_example(self):
        whole = self.modules()[0]
        for name in whole.__all__:
            public = getattr(whole, name)
            found = {name: public}
            if inspect.isclass(public):
                found |= {f"{name}.{member}": value for member, value in vars(public).items()
                          if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property))}
            for each, value in found.items():
                text = inspect.getdoc(value) or ""
                # What overrides a method of the framework is documented there.
                if isinstance(value, property) or each.count(".") == 0 or "Args:" in text or "Returns:" in text:
                    self.assertIn(">>> ", text, each)
                self.assertRegex(text, r"\A[A-Z]", each)

    def test_examples(self):
        for module in self.modules():
            result = doctest.testmod(module, optionflags=OPTIONS)
            self.assertEqual(result.failed, 0, module.__name__)
            self.assertGreater(result.attempted, 0, module.__name__)

    def test_the_page(self):
        path = pathlib.Path(self.page)
        blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreater(len(blocks), 1)
        shown = "\n".join(block + "\n" for block in blocks)
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        runner.run(doctest.DocTestParser().get_doctest(shown, {}, path.name, str(path), 0))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 5)

    def test_types(self):
        root = pathlib.Path(muster.__file__).parent
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--disable-error-code", "import-untyped",
                                   str(root.joinpath(*self.package.split(".")[1:]))], capture_output=True, text=True,
                                  check=False, cwd=cache,
                                  env={**os.environ, "MYPY_CACHE_DIR": cache, "MYPYPATH": str(root.parent)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
