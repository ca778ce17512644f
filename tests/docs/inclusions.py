"""Checks that the programs on the pages equal the files that are built.

A fenced block that opens with

    ```cpp file=examples/1_account.cc

holds exactly that file. docs/library.md shows every program in examples/, in the order of their names.

    python3 tests/docs/inclusions.py [--update] [--root ROOT]

With --update, each block is replaced by its file. The exit status is 0 if all blocks equal their files, else 1.
"""

import argparse
import pathlib
import re
import sys

PAGE = "docs/library.md"
BLOCK = re.compile(r"^```(\w+) file=(\S+)\n(.*?)^```$", re.M | re.S)


def shown_files(text):
    return [name for _, name, _ in BLOCK.findall(text)]


def check(root):
    complaints = []
    for page in [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            where = f"{page.relative_to(root)}:{text.count(chr(10), 0, block.start()) + 1}"
            file = root / block.group(2)
            if not file.is_file():
                complaints.append(f"{where}: {block.group(2)} does not exist")
            elif file.read_text(encoding="utf-8") != block.group(3):
                complaints.append(f"{where}: is not {block.group(2)}; {pathlib.Path(__file__).name} --update copies it")
    programs = [str(path.relative_to(root)) for path in sorted((root / "examples").glob("*.cc"))]
    shown = shown_files((root / PAGE).read_text(encoding="utf-8"))
    if not programs:
        complaints.append(f"{PAGE}: examples/ holds no program")
    if shown != programs:
        complaints.append(f"{PAGE}: shows {shown}, examples/ holds {programs}")
    return complaints


def update(root):
    page = root / PAGE
    text = page.read_text(encoding="utf-8")
    page.write_text(BLOCK.sub(lambda block: f"```{block.group(1)} file={block.group(2)}\n" +
                              (root / block.group(2)).read_text(encoding="utf-8") + "```", text), encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=".", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    if options.update:
        update(root)
    complaints = check(root)
    print("\n".join(complaints) if complaints else f"{len(shown_files((root / PAGE).read_text()))} programs as built")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
