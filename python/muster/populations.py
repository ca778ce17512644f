"""Populations whose clients' vectors come from a program of yours: muster tosses coins, clips, randomizes and shuffles.

>>> import numpy as np
>>> import muster
>>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=5.0, clip=1.0,
...                    rounds=20, delta=1e-5)
>>> crowd = muster.Population(plan, dimension=3)
>>> theta = np.zeros(3, dtype=np.float32)
>>> for t in range(crowd.rounds):
...     with crowd.round() as r:
...         for clients in r.batches(512):                       # each who checked in, once, in a secret order
...             r.send(clients, np.tile(theta - 1, (len(clients), 1)).astype(np.float32))
...     theta -= 0.1 * r.mean
>>> crowd.charged                                                # `crowd.epsilon` states what they cost
20

A population simulates: one process tosses all coins and sees all vectors, and what is protected is what leaves it, such
as `Round.mean`. docs/python.md is the guide.
"""

from __future__ import annotations

import os
from typing import Any

from muster import _muster
from muster.errors import CheckpointError, FileError, PlanError
from muster.plans import Plan, _native
from muster.rounds import Round
from muster.statements import Statement, account

_KEYS = ("plan", "secret")
_ON_BAD = ("refuse", "neutral")
_FIDELITIES = ("message", "sum")


