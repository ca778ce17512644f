"""Runs the commands that the documentation shows and compares their output with the page.

A fenced block that opens with ```console is an example. In it, a line that starts with "$ " is a command, which a
trailing backslash continues on the next line. The lines up to the next command are its standard output. A command
without shown output only has to succeed. Words after `console` are options:

    long         takes minutes; only runs with --long (make check-all)
    needs=PATH   skipped, with a message, if PATH does not exist, such as data that is not part of the project
    log=FILE     standard output is JSON lines, compared with the stored FILE (see same_log)
    fresh=PATH   PATH, below build/ or runs/, is removed first, so that a run starts from its beginning

Times, rates and the path of the project differ between machines, so they are masked on both sides before the
comparison. Accuracies are compared within ACCURACY_TOLERANCE. All else, each epsilon included, must be equal.

    python3 tests/docs/examples.py --command build/release/muster [--long] README.md docs/...

With --update, output that differs is written into the page; read the difference before keeping it.

The exit status is 0 if all output is as shown, 1 if some output differs or a command fails, and 77 if no example
failed but some were skipped.
"""

import argparse
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

SKIPPED = 77

MASKS = [
    (re.compile(r'"(seconds|examples_per_second)":\s*[-+.\deE]+'), r'"\1":<masked>'),
    (re.compile(r"\b[\d.,]+ ?[kM]? ((?:client )?(?:examples|messages)(?:/s| a second))"), r"<rate> \1"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|min|h|seconds|minutes)\b( \d+ (s|min)\b)?"), "<time>"),
]

# Open MPI refuses to run as root, or with more ranks than cores, unless these variables allow it. In a container that
# runs the tests, both may happen. The last variable avoids a system call that containers may forbid.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

# Accuracy and loss are computed in single precision, and their last bits differ between instruction sets. The same
# machine reproduces a log exactly, and another machine within this tolerance. Random coins do not depend on the machine.
ACCURACY_TOLERANCE = 0.01
EPSILON_TOLERANCE = 1e-9


@dataclass
class Command:
    page: str
    line: int
    text: str
    last: int = 0  # the command's last line, continuations included
    expected: list = field(default_factory=list)
    long: bool = False
    needs: str = ""
    log: str = ""
    fresh: str = ""


def commands_of(page, text):
    """Returns the commands of a page, in order."""
    found = []
    fence = command = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            fence = None if fence is not None else line[3:].split() or ["text"]
            command = None
            continue
        if fence is None or fence[0] != "console":
            continue
        if line.startswith("$ "):
            command = Command(page, number, line[2:], last=number)
            for word in fence[1:]:
                key, _, value = word.partition("=")
                if key == "long" and not value:
                    command.long = True
                elif key in ("needs", "log", "fresh") and value:
                    setattr(command, key, value)
                else:
                    raise ValueError(f"{page}:{number}: unknown word {word} after ```console")
            found.append(command)
        elif command is None:
            raise ValueError(f"{page}:{number}: output before any command")
        elif command.text.endswith("\\") and not command.expected:
            command.text += "\n" + line
            command.last = number
        else:
            command.expected.append(line)
    return found


