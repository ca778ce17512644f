"""An account of rounds that are charged as they happen."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from muster import _muster
from muster.errors import PlanError
from muster.plans import Plan, _native
from muster.statements import Statement, _statement

_VERSION = 1


class RunningAccountant:
    """Charges rounds one after another, of one plan or of several, and states what all of them cost together.

    From a plan, the accountant uses only who takes part and what a client does to what it sends; `charge` is told the
    number of rounds. If all rounds are alike, the statements are those of `account`. Otherwise every round is
    charged by the smallest of its proven bounds, and their dominating pairs compose (docs/theory/composition.md).

    What is charged must be fixed in advance, or chosen without looking at what was released; a client holds the same
    record in all rounds. Neighbours are replace-one. Threads may share an accountant; charges take turns.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0)
    >>> accountant = muster.RunningAccountant()
    >>> for _ in range(10):
    ...     accountant.charge(plan)
    >>> float(accountant.epsilon(1e-5)) == float(muster.account(plan.replace({"rounds.count": 10}), delta=1e-5))
    True
    """

    __slots__ = ("_account", "_history", "_turn")

    def __init__(self) -> None:
        self._account = _muster.OpenAccount()
        self._history: list[tuple[Plan, int]] = []
        self._turn = threading.RLock()

    def charge(self, plan: Plan, rounds: int = 1) -> None:
        """Charges rounds of a plan. If the call is interrupted or refused, nothing is charged.

        Args:
            plan: Who takes part, and with which randomizer; `rounds.count` may be missing and is not used. Dropout
                must be the same in all rounds: charge one plan for each stage.
            rounds: How many rounds, >= 0; in protocols with slots, how many runs.

        Raises:
            PlanError: The plan is incomplete, or `rounds` is no such number.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0)
        >>> accountant = muster.RunningAccountant()
        >>> accountant.charge(plan, rounds=3)
        >>> accountant.rounds
        3
        """
        with self._turn:
            charged = self._account.charged(_native(_chargeable(plan)), rounds)
            before = self._account.rounds()
            self._account = charged
            count = charged.rounds() - before
            if count > 0 and self._history and self._history[-1][0] == plan:
                self._history[-1] = (plan, self._history[-1][1] + count)
            elif count > 0:
                self._history.append((plan, count))

    @property
    def rounds(self) -> int:
        """How many rounds were charged.

        >>> import muster
        >>> muster.RunningAccountant().rounds
        0
        """
        return self._account.rounds()

    @property
    def history(self) -> tuple[tuple[Plan, int], ...]:
        """The plans that were charged, in order, each with its number of rounds.

        >>> import muster
        >>> muster.RunningAccountant().history
        ()
        """
        return tuple(self._history)

    def epsilon(self, delta: float) -> Statement:
        """States epsilon, in nats, at a delta in (0, 1), for everything charged so far.

        >>> import muster
        >>> float(muster.RunningAccountant().epsilon(1e-5))
        0.0
        """
        return self._stated(delta, None)

    def delta(self, epsilon: float) -> Statement:
        """States delta at an epsilon >= 0, in nats, for everything charged so far.

        >>> import muster
        >>> float(muster.RunningAccountant().delta(0.5))
        0.0
        """
        return self._stated(None, epsilon)

    def _stated(self, delta: float | None, epsilon: float | None) -> Statement:
        with self._turn:
            charged, about = self._account, tuple(self._history)
        return _statement(charged.statement(delta, epsilon), about)

    def would_exceed(self, epsilon: float, delta: float, plan: Plan, rounds: int = 1) -> bool:
        """Returns whether further rounds would take epsilon, at this delta, above a limit; charges nothing.

        The answer is False only if it is proven that epsilon stays at or below the limit.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0)
        >>> accountant = muster.RunningAccountant()
        >>> accountant.would_exceed(0.01, 1e-5, plan), accountant.would_exceed(10.0, 1e-5, plan)
        (True, False)
        """
        limit = _muster.limit("epsilon", epsilon)
        further = self._account.charged(_native(_chargeable(plan)), rounds)
        upper = _statement(further.statement(delta, None)).upper
        return upper is None or not upper <= limit

    def fork(self) -> RunningAccountant:
        """Returns an accountant with the same charges, which is charged on its own from now on.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0)
        >>> accountant = muster.RunningAccountant()
        >>> accountant.fork().charge(plan)
        >>> accountant.rounds
        0
        """
        copy = RunningAccountant()
        with self._turn:
            copy._account = self._account
            copy._history = list(self._history)
        return copy

    def state_dict(self) -> dict[str, Any]:
        """Returns the charges as plain dicts, lists, numbers and strings, for `load_state_dict`.

        >>> import muster
        >>> muster.RunningAccountant().state_dict()
        {'version': 1, 'charges': []}
        """
        with self._turn:
            charges = [{**_state_of(plan), "rounds": rounds} for plan, rounds in self._history]
        return {"version": _VERSION, "charges": charges}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replaces all charges by those of a `state_dict`. If the state is refused, the accountant stays as it was.

        Raises:
            PlanError: The state is not of an accountant, or of another version, or has a plan that is refused.

        >>> import muster
        >>> accountant = muster.RunningAccountant()
        >>> accountant.load_state_dict({"version": 1, "charges": []})
        """
        _expect(isinstance(state, Mapping), "state", state, "a state_dict of this accountant")
        version = state.get("version")
        if version != _VERSION:
            raise PlanError(f"version = {version} is not a state of this accountant; allowed: {_VERSION}", code=2,
                            kind="plan", reason="out-of-range", key="version", value=str(version),
                            allowed=str(_VERSION))
        _expect_charges(state.get("charges"))
        loaded = RunningAccountant()
        for charge in state["charges"]:
            loaded.charge(_plan_of(charge), charge["rounds"])
        with self._turn:
            self._account = loaded._account
            self._history = loaded._history

    def __reduce__(self) -> tuple[object, ...]:
        return _accountant_of, (self.state_dict(),)

    def __repr__(self) -> str:
        return f"<muster.RunningAccountant {self.rounds} rounds charged>"