class Population:
    """A simulated population: it decides who sends, and clips, randomizes, shuffles and adds up what they send.

    The plan says who takes part, and with which randomizer; it needs neither a model nor data. A round is charged when it
    begins. Results depend on the plan, the key and the vectors alone: not on threads, on the sizes of batches, or on how
    often the population was saved and resumed. One thread uses a population at a time, in the process that made it, and
    any other is refused meanwhile; but every thread may read `begun`, `charged`, `epsilon` and `repr` at any time.

    Args:
        plan: A complete plan with `randomizer.clip` (k-rr has none). With `privacy.budget`, no round begins that
            would pass it.
        dimension: How many numbers a client's vector has.
        threads: How many threads make messages; all cores if None.
        fidelity: "message", which makes every message, or "sum", which draws the noise of a round's sum at once, with the
            same law and much faster (gaussian and k-rr).
        key: "plan" takes the key of all coins and noise from `seed`, so that a run can be repeated, by anybody who knows
            the plan. "secret" draws it from the system: use it whenever a result from real data leaves your hands.
        on_bad: What becomes of a vector with NaN or infinity and, for k-rr, of one that is neither the indicator of a
            category nor zero. "refuse" raises DataError and abandons the round. "neutral" sends the message of the
            zero vector, as a real client must, because its silence would tell something about its data.

    Raises:
        PlanError: The plan cannot be run, or an argument is wrong.
        UsageError: The fidelity does not go with the randomizer.
        BudgetReached: The budget does not pay for one round.

    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=1000, subset=10, randomizer="ldp-sgd", epsilon0=2.0, clip=1.0,
    ...                    rounds=4)
    >>> muster.Population(plan, dimension=100)
    <muster.Population 0 of 4 rounds begun, 100 numbers a client>
    """

    __slots__ = ("_native", "_plan")

    def __init__(self, plan: Plan, *, dimension: int, threads: int | None = None, fidelity: str = "message",
                 key: str = "plan", on_bad: str = "refuse") -> None:
        _choice("fidelity", fidelity, _FIDELITIES)
        _choice("key", key, _KEYS)
        _choice("on_bad", on_bad, _ON_BAD)
        self._native = _muster.Population.made(_native(plan), dimension, threads, fidelity, on_bad == "neutral",
                                               key == "secret", [])
        self._plan = plan

    def _after(self, messages: list[int], **options: Any) -> Population:
        """Returns a population of the same plan after rounds with these numbers of messages.

        With the plan's key, it goes on with the same bits. A secret key is drawn anew.
        """
        native, made = self._native, object.__new__(Population)
        made._native = _muster.Population.made(_native(self._plan), native.dimension(), options.get("threads"),
                                               native.fidelity(), options.get("on_bad") == "neutral", native.secret(),
                                               messages)
        made._plan = self._plan
        return made

    @classmethod
    def resume(cls, path: str | os.PathLike[str], *, plan: Plan | None = None, dimension: int | None = None,
               threads: int | None = None, key: str | None = None, on_bad: str = "refuse") -> Population:
        """Goes on with a population that `save` wrote, with the same bits.

        Args:
            path: The file, which has the plan, the dimension and the key.
            plan: If given, the file must be of this plan.
            dimension: If given, the file must be of this dimension.
            threads: As for `Population`.
            key: If given, the file must have this kind of key, "plan" or "secret". Otherwise it may have either.
            on_bad: As for `Population`.

        Raises:
            FileError: The file cannot be read.
            CheckpointError: The file is not as `save` wrote it, or is of another plan, dimension or key.

        >>> import os, tempfile
        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> crowd = muster.Population(plan, dimension=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "crowd.json")
        ...     crowd.save(path)
        ...     muster.Population.resume(path)
        <muster.Population 0 of 4 rounds begun, 2 numbers a client>
        """
        _choice("on_bad", on_bad, _ON_BAD)
        if key is not None:
            _choice("key", key, _KEYS)
        made = object.__new__(cls)
        made._native = _muster.Population.resumed(_path(path), threads, on_bad == "neutral")
        made._plan = Plan._of(made._native.plan())
        if plan is not None and made._plan != plan:
            raise _other(path, "plan", f"is of another plan: {made._plan!r}")
        if dimension is not None and made.dimension != dimension:
            raise _other(path, "dimension", f"is of dimension {made.dimension}, not {dimension}")
        found = "secret" if made._native.secret() else "plan"
        if key is not None and key != found:
            raise _other(path, "key", f"has key = {found!r}; allowed: {key!r}", repr(found), repr(key))
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what `resume` needs, between two rounds; an older file of this name is replaced whole.

        With a secret key, the file has that key and can be read by its owner alone: whoever reads it can undo the noise.
        Save before a round's mean leaves the process. A population that is resumed runs the rounds after the save
        again, with the same noise; if the vectors then differ, the two results together protect nobody.

        Raises:
            UsageError: A round is open.
            FileError: The file cannot be written.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).save("/no/such/folder/crowd.json")
        Traceback (most recent call last):
        muster.errors.FileError: /no/such/folder/crowd.json cannot be written: No such file or directory
        """
        self._native.save(_path(path))

    @property
    def plan(self) -> Plan:
        """The plan that the population follows.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).plan == plan
        True
        """
        return self._plan

    @property
    def dimension(self) -> int:
        """How many numbers a client's vector has.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).dimension
        2
        """
        return self._native.dimension()

    @property
    def rounds(self) -> int:
        """How often `round` can be called in all. In protocols with slots, each call is a step of one or more slots.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).rounds
        4
        """
        return self._native.steps()

    @property
    def begun(self) -> int:
        """How often `round` was called and has begun a round.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).begun
        0
        """
        return self._native.steps_begun()

    @property
    def charged(self) -> int:
        """How many rounds of the plan are charged: `begun`, or in protocols with slots how many runs have begun.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).charged
        0
        """
        return self._native.rounds_charged()

    @property
    def epsilon(self) -> Statement:
        """What the rounds that have begun cost, at the plan's delta: `muster.account` of `charged` rounds.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4,
        ...                    delta=1e-5)
        >>> float(muster.Population(plan, dimension=2).epsilon)
        0.0
        """
        return account(self._plan.replace({"rounds.count": self.charged}))

    @property
    def monitor(self) -> Monitor:
        """Whether the numbers of messages so far fit the declared rate.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
        >>> muster.Population(plan, dimension=2).monitor.alarm is None
        True
        """
        return Monitor._of(self._native.watched())

    def round(self) -> Round:
        """Returns the next round, which begins and ends with the `with` block that it is used in.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> crowd = muster.Population(plan, dimension=2)
        >>> with crowd.round() as r:
        ...     for clients in r.batches(1):
        ...         r.send(clients, [[0.5, 0.5]])
        >>> r.count, r.mean.shape
        (2, (2,))
        """
        return Round._of(self)

    def __repr__(self) -> str:
        return f"<muster.Population {self.begun} of {self.rounds} rounds begun, {self.dimension} numbers a client>"


class Monitor:
    """What the numbers of messages say about the declared check-in rate (docs/theory/check-in-monitor.md).

    Attributes:
        rounds: How many rounds were compared with the declared rate.
        alarm: Why the counts do not fit it, or None. If clients check in at that rate, the probability of an alarm in
            the whole plan is at most 1e-3.
        rate: (low, estimate, high) of the reports per client and round, or None.
        blind: Why there is nothing to watch, if the number of messages does not depend on coins; otherwise empty.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=10, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=4)
    >>> muster.Population(plan, dimension=2).monitor.rounds
    0
    """

    __slots__ = ("alarm", "blind", "rate", "rounds")
    rounds: int
    alarm: str | None
    rate: tuple[float, float, float] | None
    blind: str

    @classmethod
    def _of(cls, watched: dict[str, Any]) -> Monitor:
        made = cls()
        made.rounds, made.alarm = watched["rounds"], watched["alarm"]
        made.rate, made.blind = watched["rate"], watched["blind"]
        return made

    def __repr__(self) -> str:
        return f"<muster.Monitor {self.rounds} rounds watched, {self.alarm or 'no alarm'}>"


def _other(path: str | os.PathLike[str], key: str, text: str, value: str = "", allowed: str = "") -> CheckpointError:
    return CheckpointError(f"{os.fsdecode(path)} {text}", code=3, kind="checkpoint", key=key, value=value, allowed=allowed)


def _choice(argument: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise PlanError(f"{argument} = {value!r} is unknown; allowed: {' | '.join(allowed)}", code=2, kind="plan",
                        reason="out-of-range", key=argument, value=repr(value), allowed=" | ".join(allowed))


def _path(path: str | os.PathLike[str]) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise FileError("a path has no character 0", code=3, kind="file", key=os.fsdecode(name))
    return name
