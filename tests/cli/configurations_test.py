"""Every configuration of a role in which something is wrong is refused, by file, key, value and what is allowed.

    python3 tests/cli/configurations_test.py --command build/release/muster
"""

import pathlib
import re

import configurations
import muster_command
from configurations import COMMON, OF_ROLES
from deployed_tasks import DeployedTasks

ROLES = ("issuer", "shuffler", "aggregator", "client0")
OPTIONAL = ("listen", "rounds_ahead", "allow_seeded")


class Configurations(DeployedTasks):
    def write(self, role, changed=""):
        configurations.write(self.folder, role, changed)

    def test_every_bad_configuration_is_refused_by_name(self):
        """The role does not begin to listen, and the message has file, key, value and what is allowed."""
        self.deployment()
        for role in ("issuer", "shuffler", "aggregator", "client0"):
            self.write(role)
            self.run_command(role.rstrip("0"), f"{role}.toml", "--oops", status=2)
            self.assertIn("FILE is missing", self.refusal(role.rstrip("0"), status=2)["message"])
            self.assertIn("none.toml", self.refusal(role.rstrip("0"), "none.toml", status=3)["message"])
        for line, words in COMMON:
            for role in ("issuer", "shuffler", "aggregator", "client0"):
                self.check_line(role, line, words)
        for role, line, words in OF_ROLES:
            self.check_line(role, line, words)

    def check_line(self, role, line, words):
        with self.subTest(role=role, line=line):
            self.write(role, line)
            flags = ["--devices", "12"] if role == "client0" else []
            error = self.refusal(role.rstrip("0"), f"{role}.toml", *flags, status=2)
            self.assertIn(words, error["message"])
            self.assertIn(f"{role}.toml", error["message"])
            key, _, value = line.rpartition("\n")[2].partition(" = ")
            if words != "line" and error["reason"] != "missing" and value and not line.startswith("["):
                self.assertEqual(error["key"].removeprefix("policy."), key)
                self.assertEqual(error["value"] == "", value == '""')
                self.assertEqual(error["allowed"] == "", "unknown key" in error["message"])

    def test_what_is_left_out_is_missed_by_name(self):
        """Every key that has no default is left out once, and a key of [policy] is misspelt."""
        self.deployment()
        for role in ROLES:
            self.write(role)
            path = self.folder / f"{role}.toml"
            lines = path.read_text().splitlines(keepends=True)
            needed = [line for line in lines if "=" in line and line.split()[0] not in OPTIONAL]
            self.assertGreaterEqual(len(needed), 2)
            for line in needed:
                with self.subTest(role=role, line=line):
                    path.write_text("".join(other for other in lines if other != line))
                    error = self.refusal(role.rstrip("0"), f"{role}.toml", status=2)
                    self.assertEqual((error["key"].split(".")[-1], error["reason"]), (line.split()[0], "missing"))
                    self.assertIn(f"is missing in {role}.toml; allowed: ", error["message"])
        self.write("client0")
        path = self.folder / "client0.toml"
        path.write_text(path.read_text().replace("max_delta = ", "max_detla = "))
        self.assertIn("policy.max_delta is missing", self.refusal("client", "client0.toml", status=2)["message"])
        path.write_text(path.read_text() + "max_delta = 1e-3\n")
        error = self.refusal("client", "client0.toml", status=2)
        self.assertEqual(error["key"], "policy.max_detla")
        self.assertIn("did you mean policy.max_delta?", error["message"])

    def test_bytes_that_are_no_text_are_refused_with_their_place(self):
        self.deployment()
        for role in ROLES:
            self.write(role)
            path = self.folder / f"{role}.toml"
            good = path.read_bytes()
            last = good.count(b"\n")
            for name, content, place in (
                    ("a zero byte", good + b"\0", f"line {last + 1}, column 1: "),
                    ("a zero byte in a text", good.replace(b"task.txt", b"task\0txt"), "line 2, column 13: "),
                    ("a byte that is not UTF-8", good.replace(b"task.txt", b"task\xfftxt"), "line 2, column 1"),
                    ("UTF-16", good.decode().encode("utf-16"), "line 1, column 1: ")):
                with self.subTest(role=role, bytes=name):
                    path.write_bytes(content)
                    error = self.refusal(role.rstrip("0"), f"{role}.toml", status=2)
                    self.assertTrue(error["message"].startswith(f"{role}.toml, {place}"), error["message"])
            # A byte order mark before UTF-8 is allowed: what is refused here is the task, which comes later.
            path.write_bytes(b"\xef\xbb\xbf" + good.replace(b"task.txt", b"none.txt"))
            self.assertEqual(self.refusal(role.rstrip("0"), f"{role}.toml", status=3)["key"], "none.txt")

    def test_the_configurations_of_the_documentation_are_read(self):
        """Each is refused only because its task does not exist, after everything else was read."""
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/deployment.md").read_text(encoding="utf-8")
        samples = re.findall(r"```toml\n# (\w+)\.toml\n(.*?)```", page, re.S)
        self.assertEqual([name for name, _ in samples], ["issuer", "shuffler", "aggregator", "client"])
        for name, text in samples:
            (self.folder / f"{name}.toml").write_text(text)
            error = self.refusal(name, f"{name}.toml", status=3)
            self.assertEqual(error["key"], "task.txt")


if __name__ == "__main__":
    muster_command.test_main()
