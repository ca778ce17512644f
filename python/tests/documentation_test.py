"""Tests the package's documentation: every public name has a docstring with an example, and all examples run.

Also, the keywords of muster.plan are the flags of the command, and the Python of docs/python.md runs and prints what the
page shows.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/documentation_test.py --command build/release/muster
"""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re
import subprocess
import sys
import unittest

import muster_command

import muster

PAGE = pathlib.Path("docs/python.md")
OPTIONS = doctest.ELLIPSIS
# Modules that need a framework; their tests are in tests/peers.
OF_FRAMEWORKS = {"dp_accounting", "flower", "opacus", "pfl", "torch"}


def modules():
    return [importlib.import_module(f"muster.{each.name}") for each in pkgutil.iter_modules(muster.__path__)
            if not each.name.startswith("_") and each.name not in OF_FRAMEWORKS]


def documented():
    """Returns every public function, class, method and property of the package, by its dotted name."""
    found = {}
    for name in muster.__all__:
        public = getattr(muster, name)
        if inspect.isclass(public):
            found[f"muster.{name}"] = public
            for member, value in vars(public).items():
                value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    found[f"muster.{name}.{member}"] = value
        elif callable(public):
            found[f"muster.{name}"] = public
    return found


class Documentation(unittest.TestCase):
    maxDiff = None

    # Without its framework, a module says in one line what to install; importing the package needs no framework.
    def test_modules_of_frameworks_say_what_to_install(self):
        named = {each.name for each in pkgutil.iter_modules(muster.__path__)} & OF_FRAMEWORKS
        self.assertGreater(len(named), 0)
        for name in sorted(named):
            missing = subprocess.run(
                [sys.executable, "-c", "import sys\n"
                 "for each in ('dp_accounting', 'flwr', 'opacus', 'pfl', 'torch'): sys.modules[each] = None\n"
                 f"import muster\ntry: import muster.{name}\nexcept ImportError as error: print(error)"],
                capture_output=True, text=True, check=True).stdout
            self.assertRegex(missing, r"\Amuster\.\w+ needs .*pip install .*\n\Z", name)

    def test_every_public_name_has_an_example(self):
        names = documented()
        self.assertGreater(len(names), 50)
        for name, public in names.items():
            text = inspect.getdoc(public) or ""
            self.assertIn(">>> ", text, f"{name} has no example")
            self.assertRegex(text.splitlines()[0], r"^[A-Z].*", name)
        for module in [muster, *modules()]:
            self.assertTrue(module.__doc__, module)

    # What `from muster import *` gives is what the package has, and every public name of its modules is among it.
    def test_all_is_complete(self):
        public = {name for module in modules() for name, value in vars(module).items()
                  if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
                  and (inspect.isclass(value) or inspect.isfunction(value))}
        self.assertEqual(public | {"__version__"}, set(muster.__all__))

    def test_examples(self):
        for module in [muster, *modules()]:
            result = doctest.testmod(module, optionflags=OPTIONS)
            self.assertEqual(result.failed, 0, module.__name__)
        examples = [example for each in doctest.DocTestFinder().find(muster.plan, "plan", module=False)
                    for example in each.examples]
        self.assertGreater(len(examples), 0)

    def test_the_page(self):
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS)
        text = PAGE.read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
        self.assertGreater(len(blocks), 3)
        for block in blocks:
            self.assertIn(">>> ", block)
        # The empty line after each block keeps a shown result from running on into the next block.
        shown = "\n".join(block + "\n" for block in blocks)
        runner.run(parser.get_doctest(shown, {}, PAGE.name, str(PAGE), 0))
        self.assertEqual(runner.summarize(verbose=False).failed, 0)
        self.assertGreater(runner.tries, 10)

    def test_the_keywords_of_plan_are_the_flags_of_the_command(self):
        parameters = inspect.signature(muster.plan).parameters
        keywords = {name for name, each in parameters.items() if each.kind is inspect.Parameter.KEYWORD_ONLY}
        table = muster._muster.key_table()
        self.assertEqual(keywords, {row["keyword"] for row in table})
        self.assertEqual([name for name, each in parameters.items() if each.kind is inspect.Parameter.VAR_KEYWORD],
                         ["unknown"])
        for row in table:
            if row["flag"]:
                self.assertEqual(row["flag"], "--" + row["keyword"].replace("_", "-"))
        text = re.sub(r"\s+", " ", muster.plan.__doc__)
        shown = set()
        for command in ("account", "train"):
            helped = muster_command.run(command, "--help").stdout
            section = re.search(r"\nPlan \(each flag overrides.*?\n(.*?)(?:\n\n|\Z)", helped, re.S)
            self.assertIsNotNone(section, helped)
            shown |= set(re.findall(r"^\s+(--[\w-]+)", section.group(1), re.M))
        self.assertEqual({flag[2:].replace("-", "_") for flag in shown}, keywords - {"name"})
        # The docstring says of every key what the command's help says of its flag.
        helped = re.sub(r"\s+", " ", "".join(muster_command.run(command, "--help").stdout
                                             for command in ("account", "train")))
        for row in table:
            self.assertIn(f"{row['keyword']}: {row['key']}: {row['meaning']}: {row['allowed']}", text)
            if row["flag"]:
                self.assertIn(row["meaning"], helped)


if __name__ == "__main__":
    muster_command.test_main()
