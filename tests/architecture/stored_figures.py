"""Finds figures in tests that do not say where they come from; house_rules.py applies this to the rooms of numbers.

A figure is an argument of EXPECT_NEAR, EXPECT_LE and the like that is a decimal number of six or more significant
digits. Its source is a generator of tools/golden or a page of docs, and is named in a comment of the same function, in
the comment above that function, or in the comment that opens the file. What a closed form gives is written as an
expression, which is no figure. Numbers just below or above a power of ten, such as 0.999999, are thresholds and no
figures either. Numbers in tables of rows are not looked at.
"""

import re

import long_functions

CALL = re.compile(r"\b(?:EXPECT|ASSERT)_(?:NEAR|EQ|LE|GE|LT|GT|(?:DOUBLE|FLOAT)_EQ)\(")
DECIMAL = re.compile(r"-?((?:\d[\d']*)?\.\d*)(?:e[-+]?\d+)?[lf]?", re.I)
THRESHOLD = re.compile(r"9{4,}\d*|10{3,}\d*")
SOURCE = re.compile(r"\btools/golden/\w+\.py\b|\bdocs/[\w/.-]+\.md\b")


def arguments(code, start):
    """Yields (position, argument) of the call whose parenthesis opens just before `start`."""
    depth, begin = 0, start
    for at in range(start, len(code)):
        if depth == 0 and code[at] in ",)":
            yield begin, code[begin:at].strip()
            begin = at + 1
            if code[at] == ")":
                return
        depth += (code[at] in "([{") - (code[at] in ")]}")


def is_figure(argument):
    number = DECIMAL.fullmatch(argument)
    digits = re.sub(r"[.']", "", number.group(1)).strip("0") if number else ""
    return len(digits) >= 6 and not THRESHOLD.fullmatch(digits)


def comments(lines):
    return "\n".join(line[line.index("//"):] for line in lines if "//" in line)


def without_source(text):
    """Yields (line, figure) for each figure whose source is not named."""
    lines, code = text.splitlines(), long_functions.blanked(text)
    opening = next((number for number, line in enumerate(lines) if not line.startswith("//")), 0)
    for call in CALL.finditer(code):
        for position, argument in arguments(code, call.end()):
            if not is_figure(argument):
                continue
            number = text.count("\n", 0, position + len(code[position:]) - len(code[position:].lstrip()))
            # A function and the comment above it begin after an empty line, at the line's first column.
            first = number
            while first > 0 and (lines[first - 1] or not re.match(r"\S", lines[first])):
                first -= 1
            last = next((at for at in range(number, len(lines)) if lines[at].startswith("}")), len(lines) - 1)
            if not SOURCE.search(comments(lines[:opening]) + "\n" + comments(lines[first:last + 1])):
                yield number + 1, argument
