"""The table "Exit status" of docs/plan.md and the manual agree with exit_status() and name_of() in the code.

    python3 tests/docs/exit_status.py [ROOT]
"""

import re
import sys

import checker

ROW = re.compile(r"^\| (\d+) \|([^|]*)\| ([^|]*) \|$", re.M)
CASE = re.compile(r"case ErrorCode::(\w+):|return ([^;]+);")


def returned(source, function):
    """Returns the value that the switch of a function returns for each ErrorCode, as text."""
    body = re.search(r"\b%s\(ErrorCode code\) \{\n(.*?)\n\}" % function, source, re.S)
    values, waiting = {}, []
    for code, value in CASE.findall(body.group(1) if body else ""):
        if code:
            waiting.append(code)
        else:
            values.update((each, value.strip('"')) for each in waiting)
            waiting = []
    return values


def table_of(page):
    """Returns the kinds and the meaning of each exit status."""
    section = page.partition("## Exit status\n")[2].partition("\n## ")[0]
    return {status: (set(re.findall(r"`(\w+)`", kinds)), meaning) for status, kinds, meaning in ROW.findall(section)}


def check(root):
    source = (root / "src/muster/core/error.cc").read_text(encoding="utf-8")
    statuses, names = returned(source, "exit_status"), returned(source, "name_of")
    table = table_of((root / "docs/plan.md").read_text(encoding="utf-8"))
    manual = (root / "docs/man/sections.h2m").read_text(encoding="utf-8").partition("[EXIT STATUS]")[2].partition("\n[")[0]
    expected = {"0": set()}
    for code, status in statuses.items():
        expected.setdefault(status, set()).add(names.get(code, code))
    complaints = [] if len(statuses) > 1 and names.keys() == statuses.keys() else ["error.cc: exit_status() cannot be read"]
    for status in sorted(expected.keys() | table.keys(), key=int):
        kinds, meaning = table.get(status, (None, ""))
        if kinds != expected.get(status):
            complaints.append(f"docs/plan.md: status {status} has the kinds {kinds}, in the code {expected.get(status)}")
        elif f".TP\n{status}\n{meaning}\n" not in manual:
            complaints.append(f"docs/man/sections.h2m: status {status} is not described as in docs/plan.md")
    return complaints


def main(arguments):
    return checker.run(check, "the pages say what the exit status is", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
