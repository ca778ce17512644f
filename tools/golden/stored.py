"""Reads the values that a test stores, and compares them with those that a generator of this folder computes."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Figure(float):
    """A number whose member `half` is half a unit of its last written digit."""

    def __new__(cls, text, **known):
        text = text.replace("'", "").strip().rstrip("L")
        figure = super().__new__(cls, eval(text, {"__builtins__": {}}, known))
        written = re.fullmatch(r"-?\d*\.(\d+)(?:e(-?\d+))?|-?\d+(?:e(-?\d+))?", text)
        if written:
            decimals, exponent = len(written[1] or ""), int(written[2] or written[3] or 0)
            figure.half = 0.5 * 10.0 ** (exponent - decimals) * (1 + 1e-6)
        return figure


def part(path, start):
    """Returns the text of a file from `start` to the next empty
    line or the end of the function, whichever comes first."""
    text = (ROOT / path).read_text(encoding="utf-8")
    begin = text.index(start)
    return text[begin:min(end for end in (text.find(mark, begin) for mark in ("\n\n", "\n}\n")) if end >= 0)]


def rows(path, start, name="Row", **known):
    """Returns the numbers of every `name{...}` in part(path, start).
    `known` gives the values of names that occur among them."""
    found = re.findall(rf"\b{name}\{{([^{{}}]*)\}}", part(path, start))
    if not found:
        raise SystemExit(f"{path}: no {name} after '{start}'")
    return [tuple(Figure(cell, **known) for cell in row.split(",")) for row in found]


def expected(path, start, call="EXPECT_NEAR"):
    """Returns the second argument of every call of `call` in part(path, start), if it is a number."""
    return [Figure(value) for value in re.findall(rf"\b{call}\(.*?, ([0-9.e-]+)(?:, [0-9.e-]+)?\);", part(path, start))]


class Comparison:
    """Prints computed values beside stored ones and remembers whether all agree."""

    def __init__(self):
        self.differ = 0

    def near(self, label, computed, figure, tolerance=None):
        """Compares the two values. Without a tolerance, they must agree to the last digit of the stored figure."""
        good = abs(computed - figure) <= (figure.half if tolerance is None else tolerance)
        self.differ += not good
        print(f"{label}: computed {computed:.12g}, stored {figure:.12g}{'' if good else '  DIFFERENT'}", flush=True)

    def between(self, label, least, figure, most):
        """The stored figure must be at least `least`, up to half a unit of its last digit, and at most `most`."""
        good = least - figure.half <= figure <= most
        self.differ += not good
        print(f"{label}: computed {least:.12g}, stored {figure:.12g}{'' if good else '  DIFFERENT'}", flush=True)

    def below(self, label, computed, figure, share):
        """The stored figure may be below the computed value by the
        relative `share`, and above it by half a unit of its last digit."""
        good = (1 - share) * computed <= figure <= computed + figure.half
        self.differ += not good
        print(f"{label}: computed {computed:.12g}, stored {figure:.12g}{'' if good else '  DIFFERENT'}", flush=True)

    def leave(self):
        """Ends the program, with status 1 if a value differed."""
        raise SystemExit(1 if self.differ else 0)
