"""docs/theory/README.md has a row, with a page, for each bound id in the rooms theorems, accounting and papers, and no
other rows.

    python3 tests/docs/bound_ids.py [ROOT]
"""

import re
import sys

import checker

ROOMS = ["theorems", "accounting", "papers"]
# An id is either assigned or the first argument of a function that makes several similar bounds.
NAMED = re.compile(r'(?:\.id = |\b(?:approach|as_plotted|by_formula|renyi_lower_bound)\(\s*)"([a-z0-9-]+)"')
ROW = re.compile(r"^\| (`[^|]*`) \|[^|]*\| ([^|]*) \|", re.M)


def named_ids(root):
    sources = sorted(path for room in ROOMS for path in (root / "src/muster" / room).rglob("*.cc"))
    return {found for path in sources if not path.name.endswith("_test.cc")
            for found in NAMED.findall(path.read_text(encoding="utf-8"))}


def documented_ids(index):
    rows = {}
    for ids, pages in ROW.findall(index):
        for name in re.findall(r"`([a-z0-9-]+)`", ids):
            rows[name] = re.findall(r"\]\(([^)#]+)", pages)
    return rows


def check(root):
    named = named_ids(root)
    folder = root / "docs/theory"
    rows = documented_ids((folder / "README.md").read_text(encoding="utf-8"))
    complaints = [f"{name}: named in the code, no row in docs/theory/README.md" for name in sorted(named - rows.keys())]
    complaints += [f"{name}: a row, but no code names it" for name in sorted(rows.keys() - named)]
    for name, pages in sorted(rows.items()):
        if not pages or not all((folder / page).is_file() for page in pages):
            complaints.append(f"{name}: its row leads to no page")
    if not named:
        complaints.append("no bound ids found: have the rooms moved?")
    return complaints


def main(arguments):
    return checker.run(check, "every bound has its page", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
