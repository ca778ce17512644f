"""Opacus with check-ins: each record tosses its coin, gets noise of its own, and is hidden by a shuffle.

>>> import muster, muster.opacus, torch
>>> images, labels = muster.digits("train", 500)
>>> inputs = (torch.from_numpy(images).flatten(1) / 255 - 0.1307) / 0.3081
>>> data = torch.utils.data.TensorDataset(inputs, torch.from_numpy(labels).long())
>>> plan = muster.plan(protocol="shuffled-check-in", clients=500, rate=0.1, randomizer="gaussian", sigma=0.5, clip=1.0,
...                    rounds=20, delta=1e-4)
>>> model = torch.nn.Linear(784, 10)
>>> model, optimizer, loader, accountant = muster.opacus.make_private(
...     model, torch.optim.SGD(model.parameters(), lr=0.2), torch.utils.data.DataLoader(data), plan)
>>> for epoch in range(2):
...     for x, y in loader:                                  # who checked in, in a secret order
...         optimizer.zero_grad()
...         torch.nn.functional.cross_entropy(model(x), y).backward()
...         optimizer.step()
>>> len(accountant), accountant.get_epsilon(1e-4) == float(muster.account(plan))
(20, True)

One record of the data set is one client, and neighbouring data sets differ in one record that is replaced by another.
Opacus's own accountants are about records that are added or removed, and noise that is drawn once, on the sum.

The package needs Opacus (`pip install opacus`), and was tried with 1.6.0, on the CPU. docs/opacus.md is the guide.
"""

try:
    import opacus as _opacus  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("muster.opacus needs Opacus: pip install opacus", name=error.name) from None

from muster.opacus.accountants import CheckInAccountant, accountant_class
from muster.opacus.optimizers import CheckInOptimizer
from muster.opacus.private import make_private

__all__ = ["CheckInAccountant", "CheckInOptimizer", "accountant_class", "make_private"]
