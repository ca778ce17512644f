"""After a run, no name of a device is in any file, log line or answer of the shuffler and the aggregator.

Everything that devices send to the shuffler passes a proxy that adds names to it, in headers and by its address. The
tokens that devices spend are looked for, too: the issuer's signature of a token leads to a device as soon as somebody
has seen it on the device. The same search finds the devices' keys in the issuer's store, where they belong.

    python3 tests/cli/names_test.py --command build/release/muster
"""

import os
import pathlib
import re
import shutil
import subprocess
import time
import unittest.mock
import urllib.request

import device_stores
import muster_command
import role_processes
from recording_proxy import Proxy
from role_processes import Deployment
from small_runs import SmallRuns

CANARY = "a-name-that-nobody-may-see"
ADDRESS = "127.0.0.77"
NOBODY = 65534
HEADERS = "".join(f"{name}: {CANARY}\r\n" for name in ("User-Agent", "Cookie", "X-Forwarded-For", "Forwarded", "X-Real-IP"))


def spellings(key):
    """Returns the ways in which a public key of 64 hexadecimal digits may be written."""
    return {key.encode(), key.upper().encode(), bytes.fromhex(key)}


def tokens_in(folder):
    """Returns the nonce and the signature of each token in the stores below a folder that no process uses."""
    tokens = [token for blobs in device_stores.blobs_in(folder) for token in blobs.held()]
    return {part for token in tokens for part in (token[device_stores.NONCE], token[device_stores.SIGNATURE])}


def times_in(texts, began):
    """Returns the pairs of a place and a time of a clock in it, within the test if it is in Unix seconds or parts."""
    found = []
    for place, text in texts.items():
        for word in re.findall(rb"\d\d:\d\d:\d\d|(?<![\d.])\d{10,19}", text):
            seconds = None if b":" in word else float(word) / 10 ** (len(word) - 10)
            if seconds is None or began - 3600 < seconds < time.time() + 3600:
                found.append((place, word))
    return found


