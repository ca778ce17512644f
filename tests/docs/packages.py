"""Each line "all N of group G are installed" on a page has the number of packages that `tools/packages list G` prints.

    python3 tests/docs/packages.py [ROOT]
"""

import re
import subprocess
import sys

import checker
import links

SHOWN = re.compile(r"all (\d+) of group (\w+)")


def count_of(root, group):
    """Returns the number of packages of a group, or None if tools/packages refuses the group."""
    listed = subprocess.run([root / "tools/packages", "list", group], capture_output=True, text=True, check=False)
    return len(listed.stdout.split()) if listed.returncode == 0 else None


def check(root):
    root = root.resolve()
    complaints, shown = [], 0
    for page in links.pages(root):
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for count, group in SHOWN.findall(line):
                shown += 1
                listed = count_of(root, group)
                if listed != int(count):
                    complaints.append(f"{page.relative_to(root)}:{number}: shows {count} packages of group {group}, "
                                      f"tools/packages lists {listed}")
    return complaints if shown else ["no page shows the packages of a group: has the line's text changed?"]


def main(arguments):
    return checker.run(check, "the pages show the packages of their groups", arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
