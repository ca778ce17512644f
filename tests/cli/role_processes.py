"""The roles of a small deployment as processes of the built command, on free ports of this machine."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.request

import muster_command

PATIENCE = 60  # seconds that a busy machine may take for one step


def plan(clients=12, rate=0.5, epsilon0=2, rounds=3, delta="1e-4"):
    """Returns a plan that can be deployed, and whose rounds take no time to compute."""
    return f"""
[population]
clients = {clients}
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = {rate}
[randomizer]
kind = "ldp-sgd"
epsilon0 = {epsilon0}
clip = 0.5
[model]
kind = "logistic"
[rounds]
count = {rounds}
learning_rate = 0.1
[privacy]
delta = {delta}
"""


POLICY = """
[policy]
max_epsilon = 50
max_delta = 1e-3
max_epsilon0 = 2
min_clients = 12
max_rounds = 6
allow_seeded = true
"""


def processor_seconds(process):
    """Returns the processor seconds that a process has used, and those of the children that it has waited for."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    own, system, children, system_of_children = (int(field) / os.sysconf("SC_CLK_TCK") for field in fields[11:15])
    return own + system, children + system_of_children


class Role:
    """One process. What it says on stderr is appended to a file, which a restarted role continues."""

    def __init__(self, folder, name, arguments, environment=(), user=None):
        self.log = folder / f"{name}.log"
        self.before = self.log.stat().st_size if self.log.exists() else 0
        inherited = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        environment = {**inherited, **dict(environment)}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([muster_command.COMMAND, *arguments], stdout=subprocess.PIPE, stderr=log,
                                            stdin=subprocess.DEVNULL, text=True, cwd=folder, env=environment, user=user)

    def said(self):
        """Returns what this process has said, without what processes before it have said."""
        return self.log.read_bytes()[self.before:].decode()

    def until(self, words):
        """Waits until the process says these words."""
        end = time.monotonic() + PATIENCE
        while words not in self.said():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{self.log.name} does not say {words!r}, but:\n{self.said()}")
            time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.process.communicate(timeout=PATIENCE)

    def stop(self, number=signal.SIGTERM):
        """Sends a signal, and returns the exit status."""
        self.process.send_signal(number)
        self.output = self.process.communicate(timeout=PATIENCE)[0]
        return self.process.returncode

    def result(self):
        """Waits for the end, and returns the exit status and the output."""
        output = self.process.communicate(timeout=PATIENCE)[0]
        return self.process.returncode, output


