"""Checks that every header compiles by itself, so that the order of includes never matters.

    python3 tests/architecture/headers_alone.py COMPILER [ROOT [HEADER ...]]

Headers NAME-inl.h are left out, because they compile only in the files in which Highway includes them once for each
instruction set.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys


def headers(root):
    return sorted(path for folder in ("src", "apps") for path in (root / folder).rglob("*.h")
                  if not path.name.endswith("-inl.h"))


def complaint(compiler, root, header):
    """Returns the compiler's messages for a source that
    includes only this header, or None if it compiles."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w", "-x", "c++", "-include", str(header),
               f"-I{root / 'src'}", f"-I{root}", f"-I{root / 'apps/muster'}", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{header.relative_to(root)}: does not compile alone\n{run.stderr}" if run.returncode != 0 else None


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    compiler, root = arguments[1], pathlib.Path(arguments[2] if len(arguments) > 2 else ".").resolve()
    chosen = [root / name for name in arguments[3:]] or headers(root)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [each for each in pool.map(lambda header: complaint(compiler, root, header), chosen) if each]
    print("\n".join(complaints) if complaints else f"{len(chosen)} headers compile alone")
    return 1 if complaints or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
