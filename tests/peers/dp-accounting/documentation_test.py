"""Tests what muster.dp_accounting and docs/dp-accounting.md say: every example runs, and the types are clean.

    tools/check-peers dp-accounting
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
import muster.dp_accounting as module

PAGE = pathlib.Path("docs/dp-accounting.md")
OPTIONS = doctest.ELLIPSIS


class Documentation(unittest.TestCase):
    def test_every_public_name_has_an_example(self):
        for name in module.__all__:
            public = getattr(module, name)
            own = {f"{name}.{member}": value for member, value in vars(public).items()
                   if inspect.isfunction(value) and not member.startswith("_")} if inspect.isclass(public) else {}
            for each, value in {name: public, **own}.items():
                self.assertIn(">>> ", inspect.getdoc(value) or "", each)
        defined = {name for name, value in vars(module).items() if not name.startswith("_")
                   and getattr(value, "__module__", "") == module.__name__}
        self.assertEqual(defined, set(module.__all__))

    def test_examples(self):
        result = doctest.testmod(module, optionflags=OPTIONS)
        self.assertEqual(result.failed, 0)
        self.assertGreater(result.attempted, 20)

    def test_the_page(self):
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
        self.assertGreater(len(blocks), 3)
        shown = "\n".join(block + "\n" for block in blocks)
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        runner.run(doctest.DocTestParser().get_doctest(shown, {}, PAGE.name, str(PAGE), 0))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 10)

    # The framework has no types of its own.
    def test_types(self):
        package = pathlib.Path(muster.__file__).parent
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--disable-error-code", "import-untyped",
                                   str(package / "dp_accounting.py")], capture_output=True, text=True, check=False,
                                  cwd=cache, env={**os.environ, "MYPY_CACHE_DIR": cache, "MYPYPATH": str(package.parent)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
