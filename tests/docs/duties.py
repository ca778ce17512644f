"""Each duty in docs/theory/what-the-system-owes.md names tests that check it, and each named test exists.

    python3 tests/docs/duties.py [ROOT]

A test is named in backticks: `Suite.Name` of a *_test.cc, or `file.py: name` of a function below tests/. A paragraph
that begins with "Kept" and names a test is required in each section but the last, in each part of a section that begins
with "**Do.**" or with a phrase in italics other than *Proof.*, and in each item of a list.
"""

import re
import sys

import checker

PAGE = "docs/theory/what-the-system-owes.md"
LAST = "Where the code keeps these"
NAME = re.compile(r"`([A-Z]\w*\.[A-Z]\w*|[a-z_]+\.py: \w+)`")
KEPT = re.compile(r"^ *Kept\b", re.M)
PART = re.compile(r"^(?:\*\*Do\.\*\*|\*(?!Proof)[A-Z][^*]*\.\*)", re.M)


def tests_of(root):
    """Returns the names of all C++ tests and of all functions
    of the Python scripts below tests/, as pages write them."""
    found = set()
    for path in sorted([*(root / "src").rglob("*_test.cc"), *(root / "tests").rglob("*_test.cc")]):
        for suite, name in re.findall(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", path.read_text(encoding="utf-8")):
            found.add(f"{suite}.{name}")
    for path in sorted((root / "tests").rglob("*.py")):
        for name in re.findall(r"^ *def (\w+)\(", path.read_text(encoding="utf-8"), re.M):
            found.add(f"{path.name}: {name}")
    return found


def duties_of(text):
    """Yields the parts of the page that must name a test, each with the line it begins in."""
    sections = list(re.finditer(r"^## (.*)$", text, re.M))
    for section, after in zip(sections, sections[1:] + [None]):
        if section.group(1) == LAST:
            continue
        end = after.start() if after else len(text)
        starts = [match.start() for match in re.finditer(r"^- ", text[section.end():end], re.M)]
        if not starts:
            starts = [0] + [match.start() for match in PART.finditer(text, section.end(), end)]
            starts[1:] = [start - section.end() for start in starts[1:]]
        starts = [section.end() + start for start in starts]
        for start, stop in zip(starts, starts[1:] + [end]):
            yield text.count("\n", 0, start) + 1, text[start:stop]


def check(root):
    text = (root / PAGE).read_text(encoding="utf-8")
    known, complaints, count = tests_of(root), [], 0
    for line, duty in duties_of(text):
        count += 1
        kept = KEPT.search(duty)
        if kept is None or not NAME.search(duty, kept.end()):
            complaints.append(f"{PAGE}:{line}: names no test that keeps it")
    if count == 0:
        complaints.append(f"{PAGE}: no duties found: has the page moved?")
    for number, words in enumerate(text.splitlines(), 1):
        complaints += [f"{PAGE}:{number}: no test {name}" for name in NAME.findall(words) if name not in known]
    return complaints


def main(arguments):
    return checker.run(check, "every duty names a test, and every test exists", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