class Names(SmallRuns):
    def found(self, names, texts):
        """Returns the pairs of a place and a name that is in it."""
        return sorted((place, name) for place, text in texts.items() for name in names if name in text)

    def texts_of(self, role):
        """Returns all that the role has written, its files except keys and its log, by their paths."""
        files = [path for path in (self.folder / role).rglob("*") if path.is_file() and path.suffix != ".key"]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in (*files, self.folder / f"{role}.log")}

    def test_nothing_names_a_device(self):
        deployment = Deployment(self.folder, seconds=4)
        self.addCleanup(deployment.close)
        deployment.start_servers()
        proxy = Proxy(deployment.port_of("client0", "shuffler"), ADDRESS, HEADERS)
        self.addCleanup(proxy.close)
        deployment.redirect("client0", "shuffler", proxy.port)
        aggregator, url = deployment.start_aggregator()
        deployment.start_client(0)
        began, shuffler = time.time(), f"http://127.0.0.1:{deployment.port_of('aggregator', 'shuffler')}"
        texts = self.texts_within_a_round(deployment, proxy)
        answers = self.answers_of(url, "healthz", "metrics", "status", "status.txt", "")
        aggregator.until("round 2 is released")
        answers.update(self.answers_of(shuffler, "healthz", "metrics"))
        status, output = aggregator.result()
        self.assertEqual(status, 0)
        self.assertEqual(deployment.running["shuffler"].stop(), 0)
        self.assertEqual(deployment.running["issuer"].stop(), 0)

        keys = re.findall(r"\b[0-9a-f]{64}\b", (self.folder / "devices.txt").read_text())
        self.assertEqual(len(keys), 12)
        tokens = tokens_in(self.folder / "copy of client0")
        self.assertGreaterEqual(len(tokens), 2 * 12, "every device holds a token of the second round")
        names = {CANARY.encode(), ADDRESS.encode()}.union(tokens, *map(spellings, keys))
        texts = {**texts, **answers, "result": output.encode(), **self.texts_of("shuffler"), **self.texts_of("aggregator")}
        self.assertIn("shuffler/store.db", texts)
        self.assertIn("aggregator/store.db", texts)
        self.assertEqual(self.found(names, texts), [])
        self.assertEqual(times_in({name: text for name, text in texts.items() if name in answers or name.endswith(".log")
                                   and "/" not in name}, began), [])

        # The search works: uploads passed the proxy, and all devices are found in what the issuer has written.
        self.assertGreaterEqual(self.uploads_at(proxy), 36)
        self.assertEqual(len({name for _, name in self.found(names, self.texts_of("issuer"))}), 12)

    def answers_of(self, server, *paths):
        """Returns what the server answers, with its headers, by URL."""
        answers = {}
        for path in paths:
            with urllib.request.urlopen(f"{server}/{path}") as answer:
                answers[f"{server}/{path}"] = str(answer.headers).encode() + answer.read()
        return answers

    def texts_within_a_round(self, deployment, proxy):
        """Kills the shuffler and starts it again while the second round is open and uploads are in its log. Returns
        what shuffler and aggregator had written then. The devices' stores of that moment are copied, because their
        tokens of this round are names, too."""
        deployment.running["shuffler"].until("round 2 is open")
        end, before = time.monotonic() + role_processes.PATIENCE, self.uploads_at(proxy)
        while self.uploads_at(proxy) < before + 4:
            self.assertLess(time.monotonic(), end, "uploads of the second round")
            time.sleep(0.02)
        texts = {f"round 2 open: {name}": text for role in ("shuffler", "aggregator")
                 for name, text in self.texts_of(role).items()}
        deployment.running["shuffler"].kill()
        texts.update({f"killed: {name}": text for name, text in self.texts_of("shuffler").items()})
        shutil.copytree(self.folder / "client0", self.folder / "copy of client0")
        self.assertGreater(len(texts["killed: shuffler/uploads-2.log"]), 3 * 477, "uploads are in the log")
        deployment.start("shuffler")
        return texts

    @staticmethod
    def uploads_at(proxy):
        return sum(line.startswith("POST /v1/upload") for _, _, line, _ in proxy.requests)

    def test_no_other_process_of_its_user_may_look_into_a_role(self):
        """What tells of a process that may not be looked into, in /proc, belongs to root."""
        if os.geteuid() != 0:
            self.skipTest("only root can start processes of another user")
        deployment = Deployment(self.folder)
        self.addCleanup(deployment.close)
        command = shutil.copy(muster_command.COMMAND, self.folder)
        with unittest.mock.patch.object(muster_command, "COMMAND", command):
            deployment.user = NOBODY
            self.folder.chmod(0o755)
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, NOBODY, -1)
            deployment.start_servers()
            deployment.start_aggregator()
            deployment.start_client(0).until("12 devices take part")
        for role in deployment.running.values():
            self.assertEqual(os.stat(f"/proc/{role.process.pid}/environ").st_uid, 0, role.log.name)
        other = subprocess.Popen(["sleep", "60"], user=NOBODY)
        self.addCleanup(other.communicate)
        self.addCleanup(other.kill)
        end = time.monotonic() + role_processes.PATIENCE
        while os.stat(f"/proc/{other.pid}/environ").st_uid != NOBODY and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(os.stat(f"/proc/{other.pid}/environ").st_uid, NOBODY, "any other process belongs to its user")

    def test_no_role_leaves_a_core_file(self):
        deployment = Deployment(self.folder, seconds=4)
        self.addCleanup(deployment.close)
        deployment.start_servers()
        deployment.start_aggregator()
        deployment.start_client(0).until("12 devices take part")
        for role in deployment.running.values():
            limits = pathlib.Path(f"/proc/{role.process.pid}/limits").read_text()
            core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
            self.assertEqual(core.split()[4:6], ["0", "0"], role.log.name)


if __name__ == "__main__":
    muster_command.test_main()
