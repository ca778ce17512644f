"""Tests what muster.flower and docs/flower.md say.

    tools/check-peers flower
"""

import contextlib
import doctest
import importlib
import inspect
import io
import os
import pathlib
import pkgutil
import subprocess
import sys
import tempfile
import unittest

import adapter_documentation
from flwr.supercore.task_identity import TaskIdentity

import muster.flower

TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1


class Documentation(adapter_documentation.Documentation):
    module, page = muster.flower, "docs/flower.md"

    def parts(self):
        return [importlib.import_module(f"muster.flower.{each.name}")
                for each in pkgutil.iter_modules(muster.flower.__path__)]

    def test_every_public_name_has_an_example(self):
        defined = {name for part in self.parts() for name, value in vars(part).items()
                   if not part.__name__.split(".")[-1].startswith("_") and not name.startswith("_")
                   and inspect.isclass(value) and value.__module__ == part.__name__}
        self.assertEqual(defined, set(muster.flower.__all__))
        for name in sorted(defined):
            public = getattr(muster.flower, name)
            own = {f"{name}.{member}": value for member, value in vars(public).items() if not member.startswith("_")
                   and (inspect.isfunction(value) or isinstance(value, property))}
            for each, value in {name: public, **own}.items():
                self.assertIn(">>> ", inspect.getdoc(value) or "", each)

    def test_examples(self):
        attempted = 0
        for part in [muster.flower, *self.parts()]:
            result = doctest.testmod(part, optionflags=adapter_documentation.OPTIONS)
            self.assertEqual(result.failed, 0, part.__name__)
            attempted += result.attempted
        self.assertGreater(attempted, 60)

    # Of another Flower, the module says what this one lacks.
    def test_another_flower(self):
        done = subprocess.run([sys.executable, "-c", "import flwr.serverapp\ndel flwr.serverapp.PrivacySpent\n"
                               "try: import muster.flower\nexcept ImportError as error: print(error)"],
                              capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, r"\Amuster\.flower was written for Flower 1\.42; in this one, .*PrivacySpent.*\n\Z")

    def test_types_of_the_example(self):
        app = pathlib.Path("examples/python/flower_app").resolve()
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-p", "check_in_app"], capture_output=True,
                                  text=True, check=False, cwd=cache,
                                  env={**os.environ, "MYPY_CACHE_DIR": cache, "MYPYPATH":
                                       f"{app}:{pathlib.Path(muster.__file__).parents[1]}"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_page(self):
        with contextlib.redirect_stderr(io.StringIO()):  # Flower's log
            super().test_the_page()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
