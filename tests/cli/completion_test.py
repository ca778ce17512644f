"""Tests what Tab completes after `muster`, in a real bash that runs in a pseudo-terminal.

    python3 tests/cli/completion_test.py --command build/release/muster
"""

import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest

import muster_command

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "apps/muster/completion.bash"
PATIENCE = 60  # seconds that a busy machine may take for one line

# With these settings, Tab lists all possibilities at once, and Ctrl-X prints the current line.
SETTINGS = r"""
PS1='>'; PATH={bin}:$PATH
bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind 'set enable-bracketed-paste off'; bind 'set bell-style none'; bind 'set completion-display-width 0'
bind -x '"\C-x": printf "<%s>\n" "$READLINE_LINE"'
source {script}
"""


class Shell:
    """An interactive bash in `folder`, whose PATH begins with the folder of the command."""

    def __init__(self, folder, settings):
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", INPUTRC="/dev/null", HISTFILE="/dev/null")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        self.child = child
        rc = pathlib.Path(folder) / ".settings"
        rc.write_text(settings, encoding="utf-8")
        self.send(" source ./.settings\n")
        self.completed("")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def until(self, pattern):
        """Returns the output of the shell up to `pattern`, and the match."""
        printed, deadline = "", time.monotonic() + PATIENCE
        while not (match := re.search(pattern, printed)):
            ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError(f"bash did not answer: {printed!r}")
            printed += os.read(self.terminal, 65536).decode(errors="replace")
        return printed[:match.start()], match

    def completed(self, line):
        """Returns the line after Tab, and the words that Tab listed."""
        self.send(line + ("\t" if line else "") + "\x18")
        printed, match = self.until(r"<([^<>\r\n]*)>\r?\n")
        self.send("\x15")  # Ctrl-U: an empty line again
        # The terminal itself echoes what arrives before bash reads the line, and bash then shows the line again.
        listed = [text for text in printed.replace("\r", "").split("\n")[1:]
                  if not text.startswith(">") and text.strip() != line.strip()]
        return match.group(1), [word for text in listed for word in text.split()]

    def close(self):
        self.send("\x15exit\n")
        os.close(self.terminal)
        os.waitpid(self.child, 0)


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        (cls.folder / "plans").mkdir()
        (cls.folder / "plans/first.toml").touch()
        (cls.folder / "plans/second plan.toml").touch()
        (cls.folder / "plans/notes.txt").touch()
        (cls.folder / "mnist").mkdir()
        (cls.folder / "table.csv").touch()
        binary = pathlib.Path(muster_command.COMMAND).parent
        cls.shell = Shell(cls.folder, SETTINGS.format(bin=shlex.quote(str(binary)), script=shlex.quote(str(SCRIPT))))

    @classmethod
    def tearDownClass(cls):
        cls.shell.close()
        shutil.rmtree(cls.folder)

    def line(self, typed):
        return self.shell.completed(typed)[0]

    def listed(self, typed):
        return self.shell.completed(typed)[1]

    def help_of(self, *command):
        return subprocess.run([muster_command.COMMAND, *command, "--help"], capture_output=True, text=True,
                              check=True).stdout

    def test_commands(self):
        commands = re.findall(r"^  ([a-z]+)  ", self.help_of().split("Subcommands:")[1], re.M)
        self.assertIn("calibrate", commands)
        self.assertEqual(sorted(self.listed("muster ")), sorted(commands))
        self.assertEqual(sorted(self.listed("muster help ")), sorted(commands))
        self.assertEqual(self.line("muster cal"), "muster calibrate ")
        self.assertEqual(self.line("muster --ver"), "muster --version ")

    def test_every_flag_that_help_shows(self):
        for command in ("account", "calibrate", "compare", "train", "report", "aggregator", "client"):
            flags = re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", self.help_of(command), re.M)
            self.assertGreater(len(flags), 2)
            self.assertEqual(sorted(self.listed(f"muster {command} --")), sorted(flags))
        self.assertEqual(self.line("muster account --proto"), "muster account --protocol ")
        self.assertEqual(self.line("muster train --proj"), "muster train --projection ")

    def test_values(self):
        protocols = ["aggregated-check-in", "random-check-in-averaged", "random-check-in-fixed",
                     "random-check-in-sliding", "shuffle", "shuffled-check-in", "subset"]
        self.assertEqual(sorted(self.listed("muster account --protocol ")), protocols)
        self.assertEqual(sorted(self.listed("muster account --protocol=")), protocols)
        self.assertEqual(sorted(self.listed("muster train --json --protocol shuf")), ["shuffle", "shuffled-check-in"])
        self.assertEqual(self.line("muster account --protocol sub"), "muster account --protocol subset ")
        self.assertEqual(self.line("muster account --protocol=agg"), "muster account --protocol=aggregated-check-in ")
        self.assertIn("pure", self.listed("muster account --randomizer "))
        self.assertNotIn("pure", self.listed("muster train --randomizer "))
        self.assertEqual(self.line("muster calibrate --for acc"), "muster calibrate --for accuracy ")
        self.assertEqual(self.line("muster account --curve=s"), "muster account --curve=svg ")
        self.assertEqual(self.line("muster account --clients "), "muster account --clients ")

    def test_plans_and_folders(self):
        self.assertEqual(self.line("muster account plans/f"), "muster account plans/first.toml ")
        self.assertEqual(self.line("muster train plans/s"), "muster train plans/second\\ plan.toml ")
        self.assertEqual(self.line("muster account plans/n"), "muster account plans/n")
        self.assertEqual(self.line("muster keygen shu"), "muster keygen shuffler ")
        self.assertEqual(self.line("muster keygen task plans/f"), "muster keygen task plans/first.toml ")
        self.assertEqual(self.line("muster account --json pl"), "muster account --json plans/")
        self.assertEqual(self.line("muster report mn"), "muster report mnist/")
        self.assertEqual(self.line("muster verify mn"), "muster verify mnist/")
        self.assertEqual(self.line("muster status --json mn"), "muster status --json mnist/")
        self.assertEqual(self.line("muster shuffler plans/f"), "muster shuffler plans/first.toml ")
        self.assertEqual(self.line("muster issuer --enrol plans/n"), "muster issuer --enrol plans/notes.txt ")
        self.assertEqual(self.line("muster train --out mn"), "muster train --out mnist/")

    def test_data(self):
        self.assertEqual(self.line("muster train --data dig"), "muster train --data digits")
        self.assertEqual(self.line("muster train --data cif"), "muster train --data cifar:")
        self.assertEqual(self.line("muster train --data idx:mn"), "muster train --data idx:mnist/")
        self.assertEqual(self.line("muster train --data csv:ta"), "muster train --data csv:table.csv ")
        self.assertEqual(self.line("muster train --test-data csv:ta"), "muster train --test-data csv:table.csv ")
        self.assertEqual(self.line("muster train --data=idx:mn"), "muster train --data=idx:mnist/")


if __name__ == "__main__":
    muster_command.test_main()
