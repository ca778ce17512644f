"""Reads the values that a test stores, and compares them with what a generator of this folder computes."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def part(path, start):
    """The text of a file from `start` to the next line that is empty or closes a function."""
    text = (ROOT / path).read_text(encoding="utf-8")
    begin = text.index(start)
    return text[begin:min(end for end in (text.find(mark, begin) for mark in ("\n\n", "\n}\n")) if end >= 0)]


def rows(path, start, name="Row", **known):
    """The numbers of every `name{...}` in that part; `known` gives the values of the names that stand among them."""
    found = re.findall(rf"\b{name}\{{([^{{}}]*)\}}", part(path, start))
    if not found:
        raise SystemExit(f"{path}: no {name} after '{start}'")
    return [tuple(eval(cell.replace("'", ""), {"__builtins__": {}}, known) for cell in row.split(",")) for row in found]


def expected(path, start):
    """The second arguments of every EXPECT_NEAR in that part."""
    found = re.findall(r"EXPECT_NEAR\(.*, ([0-9.e-]+), [0-9.e-]+\);", part(path, start))
    return [float(value) for value in found]


class Comparison:
    """Prints computed values beside stored ones and remembers whether all agree."""

    def __init__(self):
        self.differ = 0

    def near(self, label, computed, value, tolerance):
        good = abs(computed - value) <= tolerance
        self.differ += not good
        print(f"{label}: computed {computed:.12g}, stored {value:.12g}{'' if good else '  DIFFERENT'}", flush=True)

    def leave(self):
        """Ends the program, with status 1 if a value differed."""
        raise SystemExit(1 if self.differ else 0)
