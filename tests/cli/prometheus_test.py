"""Tests that promtool and a server of Debian's package prometheus can read what the roles of a deployment tell.

    python3 tests/cli/prometheus_test.py --command build/release/muster
"""

import json
import pathlib
import shutil
import socket
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
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / "deploy/prometheus.yml"


class PrometheusTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-prometheus-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.deployment = Deployment(self.folder, devices=(12,), seconds=2)
        self.addCleanup(self.deployment.close)
        self.deployment.start_servers()
        self.urls = {"aggregator": self.deployment.start_aggregator("--stay")[1]}
        for role, key in (("shuffler", "listen_aggregator"), ("issuer", "listen")):
            lines = (self.folder / f"{role}.toml").read_text().splitlines()
            self.urls[role] = "http://" + next(line for line in lines if line.startswith(f"{key} ")).split('"')[1]

    def until(self, holds):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, self.deployment.logs())
            time.sleep(0.1)

    def run_the_task(self):
        self.deployment.start_client(0)
        self.until(lambda: 'state="done"} 1' in fetch(self.urls["aggregator"], "/metrics")[1])

    def check(self, text):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), text)
        exposition.read(text)

    def test_what_the_roles_tell_is_well_formed(self):
        for url in self.urls.values():
            self.check(fetch(url, "/metrics")[1])
        self.run_the_task()
        for url in self.urls.values():
            self.check(fetch(url, "/metrics")[1])

    def start_prometheus(self):
        """Starts a server on a free port with the sample configuration, and returns its URL."""
        text = SAMPLE.read_text(encoding="utf-8").replace("scrape_configs:", "global:\n  scrape_interval: 1s\nscrape_configs:")
        for role, port in (("issuer", 8443), ("shuffler", 8445), ("aggregator", 8446)):
            self.assertEqual(text.count(f"127.0.0.1:{port}"), 1)
            text = text.replace(f"127.0.0.1:{port}", self.urls[role].removeprefix("http://"))
        (self.folder / "prometheus.yml").write_text(text, encoding="utf-8")
        with socket.create_server(("127.0.0.1", 0)) as probe:
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        with (self.folder / "prometheus.log").open("wb") as log:
            server = subprocess.Popen(["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=prometheus",
                                       f"--web.listen-address={address}", "--log.level=error"], cwd=self.folder,
                                      stdout=log, stderr=log)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return f"http://{address}"

    def asked(self, url, expression):
        """Returns what the server answers to an expression of one word: the value of each sample by its labels."""
        try:
            answer = json.loads(fetch(url, f"/api/v1/query?query={expression}")[1])
        except OSError:  # it has not started yet
            return {}
        return {tuple(sorted((key, value) for key, value in each["metric"].items() if key not in ("__name__", "instance"))):
                float(each["value"][1]) for each in answer["data"]["result"]}

    @staticmethod
    def told(url, name):
        """Returns the sorted values of a family that a role tells now."""
        return sorted(exposition.read(fetch(url, "/metrics")[1])[name][1].values())

    # Every number that the roles tell after the task must arrive under its name and labels.
    def test_a_server_scrapes_every_role(self):
        self.run_the_task()
        server = self.start_prometheus()
        jobs = {role: f"muster-{role}" for role in self.urls}
        self.until(lambda: self.asked(server, "up") == {(("job", job),): 1.0 for job in jobs.values()})
        compared = 0
        for role, url in self.urls.items():
            for name in exposition.read(fetch(url, "/metrics")[1]):
                # A count may still grow, such as that of refused requests.
                self.until(lambda: sorted(self.asked(server, name).values()) == self.told(url, name))
                arrived = self.asked(server, name)
                self.assertTrue(all(("job", jobs[role]) in labels for labels in arrived), name)
                compared += len(arrived)
        print(f"{compared} samples arrived", file=sys.stderr)
        self.assertGreater(compared, 30)


if __name__ == "__main__":
    if shutil.which("promtool") is None:
        print("skipped: Prometheus is not installed (package prometheus, group extra)")
        sys.exit(SKIPPED)
    muster_command.test_main()
