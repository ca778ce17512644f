"""The plan, and a logistic regression on invented data: what any Flower app has, and nothing of muster but the plan."""

import pathlib

import numpy as np
from numpy.typing import NDArray

import muster

PLAN = muster.Plan.read(pathlib.Path(__file__).with_name("plan.toml"))
FEATURES = 8
Vector = NDArray[np.float32]


def records_of(number: int, count: int = 40) -> tuple[Vector, Vector]:
    """Returns the invented records of a node: features of shape (count, FEATURES), and labels 0 or 1."""
    numbers = np.random.default_rng(number)
    features = numbers.normal(size=(count, FEATURES))
    return features.astype(np.float32), (features[:, 0] + features[:, 1] > 0).astype(np.float32)


def trained(weights: Vector, features: Vector, labels: Vector, steps: int = 5) -> Vector:
    """Returns weights, float32 of shape (FEATURES,), after some steps of gradient descent."""
    for _ in range(steps):
        likely = 1 / (1 + np.exp(-(features @ weights)))
        weights = weights - np.float32(0.5) * (features.T @ (likely - labels) / np.float32(len(labels)))
    return weights.astype(np.float32)


def accuracy(weights: Vector, features: Vector, labels: Vector) -> float:
    """Returns the part of the records that the weights classify correctly."""
    return float(((features @ weights > 0) == (labels > 0.5)).mean())
