"""Private learning in which devices decide for themselves when to take part: what it costs in privacy.

A plan says who takes part, what a client does to what it sends, and for how many rounds. `account` states what the
plan costs: an upper value that is proven, and a lower value that some data set reaches.

>>> import muster
>>> plan = muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0,
...                    rounds=100, delta=1e-5)
>>> statement = muster.account(plan)
>>> round(float(statement), 4)
0.093
>>> statement.validity, statement.neighbouring, statement.view
('proven', 'replace-one', 'shuffler-honest')

The command `muster account` asks the same questions and prints the same numbers: both call one library. docs/python.md
is the guide, docs/accounting.md says what the numbers mean, and docs/theory has the proofs.
"""

from muster._muster import version as __version__
from muster.accountant import RunningAccountant
from muster.calibration import Calibration, calibrate
from muster.curves import Curve, curve
from muster.datasets import digits
from muster.errors import (
    BudgetReached,
    CheckpointError,
    DataError,
    FileError,
    InternalError,
    MusterError,
    PlanError,
    UncoveredError,
    UsageError,
)
from muster.models import Model, gradients
from muster.plans import Plan, plan
from muster.populations import Monitor, Population
from muster.rounds import Round
from muster.runs import Run
from muster.statements import Bound, Statement, account, account_many
from muster.training import Sweep, sweep, train

__all__ = [
    "Bound",
    "BudgetReached",
    "Calibration",
    "CheckpointError",
    "Curve",
    "DataError",
    "FileError",
    "InternalError",
    "Model",
    "Monitor",
    "MusterError",
    "Plan",
    "PlanError",
    "Population",
    "Round",
    "Run",
    "RunningAccountant",
    "Statement",
    "Sweep",
    "UncoveredError",
    "UsageError",
    "__version__",
    "account",
    "account_many",
    "calibrate",
    "curve",
    "digits",
    "gradients",
    "plan",
    "sweep",
    "train",
]