class Deployment:
    """Keys, a task and configurations in a folder, and the processes that were started there."""

    def __init__(self, folder, devices=(12,), seconds=8, text=None, most=6, rounds_ahead=3):
        """`devices` has the number of devices of each client, `text` is the plan, `most` rounds may be opened, and the
        keys of `rounds_ahead` rounds are made before they are needed."""
        self.folder, self.devices, self.most, self.rounds_ahead, self.running = folder, devices, most, rounds_ahead, {}
        self.user = None  # whose processes the roles are: those of the test's user unless it says otherwise
        (folder / "plan.toml").write_text(text or plan())
        for role in ("issuer", "shuffler", "aggregator"):
            self.muster("keygen", role, "--out", role)
        for i, count in enumerate(devices):
            self.muster("keygen", "devices", "--count", str(count), "--out", f"client{i}")
        lists = [(folder / f"client{i}/devices.txt").read_text() for i in range(len(devices))]
        (folder / "devices.txt").write_text("".join(lists))
        keys = [word for role in ("issuer", "shuffler", "aggregator") for word in (f"--{role}", f"{role}/{role}.pub")]
        self.muster("keygen", "task", "plan.toml", *keys, "--malicious", "0", "--seconds", str(seconds),
                    "--most-rounds", str(most), "--randomness", "seeded", "--out", "task.txt")
        self.write("issuer", rounds_ahead=rounds_ahead)

    def muster(self, *arguments):
        return subprocess.run([muster_command.COMMAND, *arguments], cwd=self.folder, check=True, capture_output=True,
                              text=True).stdout

    def write(self, name, policy="", **keys):
        """Writes the configuration NAME.toml."""
        values = {"folder": name, "task": "task.txt", **keys}
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in values.items()]
        (self.folder / f"{name}.toml").write_text("".join(lines) + policy)

    def start(self, name, *flags, environment=()):
        """Starts a role, or starts it again, and returns its process."""
        role = Role(self.folder, name, [name.rstrip("0123456789"), f"{name}.toml", *flags], environment,
                    self.user)
        self.running[name] = role
        return role

    def start_servers(self):
        """Starts issuer and shuffler on free ports, which their configurations keep from then on."""
        issuer = self.start("issuer", "--enrol", "devices.txt", "--json")
        url = self.ready(issuer)["devices and the shuffler"]
        self.write("issuer", rounds_ahead=self.rounds_ahead, listen=url.removeprefix("http://"))
        self.write("shuffler", issuer=url)
        shuffler = self.ready(self.start("shuffler", "--json"))
        self.write("shuffler", issuer=url, listen=shuffler["devices"].removeprefix("http://"),
                   listen_aggregator=shuffler["the aggregator"].removeprefix("http://"))
        self.write("aggregator", shuffler=shuffler["the aggregator"], listen="127.0.0.1:0")
        for i in range(len(self.devices)):
            self.write(f"client{i}", shuffler=shuffler["devices"], issuer=url, data="digits",
                       record=sum(self.devices[:i]), policy=POLICY.replace("max_rounds = 6", f"max_rounds = {self.most}"))

    def port_of(self, name, key):
        """Returns the port of the URL that the configuration NAME.toml has under this key."""
        return int(re.search(rf'^{key} = "http://127\.0\.0\.1:(\d+)"$', (self.folder / f"{name}.toml").read_text(), re.M)
                   .group(1))

    def redirect(self, name, key, port):
        """Replaces this port in the configuration NAME.toml."""
        path = self.folder / f"{name}.toml"
        path.write_text(path.read_text().replace(f':{self.port_of(name, key)}"', f':{port}"'))

    def ready(self, role):
        line = role.process.stdout.readline()
        if not line:
            raise AssertionError(f"{role.log.name} is not ready:\n{role.said()}")
        return json.loads(line)["ready"]

    def start_aggregator(self, *flags):
        """Starts the aggregator, and returns its process and the URL of its status."""
        aggregator = self.start("aggregator", "--json", *flags)
        return aggregator, self.ready(aggregator)["status"]

    def start_client(self, i, environment=()):
        flags = ["--devices", str(self.devices[i])] if self.devices[i] > 1 else []
        return self.start(f"client{i}", *flags, environment=environment)

    def start_any(self, name, environment=()):
        """Starts a server, or a client, so that `expect_up` can tell whether it has come up."""
        if name.startswith("client"):
            return self.start_client(int(name.removeprefix("client")), environment)
        return self.start(name, "--json", environment=environment)

    def expect_up(self, name):
        role = self.running[name]
        if name.startswith("client"):
            role.until("devices take part")
        else:
            self.ready(role)

    def until_issued(self, tokens):
        """Waits until the issuer has issued this number of tokens of the next round."""
        url, end = f"http://127.0.0.1:{self.port_of('shuffler', 'issuer')}/metrics", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with urllib.request.urlopen(url) as answer:
                text = answer.read().decode()
            if f'muster_issuer_tokens_issued{{round="next"}} {tokens}\n' in text:
                return
            time.sleep(0.05)
        raise AssertionError(f"{tokens} tokens are not issued, but:\n{text}")

    @staticmethod
    def may_end(name):
        """Returns whether this process ends by itself once the task is over."""
        return name == "aggregator" or name.startswith("client")

    def close(self):
        for role in self.running.values():
            if role.process.poll() is None:
                role.process.kill()
            role.process.communicate()

    def logs(self):
        return "".join(path.read_text() for path in sorted(pathlib.Path(self.folder).glob("*.log")))
