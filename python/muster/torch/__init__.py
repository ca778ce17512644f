"""PyTorch models in the rounds of a population: one vector a client by torch.func, and a learner that trains.

>>> import muster, muster.torch, torch
>>> images, labels = muster.digits("train", 500)
>>> inputs = (torch.from_numpy(images).flatten(1) / 255 - 0.1307) / 0.3081
>>> _ = torch.manual_seed(1)
>>> model = torch.nn.Linear(784, 10)
>>> plan = muster.plan(protocol="shuffled-check-in", clients=500, rate=0.5, randomizer="gaussian", sigma=0.5, clip=1.0,
...                    rounds=20, delta=1e-4)
>>> learner = muster.torch.Learner(model, torch.nn.functional.cross_entropy, (inputs, torch.from_numpy(labels).long()),
...                                plan, rate=0.2)
>>> learner.fit().epsilon.upper == muster.account(plan).upper
True

The package needs PyTorch (`pip install torch`), and was tried with 2.15.0, on the CPU. docs/pytorch.md is the guide.
"""

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("muster.torch needs PyTorch: pip install torch", name=error.name) from None

from muster.torch.gradients import client_changes, client_gradients
from muster.torch.learner import Learner
from muster.torch.parameters import flatten, unflatten

__all__ = ["Learner", "client_changes", "client_gradients", "flatten", "unflatten"]
