"""Trains a PyTorch model of one's own, privately: a small network on digits that 5,000 clients keep.

    PYTHONPATH=build/release/python python3 examples/python/own_pytorch_model.py     # needs PyTorch

Each client has one digit. The noise is chosen for epsilon = 1, and in each round whoever checks in sends a gradient.
"""

import torch
from torch import nn

import muster
import muster.torch

CLIENTS, ROUNDS = 5_000, 60


def digits(part, count):
    """Returns images [count, 784] as the built-in models see them, and labels [count]."""
    images, labels = muster.digits(part, count)
    return (torch.from_numpy(images).flatten(1) / 255 - 0.1307) / 0.3081, torch.from_numpy(labels).long()


def main():
    open_plan = muster.plan(protocol="shuffled-check-in", clients=CLIENTS, rate=0.2, randomizer="gaussian", clip=1.0,
                            rounds=ROUNDS, delta=1e-5)
    found = muster.calibrate(open_plan, "sigma", epsilon=1.0)
    print(f"plan      {found}")

    torch.manual_seed(1)
    model = nn.Linear(784, 10)
    learner = muster.torch.Learner(model, nn.functional.cross_entropy, digits("train", CLIENTS), found.plan, rate=0.1)
    learner.fit()

    images, labels = digits("test", 2_000)
    with torch.no_grad():
        accuracy = (model(images).argmax(1) == labels).double().mean().item()
    print(f"accuracy  {accuracy:.3f} after {learner.population.begun} rounds")
    print(f"epsilon   at most {learner.epsilon.upper:.4f} at delta 1e-05")


if __name__ == "__main__":
    main()
