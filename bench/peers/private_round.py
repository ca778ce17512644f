#!/usr/bin/env python3
"""Compares the time per client of a private round in Opacus and PyTorch with that of muster, on one core.

The round is W1 of docs/speed.md: the papers' network (26,010 parameters), one example per client, per-example
gradients, L2 clip norm 0.01, Gaussian noise of multiplier 5, and the sum. The noise can be added in two places:

    message  Every client's clipped gradient gets noise of its own, so that no client has to trust the server.
             Peers: Opacus hooks, and torch.func's vmap of grad.
    sum      The sum gets one draw of noise per round, which is the only way in Opacus itself (its server is trusted).
             Peers: Opacus hooks, vmap, and Opacus ghost clipping, its fastest mode, which forms no client's gradient.

Each peer alternates with muster's workload_bench, with one thread each. The result is the median ratio of CPU times.
Each peer first tries some batch sizes and keeps the fastest. This program needs torch and opacus, which muster does
not need:

    python3 -m venv VENV && VENV/bin/pip install torch opacus
    VENV/bin/python bench/peers/private_round.py --muster build/release/bench/workload_bench
"""
import argparse
import json
import platform
import statistics
import subprocess
import time
import warnings

import opacus
import torch
from opacus import GradSampleModule
from opacus.grad_sample import GradSampleModuleFastGradientClipping
from opacus.optimizers import DPOptimizerFastGradientClipping
from opacus.utils.fast_gradient_clipping_utils import DPLossFastGradientClipping
from torch import nn

CLIP, SIGMA, CLIENTS = 0.01, 5.0, 6000
BATCHES = (16, 64, 256, 1024)


def network():
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 8, stride=2, padding=3), nn.ReLU(), nn.MaxPool2d(2, stride=1),
        nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.MaxPool2d(2, stride=1),
        nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 10))
    assert sum(p.numel() for p in model.parameters()) == 26_010
    return model


def add_clipped(gradients, sums, each):
    """Clips each client's gradient (a row of every tensor) and adds it to the sums; with noise of its own if `each`."""
    squares = sum(g.flatten(1).square().sum(1) for g in gradients)
    factors = (CLIP / (squares.sqrt() + 1e-6)).clamp(max=1.0)
    for gradient, total in zip(gradients, sums):
        if each:
            clipped = gradient * factors.view(-1, *[1] * (gradient.dim() - 1))
            total += clipped.add_(torch.randn_like(clipped), alpha=SIGMA * CLIP).sum(0)
        else:
            total += torch.einsum("i,i...", factors, gradient)


def add_noise(sums, clients):
    for total in sums:
        total.add_(torch.randn_like(total), alpha=SIGMA * CLIP * clients**0.5)


class Hooks:
    """Opacus: per-example gradients by hooks on each layer."""
    def __init__(self):
        self.model = GradSampleModule(network())
        self.loss = nn.CrossEntropyLoss(reduction="sum")
        self.sums = [torch.zeros_like(p) for p in self.model.parameters()]

    def round(self, images, labels, batch, each):
        for x, y in zip(images.split(batch), labels.split(batch)):
            self.loss(self.model(x), y).backward()
            with torch.no_grad():
                add_clipped([p.grad_sample for p in self.model.parameters()], self.sums, each)
            self.model.zero_grad()
        if not each:
            add_noise(self.sums, len(images))


class Vmap:
    """torch.func: the gradient of one example, mapped over all examples by vmap."""
    def __init__(self):
        model = network()
        self.parameters = {name: p.detach() for name, p in model.named_parameters()}
        self.sums = [torch.zeros_like(p) for p in self.parameters.values()]

        def loss(parameters, x, y):
            logits = torch.func.functional_call(model, parameters, (x.unsqueeze(0),))
            return nn.functional.cross_entropy(logits, y.unsqueeze(0))

        self.gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))

    def round(self, images, labels, batch, each):
        with torch.no_grad():
            for x, y in zip(images.split(batch), labels.split(batch)):
                add_clipped(list(self.gradients(self.parameters, x, y).values()), self.sums, each)
            if not each:
                add_noise(self.sums, len(images))


class Ghost:
    """Opacus ghost clipping: the gradients' norms without the gradients, then a backward pass of the weighted loss."""
    def __init__(self):
        self.model = GradSampleModuleFastGradientClipping(network(), max_grad_norm=CLIP, use_ghost_clipping=True,
                                                          loss_reduction="sum")
        optimizer = torch.optim.SGD(self.model.parameters(), lr=0.0)
        self.optimizer = DPOptimizerFastGradientClipping(optimizer, noise_multiplier=SIGMA, max_grad_norm=CLIP,
                                                         expected_batch_size=CLIENTS, loss_reduction="sum")
        self.loss = DPLossFastGradientClipping(self.model, self.optimizer,
                                               nn.CrossEntropyLoss(reduction="sum"), loss_reduction="sum")

    def round(self, images, labels, batch, each):
        assert not each
        parts = list(zip(images.split(batch), labels.split(batch)))
        for i, (x, y) in enumerate(parts):
            self.optimizer.signal_skip_step(do_skip=i + 1 < len(parts))
            self.loss(self.model(x), y).backward()
            self.optimizer.step()
            self.optimizer.zero_grad()


def peer_seconds(peer, images, labels, batch, each):
    start = time.process_time()
    peer.round(images, labels, batch, each)
    return (time.process_time() - start) / len(images)


def muster_seconds(binary, each):
    name = "W1_message/gaussian" if each else "W1_sum/gaussian"
    done = subprocess.run([binary, f"--benchmark_filter={name}", "--benchmark_format=json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["benchmarks"][0]["us_each"] * 1e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--muster", required=True, help="muster's workload_bench")
    parser.add_argument("--turns", type=int, default=5)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    print(f"opacus {opacus.__version__}, torch {torch.__version__}, Python {platform.python_version()}, one thread")
    images, labels = torch.randn(CLIENTS, 1, 28, 28), torch.randint(10, (CLIENTS,))
    for name, kind, each in (("opacus hooks", Hooks, True), ("vmap", Vmap, True), ("opacus hooks", Hooks, False),
                             ("vmap", Vmap, False), ("opacus ghost clipping", Ghost, False)):
        peer = kind()
        few = {batch: min(peer_seconds(peer, images[:1024], labels[:1024], batch, each) for _ in range(2))
               for batch in BATCHES}
        batch = min(few, key=few.get)
        turns = []
        for _ in range(arguments.turns):
            theirs = peer_seconds(peer, images, labels, batch, each)
            turns.append((theirs, muster_seconds(arguments.muster, each)))
        theirs, ours = (statistics.median(times) * 1e6 for times in zip(*turns))
        ratios = sorted(theirs / ours for theirs, ours in turns)
        print(f"noise on {'every message' if each else 'the sum'}: {name}, batches of {batch}: {theirs:.0f} us a client, "
              f"muster {ours:.1f} us: {statistics.median(ratios):.1f} times ({ratios[0]:.1f} to {ratios[-1]:.1f})",
              flush=True)


main()
