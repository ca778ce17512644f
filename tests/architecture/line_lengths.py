"""Finds comments and prose that are too wide; house_rules.py applies this to every source and page."""

import re

MAX_OF_COMMENTS = 110  # ColumnLimit of .clang-format
MAX_OF_PROSE = 100

SPAN = re.compile(r"`[^`]*`")
NO_PROSE = re.compile(r"\s*(\||#|<|!\[)")  # a table, a heading, HTML, a picture
MARK = re.compile(r"\s*(?:[-*+] |\d+\. )?")  # what a line of prose begins with


def comments(text, where):
    return [f"{where}:{number}: a comment of {len(line)} columns, more than {MAX_OF_COMMENTS}"
            for number, line in enumerate(text.splitlines(), 1)
            if len(line) > MAX_OF_COMMENTS and line.lstrip().startswith("//")]


def prose(text, where):
    """Returns a complaint for each line of a page that is too wide and has a space at which it can be broken. Formulas
    and commands between backticks stay on one line, and examples of code are as wide as they are."""
    complaints, is_code, is_indented, before = [], False, False, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        mark = MARK.match(line).group()
        is_indented = line.startswith("    ") and not mark.strip() and (is_indented or not before.strip())
        breakable = " " in SPAN.sub(lambda span: "x" * len(span.group()), line)[len(mark):MAX_OF_PROSE + 1]
        if len(line) > MAX_OF_PROSE and breakable and not (is_code or is_indented or NO_PROSE.match(line)):
            complaints.append(f"{where}:{number}: prose of {len(line)} columns, more than {MAX_OF_PROSE}")
        before = line
    return complaints
