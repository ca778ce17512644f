#!/usr/bin/env python3
"""Checks which numbers of the papers' texts are in testdata/papers/*.toml, and which are missing.

    python3 tools/golden/paper_numbers.py [--seeds DIR] [--data DIR] [PAPER...]

For each paper, the program checks the ids in its TOML file, and the references between statements, figures and claims.
Every number that is a result must have a claim, and every parameter a figure. Every quoted passage must occur in the
paper's text. Every number of the text must be inside a passage that a statement quotes, or belong to a class that the
file lists under `ignored` with a reason. All other numbers are printed as left out. The exit status is 1 if anything is
wrong or left out. The papers' texts are not in this repository; without them, only the TOML files are checked.
testdata/papers/README.md explains the keys.
"""
import argparse
import pathlib
import re
import sys
import tomllib

KINDS = {"value", "ratio", "accuracy", "parameter", "exponent"}
CURVES = {"reported", "published", "corrected", "proven", "lower", "simulated"}
WORDS = r"twice|half|(?:two|three|four|five|ten) times|orders? of magnitude|factor of \w+"
NUMBER = re.compile(rf"\d[\d,]*(?:\.\d+)?|\b(?:{WORDS})\b")
# FORMULA finds inline formulas. GIVES_A_VALUE matches a formula that is a number or only assigns a value to a name,
# such as "$n = 10^7$" or "$\gamma = 0.1$".
FORMULA = re.compile(r"(?<!\$)\$(?!\$)((?:[^$])+)\$(?!\$)")
GIVES_A_VALUE = re.compile(
    r"^(?:(?:(?!\\leq|\\geq|\\in\b|\\mathb)[^=<>])*(?:=|\\simeq|\\approx))?"
    r"\s*\d[\d,.]*(?:\s*(?:\^|/|\\times)\s*(?:\{?-?\d[\d,.]*\}?|\w+\^\{[\d.]+\}))?\s*$")

PLAIN = re.compile(r"(\d[\d, ]*(?:\.\d+)?) ?%?")


def flat(text):
    """Returns the text without white space, and the position
    of each remaining character in the original text."""
    places = [place for place, letter in enumerate(text) if not letter.isspace()]
    return "".join(text[place] for place in places), places


def claims_of(paper):
    for figure, table in paper["figure"].items():
        for claim in table.get("claim", []):
            yield figure, claim


def quotes(paper):
    """Yields (who quotes, the passage, whether it covers numbers)
    for each quotation. Only the quotations of statements account for the numbers in them."""
    for statement in paper["statement"]:
        yield statement["id"], statement.get("seed_words", statement["words"]), True
    for figure, table in paper["figure"].items():
        yield f"caption of {figure}", table.get("seed_caption", table["caption"]), False
    for _, claim in claims_of(paper):
        yield claim["id"], claim.get("seed_words", claim["words"]), False


def complaints_of_numbers(statement):
    """Yields errors in a statement's `texts`. Each text that is a plain number
    must occur in the quoted words. If there are as many texts as numbers, the
    text must also equal the number at the same place of `numbers`."""
    one_each = len(statement["texts"]) == len(statement["numbers"])
    for place, text in enumerate(statement["texts"]):
        plain = PLAIN.fullmatch(text)
        if not plain:
            continue
        if flat(text)[0] not in flat(statement["words"])[0]:
            yield f"{statement['id']}: the quoted words do not have {text!r}"
        value = float(re.sub("[, ]", "", plain.group(1)))
        allowed = {value, value / 100} if "%" in statement["words"] else {value}
        if one_each and not any(abs(statement["numbers"][place] - a) <= 1e-12 * abs(a) for a in allowed):
            yield f"{statement['id']}: {text!r} is not {statement['numbers'][place]}"


def misnamed(where, names, figure, statements):
    """Yields errors in the names of statements that a figure or its claim refers to."""
    for name in names:
        if name not in statements:
            yield f"{where}: no statement {name}"
        elif figure not in statements[name]["figures"]:
            yield f"{where}: {name} does not name {figure}"


