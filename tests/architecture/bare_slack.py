"""Finds allowances for rounding errors that are derived nowhere; house_rules.py applies this to the rooms that round
bounds outward.

A factor such as 1 + 1e-12 or 1 - 0x1p-50 must have a name, which is declared in numerics/slack.h or where the factor is
derived (docs/theory/arithmetic.md). So must a small number that is added to a value or multiplied by one. A constexpr
is such a name. A multiple of a unit round-off or of an ulp, such as 8 * kUnit or x * kUlp, must have a comment at the
end of its line or in the three lines above it.
"""

import re

# A factor near 1 whose distance from 1 has no name, such as 1 + 1e-12, 1 - 4e-16L, 1.0 + 2.3e-16 or 1 - 0x1p-50.
FACTOR = re.compile(r"(?<![\w.])1(?:\.0*)?L?\s*[+-]\s*(?:\d[\d.]*e|0x[\da-f.]+p)-\d+", re.I)
# A number from 1e-19 to 9.9e-10, or from 2^-69 to less than 2^-26 in hexadecimal, that is multiplied, added or
# subtracted, such as 1e-15 * x, x * 1e-15, x + 1e-12L or 0x1p-50 * x.
SMALL = r"(?<![\w.])(?:\d[\d.]*e-1\d|0x[\da-f.]+p-[3-6]\d)(?!\d)"
ADDED = re.compile(rf"{SMALL}[lf]?\s*\*|(?:\*|[\w)\]]\s*[+-])\s*{SMALL}", re.I)
# A multiple of a unit round-off or of an ulp, such as 8 * kUnit, kUlpAbove * (n + 2), (m + 8) * kUlp or
# 4 * std::numeric_limits<T>::epsilon().
UNIT = r"(?:\bkUnit(?:Roundoff)?\b|\bkUlp(?:Above)?\b|\bnumeric_limits<[\w ]+>::epsilon\(\))"
MULTIPLE = re.compile(rf"\*\s*(?:\w+::)*{UNIT}|{UNIT}\s*\*")
NO_COUNT = "a multiple of a unit round-off; count its roundings in a comment above it"


def found(text, rounds):
    """Yields (line, complaint). If `rounds` is false, only factors near 1 are looked for."""
    before = ""  # the last characters of the line before, if it ends with an operator
    commented = -3  # the last line with a comment
    for number, line in enumerate(text.splitlines(), 1):
        own = line.split("//")[0].rstrip()
        code = f"{before} {own.lstrip()}"
        before = own[-4:] if own[-1:] in ("*", "+", "-") else ""
        commented = number if "//" in line else commented
        if FACTOR.search(code):
            yield number, "a bare factor near 1; name it, as numerics/slack.h does"
        elif rounds and "constexpr" not in code and ADDED.search(code):
            yield number, "a bare small number; name it, as numerics/slack.h does"
        if rounds and commented < number - 3 and MULTIPLE.search(own):
            yield number, NO_COUNT
