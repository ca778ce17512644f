"""Statements: what a plan costs in privacy, as an upper and a lower value with the conditions under which they hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from muster import _muster
from muster.errors import UncoveredError
from muster.plans import Plan, _native


@dataclass(frozen=True)
class Bound:
    """One theorem applied to a plan.

    Attributes:
        bound: Its id, such as "swap-profile"; it never changes its meaning.
        upper: The true value is at most this; None if there is no finite value, and `assumptions` say why.
        lower: The true value is at least this; None if the theorem gives none.
        validity: "proven", "conditional" or "as-published" (a formula as a paper prints it, not proven).
        neighbouring: Which data sets are neighbours: "replace-one", "add-remove" or "zero-out".
        view: What the adversary sees: "shuffler-honest", "shuffler-colludes", "sum-only" or "server-trusted".
        numerical_error: The absolute error of the quantity asked for; `upper` and `lower` allow for it.
        assumptions: The conditions under which it holds.
        citation: The theorem and its source.
        seconds: How long its computation took.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="ldp-sgd", epsilon0=1.0, rounds=1, delta=1e-5)
    >>> {bound.validity for bound in muster.account(plan).bounds}
    {'proven'}
    """

    bound: str
    upper: float | None
    lower: float | None
    validity: str
    neighbouring: str
    view: str
    numerical_error: float
    assumptions: tuple[str, ...]
    citation: str
    seconds: float


class Statement:
    """What rounds cost: the smallest proven upper value, the largest valid lower value, and all bounds.

    The statement answers either for epsilon at a delta or for delta at an epsilon; `quantity` says which. `float` of
    a statement is its proven upper value. `account` and `RunningAccountant` make statements.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0,
    ...                    rounds=10, delta=1e-6)
    >>> statement = muster.account(plan)
    >>> statement.quantity, statement.rounds
    ('epsilon', 10)
    >>> 0 < statement.lower <= float(statement) == statement.upper
    True
    """

    __slots__ = ("_about", "_answer", "_html", "_native", "_table", "_text")
    # What the statement is about: all rounds of a plan, or plans with a number of rounds each. None if that is unknown,
    # or if the view is not the protocol's own.
    _about: Plan | tuple[tuple[Plan, int], ...] | None

    def __init__(self, native: _muster.Statement | None, text: str, table: str = "", html: str = "",
                 about: Plan | tuple[tuple[Plan, int], ...] | None = None) -> None:
        self._about = about
        self._native = native
        self._text = text
        self._table = table
        self._html = html
        self._answer: dict[str, Any] = json.loads(text)

    @property
    def quantity(self) -> str:
        """What was asked for: "epsilon" or "delta".

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1)
        >>> muster.account(plan, epsilon=0.5).quantity
        'delta'
        """
        return "epsilon" if isinstance(self._answer["epsilon"], dict) else "delta"

    @property
    def at(self) -> float:
        """The delta at which epsilon was asked for, or the epsilon at which delta was.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1)
        >>> muster.account(plan, epsilon=0.5).at
        0.5
        """
        return float(self._answer["delta" if self.quantity == "epsilon" else "epsilon"])

    @property
    def upper(self) -> float | None:
        """The proven upper value: the true value is at most this. None if no finite value is proven.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan).upper < 0.3
        True
        """
        return _number(self._answer[self.quantity]["upper"])

    @property
    def lower(self) -> float | None:
        """The largest valid lower value: on some data, the true value is at least this.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> 0 < muster.account(plan).lower <= muster.account(plan).upper
        True
        """
        return _number(self._answer[self.quantity]["lower"])

    @property
    def rounds(self) -> int:
        """How many rounds the statement is about; in protocols with slots, how many runs.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=3, delta=1e-5)
        >>> muster.account(plan).rounds
        3
        """
        return int(self._answer["rounds"])

    @property
    def bound(self) -> str:
        """The id of the bound that gives the upper value.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan).bound == muster.account(plan).bounds[0].bound
        True
        """
        return str(self._answer["bound"])

    @property
    def validity(self) -> str:
        """How certain the upper value is: "proven".

        `bounds` may also have bounds that are not proven, but these never give the upper value.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan).validity
        'proven'
        """
        return str(self._answer["validity"])

    @property
    def view(self) -> str:
        """What the adversary sees: "shuffler-honest", "shuffler-colludes", "sum-only" or "server-trusted".

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan, view="shuffler-colludes").view
        'shuffler-colludes'
        """
        return str(self._answer["view"])

    @property
    def neighbouring(self) -> str:
        """Which data sets are neighbours: "replace-one", where one client's data is replaced by any other.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan).neighbouring
        'replace-one'
        """
        return str(self._answer["neighbouring"])

    @property
    def numerical_error(self) -> float:
        """The absolute error of the arithmetic; `upper` and `lower` allow for it.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> 0 <= muster.account(plan).numerical_error < 1e-3
        True
        """
        return float(self._answer["numerical_error"])

    @property
    def assumptions(self) -> tuple[str, ...]:
        """The conditions under which the upper value holds, in words.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> any("1000 honest clients" in text for text in muster.account(plan).assumptions)
        True
        """
        return tuple(self._answer["assumptions"])

    @property
    def citation(self) -> str:
        """The theorem that gives the upper value.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan).citation != ""
        True
        """
        return str(self._answer["citation"])

    @property
    def local(self) -> float | None:
        """What is proven even if the shuffler colludes with the server, over the rounds of `local_rounds`.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> muster.account(plan).upper < muster.account(plan).local <= 1
        True
        """
        return _number(self._answer["local"][self.quantity])

    @property
    def local_rounds(self) -> int:
        """The number of rounds that `local` is about.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=2, delta=1e-5)
        >>> muster.account(plan).local_rounds
        2
        """
        return int(self._answer["local"]["rounds"])

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Every bound that applies: proven ones first, smallest first.

        Bounds that are not proven are there only if `account` was asked for `all`.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> sorted({bound.validity for bound in muster.account(plan, all=True).bounds})
        ['as-published', 'proven']
        """
        return tuple(
            Bound(each["bound"], _number(each[self.quantity]["upper"]), _number(each[self.quantity]["lower"]),
                  each["validity"], each["neighbouring"], each["view"], float(each["numerical_error"]),
                  tuple(each["assumptions"]), each["citation"], float(each["seconds"]))
            for each in self._answer["all"])

    def to_dict(self) -> dict[str, Any]:
        """Returns exactly what `muster account --json` prints, number for number; docs/accounting.md has the fields.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
        >>> sorted(muster.account(plan).to_dict()["epsilon"])
        ['lower', 'upper']
        """
        answer: dict[str, Any] = json.loads(self._text)
        return answer

    def __float__(self) -> float:
        if self.upper is None or self.validity != "proven":
            raise UncoveredError(f"no finite {self.quantity} is proven at {self.at:g}, so there is no number to give",
                                 code=2, kind="uncovered", key=self.quantity)
        return self.upper

    def __str__(self) -> str:
        return self._table if self._native is None else self._native.table()

    def __repr__(self) -> str:
        upper = "none" if self.upper is None else f"{self.upper!r}"
        other = "delta" if self.quantity == "epsilon" else "epsilon"
        return (f"<muster.Statement {self.quantity} <= {upper} at {other} {self.at!r} after {self.rounds} rounds: "
                f"{self.validity}, {self.neighbouring}, {self.view}>")

    def _repr_html_(self) -> str:
        return self._html if self._native is None else self._native.html()

    def __reduce__(self) -> tuple[object, ...]:
        return Statement, (None, self._text, str(self), self._repr_html_(), self._about)


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _statement(native: _muster.Statement,
               about: Plan | tuple[tuple[Plan, int], ...] | None = None) -> Statement:
    return Statement(native, native.json(), about=about)


