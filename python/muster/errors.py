"""The exceptions of the package. What the command refuses, the package refuses in the same words, in which names of
arguments take the place of flags.

>>> import muster
>>> try:
...     muster.plan(protocol="shuffle", clients=100, randomizer="ldp-sgd", epsilon0=-1)
... except muster.PlanError as error:
...     print(error)
...     print(error.code, error.key, error.value, error.allowed)
randomizer.epsilon0 = -1 (epsilon0=) is out of range; allowed: number >= 1e-100
2 randomizer.epsilon0 -1 number >= 1e-100
"""

from __future__ import annotations


class MusterError(Exception):
    """A refusal of muster. Its subclasses stand for the kinds of refusals, and all of them have these attributes.

    Attributes:
        code: The exit status of the command for such a refusal: 2 for usage and plans, 3 for data and files, 4 for a
            budget, 5 for a defect of muster.
        kind: The kind as the command's JSON names it: "plan", "usage", "uncovered", "data", "file", "checkpoint",
            "budget" or "internal".
        reason: Why a plan or an argument was refused, such as "out-of-range" or "unknown"; otherwise empty.
        key: What was refused: a key of the plan, an argument or a path. It may be empty.
        value: Its value as text. It may be empty.
        allowed: Which values are allowed, or the alternatives. It may be empty.

    >>> muster_error = MusterError("is out of range", code=2, kind="plan", key="rounds.count", value="-1")
    >>> muster_error.key, muster_error.value
    ('rounds.count', '-1')
    """

    def __init__(self, message: str, *, code: int = 5, kind: str = "internal", reason: str = "", key: str = "",
                 value: str = "", allowed: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.kind = kind
        self.reason = reason
        self.key = key
        self.value = value
        self.allowed = allowed

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _error_of, (self.kind, self.code, self.reason, self.key, self.value, self.allowed, str(self))


class PlanError(MusterError, ValueError):
    """A key of a plan, or an argument, that is unknown, missing, of the wrong type, out of range or inapplicable.

    >>> import muster
    >>> muster.Plan.from_dict({"population": {"cleints": 10}})
    Traceback (most recent call last):
    muster.errors.PlanError: population.cleints = 10 is an unknown key; did you mean population.clients? Allowed: \
population.clients | population.data | population.records | population.partition | population.share | \
population.label | population.split | population.test_data
    """


class UsageError(MusterError, ValueError):
    """Arguments that do not go together, or one that is missing or that no function takes.

    >>> import muster
    >>> muster.plan(protocol="shuffle", client=10)
    Traceback (most recent call last):
    muster.errors.UsageError: client is an unknown keyword; did you mean clients?
    """


class UncoveredError(MusterError, NotImplementedError):
    """A question that no theorem covers. The message names what is missing, and `allowed` what is covered.

    >>> import muster
    >>> plan = muster.plan(protocol="aggregated-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=5.0,
    ...                    rounds=1, delta=1e-5)
    >>> muster.account(plan, view="shuffler-honest")
    Traceback (most recent call last):
    muster.errors.UncoveredError: view = shuffler-honest: no theorem covers aggregated-check-in in this view; allowed: \
sum-only, shuffler-colludes
    """


class DataError(MusterError, ValueError):
    """A data set that is missing, truncated or malformed.

    >>> issubclass(DataError, ValueError)
    True
    """


class FileError(MusterError, OSError):
    """A file or folder that cannot be read or written.

    >>> import muster
    >>> muster.Plan.read("no/such/plan.toml")
    Traceback (most recent call last):
    muster.errors.FileError: no/such/plan.toml cannot be opened: No such file or directory
    """


class CheckpointError(FileError):
    """A checkpoint that is corrupt or belongs to another plan.

    >>> issubclass(CheckpointError, FileError)
    True
    """


class BudgetReached(MusterError):
    """The next round would pass `privacy.budget`, so it has not begun and costs nothing.

    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=1.0, clip=1.0, rounds=10,
    ...                    delta=1e-5, budget=1e-9)
    >>> muster.Population(plan, dimension=3)
    Traceback (most recent call last):
    muster.errors.BudgetReached: privacy.budget = 1e-09 ...
    """


class InternalError(MusterError, RuntimeError):
    """A defect of muster: a number failed an independent check, and is not given. Please report it.

    >>> issubclass(InternalError, RuntimeError)
    True
    """


_CLASSES: dict[str, type[MusterError]] = {
    "usage": UsageError,
    "plan": PlanError,
    "uncovered": UncoveredError,
    "data": DataError,
    "file": FileError,
    "checkpoint": CheckpointError,
    "budget": BudgetReached,
    "internal": InternalError,
}

# The names of arguments for flags that are no keys of a plan.
_ARGUMENTS = {"--for": "knob", "--epsilon": "epsilon", "--view": "view", "--fidelity": "fidelity",
              "--sweep": "over", "spacing": "value_discretization_interval"}


def _error_of(kind: str, code: int, reason: str, key: str, value: str, allowed: str, message: str) -> MusterError:
    """Returns the exception for an error of the library. The extension calls this function for every such error."""
    if key in _ARGUMENTS:
        message = message.replace(key, _ARGUMENTS[key], 1)
        key = _ARGUMENTS[key]
    made = _CLASSES.get(kind, MusterError)
    return made(message, code=code, kind=kind, reason=reason, key=key, value=value, allowed=allowed)
