"""A small private training, for the tests of this folder."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import muster
import muster.opacus


def plan_of(**changes):
    stated = {"protocol": "shuffled-check-in", "clients": 20, "rate": 0.1, "randomizer": "gaussian", "sigma": 1.0,
              "clip": 0.7, "rounds": 40, "delta": 1e-4}
    return muster.plan(**{name: value for name, value in {**stated, **changes}.items() if value is not None})


def records(count):
    """Returns inputs [count, 6], which begin with the number of the record, and targets [count, 2]."""
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randn(count, 6, generator=generator)
    inputs[:, 0] = torch.arange(count)
    return inputs, torch.randn(count, 2, generator=generator)


def network():
    torch.manual_seed(5)
    return nn.Sequential(nn.Linear(6, 4), nn.Tanh(), nn.Linear(4, 2))


class Training:
    """A training of `network`, whose parts are those of make_private."""

    def __init__(self, plan, *, reduction="mean", momentum=0.0, **options):
        module = network()
        self.plan = plan
        self.loss = nn.MSELoss(reduction=reduction)
        made = muster.opacus.make_private(module, torch.optim.SGD(module.parameters(), lr=0.3, momentum=momentum),
                                          DataLoader(TensorDataset(*records(plan["population.clients"]))), plan,
                                          loss_reduction=reduction, **options)
        self.model, self.optimizer, self.loader, self.accountant = made

    @property
    def theta(self):
        return torch.cat([parameter.detach().flatten() for parameter in self.model.parameters()])

    def learn(self, inputs, targets):
        self.optimizer.zero_grad()
        self.loss(self.model(inputs), targets).backward()
        self.optimizer.step()

    def run(self, rounds=None, *, skip_empty=False):
        """Trains for some rounds, or all that are left, and returns the records of each, in their order."""
        population = self.optimizer.population
        last = population.rounds if rounds is None else population.begun + rounds
        seen = []
        while self.optimizer.population.begun < last:
            for inputs, targets in self.loader:
                seen.append([int(number) for number in inputs[:, 0]])
                if len(inputs) > 0 or not skip_empty:
                    self.learn(inputs, targets)
                if self.optimizer.population.begun == last:
                    break
        return seen