def _accountant_of(state: dict[str, Any]) -> RunningAccountant:
    accountant = RunningAccountant()
    accountant.load_state_dict(state)
    return accountant


def _state_of(plan: Plan) -> dict[str, Any]:
    """Returns a plan's values and, if it has a profile, the contents of its file, byte for byte as Latin-1 text."""
    profile = _native(plan).profile()
    state: dict[str, Any] = {"plan": plan.to_dict()}
    return state if profile is None else {**state, "profile": profile.decode("latin-1")}


def _plan_of(state: Mapping[str, Any]) -> Plan:
    if "profile" not in state:
        return Plan.from_dict(state["plan"])
    text = state["profile"]
    is_latin = isinstance(text, str) and all(ord(character) < 256 for character in text)
    _expect(is_latin, "profile", text, "the bytes of a file as Latin-1 text")
    return Plan._of(_muster.Plan.with_profile(dict(state["plan"]), text.encode("latin-1")))


def _expect_charges(charges: Any) -> None:
    """Refuses what is not a list of charges; what a charge states, `charge` checks."""
    of_dicts = isinstance(charges, (list, tuple)) and all(isinstance(charge, Mapping) for charge in charges)
    _expect(of_dicts, "charges", charges, "a list of dicts")
    for charge in charges:
        for key in ("plan", "rounds"):
            _expect(key in charge, "charges", charge, "dicts with plan and rounds")
        _expect(isinstance(charge["plan"], Mapping), "plan", charge["plan"], "keys of a plan with their values")


def _expect(fits: bool, key: str, value: object, allowed: str) -> None:
    if not fits:
        raise PlanError(f"{key} = {value!r} is not in a state of this accountant; allowed: {allowed}", code=2, kind="plan",
                        reason="wrong-type", key=key, value=repr(value), allowed=allowed)


def _chargeable(plan: Plan) -> Plan:
    """Returns a plan that is complete if only its number of rounds is missing."""
    return plan if not isinstance(plan, Plan) or plan.complete else plan.replace({"rounds.count": 0})
