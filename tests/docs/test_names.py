"""Every test that a page names exists, and every row of the page of faults names one.

    python3 tests/docs/test_names.py [ROOT]

A test is named as in the page of duties (duties.py): `Suite.Name` of a *_test.cc, or `file.py: name` of a function
below tests/.
"""

import re
import sys

import checker
import duties

FAULTS = "docs/faults.md"
ROW = re.compile(r"^\| (?!---)")


def rows_without_a_test(text):
    """Yields the numbers of the lines of tables that name no test. The first line of a table is its header."""
    lines = text.splitlines()
    for number, (before, line) in enumerate(zip([""] + lines, lines), 1):
        if ROW.match(line) and before.startswith("|") and not duties.NAME.search(line):
            yield number


def check(root):
    known, complaints = duties.tests_of(root), []
    pages = sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])
    for page in pages:
        where = page.relative_to(root)
        for number, words in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            complaints += [f"{where}:{number}: no test {name}" for name in duties.NAME.findall(words) if name not in known]
    if root / FAULTS not in pages:
        return complaints + [f"{FAULTS}: has the page moved?"]
    text = (root / FAULTS).read_text(encoding="utf-8")
    return complaints + [f"{FAULTS}:{number}: names no test" for number in rows_without_a_test(text)]


def main(arguments):
    return checker.run(check, "every test that a page names exists", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
