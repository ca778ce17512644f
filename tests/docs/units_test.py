"""The units of deploy/systemd are what systemd accepts, are confined, and fit the sample configurations.

    python3 tests/docs/units_test.py --command build/release/muster

The test needs systemd-analyze of version 250 or later, which tests files without a running systemd. Without it the test
is skipped (exit status 77).
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = ROOT / "deploy/systemd"
ROLES = ("issuer", "shuffler", "aggregator", "client")
INSTALLED = "/usr/local/bin/muster"
MOST_EXPOSURE = 2.0
SKIPPED = 77
COMMAND = None


def analyze(*arguments):
    done = subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def settings_of(text):
    """Returns the assignments of a unit, as (key, value) in their order."""
    return re.findall(r"^(\w+)=(.*)$", text, re.M)


class Units(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def unit(self, role, *changes):
        """Writes the role's unit with this build's command in place of the installed one, and returns its path."""
        text = (UNITS / f"muster-{role}.service").read_text(encoding="utf-8")
        for old, new in ((INSTALLED, COMMAND), *changes):
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.folder / f"muster-{role}.service"
        path.write_text(text, encoding="utf-8")
        return path

    def verify(self, *changes, role="issuer"):
        # The manual pages that the units name exist only where the command is installed.
        return analyze("verify", "--man=no", self.unit(role, *changes))

    def exposure(self, *changes, role="issuer"):
        status, said = analyze("security", "--no-pager", "--offline=true", self.unit(role, *changes))
        found = re.search(rf"Overall exposure level for muster-{role}\.service: ([\d.]+)", said)
        self.assertTrue(found, (status, said))
        return float(found.group(1))

    def test_each_role_has_a_unit_and_a_sample(self):
        self.assertEqual({path.name for path in UNITS.iterdir()}, {f"muster-{role}.service" for role in ROLES})
        self.assertLessEqual({f"{role}.toml" for role in ROLES}, {path.name for path in (ROOT / "deploy").iterdir()})

    def test_systemd_finds_nothing_wrong(self):
        for role in ROLES:
            with self.subTest(role=role):
                self.assertEqual(self.verify(role=role), (0, ""))

    def test_what_systemd_would_find_is_found(self):
        for change in (("ProtectHome=yes", "ProtectHome=maybe"), ("UMask=", "UMaks="), (COMMAND, "/none/muster")):
            with self.subTest(change=change):
                self.assertNotEqual(self.verify(change), (0, ""))

    def test_each_is_confined(self):
        for role in ROLES:
            with self.subTest(role=role):
                self.assertLessEqual(self.exposure(role=role), MOST_EXPOSURE)

    def test_a_unit_that_is_not_confined_is_noticed(self):
        self.assertGreater(self.exposure(("DynamicUser=yes", "DynamicUser=no"), ("User=muster-issuer\n", ""),
                                         ("CapabilityBoundingSet=\n", "")), MOST_EXPOSURE)

    def test_units_fit_the_samples(self):
        for role in ROLES:
            with self.subTest(role=role):
                text = (UNITS / f"muster-{role}.service").read_text(encoding="utf-8")
                with open(ROOT / f"deploy/{role}.toml", "rb") as file:
                    sample = tomllib.load(file)
                settings = dict(settings_of(text))
                states = [f"/var/lib/{name}" for name in settings["StateDirectory"].split()]
                self.assertEqual(sample["folder"], states[0])
                if "population" in sample:
                    self.assertEqual(str(pathlib.PurePath(sample["population"]).parent), states[1])
                self.assertTrue(settings["ExecStart"].startswith(f"{INSTALLED} {role} /etc/muster/{role}.toml"))
                self.assertEqual([settings[key] for key in ("LimitCORE", "KillSignal", "Restart", "StateDirectoryMode")],
                                 ["0", "SIGTERM", "on-failure", "0700"])
                # Status 2 says that the configuration was refused, and a restart would not change that.
                self.assertIn("2", settings["RestartPreventExitStatus"].split())

    def test_all_units_are_confined_alike(self):
        """Settings that may differ between units are listed in `own`. All others must be equal, so a change to one unit
        cannot be forgotten in the rest."""
        own = {"Description", "Documentation", "After", "ExecStart", "TimeoutStopSec", "RestartPreventExitStatus",
               "User", "StateDirectory", "WorkingDirectory", "LimitNOFILE", "RestrictAddressFamilies", "IPAddressDeny",
               "IPAddressAllow", "OOMPolicy", "Environment", "EnvironmentFile",
               "StartLimitIntervalSec", "StartLimitBurst", "RestartSec"}
        texts = [(UNITS / f"muster-{role}.service").read_text(encoding="utf-8") for role in ROLES]
        shared = [[pair for pair in settings_of(text) if pair[0] not in own] for text in texts]
        for role, settings in zip(ROLES[1:], shared[1:]):
            self.assertEqual(settings, shared[0], role)


def main(arguments):
    global COMMAND
    COMMAND = str(pathlib.Path(arguments[arguments.index("--command") + 1]).resolve())
    version = re.match(r"systemd (\d+)", analyze("--version")[1]) if shutil.which("systemd-analyze") else None
    if version is None or int(version.group(1)) < 250:
        print("skipped: there is no systemd-analyze of version 250 or later (Debian's package systemd)")
        return SKIPPED
    return 0 if unittest.main(argv=arguments[:1], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
