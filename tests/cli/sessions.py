"""Runs the sessions of a folder and compares every word of their output: help texts, tables and errors.

A session is a text file. A line `$ muster ARGUMENTS` is run by the shell, in a folder with the plans of the project
and the files that earlier lines left. The lines after it are its output: stdout, then stderr, then `[exit N]` if N is
not 0. Lines before the first `$` are remarks. Text that differs between machines is masked on both sides.

    sessions.py --command build/release/muster tests/cli/sessions            compare
    sessions.py --command build/release/muster tests/cli/sessions --update   write what is printed now
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MASKS = [
    (re.compile(r"numerical error [0-9.e+-]+"), "numerical error <small>"),
    (re.compile(r"\b[0-9]+\.[0-9] ms\b *"), "<time>  "),
    (re.compile(r"^(source|build): .*$", re.MULTILINE), r"\1: <of this build>"),
]


def masked(text):
    for pattern, shown in MASKS:
        text = pattern.sub(shown, text)
    return text


def run(line, folder, command):
    """Returns the output of `line`, as a session shows it."""
    path = f"{pathlib.Path(command).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", line], cwd=folder, env={**os.environ, "PATH": path}, timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    shown = done.stdout + done.stderr
    if shown and not shown.endswith("\n"):
        shown += "\n"
    return shown + (f"[exit {done.returncode}]\n" if done.returncode != 0 else "")


def replayed(session, folder, command):
    """Returns the session with the present output of each of its commands."""
    text = ""
    started = False
    for line in session.splitlines():
        if line.startswith("$ "):
            started = True
            text += f"{line}\n{run(line[2:], folder, command)}\n"
        elif not started:
            text += line + "\n"
    return text.rstrip("\n") + "\n"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("sessions", type=pathlib.Path)
    options = parser.parse_args(arguments)
    different = 0
    files = sorted(options.sessions.glob("*.txt"))
    for file in files:
        session = file.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            if pathlib.Path("plans").is_dir():
                shutil.copytree("plans", pathlib.Path(folder) / "plans")
            now = masked(replayed(session, folder, options.command))
        if options.update:
            file.write_text(now, encoding="utf-8")
        elif now != masked(session):
            different += 1
            sys.stdout.writelines(difflib.unified_diff(masked(session).splitlines(True), now.splitlines(True),
                                                       str(file), "printed now"))
    print(f"{len(files)} sessions, {different} not as shown")
    return 1 if different or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