# The parameter `all` hides Python's function of that name, because the command's flag is called --all.
def account(plan: Plan, *, delta: float | None = None, epsilon: float | None = None, view: str | None = None,
            all: bool = False) -> Statement:
    """States what a plan costs: epsilon at a delta, or delta at an epsilon.

    The statement is the command's: `muster account` prints the same numbers for the same plan. Other threads of Python
    run meanwhile, and Ctrl-C ends the computation.

    Args:
        plan: The plan, which must be complete.
        delta: The probability, in (0, 1), with which epsilon may fail; by default the plan's.
        epsilon: If given, delta at this epsilon, in nats, >= 0, is answered instead.
        view: What the adversary sees (`Bound.view`); by default what it sees in the plan's protocol.
        all: Whether the bounds that papers print are added to `Statement.bounds`, for comparison. Most are not
            proven, and none of those ever becomes the statement's value.

    Raises:
        PlanError: A key that is needed is missing, or a number is out of range.
        UncoveredError: No theorem covers the view.
        UsageError: Both `delta` and `epsilon` are given.
        InternalError: A number failed an independent check.

    >>> import muster
    >>> plan = muster.plan(protocol="random-check-in-fixed", clients=10_000, rate=1.0, slots=100, randomizer="ldp-sgd",
    ...                    epsilon0=1.0, rounds=1)
    >>> 0 < float(muster.account(plan, delta=1e-6)) < 1
    True
    """
    return _statement(_muster.account(_native(plan), delta, epsilon, view, _truth("all", all)),
                      plan if view is None else None)


def account_many(plans: Iterable[Plan], *, delta: float | None = None, epsilon: float | None = None,
                 view: str | None = None, all: bool = False, threads: int | None = None) -> list[Statement]:
    """States what each of several plans costs by itself, several at a time. The arguments are those of `account`.

    Args:
        plans: The plans, each complete.
        delta: For all plans; by default each plan's own.
        epsilon: If given, delta at this epsilon is answered for all plans.
        view: As for `account`.
        all: As for `account`.
        threads: How many plans at a time, 1 to 1024; by default as many as there are cores. The statements do not
            depend on it.

    Returns:
        The statements, in the order of the plans.

    Raises:
        MusterError: What `account` raises for the first plan that it refuses.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
    >>> one, ten = muster.account_many([plan, plan.replace({"rounds.count": 10})])
    >>> float(one) < float(ten)
    True
    """
    plans = list(plans)
    natives = [_native(plan) for plan in plans]
    answers = _muster.account_many(natives, delta, epsilon, view, _truth("all", all), threads)
    return [_statement(native, plan if view is None else None)
            for native, plan in zip(answers, plans, strict=True)]


def _truth(name: str, value: object) -> bool:
    """Returns the value, but refuses anything except True and False: `all="no"` would count as true."""
    if value is True or value is False:
        return value
    raise TypeError(f"{name} is True or False, not {value!r}")
