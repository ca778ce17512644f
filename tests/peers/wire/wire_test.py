"""Installs the packages of package-lock.json in a folder of the build and runs wire.mjs with them.

    python3 tests/peers/wire/wire_test.py WIRE_PEER FOLDER

The test exits with 77, and says why, where npm is absent.
"""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main(peer, folder):
    if not shutil.which("npm") or not shutil.which("node"):
        print("skipped: npm is not installed (Debian's packages nodejs and npm)")
        return 77
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", "wire.mjs"):
        shutil.copy(HERE / name, folder / name)
    subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, check=True)
    return subprocess.run(["node", "wire.mjs", peer], cwd=folder, timeout=300, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
