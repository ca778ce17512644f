"""Measures training by check-ins with Opacus and with muster.torch, as ratios in one run, with one thread each.

    PYTHONPATH=build/release/python build/peers/opacus/bin/python bench/python/opacus_speed.py [--pairs 5]

    step     a step of muster.opacus.CheckInOptimizer, with noise on every record, against one of Opacus's DPOptimizer of
             the same batch, with one noise on the sum: forward, backward, and the optimizer
    sending  its part after the gradients (clip, noise on every record, sum), against torch doing the same to each record
    share    the part of a round with gradients by torch.func (muster.torch.client_gradients) that is not the callback's

The network is that of the papers (26,010 parameters); 600 records of the built-in digits take part in a round. Each
figure is the median of the pairs, which alternate, with the smallest and the largest.
"""

import argparse
import statistics
import time
import warnings

import opacus
import torch
from opacus.optimizers import DPOptimizer
from torch import nn

import muster
import muster.opacus
import muster.torch

RECORDS, SIGMA, CLIP = 600, 5.0, 0.01


def network():
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Conv2d(1, 16, 8, stride=2, padding=3), nn.ReLU(), nn.MaxPool2d(2, stride=1),
        nn.Conv2d(16, 32, 4, stride=2), nn.ReLU(), nn.MaxPool2d(2, stride=1),
        nn.Flatten(), nn.Linear(512, 32), nn.ReLU(), nn.Linear(32, 10))


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def report(name, ratios, text):
    print(f"{name:<9}{statistics.median(ratios):7.3f} ({min(ratios):.3f}-{max(ratios):.3f})  {text}", flush=True)


def plan(protocol_rounds):
    return muster.plan(protocol="shuffle", clients=RECORDS, randomizer="gaussian", sigma=SIGMA, clip=CLIP,
                       rounds=protocol_rounds, delta=1e-5)


class Ours:
    """Makes steps of muster.opacus. Every record takes part, so that both sides have batches of the same size."""

    def __init__(self, data, rounds):
        self.model = network()
        self.model, self.optimizer, loader, _ = muster.opacus.make_private(
            self.model, torch.optim.SGD(self.model.parameters(), lr=0.1),
            torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*data)), plan(rounds), threads=1)
        self.batches = (batch for _ in range(rounds) for batch in loader)

    def gradients(self):
        inputs, targets = next(self.batches)
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(inputs), targets).backward()

    def step(self):
        self.gradients()
        self.optimizer.step()


class Stock:
    def __init__(self, data):
        self.data = data
        self.model = opacus.GradSampleModule(network())
        self.optimizer = DPOptimizer(torch.optim.SGD(self.model.parameters(), lr=0.1), noise_multiplier=SIGMA,
                                     max_grad_norm=CLIP, expected_batch_size=RECORDS)

    def gradients(self):
        self.optimizer.zero_grad()
        nn.functional.cross_entropy(self.model(self.data[0]), self.data[1]).backward()

    def step(self):
        self.gradients()
        self.optimizer.step()

    def noise_on_every_record(self):
        """Computes with torch the mean of the records' clipped gradients, each with noise of its own."""
        gradients = [parameter.grad_sample for parameter in self.model.parameters()]
        factors = (CLIP / (sum(g.flatten(1).square().sum(1) for g in gradients).sqrt() + 1e-6)).clamp(max=1.0)
        for parameter, gradient in zip(self.model.parameters(), gradients):
            clipped = gradient * factors.view(-1, *[1] * (gradient.dim() - 1))
            parameter.grad = clipped.add_(torch.randn_like(clipped), alpha=SIGMA * CLIP).sum(0) / RECORDS


def measure_share(data, pairs):
    model, shares = network(), []
    crowd = muster.Population(plan(pairs + 1), dimension=muster.torch.flatten(model).numel(), threads=1)
    gradients = muster.torch.client_gradients(model, nn.functional.cross_entropy)
    for _ in range(pairs + 1):
        inside = 0.0
        start = time.process_time()
        with crowd.round() as r:
            for clients in r.batches(64):
                began = time.process_time()
                chosen = torch.from_numpy(clients.astype("int64"))
                rows = gradients(data[0][chosen], data[1][chosen])
                inside += time.process_time() - began
                r.send(clients, rows)
        shares.append(1 - inside / (time.process_time() - start))
    report("share", shares[1:], "of a round is not the callback's")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    pairs = parser.parse_args().pairs
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    images, labels = muster.digits("train", RECORDS)
    data = (((torch.from_numpy(images).float() / 255 - 0.1307) / 0.3081).reshape(RECORDS, 1, 28, 28),
            torch.from_numpy(labels).long())
    ours, stock = Ours(data, 2 * pairs + 1), Stock(data)
    ours.step()
    stock.step()
    report("step", [seconds(ours.step) / seconds(stock.step) for _ in range(pairs)], "x a step of Opacus's DPOptimizer")
    ratios = []
    for _ in range(pairs):
        ours.gradients()
        stock.gradients()
        ratios.append(seconds(stock.noise_on_every_record) / seconds(ours.optimizer.step))
    report("sending", ratios, "times as fast as torch, with noise on every record")
    measure_share(data, pairs)


if __name__ == "__main__":
    main()
