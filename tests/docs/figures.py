"""Compares tables of training results in the documentation with the stored logs from which they were taken.

A table that follows a line `<!-- figures: LOG -->` has a column `round` and may have columns `accuracy` and `epsilon`.
The round of each row must be in LOG, which has JSON lines as `muster train --json` prints them. An accuracy (0.873 or
87.3 %) must be the logged one rounded to nearest. An epsilon must be the logged one rounded UP in its last shown digit,
so that a table never shows an epsilon below the proven one.

A table that follows `<!-- matrix: LOG -->` has protocols as rows and randomizers as columns. Each cell has accuracy,
epsilon and seconds, separated by ` / `. LOG has one line for each protocol and randomizer: the last JSON line of the
training run, with "plan": "PROTOCOL-RANDOMIZER" added. Every line of LOG must be shown.

    python3 tests/docs/figures.py [--root ROOT] README.md ...
"""

import argparse
import decimal
import itertools
import json
import pathlib
import re
import sys
from decimal import Decimal

MARK = re.compile(r"<!-- figures: (\S+) -->")
MATRIX = re.compile(r"<!-- matrix: (\S+) -->")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def wrong_cell(kind, shown, logged):
    """Returns a complaint if the shown number is not the logged number rounded, or None."""
    number = re.match(r"([\d.]+)( ?%)?$", shown.replace("**", "").replace("≤", "").strip())
    if not number:
        return f"{shown!r} is not a figure"
    figure = Decimal(number.group(1))
    exact = Decimal(repr(logged)) * (100 if number.group(2) else 1)
    rounding = decimal.ROUND_CEILING if kind == "epsilon" else decimal.ROUND_HALF_EVEN
    expected = exact.quantize(Decimal(1).scaleb(figure.as_tuple().exponent), rounding=rounding)
    return None if figure == expected else f"{kind} shown {figure}, the log gives {expected} ({logged})"


def entries_of(log):
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def table_after(lines, at):
    """Returns the line numbers of the table that follows line `at`; there may be empty lines before it."""
    first = at + 1
    while first < len(lines) and not lines[first].strip():
        first += 1
    return list(itertools.takewhile(lambda number: lines[number].startswith("|"), range(first, len(lines))))


def check_matrices(page, root):
    complaints, shown = [], 0
    lines = (root / page).read_text(encoding="utf-8").splitlines()
    marks = [(at, MATRIX.match(line)) for at, line in enumerate(lines) if MATRIX.match(line)]
    for log in dict.fromkeys(mark.group(1) for _, mark in marks):
        missing = {entry["plan"]: entry for entry in entries_of(root / log)}
        for at, mark in marks:
            if mark.group(1) != log:
                continue
            table = table_after(lines, at)
            if len(table) < 3:
                complaints.append(f"{page}:{at + 1}: no table follows the mark")
                continue
            randomizers = [name.strip("`") for name in cells(lines[table[0]])[1:]]
            for number in table[2:]:
                protocol, *figures = cells(lines[number])
                for randomizer, figure in zip(randomizers, figures):
                    where, plan = f"{page}:{number + 1}", f"{protocol.strip('`')}-{randomizer}"
                    entry = missing.pop(plan, None)
                    parts = figure.split(" / ")
                    if entry is None or len(parts) != 3:
                        complaints.append(f"{where}: {plan}: {figure!r} is not three figures of a plan in {log}")
                        continue
                    shown += 1
                    for kind, part in zip(("accuracy", "epsilon", "seconds"), parts):
                        wrong = wrong_cell(kind, part, entry[kind])
                        if wrong:
                            complaints.append(f"{where}: {plan}: {wrong}")
        complaints += [f"{page}: {plan} of {log} is not shown" for plan in missing]
    return complaints, shown


def check_page(page, root):
    complaints, rows = check_matrices(page, root)
    lines = (root / page).read_text(encoding="utf-8").splitlines()
    for at, line in enumerate(lines):
        mark = MARK.match(line)
        if not mark:
            continue
        log = {entry["round"]: entry for entry in entries_of(root / mark.group(1)) if "round" in entry}
        table = table_after(lines, at)
        if len(table) < 3:
            complaints.append(f"{page}:{at + 1}: no table follows the mark")
            continue
        header = [cell.lower() for cell in cells(lines[table[0]])]
        for number in table[2:]:
            row = dict(zip(header, cells(lines[number])))
            rows += 1
            where = f"{page}:{number + 1}"
            entry = log.get(int(row["round"].replace(",", "")))
            if entry is None:
                complaints.append(f"{where}: round {row['round']} is not in {mark.group(1)}")
                continue
            for kind in ("accuracy", "epsilon"):
                if kind in row:
                    wrong = wrong_cell(kind, row[kind], entry[kind])
                    if wrong:
                        complaints.append(f"{where}: {wrong}")
    return complaints, rows


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=".")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args(arguments)
    complaints, rows = [], 0
    for page in options.pages:
        found, count = check_page(page, pathlib.Path(options.root))
        complaints += found
        rows += count
    print("\n".join(complaints + [f"{rows} rows of figures, {len(complaints)} not as logged"]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
