"""Finds imports of what is neither in Python's standard library nor allowed, for two rules of house_rules.py."""

import re
import sys

IMPORTED = re.compile(r"^\s*(?:import|from)\s+(\w+)", re.M)
DOCSTRING = re.compile(r'"""(?:.|\n)*?"""')

# What users of the Python package have, besides the standard library. matplotlib is imported where it is used.
FOR_USERS = {"muster", "numpy", "matplotlib"}


def _complaints(scripts, root, known, wrong):
    complaints = []
    for path in scripts:
        # Docstrings keep their line ends, so that lines keep their numbers.
        text = DOCSTRING.sub(lambda found: "\n" * found.group(0).count("\n"), path.read_text(encoding="utf-8"))
        for match in IMPORTED.finditer(text):
            if match.group(1) not in known:
                line = text.count("\n", 0, match.start(1)) + 1
                complaints.append(f"{path.relative_to(root)}:{line}: {match.group(1)} {wrong}")
    return complaints


def of_scripts(scripts, root):
    """Returns a complaint about each import from outside; scripts in folders named peers run other projects."""
    known = sys.stdlib_module_names | {path.stem for path in scripts}
    own = [path for path in scripts if path.parent.name != "peers"]
    return _complaints(own, root, known, "is not in Python's standard library")


def of_package(scripts, root):
    """Returns a complaint about each import that users of the package need not have."""
    known = sys.stdlib_module_names | FOR_USERS | {path.stem for path in scripts} | {"muster_command"}
    return _complaints(scripts, root, known, "is neither in Python's standard library nor numpy")
