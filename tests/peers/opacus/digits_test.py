"""Trains the papers' network on the built-in digits in Opacus, and compares the accuracy with `muster train`.

    tools/check-peers opacus

Both begin with the same parameters and have the same plan, data and coins. Only the noise meets other parameters,
because the vectors of muster's own network have them in another order.
"""

import argparse
import json
import pathlib
import struct
import subprocess
import tempfile

import torch
from opacus.utils.batch_memory_manager import BatchMemoryManager
from papers_network import Cnn
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import muster
import muster.opacus

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--command", type=pathlib.Path, required=True)
COMMAND = parser.parse_args().command.resolve()

ROUNDS, RATES = 150, [[1, 1.5], [81, 0.5], [131, 0.15]]
PLAN = muster.plan(protocol="shuffled-check-in", clients=10_000, rate=0.1, randomizer="gaussian", sigma=0.15, clip=1.0,
                   rounds=ROUNDS, delta=1e-5, seed=2)
TRAINED = PLAN.replace({"population.data": "digits", "model.kind": "cnn", "rounds.learning_rate": RATES})
WITHIN = 0.02


def train(plan, folder):
    """Trains with the command, and returns the accuracy and the file of the model."""
    file = folder / "plan.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in plan.to_dict().items()), encoding="utf-8")
    done = subprocess.run([COMMAND, "train", file, "--out", folder / "run", "--json"], check=True, capture_output=True,
                          text=True)
    return json.loads(done.stdout.splitlines()[-1])["accuracy"], folder / "run/model.safetensors"


def load(module, path):
    """Copies the parameters of a file of docs/formats.md into a module."""
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    described, data = json.loads(content[8:8 + size]), content[8 + size:]
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            first, last = described[name]["data_offsets"]
            parameter.copy_(torch.frombuffer(bytearray(data[first:last]), dtype=torch.float32).view(parameter.shape))


def digits(part, count):
    images, labels = muster.digits(part, count, seed=PLAN["seed"])
    return (torch.from_numpy(images)[:, None] / 255 - 0.1307) / 0.3081, torch.from_numpy(labels).long()


def opacus_accuracy(start):
    """Trains in Opacus, beginning with the parameters of a file, and returns the accuracy on the test digits."""
    model = Cnn()
    load(model, start)
    model, optimizer, loader, accountant = muster.opacus.make_private(
        model, torch.optim.SGD(model.parameters(), lr=1.0),
        DataLoader(TensorDataset(*digits("train", PLAN["population.clients"]))), PLAN)
    while optimizer.population.begun < ROUNDS:
        with BatchMemoryManager(data_loader=loader, max_physical_batch_size=128, optimizer=optimizer) as batches:
            for inputs, targets in batches:
                begun = optimizer.population.begun
                optimizer.param_groups[0]["lr"] = [rate for first, rate in RATES if first <= begun][-1]
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(inputs), targets).backward()
                optimizer.step()
    assert accountant.get_epsilon(1e-5) == float(muster.account(PLAN))
    assert optimizer.population.monitor.alarm is None
    inputs, targets = digits("test", 10_000)
    with torch.no_grad():
        return (model(inputs).argmax(1) == targets).double().mean().item()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "start").mkdir()
        # One round whose step is too small to change a float leaves the first parameters.
        _, start = train(TRAINED.replace({"rounds.count": 1, "rounds.learning_rate": 1e-30}), folder / "start")
        own, _ = train(TRAINED, folder)
        found = opacus_accuracy(start)
    print(f"accuracy on 10,000 test digits after {ROUNDS} rounds: Opacus {found:.4f}, muster train {own:.4f}")
    assert abs(found - own) <= WITHIN, (found, own)
    assert own >= 0.9, own


main()
