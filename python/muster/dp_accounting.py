"""For users of dp-accounting: shuffled, subsampled and checked-in local randomizers as events, and an accountant of them.

>>> import dp_accounting
>>> from muster.dp_accounting import Accountant, CheckedInDpEvent, LocalRandomizerDpEvent
>>> round_ = CheckedInDpEvent(clients=60_000, rate=0.1, event=LocalRandomizerDpEvent("ldp-sgd", epsilon0=2.0))
>>> accountant = Accountant().compose(dp_accounting.SelfComposedDpEvent(round_, 100))
>>> round(accountant.get_epsilon(1e-5), 4)
0.093

Neighbouring data sets differ in one client's record, which is replaced (REPLACE_ONE). `pld` exports what muster proves
about its rounds as a privacy loss distribution, so that dp-accounting composes them with other mechanisms. The module
was written for dp-accounting 0.6; docs/dp-accounting.md is the guide.
"""

from __future__ import annotations

import math
from typing import Any

from muster import _muster
from muster.accountant import RunningAccountant
from muster.errors import MusterError, PlanError, UncoveredError, UsageError
from muster.plans import Plan, Rate, _native, plan
from muster.statements import Statement

try:
    import dp_accounting  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "dp_accounting":
        raise
    raise ModuleNotFoundError("muster.dp_accounting needs the package dp-accounting: pip install dp-accounting",
                              name=error.name) from None

try:
    import attr
    from dp_accounting import (
        ComposedDpEvent,
        DpEvent,
        GaussianDpEvent,
        LaplaceDpEvent,
        NeighboringRelation,
        NoOpDpEvent,
        NonPrivateDpEvent,
        PrivacyAccountant,
        RandomizedResponseDpEvent,
        SelfComposedDpEvent,
        dp_event,
    )
    from dp_accounting.pld import privacy_loss_distribution
except ImportError as error:
    if (error.name or "").partition(".")[0] != "dp_accounting":
        raise
    raise ImportError(f"muster.dp_accounting was written for dp-accounting 0.6; in this one, {error}",
                      name=error.name) from None

__all__ = [
    "Accountant",
    "CheckedInDpEvent",
    "LocalRandomizerDpEvent",
    "ShuffledDpEvent",
    "SubsampledDpEvent",
    "mechanism_from",
    "pld",
    "plan_of",
]

_REPLACE_ONE = NeighboringRelation.REPLACE_ONE
_Details = PrivacyAccountant.CompositionErrorDetails
# The delta down to which a distribution is exact enough, unless the caller states another one.
_LEAST_DELTA = 1e-12


def _text(value: Any) -> Any:
    """Returns text as str: an event that was read from a named tuple has it in bytes."""
    return value.decode() if isinstance(value, bytes) else value


