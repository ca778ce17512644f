"""Has `promtool check metrics` of Debian's package prometheus read what the roles of a deployment tell.

    python3 tests/cli/promtool_test.py --command build/release/muster
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import exposition
import muster_command
from page_test import fetch
from role_processes import Deployment

SKIPPED = 77


class PromtoolTest(unittest.TestCase):
    def check(self, text):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), text)
        exposition.read(text)

    def test_what_the_roles_tell_is_well_formed(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-promtool-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        deployment = Deployment(folder, devices=(12,), seconds=2)
        self.addCleanup(deployment.close)
        deployment.start_servers()
        urls = [deployment.start_aggregator("--stay")[1]]
        for role, key in (("shuffler", "listen_aggregator"), ("issuer", "listen")):
            line = next(line for line in (folder / f"{role}.toml").read_text().splitlines() if line.startswith(f"{key} "))
            urls.append("http://" + line.split('"')[1])
        for url in urls:
            self.check(fetch(url, "/metrics")[1])
        deployment.start_client(0)
        end = time.monotonic() + 60
        while 'state="done"} 1' not in fetch(urls[0], "/metrics")[1]:
            self.assertLess(time.monotonic(), end, deployment.logs())
            time.sleep(0.1)
        for url in urls:
            self.check(fetch(url, "/metrics")[1])


if __name__ == "__main__":
    if shutil.which("promtool") is None:
        print("skipped: promtool is not installed (package prometheus, group extra)")
        sys.exit(SKIPPED)
    muster_command.test_main()
