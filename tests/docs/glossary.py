"""Every name in backticks in the last column of docs/glossary.md occurs in the sources: as a word, a file or a folder.

    python3 tests/docs/glossary.py [ROOT]
"""

import re
import sys

import checker

PAGE = "docs/glossary.md"
ROW = re.compile(r"^\|[^|]*\|[^|]*\|([^|]*)\|$", re.M)
NAME = re.compile(r"`([^`]+)`")


def check(root):
    """Returns the complaints, one for each name that occurs in no source."""
    files = [path for path in (root / "src").rglob("*") if path.suffix in (".h", ".cc")]
    words = set()
    for path in files:
        words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    names = {path.name for path in files} | {str(folder.relative_to(root / "src" / "muster"))
                                             for folder in (root / "src" / "muster").rglob("*") if folder.is_dir()}
    page = (root / PAGE).read_text(encoding="utf-8")
    named = [name for cell in ROW.findall(page) for name in NAME.findall(cell)]
    complaints = [] if named else [f"{PAGE}: names nothing of the code: has its table changed?"]
    for name in named:
        path = name.rstrip("/")
        known = path in names or any(entry.endswith("/" + path) for entry in names)
        if not known and not all(part in words for part in name.split("::")):
            complaints.append(f"{PAGE}: no source has {name}")
    return complaints


def main(arguments):
    return checker.run(check, "every name of the glossary is in the sources", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
