"""After a run, no name of a device is in any file, log line or answer of the shuffler and the aggregator.

Everything that devices send to the shuffler passes a proxy that adds names to it, in headers and by its address. The
tokens that devices spend are looked for, too: the issuer's signature of a token leads to a device as soon as somebody
has seen it on the device. The same search finds the devices' keys in the issuer's store, where they belong.

    python3 tests/cli/names_test.py --command build/release/muster
"""

import pathlib
import re
import shutil
import urllib.request

import device_stores
import muster_command
from recording_proxy import Proxy
from role_processes import Deployment
from small_runs import SmallRuns

CANARY = "a-name-that-nobody-may-see"
ADDRESS = "127.0.0.77"
HEADERS = "".join(f"{name}: {CANARY}\r\n" for name in ("User-Agent", "Cookie", "X-Forwarded-For", "Forwarded", "X-Real-IP"))


def spellings(key):
    """Returns the ways in which a public key of 64 hexadecimal digits may be written."""
    return {key.encode(), key.upper().encode(), bytes.fromhex(key)}


def tokens_in(folder):
    """Returns the nonce and the signature of each token in the stores below a folder that no process uses."""
    tokens = [token for blobs in device_stores.blobs_in(folder) for token in blobs.held()]
    return {part for token in tokens for part in (token[device_stores.NONCE], token[device_stores.SIGNATURE])}


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
        answers, shuffler = {}, deployment.port_of("aggregator", "shuffler")
        aggregator.until(" is released")
        shutil.copytree(self.folder / "client0", self.folder / "copy of client0")
        aggregator.until("round 2 is released")
        for server in (url, f"http://127.0.0.1:{shuffler}"):
            for path in ("healthz", "metrics"):
                with urllib.request.urlopen(f"{server}/{path}") as answer:
                    answers[f"{server}/{path}"] = str(answer.headers).encode() + answer.read()
        status, output = aggregator.result()
        self.assertEqual(status, 0)
        self.assertEqual(deployment.running["shuffler"].stop(), 0)
        self.assertEqual(deployment.running["issuer"].stop(), 0)

        keys = re.findall(r"\b[0-9a-f]{64}\b", (self.folder / "devices.txt").read_text())
        self.assertEqual(len(keys), 12)
        tokens = tokens_in(self.folder / "copy of client0")
        self.assertGreaterEqual(len(tokens), 2 * 12, "every device holds a token of the second round")
        names = {CANARY.encode(), ADDRESS.encode()}.union(tokens, *map(spellings, keys))
        texts = {**answers, "result": output.encode(), **self.texts_of("shuffler"), **self.texts_of("aggregator")}
        self.assertIn("shuffler/store.db", texts)
        self.assertIn("aggregator/store.db", texts)
        self.assertEqual(self.found(names, texts), [])

        # The search works: uploads passed the proxy, and all devices are found in what the issuer has written.
        self.assertGreaterEqual(sum(line.startswith("POST /v1/upload") for _, _, line, _ in proxy.requests), 36)
        self.assertEqual(len({name for _, name in self.found(names, self.texts_of("issuer"))}), 12)

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
