"""Reads the text exposition format of Prometheus, version 0.0.4, and refuses what is not in it."""

import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]Inf|NaN")
KINDS = ("counter", "gauge")


def read(text):
    """Returns for each family its kind, and for each sample of it, by its labels, the number.

    A family is a HELP line, a TYPE line and its samples, together; no family and no sample is there twice. A time at
    the end of a line, which the format allows, is refused, because no role tells one.
    """
    if not text.endswith("\n"):
        raise ValueError("the last line has no end")
    families, helped, current = {}, set(), None
    for number, line in enumerate(text[:-1].split("\n"), 1):
        where = f"line {number}: {line}"
        words = line.split(" ", 3)
        if line.startswith("# HELP "):
            if len(words) < 4 or not re.fullmatch(NAME, words[2]) or words[2] in helped:
                raise ValueError(f"a malformed or second HELP in {where}")
            helped.add(words[2])
            current = None
        elif line.startswith("# TYPE "):
            if len(words) != 4 or words[3] not in KINDS or words[2] in families or words[2] not in helped:
                raise ValueError(f"a malformed or second TYPE in {where}")
            current = words[2]
            families[current] = (words[3], {})
        else:
            match = SAMPLE.fullmatch(line)
            if not match or match.group(1) != current or not NUMBER.fullmatch(match.group(3)):
                raise ValueError(f"no sample of its family in {where}")
            labels, samples = match.group(2) or "", families[current][1]
            value = float(match.group(3).replace("Inf", "inf"))
            if labels in samples or math.isnan(value) or (families[current][0] == "counter" and value < 0):
                raise ValueError(f"a second or impossible sample in {where}")
            samples[labels] = value
    if helped != set(families) or not all(samples for _, samples in families.values()):
        raise ValueError("a family has no type or no sample")
    return families
