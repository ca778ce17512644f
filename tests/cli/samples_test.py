"""The sample configurations of deploy/ run a deployment, and have every key with its default and its range.

    python3 tests/cli/samples_test.py --command build/release/muster
"""

import json
import pathlib
import random
import re
import shutil
import socket

import muster_command
import role_processes
from small_runs import SmallRuns

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROLES = ("issuer", "shuffler", "aggregator", "client")
PORTS = {"8443": "issuer", "8444": "devices", "8445": "aggregator", "8446": "status"}

# Two devices and one round, within the bounds of client.toml but for the number of clients.
PLAN = role_processes.plan(clients=2, epsilon0=1, rounds=1, delta="1e-5")

# A key that the command reads, with the numbers after it: file.integer("threads", 1, 256, 1).
ASKED = re.compile(r'\bfile\.(\w+)\("([\w.]+)"(?:, ([\d\', ]+)\))?')


def sample(role):
    return (ROOT / f"deploy/{role}.toml").read_text(encoding="utf-8")


def with_defaults(text):
    """Returns the sample with the keys that are commented out: the # before each of them is removed."""
    return re.sub(r"^#(?=\w+ = )", "", text, flags=re.M)


def keys_of(text):
    """Returns the keys of a sample in which all are written, each with its value and the comment above it. Keys of the
    table [policy] begin with the table's name."""
    table, comment, found = "", [], {}
    for line in text.splitlines():
        if line.startswith("#"):
            comment.append(line)
        elif line.startswith("["):
            table, comment = line.strip("[]") + ".", []
        elif " = " in line:
            key, value = line.split(" = ", 1)
            found[table + key] = (value, " ".join(comment))
        else:
            comment = comment if found and comment and line else []
    return found


class Samples(SmallRuns):
    def free_ports(self):
        """Returns free ports below the range from which the system gives ports, so that no other process gets them."""
        ports = []
        while len(ports) < len(PORTS):
            with socket.socket() as probe:
                port = random.randrange(10_000, 32_000)
                if port not in ports and probe.connect_ex(("127.0.0.1", port)) != 0:
                    ports.append(port)
        return dict(zip(PORTS, map(str, ports)))

    def write(self, name, text, ports, device=""):
        """Writes a configuration whose paths are below the test's folder and whose ports are free ones."""
        text = text.replace("/var/lib/muster-client", str(self.folder / f"client{device}"))
        text = text.replace("/var/lib/muster-", f"{self.folder}/").replace("/etc/muster/", f"{self.folder}/")
        text = text.replace("https://relay.example:9444", "http://127.0.0.1:8444")
        text = text.replace("https://relay.example:9443", "http://127.0.0.1:8443")
        text = re.sub("|".join(PORTS), lambda port: ports[port.group()], text)
        (self.folder / f"{name}.toml").write_text(text)

    def keys_and_task(self):
        (self.folder / "plan.toml").write_text(PLAN)
        for role in ("issuer", "shuffler", "aggregator"):
            self.run_command("keygen", role, "--out", role)
        self.run_command("keygen", "devices", "--count", "2", "--out", "devices")
        shutil.copy(self.folder / "devices/devices.txt", self.folder)
        keys = [word for role in ("issuer", "shuffler", "aggregator") for word in (f"--{role}", f"{role}/{role}.pub")]
        self.run_command("keygen", "task", "plan.toml", *keys, "--malicious", "0", "--seconds", "3", "--most-rounds",
                         "1000", "--out", "task.txt")
        (self.folder / "population").mkdir()
        for device in "12":
            (self.folder / f"client{device}").mkdir()
            shutil.copy(self.folder / f"devices/device-{device}.key", self.folder / f"client{device}")

    def start(self, role, name, *flags):
        process = role_processes.Role(self.folder, name, [role, f"{name}.toml", *flags])
        self.addCleanup(process.process.communicate)
        self.addCleanup(process.process.kill)
        return process

    def test_a_task_runs_with_the_samples(self):
        self.keys_and_task()
        ports = self.free_ports()
        for role in ("issuer", "shuffler", "aggregator"):
            self.write(role, sample(role), ports)
        for device in "12":
            text = sample("client").replace("min_clients = 2048", "min_clients = 2")
            self.write(f"client{device}", text.replace("record = 0", f"record = {device}"), ports, device)
        issuer = self.start("issuer", "issuer", "--enrol", "devices.txt")
        self.assertIn(ports["8443"], issuer.process.stdout.readline())
        shuffler = self.start("shuffler", "shuffler")
        ready = shuffler.process.stdout.readline()
        self.assertIn(ports["8444"], ready)
        self.assertIn(ports["8445"], ready)
        aggregator = self.start("aggregator", "aggregator", "--json")
        self.assertIn(ports["8446"], aggregator.process.stdout.readline())
        clients = [self.start("client", f"client{device}") for device in "12"]
        status, output = aggregator.result()
        self.assertEqual(status, 0, aggregator.said())
        self.assertEqual(json.loads(output)["rounds"]["released"], 1, aggregator.said())
        self.assertTrue((self.folder / "population/population.db").exists())
        for role in (issuer, shuffler, *clients):
            self.assertEqual(role.stop(), 0, role.said())

    def test_every_key_of_the_samples_is_read(self):
        """Each sample, as it is and with all defaults, is refused only because its task does not exist."""
        for role in ROLES:
            for text in (sample(role), with_defaults(sample(role))):
                self.write(role, text, self.free_ports())
                with self.subTest(role=role):
                    self.assertEqual(self.refusal(role, f"{role}.toml", status=3)["key"], f"{self.folder}/task.txt")

    def test_every_key_that_is_read_is_in_its_sample_with_its_default_and_range(self):
        for role in ROLES:
            source = (ROOT / f"apps/muster/{role}_command.cc").read_text(encoding="utf-8")
            shown = keys_of(with_defaults(sample(role)))
            asked = {key: (kind, numbers) for kind, key, numbers in ASKED.findall(source)}
            if any(kind == "listen" for kind, _ in asked.values()):
                asked["behind_relay"] = ("flag", "")
            self.assertEqual(set(shown), set(asked), role)
            for key, (kind, numbers) in asked.items():
                value, comment = shown[key]
                with self.subTest(role=role, key=key):
                    self.assertTrue(comment, "has no comment")
                    limits = [number.replace("'", "").strip() for number in numbers.split(",")] if numbers else []
                    if len(limits) >= 2:
                        self.assertIn(f"{limits[0]} .. {limits[1]}", comment)
                    if len(limits) == 3:
                        self.assertEqual(value, limits[2])


if __name__ == "__main__":
    muster_command.test_main()
