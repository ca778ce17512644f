"""Reads model.safetensors with the library safetensors, runs it in PyTorch, and compares with `muster evaluate`.

    tools/check-peers pytorch

The test trains the quickstart plan for a few rounds. Inputs are noise with random labels, or the records of
`--data FOLDER`, which has idx files.
"""

import argparse
import gzip
import json
import pathlib
import random
import struct
import subprocess
import tempfile

import torch
from papers_network import Cnn
from safetensors import safe_open
from torch import nn

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--command", type=pathlib.Path, required=True)
parser.add_argument("--data", type=pathlib.Path)
arguments = parser.parse_args()
COMMAND = arguments.command.resolve()
PLANS = pathlib.Path(__file__).resolve().parents[3] / "plans"


def write_noise(folder, count=500):
    bits = random.Random(1)
    for name in ("train", "t10k"):
        (folder / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 2051, count, 28, 28) + bits.randbytes(784 * count))
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(
            struct.pack(">2I", 2049, count) + bytes(bits.randrange(10) for _ in range(count)))


def content(path):
    return path.read_bytes() if path.exists() else gzip.decompress(path.with_name(path.name + ".gz").read_bytes())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = arguments.data or folder
        if data == folder:
            write_noise(folder)
        subprocess.run([COMMAND, "train", PLANS / "quickstart.toml", "--rounds", "20", "--out", folder / "run"],
                       check=True, capture_output=True)
        model = folder / "run/model.safetensors"
        state = {}
        with safe_open(model, framework="pt") as file:
            about = file.metadata()
            for key in file.keys():
                state[key] = file.get_tensor(key)
        network = Cnn()
        wanted = network.state_dict()
        assert set(state) == set(wanted), (set(state), set(wanted))
        assert all(state[key].shape == wanted[key].shape for key in wanted)
        network.load_state_dict(state)

        images, labels = content(data / "t10k-images-idx3-ubyte"), content(data / "t10k-labels-idx1-ubyte")
        count = len(labels) - 8
        pixels = torch.frombuffer(bytearray(images[16:]), dtype=torch.uint8).reshape(count, 1, 28, 28)
        truth = torch.frombuffer(bytearray(labels[8:]), dtype=torch.uint8).long()
        inputs = (pixels.float() / 255 - float(about["mean"])) / float(about["deviation"])
        with torch.no_grad():
            logits = network(inputs)
        accuracy = (logits.argmax(1) == truth).double().mean().item()
        loss = nn.functional.cross_entropy(logits.double(), truth).item()
        own = json.loads(subprocess.run([COMMAND, "evaluate", model, "--data", data, "--json"], check=True,
                                        capture_output=True, text=True).stdout)
        print(f"{count} examples: PyTorch {accuracy:.4f}, {loss:.7f} nats; muster {own['accuracy']:.4f}, {own['loss']:.7f}")
        # PyTorch adds up logits in another order, which may decide a tie between two classes differently.
        assert abs(own["accuracy"] - accuracy) <= 2 / count
        assert abs(own["loss"] - loss) <= 1e-5 * loss


main()
