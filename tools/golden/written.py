#!/usr/bin/env python3
"""Runs the generators whose whole output is stored, and compares it with what the repository holds.

    python3 tools/golden/written.py           # those that take a second
    python3 tools/golden/written.py --long    # those that take minutes

The program exits with status 1 and names each generator whose output differs from the stored one.
"""
import filecmp
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "theory" / "reference-values.md"


def output(generator, *arguments):
    done = subprocess.run([sys.executable, ROOT / "tools" / "golden" / f"{generator}.py", *arguments],
                          capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def same_file(generator, stored):
    """Returns whether the generator prints the file byte for byte."""
    return output(generator) == (ROOT / stored).read_text(encoding="utf-8")


def same_folder(generator, stored):
    """Returns whether the generator, given an empty folder, writes the files of the stored one, and no others."""
    with tempfile.TemporaryDirectory() as folder:
        output(generator, folder)
        ours = {p.relative_to(folder) for p in pathlib.Path(folder).rglob("*") if p.is_file()}
        theirs = {p.relative_to(ROOT / stored) for p in (ROOT / stored).rglob("*") if p.is_file()}
        return ours == theirs and all(
            filecmp.cmp(pathlib.Path(folder) / name, ROOT / stored / name, shallow=False) for name in ours)


def coefficients_in_source(generator, source):
    """Returns whether each coefficient in the source, except -2 ln 2, is one that the generator prints."""
    printed = set(re.findall(r"-?\d\.\d+e[+-]\d+f", output(generator)))
    text = (ROOT / source).read_text(encoding="utf-8")
    used = set(re.findall(r"hn::Set\(d, (-?\d\.\d{9}e[+-]\d+f)\)", text))
    return len(used) > 10 and used - {f"{-2 * math.log(2):.9e}f"} <= printed


def rows_in_page(generator):
    """Returns whether each table row that the generator prints stands in the page, up to digits left out there."""
    rows = [cells_of(line) for line in output(generator).splitlines() if line.startswith("|")]
    stored = [cells_of(line) for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return bool(rows) and all(any(len(there) == len(row) and all(map(same_cell, row, there)) for there in stored)
                              for row in rows)


def cells_of(line):
    """Returns the cells of a table's row, without empty ones at its end."""
    return re.split(r"\s*\|\s*", line.strip(" |"))


def same_cell(computed, stored):
    """Returns whether the cells are the same text, the same number, or the stored one is the computed one rounded."""
    if computed == stored:
        return True
    try:
        decimals = len(stored.partition(".")[2]) if "e" not in stored else 0
        return float(computed) == float(stored) or (decimals > 0 and f"{float(computed):.{decimals}f}" == stored)
    except ValueError:
        return False


QUICK = {"keyed_stream": lambda g: same_file(g, "testdata/keyed_stream.txt"),
         "wire": lambda g: same_file(g, "testdata/wire-v1.txt"),
         "normals": lambda g: same_file(g, "testdata/normals.txt"),
         "fuzz_corpus": lambda g: same_folder(g, "tests/fuzz/corpus"),
         "normal_polynomials": lambda g: coefficients_in_source(g, "src/muster/random/normals-inl.h")}
LONG = {"plain_shuffle": rows_in_page, "shuffle_gaussian_rdp": rows_in_page,
        "check_in_profile": lambda g: same_file(g, "testdata/check_in_profile.txt")}


def main():
    differ = []
    for generator, compare in (LONG if "--long" in sys.argv[1:] else QUICK).items():
        same = compare(generator)
        print(f"{generator}: {'as stored' if same else 'DIFFERENT'}", flush=True)
        if not same:
            differ.append(generator)
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
