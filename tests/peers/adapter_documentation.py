"""Tests the documentation of a module for users of a framework, and its page: every example runs, and types are clean.

    class Documentation(adapter_documentation.Documentation):
        module, page = muster.pfl, "docs/pfl.md"
"""

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


def types_of(*targets, path=()):
    """Runs mypy --strict, and returns whether the types are clean and what it says.

    Some frameworks have no types, so classes that are derived from theirs have none either.
    """
    package = pathlib.Path(muster.__file__).parent
    found = os.pathsep.join(str(each) for each in (*path, package.parent))
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--allow-subclassing-any",
                               "--disable-error-code", "import-untyped", *targets],
                              capture_output=True, text=True, check=False, cwd=cache,
                              env={**os.environ, "MYPY_CACHE_DIR": cache, "MYPYPATH": found})
    return done.returncode == 0, done.stdout + done.stderr


class Documentation(unittest.TestCase):
    """The tests of one module, which may be a package, and of its page. A subclass states both."""

    module = None
    page = ""

    @classmethod
    def setUpClass(cls):
        if cls.module is None:
            raise unittest.SkipTest("only the modules' own classes are tests")

    def parts(self):
        """Returns the module, or the package and its modules."""
        return [self.module, *(importlib.import_module(f"{self.module.__name__}.{each.name}")
                               for each in pkgutil.iter_modules(getattr(self.module, "__path__", [])))]

    def test_every_public_name_has_an_example(self):
        for name in self.module.__all__:
            public = getattr(self.module, name)
            own = {f"{name}.{member}": value for member, value in vars(public).items() if not member.startswith("_")
                   and (inspect.isfunction(value) or isinstance(value, property))} if inspect.isclass(public) else {}
            for each, value in {name: public, **own}.items():
                text = inspect.getdoc(value) or ""
                self.assertRegex(text, r"\A[A-Z]", each)
                # A method that overrides one of the framework, without arguments of its own, needs no example.
                if each == name or isinstance(value, property) or "Args:" in text or "Returns:" in text:
                    self.assertIn(">>> ", text, each)

    # Every public name of the modules is among those that the package gives.
    def test_all_is_complete(self):
        defined = {name for part in self.parts() for name, value in vars(part).items()
                   if not name.startswith("_") and not part.__name__.split(".")[-1].startswith("_")
                   and (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == part.__name__}
        self.assertEqual(defined, set(self.module.__all__))

    def test_examples(self):
        attempted = 0
        for part in self.parts():
            result = doctest.testmod(part, optionflags=OPTIONS)
            self.assertEqual(result.failed, 0, part.__name__)
            attempted += result.attempted
        self.assertGreater(attempted, 20)

    def test_the_page(self):
        page = pathlib.Path(self.page)
        blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
        shown = "\n".join(block + "\n" for block in blocks)
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        runner.run(doctest.DocTestParser().get_doctest(shown, {}, page.name, str(page), 0))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 5)

    def test_types(self):
        file = pathlib.Path(self.module.__file__)
        clean, said = types_of(str(file.parent if file.name == "__init__.py" else file))
        self.assertTrue(clean, said)
