"""Every file or folder of the tree that a page of docs/decisions names in backticks exists. A page that
begins with "Superseded by" may name files that are gone. Only its link to a later page is checked.

A name with a slash, or one that ends like a file of code, is a path from the root or from src/muster. A name without a
slash is a file anywhere below the root or src. What a build writes (build/) need not exist.

    python3 tests/docs/decisions.py [ROOT]
"""

import re
import sys

import checker

PAGES = "docs/decisions"
PATH = re.compile(r"`((?!build/)(?:[\w.*-]+/[\w./*-]*|[\w*-]+\.(?:h|cc|py|txt|md|toml)))`")
SUPERSEDED = re.compile(r"Superseded by \[(\d+)\]\((\d{4})-[\w-]+\.md\)\.\n")


def exists(root, name):
    if "/" not in name:
        return any(root.glob(name)) or any((root / "src").rglob(name))
    return any(root.glob(name)) or any((root / "src/muster").glob(name))


def check(root):
    complaints, named = [], 0
    for page in sorted((root / PAGES).glob("0*.md")):
        text = page.read_text(encoding="utf-8")
        if text.startswith("Superseded"):
            later = SUPERSEDED.match(text)
            if not later or int(later.group(1)) != int(later.group(2)) or later.group(2) <= page.name[:4]:
                complaints.append(f"{PAGES}/{page.name}:1: does not name a later page")
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for name in PATH.findall(line):
                named += 1
                if not exists(root, name):
                    complaints.append(f"{PAGES}/{page.name}:{number}: {name} does not exist")
    return complaints if named else [f"{PAGES}: names no file: have the pages moved?"]


def main(arguments):
    return checker.run(check, "every file that a decision names exists", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