def complaints_of_file(paper, figures):
    """Yields errors within one file; `figures` are the ids of all papers' figures."""
    statements = {}
    for statement in paper["statement"]:
        name = statement["id"]
        if name in statements:
            yield f"{name}: stands twice"
        statements[name] = statement
        if statement["kind"] not in KINDS:
            yield f"{name}: kind {statement['kind']}"
        if not statement["texts"] or not statement["numbers"]:
            yield f"{name}: without text or number"
        yield from complaints_of_numbers(statement)
        for key in ("what", "unit", "where", "words", "figures"):
            if not statement[key]:
                yield f"{name}: {key} is empty"
        for figure in statement["figures"]:
            if figure not in figures:
                yield f"{name}: no figure {figure}"
    judged, seen = set(), set()
    for figure, table in paper["figure"].items():
        for key in ("caption", "where", "x", "y", "parameters", "unstated"):
            if key not in table:
                yield f"{figure}: no {key}"
        if "curve" not in table and "same_curves_as" not in table:
            yield f"{figure}: no curves"
        for curve in table.get("curve", []):
            if curve["kind"] not in CURVES or not curve["code"] or not curve["formula"]:
                yield f"{figure}: curve {curve['name']}"
        yield from misnamed(figure, table["parameters"], figure, statements)
    for figure, claim in claims_of(paper):
        if claim["id"] in seen:
            yield f"{claim['id']}: stands twice"
        seen.add(claim["id"])
        if not claim["check"]:
            yield f"{claim['id']}: nothing to check"
        yield from misnamed(claim["id"], claim["statements"], figure, statements)
        judged.update(claim["statements"])
    listed = {name for table in paper["figure"].values() for name in table["parameters"]}
    for name, statement in statements.items():
        if statement["kind"] == "parameter":
            if name not in listed:
                yield f"{name}: a parameter of no figure"
        elif name not in judged:
            yield f"{name}: has no claim"


def spans_of_ignored(paper, text):
    """Yields (start, end, reason) of each passage of the text that a rule under `ignored` covers."""
    for rule in paper["ignored"]:
        if "between" in rule:
            first, last = rule["between"]
            start = text.find(first)
            end = text.find(last, start + 1) if last else len(text)
            if start < 0 or end < 0:
                raise SystemExit(f"{paper['paper']}: no passage between {first!r} and {last!r}")
            yield start, end, rule["reason"]
        elif rule.get("formulas"):
            for match in FORMULA.finditer(text):
                if not GIVES_A_VALUE.match(match.group(1)):
                    yield match.start(), match.end(), rule["reason"]
        else:
            for match in re.finditer(rule["pattern"], text, re.M):
                yield match.start(), match.end(), rule["reason"]


def examine_text(paper, text):
    """Returns (complaints, number of quoted numbers, number of ignored numbers for each reason)."""
    complaints = []
    even, places = flat(text)
    quoted = []
    for name, words, is_statement in quotes(paper):
        wanted = flat(words)[0]
        start = even.find(wanted)
        if start < 0:
            complaints.append(f"{name}: the text does not have {words!r}")
        while start >= 0 and is_statement:
            quoted.append((places[start], places[start + len(wanted) - 1] + 1))
            start = even.find(wanted, start + 1)
    ignored = list(spans_of_ignored(paper, text))
    counts = {rule["reason"]: 0 for rule in paper["ignored"]}
    covered = 0
    for match in NUMBER.finditer(text):
        if any(start <= match.start() < end for start, end in quoted):
            covered += 1
            continue
        reason = next((why for start, end, why in ignored if start <= match.start() < end), None)
        if reason is None:
            line = text.count("\n", 0, match.start()) + 1
            around = text[max(0, match.start() - 50):match.end() + 40].replace("\n", " ")
            complaints.append(f"line {line}: {match.group()!r} is left out: ...{around}...")
        else:
            counts[reason] += 1
    for reason, count in counts.items():
        if count == 0:
            complaints.append(f"ignored: nothing of the class {reason!r}")
    return complaints, covered, counts


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=pathlib.Path, default=root.parent / "shared" / "seeds")
    parser.add_argument("--data", type=pathlib.Path, default=root / "testdata" / "papers")
    parser.add_argument("papers", nargs="*", metavar="PAPER")
    options = parser.parse_args()
    files = {file.stem: tomllib.loads(file.read_text(encoding="utf-8")) for file in sorted(options.data.glob("*.toml"))}
    figures = {figure for paper in files.values() for figure in paper["figure"]}
    wrong = False
    for name in options.papers or files:
        paper = files[name]
        complaints = list(complaints_of_file(paper, figures))
        claims = sum(1 for _ in claims_of(paper))
        numbers = sum(len(statement["numbers"]) for statement in paper["statement"])
        print(f"{name}: {len(paper['statement'])} statements, {numbers} numbers, {len(paper['figure'])} figures and tables, "
              f"{claims} claims")
        text = options.seeds / paper["text"]
        if text.exists():
            more, covered, counts = examine_text(paper, text.read_text(encoding="utf-8"))
            complaints += more
            print(f"  {covered} numbers of the text are quoted")
            for reason, count in counts.items():
                print(f"  {count} ignored: {reason}")
        else:
            print(f"  {text} is not here: the quoted words were not compared")
        for complaint in complaints:
            print(f"  {complaint}")
        wrong = wrong or bool(complaints)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