def _rate(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@attr.s(frozen=True, slots=True, auto_attribs=True)
class LocalRandomizerDpEvent(DpEvent):
    """What a client does to what it sends, before anything leaves the device.

    By itself it is not an event that the accountant supports: one of the next events has to say who sends.

    Attributes:
        randomizer: Its kind, as in a plan: ldp-sgd, gaussian, l1, l2, linf, k-rr, laplace, pure or profile.
        epsilon0: The local epsilon of one message, in nats; gaussian and profile have none.
        sigma: Only for gaussian: the noise of a message has the standard deviation sigma * clip in each coordinate.
        k: Only for k-rr: the number of answers.
        profile: Only for profile: the path of its file.

    >>> from muster.dp_accounting import LocalRandomizerDpEvent
    >>> LocalRandomizerDpEvent("gaussian", sigma=5.0)
    LocalRandomizerDpEvent(randomizer='gaussian', epsilon0=None, sigma=5.0, k=None, profile=None)
    """

    randomizer: str = attr.ib(converter=_text)
    epsilon0: float | None = None
    sigma: float | None = None
    k: int | None = None
    profile: str | None = attr.ib(default=None, converter=_text)

    def to_named_tuple(self) -> Any:
        """Returns the event as `DpEvent.from_named_tuple` takes it, with texts as bytes, because str does not survive.

        >>> import dp_accounting
        >>> from muster.dp_accounting import LocalRandomizerDpEvent
        >>> event = LocalRandomizerDpEvent("pure", epsilon0=1.0)
        >>> dp_accounting.DpEvent.from_named_tuple(event.to_named_tuple()) == event
        True
        """
        profile = None if self.profile is None else self.profile.encode()
        return super().to_named_tuple()._replace(randomizer=self.randomizer.encode(), profile=profile)


@attr.s(frozen=True, slots=True, auto_attribs=True)
class ShuffledDpEvent(DpEvent):
    """A round in which every client sends one message and a shuffler hides who sent which.

    Attributes:
        clients: How many honest clients there are.
        event: What each does: a LocalRandomizerDpEvent, or an event that `mechanism_from` maps to one.

    >>> from muster.dp_accounting import Accountant, LocalRandomizerDpEvent, ShuffledDpEvent
    >>> event = ShuffledDpEvent(clients=1000, event=LocalRandomizerDpEvent("pure", epsilon0=1.0))
    >>> Accountant().compose(event).get_epsilon(1e-5) < 0.3
    True
    """

    clients: int
    event: DpEvent


@attr.s(frozen=True, slots=True, auto_attribs=True)
class SubsampledDpEvent(DpEvent):
    """A round in which `subset` of the clients, drawn in secret, send one message each to a shuffler.

    The draw is uniform and without replacement, and not even the server may know it.

    Attributes:
        clients: How many honest clients there are.
        subset: How many of them send.
        event: What each of these does, as in ShuffledDpEvent.

    >>> from muster.dp_accounting import Accountant, LocalRandomizerDpEvent, SubsampledDpEvent
    >>> event = SubsampledDpEvent(clients=1000, subset=100, event=LocalRandomizerDpEvent("gaussian", sigma=5.0))
    >>> Accountant().compose(event, 10).get_epsilon(1e-5) < 0.1
    True
    """

    clients: int
    subset: int
    event: DpEvent


@attr.s(frozen=True, slots=True, auto_attribs=True)
class CheckedInDpEvent(DpEvent):
    """A round in which each client decides by a secret coin of its own whether to send a message to a shuffler.

    Attributes:
        clients: How many honest clients there are.
        rate: The probability that a client sends; of clients whose rates differ, the lowest and the highest.
        event: What each who sends does, as in ShuffledDpEvent.
        dropout: The probability that a message is lost, independently of its data.

    >>> from muster.dp_accounting import Accountant, CheckedInDpEvent, LocalRandomizerDpEvent
    >>> event = CheckedInDpEvent(clients=1000, rate=0.1, event=LocalRandomizerDpEvent("k-rr", epsilon0=1.0, k=4))
    >>> Accountant().compose(event, 10).get_epsilon(1e-5) < 0.3
    True
    """

    clients: int
    rate: Rate = attr.ib(converter=_rate)
    event: DpEvent
    dropout: float = 0.0


_ROUNDS = (ShuffledDpEvent, SubsampledDpEvent, CheckedInDpEvent)
_NOISE_ON_A_SUM = (GaussianDpEvent, LaplaceDpEvent, dp_event.DiscreteLaplaceDpEvent)


def mechanism_from(event: DpEvent) -> LocalRandomizerDpEvent:
    """Returns the local randomizer that an event of dp-accounting describes, if it describes one.

    RandomizedResponseDpEvent is the randomizer k-rr exactly: with noise parameter p and k buckets, the client's own
    answer is exp(epsilon0) = 1 + k (1 - p) / p times as likely as each other. A LocalRandomizerDpEvent is
    returned as it is.

    GaussianDpEvent, LaplaceDpEvent and DiscreteLaplaceDpEvent are refused: they are one draw of noise on a sum that
    a trusted server holds, charged for a record that is added or removed. A local randomizer draws noise for each
    client's own message, and neighbours replace a record.

    Raises:
        UncoveredError: The event is not a local randomizer.
        PlanError: Its parameters are not those of a private randomizer.

    >>> import dp_accounting
    >>> from muster.dp_accounting import mechanism_from
    >>> mechanism_from(dp_accounting.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=4))
    LocalRandomizerDpEvent(randomizer='k-rr', epsilon0=1.60943791243..., sigma=None, k=4, profile=None)
    """
    if isinstance(event, LocalRandomizerDpEvent):
        return event
    name = type(event).__name__
    if isinstance(event, RandomizedResponseDpEvent):
        noise, buckets = event.noise_parameter, event.num_buckets
        if not 0 < noise < 1:
            raise _refused("noise_parameter", noise, "number in (0, 1)",
                           "; with 0 it is a NonPrivateDpEvent, and with 1 a NoOpDpEvent")
        if not buckets >= 2:
            raise _refused("num_buckets", buckets, "integer >= 2")
        # The factor makes this an upper value. The difference, the product and the quotient are each wrong by at most a
        # relative 2^-53, log1p does not enlarge a relative error and adds at most 2^-52, and the last product 2^-53.
        epsilon0 = math.log1p(buckets * (1 - noise) / noise) * (1 + 2.0**-50)
        return LocalRandomizerDpEvent("k-rr", epsilon0=epsilon0, k=buckets)
    if isinstance(event, _NOISE_ON_A_SUM):
        raise _uncovered(
            name, f"{name} is noise on a sum that a trusted server holds, for a record that is added or removed; a "
                  "local randomizer is noise on each client's own message, for a record that is replaced: say which by "
                  "LocalRandomizerDpEvent")
    raise _uncovered(name, f"{name} is not a local randomizer; allowed: LocalRandomizerDpEvent | "
                           "RandomizedResponseDpEvent")


def plan_of(event: DpEvent, rounds: int = 1) -> Plan:
    """Returns the plan of `rounds` rounds of a shuffled, subsampled or checked-in local randomizer.

    Raises:
        UncoveredError: The event is of another kind, or what is in it is not a local randomizer.
        PlanError: A parameter is out of range.

    >>> from muster.dp_accounting import LocalRandomizerDpEvent, ShuffledDpEvent, plan_of
    >>> plan_of(ShuffledDpEvent(1000, LocalRandomizerDpEvent("gaussian", sigma=5.0)))["participation.protocol"]
    'shuffle'
    """
    if not isinstance(event, _ROUNDS):
        name = type(event).__name__
        raise _uncovered(name, f"{name} is not a round of a local randomizer; allowed: "
                               + " | ".join(each.__name__ for each in _ROUNDS))
    does = mechanism_from(event.event)
    stated: dict[str, Any] = {"clients": event.clients, "randomizer": does.randomizer, "rounds": rounds}
    for name in ("epsilon0", "sigma", "k", "profile"):
        if getattr(does, name) is not None:
            stated[name] = getattr(does, name)
    if isinstance(event, ShuffledDpEvent):
        stated["protocol"] = "shuffle"
    elif isinstance(event, SubsampledDpEvent):
        stated.update(protocol="subset", subset=event.subset)
    else:
        stated.update(protocol="shuffled-check-in", rate=event.rate)
        if event.dropout != 0:
            stated["dropout"] = event.dropout
    made = plan(**stated)
    if not made.complete:
        RunningAccountant().charge(made, 0)  # raises an error that says which key is missing
    return made


class Accountant(PrivacyAccountant):
    """Accounts for shuffled, subsampled and checked-in local randomizers, by muster's proven bounds.

    Supports ShuffledDpEvent, SubsampledDpEvent and CheckedInDpEvent, with ComposedDpEvent, SelfComposedDpEvent,
    NoOpDpEvent and NonPrivateDpEvent around them, and refuses every other through `supports`. The same client holds
    the same record in all rounds. What is composed must be fixed in advance, or chosen without looking at what was
    released. Values are those of `muster.RunningAccountant`.

    Args:
        neighboring_relation: REPLACE_ONE, the only one that the theorems are about.

    Raises:
        UncoveredError: Another relation is asked for.

    >>> import dp_accounting
    >>> from muster.dp_accounting import Accountant
    >>> Accountant().supports(dp_accounting.GaussianDpEvent(1.0))
    False
    >>> Accountant().compose(dp_accounting.NonPrivateDpEvent()).get_epsilon(1e-5)
    inf
    """

    def __init__(self, neighboring_relation: NeighboringRelation = _REPLACE_ONE) -> None:
        if neighboring_relation != _REPLACE_ONE:
            raise _uncovered("neighboring_relation",
                             f"neighboring_relation = {neighboring_relation}: muster's theorems are about a client "
                             "whose record is replaced, which does not bound one who is added or removed; allowed: "
                             "NeighboringRelation.REPLACE_ONE")
        super().__init__(neighboring_relation)
        self._rounds = RunningAccountant()
        self._non_private = False

    def _maybe_compose(self, event: DpEvent, count: int, do_compose: bool) -> Any:
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise _refused("count", count, "integer >= 0")
        if isinstance(event, NoOpDpEvent):
            return None
        if isinstance(event, NonPrivateDpEvent):
            self._non_private = self._non_private or (do_compose and count > 0)
            return None
        if isinstance(event, SelfComposedDpEvent):
            return self._maybe_compose(event.event, event.count * count, do_compose)
        if isinstance(event, ComposedDpEvent):
            # The order does not matter, because the dominating pairs of these protocols compose in any order.
            for each in event.events:
                details = self._maybe_compose(each, count, do_compose)
                if details is not None:
                    return details
            return None
        try:
            rounds = plan_of(event)
        except (MusterError, TypeError) as error:
            return _Details(invalid_event=event, error_message=str(error))
        if do_compose:
            self._rounds.charge(rounds, count)
        return None

    def get_epsilon(self, target_delta: float) -> float:
        """Returns a proven epsilon, in nats, at a delta in [0, 1]; infinity if no finite one is proven.

        At delta 0, it is the sum of the local epsilons, if every randomizer has one.

        >>> from muster.dp_accounting import Accountant, LocalRandomizerDpEvent, ShuffledDpEvent
        >>> event = ShuffledDpEvent(clients=1000, event=LocalRandomizerDpEvent("pure", epsilon0=1.0))
        >>> accountant = Accountant().compose(event, 2)
        >>> accountant.get_epsilon(1e-5) < 1, round(accountant.get_epsilon(0), 6)
        (True, 2.0)
        """
        if not 0 <= target_delta <= 1:
            raise _refused("target_delta", target_delta, "number in [0, 1]")
        if self._non_private:
            return math.inf
        if self._rounds.rounds == 0 or target_delta == 1:
            return 0.0
        if target_delta == 0:
            return self._pure_epsilon()
        upper = self._rounds.epsilon(target_delta).upper
        return math.inf if upper is None else upper

    def get_delta(self, target_epsilon: float) -> float:
        """Returns a proven delta at an epsilon >= 0, in nats.

        >>> from muster.dp_accounting import Accountant, LocalRandomizerDpEvent, ShuffledDpEvent
        >>> event = ShuffledDpEvent(clients=1000, event=LocalRandomizerDpEvent("pure", epsilon0=1.0))
        >>> Accountant().compose(event).get_delta(0.5) < 1e-10
        True
        """
        if not target_epsilon >= 0:
            raise _refused("target_epsilon", target_epsilon, "number >= 0")
        if self._non_private:
            return 1.0
        if self._rounds.rounds == 0:
            return 0.0
        # Delta falls as epsilon grows, so a bound at a smaller epsilon holds here, too.
        upper = self._rounds.delta(min(target_epsilon, 1e4)).upper
        return 1.0 if upper is None else upper

    def _pure_epsilon(self) -> float:
        total = 0.0
        for each, rounds in self._rounds.history:
            epsilon0 = _value(each, "randomizer.epsilon0")
            if epsilon0 is None:
                return math.inf
            total += float(epsilon0) * rounds * (1 + 2.0**-50)
        return total * (1 + len(self._rounds.history) * 2.0**-50)


def pld(source: Plan | Statement | RunningAccountant | Accountant, *, delta: float | None = None,
        value_discretization_interval: float | None = None) -> privacy_loss_distribution.PrivacyLossDistribution:
    """Exports what rounds cost as a privacy loss distribution of dp-accounting, which composes it with others.

    The distribution is that of a dominating pair, rounded outward throughout (pessimistic): for every pair of
    neighbours, in either order, and at every epsilon, positive or negative, the hockey-stick divergence of all these
    rounds together is at most the distribution's. This is so because muster's bounds hold for both orders of each
    pair: their values at epsilon >= 0, and 1 - e^epsilon + e^epsilon delta(-epsilon) at epsilon < 0, bound one
    convex profile, and the chords of its lower convex hull are the profile of a discrete pair (Theorem 20,
    docs/theory/composition.md). So one symmetric distribution serves for both orders, and dominating pairs compose,
    also adaptively, as long as the sequence of mechanisms is fixed in advance.

    What it is composed with must be about the same neighbours: one record that is replaced. The distributions that
    dp-accounting makes for records that are added or removed are not.

    Args:
        source: All rounds of a plan; those of a statement that `account` or a RunningAccountant made in the
            protocol's own view; or those that an accountant was charged.
        delta: The smallest delta, in (0, 1), at which the result will be asked for epsilon. Losses whose probability is
            negligible against it are charged as infinite. By default a statement's or a plan's delta, otherwise 1e-12.
        value_discretization_interval: Losses are multiples of it. Distributions compose only if it is equal. It
            should be a small part of the deviation of a round's loss if rounds are composed afterwards, and of the
            deviation of all rounds otherwise; a coarse one makes epsilon larger, never too small. By default a power
            of two that is fine enough.

    Raises:
        UncoveredError: What was released is not private, or the statement is about another view.
        UsageError: The statement does not say which rounds it is about.
        PlanError: A number is out of range, or the interval is so small that the losses do not fit into memory.

    >>> import muster
    >>> from muster.dp_accounting import pld
    >>> plan = muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0,
    ...                    rounds=1, delta=1e-5)
    >>> hundred = pld(plan).self_compose(100)
    >>> proven = muster.account(plan.replace({"rounds.count": 100}))
    >>> proven.lower < hundred.get_epsilon_for_delta(1e-5) < 1.001 * proven.upper
    True
    """
    account, least = _charged(source)
    spacing, losses, masses, infinity = _muster.losses(account, least if delta is None else delta,
                                                       value_discretization_interval)
    return privacy_loss_distribution.PrivacyLossDistribution.create_from_rounded_probability(
        dict(zip(losses.tolist(), masses.tolist(), strict=True)), infinity, spacing, pessimistic_estimate=True)


def _charged(source: object) -> tuple[_muster.OpenAccount, float]:
    """Returns the account of a source of `pld`, and the delta at which it is about to be asked."""
    if isinstance(source, Plan):
        return _muster.account_of_plan(_native(source)), _delta_of(source)
    if isinstance(source, Statement):
        least = source.at if source.quantity == "epsilon" else _LEAST_DELTA
        if source._about is None:
            raise UsageError("source does not say which rounds it is about, in the protocol's own view: pass the plan",
                             code=2, kind="usage", reason="missing", key="source")
        if isinstance(source._about, Plan):
            return _muster.account_of_plan(_native(source._about)), least
        accountant = RunningAccountant()
        for each, rounds in source._about:
            accountant.charge(each, rounds)
        return accountant._account, least
    if isinstance(source, RunningAccountant):
        return source._account, _LEAST_DELTA
    if isinstance(source, Accountant):
        if source._non_private:
            raise _uncovered("NonPrivateDpEvent", "a NonPrivateDpEvent was composed, so no distribution bounds the loss")
        return source._rounds._account, _LEAST_DELTA
    raise TypeError(f"source is a Plan, a Statement, a RunningAccountant or an Accountant, not {source!r}")


def _delta_of(stated: Plan) -> float:
    delta = _value(stated, "privacy.delta")
    return _LEAST_DELTA if delta is None else float(delta)


def _value(stated: Plan, key: str) -> Any:
    """Returns what a plan states of a key, or None."""
    try:
        return stated[key]
    except KeyError:
        return None


def _refused(key: str, value: object, allowed: str, more: str = "") -> PlanError:
    return PlanError(f"{key} = {value!r} is out of range; allowed: {allowed}{more}", code=2, kind="plan",
                     reason="out-of-range", key=key, value=repr(value), allowed=allowed)


def _uncovered(key: str, message: str) -> UncoveredError:
    return UncoveredError(message, code=2, kind="uncovered", key=key)
