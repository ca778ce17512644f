#!/usr/bin/env python3
"""Writes copies of sources with a defect put back: mutate.py MUTATION ROOT OUTPUT_FOLDER.

A mutation is a text file. Lines "# ..." say what the defect was, and "file: PATH" names a source of the project. Each
change to this source is a block

    <<<<
    old text
    ====
    new text
    >>>>

The old text must be in its file exactly once, so a mutation that no longer fits its source is an error. With the
arguments `names MUTATION`, the program only prints the files that the mutation changes.
"""
import pathlib
import sys


def blocks_of(path):
    """Returns the changes of a mutation, as a list of (source path, old text, new text)."""
    blocks, source, old, new, part = [], None, [], [], None
    for line in path.read_text(encoding="utf-8").splitlines():
        if part is None and line.startswith("file: "):
            source = line.removeprefix("file: ").strip()
        elif line == "<<<<":
            old, new, part = [], [], "old"
        elif line == "====" and part == "old":
            part = "new"
        elif line == ">>>>" and part == "new":
            blocks.append((source, "\n".join(old), "\n".join(new)))
            part = None
        elif part == "old":
            old.append(line)
        elif part == "new":
            new.append(line)
    return blocks


def main(arguments):
    if arguments[1] == "names":
        seen = dict.fromkeys(source for source, _, _ in blocks_of(pathlib.Path(arguments[2])))
        print(";".join(seen), end="")
        return 0
    mutation, root, folder = (pathlib.Path(argument) for argument in arguments[1:4])
    texts = {}
    for source, old, new in blocks_of(mutation):
        text = texts.setdefault(source, (root / source).read_text(encoding="utf-8"))
        if text.count(old) != 1:
            print(f"{mutation}: {source} holds this text {text.count(old)} times, not once:\n{old}", file=sys.stderr)
            return 1
        texts[source] = text.replace(old, new)
    if not texts:
        print(f"{mutation}: changes nothing", file=sys.stderr)
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    for source, text in texts.items():
        (folder / pathlib.Path(source).name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
