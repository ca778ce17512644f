"""Finds imports of what is neither in Python's standard library nor allowed, for two rules of house_rules.py."""

import re
import sys

IMPORTED = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)
DOCSTRING = re.compile(r'"""(?:.|\n)*?"""')

# What users of the Python package have, besides the standard library. matplotlib is imported where it is used.
FOR_USERS = {"muster", "numpy", "matplotlib"}
# Modules of the package for users of a framework may import this framework, and no other module may.
FRAMEWORKS = {"torch": {"torch"}, "opacus": {"opacus", "torch"}, "flower": {"flwr"}, "pfl": {"pfl"},
              "dp_accounting": {"attr", "dp_accounting"}}


def _complaints(path, root, known, wrong):
    complaints = []
    # Docstrings keep their line ends, so that lines keep their numbers.
    text = DOCSTRING.sub(lambda found: "\n" * found.group(0).count("\n"), path.read_text(encoding="utf-8"))
    for match in IMPORTED.finditer(text):
        if match.group(1) not in known:
            line = text.count("\n", 0, match.start(1)) + 1
            complaints.append(f"{path.relative_to(root)}:{line}: {match.group(1)} {wrong}")
    return complaints


def of_scripts(scripts, root):
    """Returns a complaint about each import from outside, except below folders that need more than Python.

    Scripts below `peers` run other projects, and those below `bench/python` measure the package with numpy.
    """
    known = sys.stdlib_module_names | {path.stem for path in scripts}
    folders = {path: path.relative_to(root).parts for path in scripts}
    own = [path for path in scripts if "peers" not in folders[path] and folders[path][:2] != ("bench", "python")]
    return [each for path in own
            for each in _complaints(path, root, known, "is not in Python's standard library")]


def of_package(scripts, root):
    """Returns a complaint about each import that users of the package need not have."""
    known = sys.stdlib_module_names | FOR_USERS | {path.stem for path in scripts} | {"muster_command"}
    known -= set().union(*FRAMEWORKS.values())
    complaints = []
    for path in scripts:
        # A framework's module is python/muster/<name>.py, or a folder of this name.
        names = {path.stem, path.parent.name}
        allowed = known.union(*(FRAMEWORKS[name] for name in names & FRAMEWORKS.keys()))
        complaints += _complaints(path, root, allowed, "is neither in Python's standard library nor numpy")
    return complaints
