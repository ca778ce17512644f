"""For users of Flower: nodes that toss their own coins, and a strategy that shuffles, decodes and charges.

In the client app, add one mod. It is the first in the list, so that it is the last to see what the app sends:

>>> from flwr.clientapp import ClientApp
>>> import muster, muster.flower
>>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0, clip=1.0,
...                    rounds=20, delta=1e-6)
>>> app = ClientApp(mods=[muster.flower.CheckIn(plan)])

In the server app, put one strategy around Flower's own:

>>> from flwr.serverapp.strategy import FedAvg
>>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
>>> strategy.privacy_spent()
PrivacySpent(epsilon=0.0, delta=1e-06, num_releases=0, accounting_method='muster', optimal_order=None)

The process that runs the strategy sees who sent what: it is the shuffler, and epsilon holds for what leaves it.
This module was tried with Flower 1.42; docs/flower.md is the guide.
"""

try:
    import flwr as _flwr  # noqa: F401
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("muster.flower needs Flower: pip install flwr", name=error.name) from None

try:
    from muster.flower.accountant import Accountant
    from muster.flower.check_in import CheckIn
    from muster.flower.strategy import Strategy
except ImportError as error:
    if not (error.name or "").startswith("flwr"):
        raise
    raise ImportError(f"muster.flower was written for Flower 1.42; in this one, {error}", name=error.name) from None

__all__ = ["Accountant", "CheckIn", "Strategy"]
