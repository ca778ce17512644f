"""Runs examples/python/flower_app over Flower's own SuperLink and three SuperNodes on this machine.

    tools/check-peers flower

The app runs once with the plan's key, when its five rounds must be bit for bit those of muster.Population, and once for
one round as it is, with secret keys. Flower's telemetry and its search for updates are off.
"""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import in_process
import numpy as np

import muster

EXAMPLE = in_process.ROOT / "examples/python/flower_app"
sys.path.insert(0, str(EXAMPLE))
from check_in_app import task  # noqa: E402

SECONDS = 300  # that a run may take, on a busy machine


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@contextlib.contextmanager
def federation(folder):
    """Runs a SuperLink and three SuperNodes, and gives the environment in which `flwr` finds them."""
    link = f"127.0.0.1:{free_port()}"
    environment = {**os.environ, "FLWR_HOME": str(folder), "FLWR_TELEMETRY_ENABLED": "0",
                   "FLWR_DISABLE_UPDATE_CHECK": "1",
                   "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                   "PYTHONPATH": str(pathlib.Path(muster.__file__).parents[1])}
    (folder / "config.toml").write_text(f'[superlink]\ndefault = "here"\n[superlink.here]\naddress = "{link}"\n'
                                        "insecure = true\n", encoding="utf-8")
    commands = [["flower-superlink", "--insecure", "--host", "127.0.0.1", "--port", link.split(":")[1],
                 "--disable-runtime-dependency-installation"]]
    for number in range(3):
        commands.append(["flower-supernode", "--insecure", "--superlink", link, "--host", "127.0.0.1", "--port",
                         str(free_port()), "--node-config", f"partition-id={number}"])
    running = []
    try:
        for place, command in enumerate(commands):
            with open(folder / f"{place}.log", "wb") as log:
                running.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder))
        waited = time.monotonic() + SECONDS
        while "Uvicorn running" not in (said := (folder / "0.log").read_text(encoding="utf-8")):
            assert running[0].poll() is None and time.monotonic() < waited, said
            time.sleep(0.2)
        yield environment
    finally:
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def copy_of_the_example(folder):
    return pathlib.Path(shutil.copytree(EXAMPLE, f"{folder}/app", ignore=shutil.ignore_patterns("__pycache__")))


def run(app, rounds):
    """Runs an app; returns what it saved, and what it printed."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with federation(folder) as environment:
            saved = folder / "model.npz"
            said = subprocess.run(["flwr", "run", str(app), "here", "--stream", "--run-config",
                                   f'rounds={rounds} save-to="{saved}"'], env=environment, cwd=folder, check=False,
                                  capture_output=True, text=True, timeout=SECONDS)
            logs = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.log"))
            assert said.returncode == 0 and saved.exists(), said.stdout + said.stderr + logs
            with np.load(saved) as model:
                return dict(model), said.stdout


class Link(unittest.TestCase):
    def test_rounds_over_the_link_are_those_of_the_population(self):
        with tempfile.TemporaryDirectory() as temporary:
            app = copy_of_the_example(temporary)
            client = app / "check_in_app/client_app.py"
            text = client.read_text(encoding="utf-8")
            self.assertIn("CheckIn(task.PLAN)", text)
            client.write_text(text.replace("CheckIn(task.PLAN)", 'CheckIn(task.PLAN, key="plan")'), encoding="utf-8")
            saved, said = run(app, 5)
        crowd = muster.Population(task.PLAN, dimension=task.FEATURES)
        weights, reports = np.zeros(task.FEATURES, np.float32), []
        for _ in range(5):
            with crowd.round() as r:
                changes = [task.trained(weights, *task.records_of(int(client))) - weights for client in r.clients]
                r.send(r.clients, np.array(changes, np.float32).reshape(-1, task.FEATURES))
            weights = weights + r.mean
            reports.append(r.count)
        self.assertEqual(saved["reports"].tolist(), reports)
        self.assertEqual(saved["weights"].tobytes(), weights.tobytes())
        self.assertEqual(float(saved["epsilon"]), muster.account(task.PLAN).upper)
        self.assertIn(f"epsilon = {muster.account(task.PLAN).upper:.4f} at delta 0.001 after 5 rounds", said)

    def test_the_example_runs_as_it_is(self):
        with tempfile.TemporaryDirectory() as temporary:
            saved, _ = run(copy_of_the_example(temporary), 1)
        self.assertEqual(saved["reports"].shape, (1,))
        self.assertTrue((saved["reports"] <= 3).all())


if __name__ == "__main__":
    in_process.main()
