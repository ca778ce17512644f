"""An account of rounds with the methods of Flower's privacy accountants, for rounds of nodes that check in."""

from __future__ import annotations

from typing import NoReturn

from flwr.serverapp import GaussianPrivacyEvent, PrivacyConfig, PrivacySpent

from muster.accountant import RunningAccountant
from muster.errors import UncoveredError
from muster.flower._records import misuse
from muster.plans import Plan

_METHOD = "muster"


def _refuse(what: str, why: str) -> NoReturn:
    raise UncoveredError(f"{what} is not covered: {why}", code=2, kind="uncovered", key=what,
                         allowed="rounds of a muster.Plan")


class Accountant:
    """Charges rounds of plans, and answers as Flower's accountants do; neighbours are replace-one.

    What is composed is a plan: rounds in which each node tosses its own coin and randomizes its own message. Flower's
    GaussianPrivacyEvent describes noise that the server draws once on a sum, so it is refused, and so is Flower's
    PrivacyConfig, which has no name for check-ins.

    Args:
        delta: The delta of `get_privacy_spent` and `would_exceed`, in (0, 1); None if each call states it.
        max_epsilon: The limit of `would_exceed`, if the call states none.
        running: An account of earlier rounds, to which the new ones are added; if None, a new account.

    >>> import muster
    >>> from muster.flower import Accountant
    >>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0,
    ...                    clip=1.0, rounds=20, delta=1e-6)
    >>> accountant = Accountant(delta=1e-6)
    >>> accountant.compose(plan, 20)
    >>> round(accountant.get_epsilon(1e-6), 3), round(float(muster.account(plan)), 3)
    (0.263, 0.263)
    """

    def __init__(self, delta: float | None = None, max_epsilon: float | None = None,
                 running: RunningAccountant | None = None) -> None:
        if running is not None and not isinstance(running, RunningAccountant):
            raise misuse(f"running is a {type(running).__name__}, which does not know check-ins", "running",
                         type(running).__name__, "muster.RunningAccountant")
        self.running = RunningAccountant() if running is None else running
        self._delta = delta
        self._max_epsilon = max_epsilon

    @property
    def config(self) -> PrivacyConfig:
        """This property is always refused: Flower's configurations name no check-ins, and another name would be false.

        >>> import muster
        >>> muster.flower.Accountant().config
        Traceback (most recent call last):
        muster.errors.UncoveredError: PrivacyConfig is not covered: Flower's configurations have no name for check-ins
        """
        _refuse("PrivacyConfig", "Flower's configurations have no name for check-ins")

    @property
    def num_releases(self) -> int:
        """How many rounds were charged.

        >>> import muster.flower
        >>> muster.flower.Accountant().num_releases
        0
        """
        return self.running.rounds

    def compose(self, event: Plan | GaussianPrivacyEvent, count: int = 1) -> None:
        """Charges `count` rounds of a plan.

        Raises:
            UncoveredError: The event is one of Flower's.

        >>> import muster.flower
        >>> from flwr.serverapp import GaussianPrivacyEvent
        >>> muster.flower.Accountant().compose(GaussianPrivacyEvent(1.0, 10, 100))
        Traceback (most recent call last):
        muster.errors.UncoveredError: GaussianPrivacyEvent is not covered: it is noise that a server draws once on a...
        """
        self.running.charge(self._plan(event), count)

    def get_epsilon(self, delta: float) -> float:
        """Returns the proven epsilon, in nats, at a delta, for everything charged so far.

        >>> import muster.flower
        >>> muster.flower.Accountant().get_epsilon(1e-5)
        0.0
        """
        return float(self.running.epsilon(delta))

    def get_delta(self, epsilon: float) -> float:
        """Returns the proven delta at an epsilon, in nats, for everything charged so far.

        >>> import muster.flower
        >>> muster.flower.Accountant().get_delta(1.0)
        0.0
        """
        return float(self.running.delta(epsilon))

    def get_privacy_spent(self, delta: float | None = None) -> PrivacySpent:
        """Returns what was spent, in Flower's type, whose releases are rounds.

        Raises:
            UsageError: Neither the call nor the accountant states a delta.

        >>> import muster.flower
        >>> muster.flower.Accountant().get_privacy_spent(1e-5)
        PrivacySpent(epsilon=0.0, delta=1e-05, num_releases=0, accounting_method='muster', optimal_order=None)
        """
        at = self._delta_or(delta)
        return PrivacySpent(self.get_epsilon(at), at, self.num_releases, _METHOD)

    def would_exceed(self, event: Plan | GaussianPrivacyEvent, max_epsilon: float | None = None,
                     count: int = 1) -> bool:
        """Returns whether `count` further rounds of a plan would pass the limit; charges nothing.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0)
        >>> muster.flower.Accountant(delta=1e-6).would_exceed(plan, max_epsilon=0.01, count=20)
        True
        """
        limit = self._max_epsilon if max_epsilon is None else max_epsilon
        if limit is None:
            raise misuse("max_epsilon is missing: state it here or for the accountant", "max_epsilon")
        return self.running.would_exceed(limit, self._delta_or(None), self._plan(event), count)

    def state_dict(self) -> dict[str, object]:
        """Returns the charges as plain dicts, lists, numbers and strings.

        >>> import muster.flower
        >>> muster.flower.Accountant().state_dict()
        {'version': 1, 'charges': []}
        """
        return self.running.state_dict()

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Replaces all charges by those of a `state_dict`.

        >>> import muster.flower
        >>> muster.flower.Accountant().load_state_dict({"version": 1, "charges": []})
        """
        self.running.load_state_dict(state)

    def _advance(self, state: dict[str, object]) -> None:
        """Takes over the charges of a `state_dict` that begin with all charges that there are now."""
        loaded = RunningAccountant()
        loaded.load_state_dict(state)
        with self.running._turn:  # no thread charges between the comparison and the loading
            had, has = self.running.rounds, loaded.rounds
            if not _begins(loaded.history, self.running.history):
                why = f"{has} rounds" if has < had else f"{has} rounds, but other ones"
                raise misuse(f"the state has charges of {why}, and the accountant has {had} by now, some of which loading "
                             "would erase: load it before other runs are charged", "account", f"{has} rounds",
                             f"the {had} rounds that are charged, and rounds after them")
            self.running.load_state_dict(state)

    def _delta_or(self, delta: float | None) -> float:
        at = self._delta if delta is None else delta
        if at is None:
            raise misuse("delta is missing: state it here, or privacy.delta in the plan", "delta")
        return at

    @staticmethod
    def _plan(event: Plan | GaussianPrivacyEvent) -> Plan:
        if isinstance(event, Plan):
            return event
        why = ("it is noise that a server draws once on a sum, and here every node randomizes its own message"
               if isinstance(event, GaussianPrivacyEvent) else "only rounds of a plan are charged")
        _refuse(type(event).__name__, why)


def _begins(history: tuple[tuple[Plan, int], ...], first: tuple[tuple[Plan, int], ...]) -> bool:
    """Returns whether a history begins with all charges of another; its last plan may have more rounds.

    >>> import muster
    >>> from muster.flower.accountant import _begins
    >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=2.0)
    >>> _begins(((plan, 5),), ((plan, 3),)), _begins(((plan, 3),), ((plan, 5),))
    (True, False)
    """
    if len(first) > len(history):
        return False
    if not first:
        return True
    (plan, rounds), (of, there) = first[-1], history[len(first) - 1]
    last = rounds == there if len(history) > len(first) else rounds <= there
    return first[:-1] == history[:len(first) - 1] and plan == of and last