def masked(lines, root):
    lines = [line.replace(str(root), ".").rstrip() for line in lines]
    for pattern, replacement in MASKS:
        lines = [pattern.sub(replacement, line) for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    return lines


# The headings of columns with accuracies: `accuracy` of a run, `lowest` and `highest` over the seeds of a sweep.
ACCURACY_COLUMNS = re.compile(r"(?<=  )(?:accuracy|lowest|highest)(?=  )")


def without_accuracies(lines):
    """Returns the lines with accuracies replaced, and the accuracies. An accuracy is a number right-aligned
    under a heading of ACCURACY_COLUMNS, or the number after the word `accuracy` at the start of a line."""
    replaced, found, columns = [], [], []
    for line in lines:
        headings = [heading.end() for heading in ACCURACY_COLUMNS.finditer(line)]
        numbers = [number] if (number := re.match(r"accuracy +(\d\.\d+)", line)) else []
        if headings:
            columns = headings
        elif not line:
            columns = []
        elif columns:
            numbers = [n for n in re.finditer(r"(\d\.\d+)", line) if n.end() in columns]
        found += [float(number.group(1)) for number in numbers]
        for number in reversed(numbers):
            line = line[:number.start(1)] + "<accuracy>" + line[number.end(1):]
        replaced.append(line)
    return replaced, found


def same_text(expected, printed, root):
    expected, printed = masked(expected, root), masked(printed, root)
    shown, printed_accuracies = without_accuracies(expected), without_accuracies(printed)
    same = shown[0] == printed_accuracies[0] and all(
        abs(a - b) <= ACCURACY_TOLERANCE for a, b in zip(shown[1], printed_accuracies[1]))
    if same:
        return []
    return ["the page shows:"] + ["  " + line for line in expected] + \
           ["the command prints:"] + ["  " + line for line in printed]


def same_log(stored, printed):
    """Returns the differences between two logs of JSON lines. Accuracy, loss
    and epsilon may differ by at most their tolerances, and other fields must
    be equal. Measured times and the name of the run's folder are ignored.

    A field that the stored log lacks is ignored, too, because later versions add fields, but never rename or remove any.
    """
    differences = []
    stored, printed = [[json.loads(line) for line in lines if line] for lines in (stored, printed)]
    if len(stored) != len(printed):
        return [f"{len(printed)} lines, the stored log has {len(stored)}"]
    for number, (old, new) in enumerate(zip(stored, printed), 1):
        if not old.keys() <= new.keys():
            differences.append(f"line {number}: keys {sorted(new)}, stored {sorted(old)}")
            continue
        for key in old:
            if key in ("seconds", "examples_per_second", "out"):
                continue
            tolerance = {"accuracy": ACCURACY_TOLERANCE, "loss": ACCURACY_TOLERANCE,
                         "epsilon": EPSILON_TOLERANCE}.get(key, 0)
            same = old[key] == new[key] or (tolerance and None not in (old[key], new[key])
                                            and abs(old[key] - new[key]) <= tolerance)
            if not same:
                differences.append(f"line {number}: {key} {new[key]}, stored {old[key]}")
    return differences


def with_binary(text, binary):
    """Returns the command with the paths of this build's programs
    (muster, the examples, the Python package) in place of the shown ones."""
    text = re.sub(r"(?<![\w/.-])build/release/muster(?![\w/])", lambda _: shlex.quote(str(binary)), text)
    text = re.sub(r"(?<![\w/.-])build/release/python(?![\w/])", lambda _: shlex.quote(str(binary.parent / "python")), text)
    return re.sub(r"(?<![\w/.-])build/release/examples/(\w+)",
                  lambda found: shlex.quote(str(binary.parent / "examples" / found.group(1))), text)


def run(command, binary, root):
    """Returns the complaints about one command, as a list of
    lines, or nothing if the command does what the page says."""
    if command.fresh:
        if pathlib.PurePath(command.fresh).parts[0] not in ("build", "runs") or ".." in command.fresh:
            return [f"fresh={command.fresh} is below neither build/ nor runs/"]
        shutil.rmtree(root / command.fresh, ignore_errors=True)
    text = with_binary(command.text, binary)
    done = subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=root, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, check=False, env=ENVIRONMENT)
    if done.returncode != 0:
        return [f"exit status {done.returncode}"] + done.stderr.splitlines()[-20:]
    printed = done.stdout.splitlines()
    if command.log:
        stored = (root / command.log).read_text(encoding="utf-8").splitlines()
        return same_log(stored, printed)
    if not command.expected:
        return []
    return same_text(command.expected, printed, root)


def with_output(text, command, printed):
    """Returns the text of the page, with the output shown for `command` replaced by `printed`."""
    lines = text.splitlines(keepends=True)
    shown = [line + "\n" for line in printed]
    return "".join(lines[:command.last] + shown + lines[command.last + len(command.expected):])


def update(command, binary, root):
    if command.fresh:  # run() has accepted this path, and the command may have written to it
        shutil.rmtree(root / command.fresh, ignore_errors=True)
    text = with_binary(command.text, binary)
    printed = subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=root, stdout=subprocess.PIPE,
                             stdin=subprocess.DEVNULL, text=True, check=True, env=ENVIRONMENT).stdout.splitlines()
    path = root / command.page
    path.write_text(with_output(path.read_text(encoding="utf-8"), command, printed), encoding="utf-8")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--command", default="build/release/muster", help="stands for build/release/muster")
    parser.add_argument("--root", default=".", help="where commands run and paths begin")
    parser.add_argument("--long", action="store_true", help="run the long examples, and those alone")
    parser.add_argument("--update", action="store_true", help="write what is printed now into the pages")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args(arguments)
    root = pathlib.Path(options.root).resolve()
    binary = pathlib.Path(options.command).resolve()
    ran = skipped = failed = 0
    for page in options.pages:
        commands = commands_of(page, (root / page).read_text(encoding="utf-8"))
        # A page is rewritten from its end, so that the lines above keep their numbers.
        for command in reversed(commands) if options.update else commands:
            if command.long != options.long:
                continue
            if command.needs and not (root / command.needs).exists():
                print(f"{page}:{command.line}: skipped, {command.needs} does not exist: {command.text}")
                skipped += 1
                continue
            ran += 1
            complaints = run(command, binary, root)
            if options.update and command.expected and complaints:
                update(command, binary, root)
                continue
            if complaints:
                failed += 1
                print(f"{page}:{command.line}: $ {command.text}")
                print("\n".join("    " + line for line in complaints))
    print(f"{ran} commands ran, {failed} not as shown, {skipped} skipped")
    return 1 if failed else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
