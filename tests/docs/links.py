"""Every relative link of the documentation leads to a file and heading that exist, and every page is linked from another
page. Pages in the root and in folders named golden need no link.

    python3 tests/docs/links.py [ROOT]
"""

import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def pages(root):
    yield from sorted(root.glob("*.md"))
    for folder in ("docs", "src", "tests", "tools", "plans", "testdata", "bench"):
        yield from sorted((root / folder).rglob("*.md"))


def anchors(text):
    """Returns the anchors of a page's headings, as code hosts derive them."""
    headings = re.findall(r"^#+\s+(.*?)\s*$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check(root):
    complaints, linked = [], set()
    everything = list(pages(root))
    for page in everything:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"^```.*?^```", lambda block: "\n" * block.group(0).count("\n"), text, flags=re.S | re.M)
        for number, line in enumerate(text.splitlines(), 1):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                path = (page.parent / name).resolve() if name else page.resolve()
                where = f"{page.relative_to(root)}:{number}"
                if not path.exists():
                    complaints.append(f"{where}: {target} leads nowhere")
                    continue
                if anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
                    complaints.append(f"{where}: {target}: no such heading")
                if path.is_dir():
                    path /= "README.md"
                if path != page.resolve():
                    linked.add(path)
    for page in everything:
        if page.resolve() not in linked and page.parent != root and page.parent.parts[-1] != "golden":
            complaints.append(f"{page.relative_to(root)}:1: no page links here")
    return complaints


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    complaints = check(root)
    print("\n".join(complaints) if complaints else f"links of {len(list(pages(root)))} pages hold")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
