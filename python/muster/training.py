"""Trains the built-in models as `muster train` does: the same engine, the same folder of a run, the same bits."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from muster import _muster
from muster.errors import PlanError
from muster.plans import Plan, _native
from muster.populations import _FIDELITIES, _choice, _path
from muster.runs import _NOTES, Run, _measured

#: Called with the fields of each logged round.
Callback = Callable[[dict[str, Any]], object]


def train(plan: Plan, *, out: str | os.PathLike[str] | None = None, resume: bool = False,
          callback: Callback | None = None, threads: int | None = None, fidelity: str = "message") -> Run:
    """Trains the plan's model, and returns the run, whose folder is as `muster train` leaves it.

    Other threads of Python run meanwhile. Ctrl-C, or an exception in the callback, abandons the round under way, keeps
    the checkpoint and is raised; the same call with `resume=True` then goes on and leaves the same bits as a run that
    nobody stopped. The notes that the command prints on stderr go to the logger "muster" as warnings.

    Args:
        plan: A plan with population.data, and with rounds.learning_rate unless it learns a statistic.
        out: The folder of the run; runs/NAME-HASH8 if None.
        resume: Continues the run in the folder, or returns it if it is finished; begins a run if the folder has none.
        callback: Called on the calling thread after each logged round (rounds.log_every), with a dict of its fields:
            those of `Run.metrics`.
        threads: How many threads train; all cores if None. The result does not depend on them.
        fidelity: "message", which makes every message, or "sum", which draws the noise of a round's sum at once
            (gaussian and k-rr).

    Raises:
        PlanError: The plan lacks what training needs.
        UncoveredError: No theorem covers the plan.
        BudgetReached: The budget does not pay for one round.
        FileError: The folder holds another run, or one that `resume` does not ask for, or cannot be written.
        DataError: The data set cannot be used, or the model has diverged.

    >>> import tempfile
    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
    ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5, log_every=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = muster.train(plan, out=folder, callback=lambda logged: print(logged["round"], logged["check_ins"]))
    2 10
    4 10
    >>> run.result["stopped"]
    'done'
    """
    _choice("fidelity", fidelity, _FIDELITIES)
    folder = _muster.train(_native(plan), _folder(out), bool(resume), threads, fidelity, _told(callback, False),
                           _NOTES.warning)
    return Run(os.fsdecode(folder))


class Sweep:
    """The runs of a sweep, one for each combination of values and each seed, as `sweep` returns it.

    >>> import tempfile
    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
    ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5, log_every=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = muster.sweep(plan, {"rounds.learning_rate": [0.1, 0.5]}, out=folder)
    >>> [each["set"] for each in found.summary["combinations"]]
    [{'rounds.learning_rate': '0.1'}, {'rounds.learning_rate': '0.5'}]
    >>> print(found)
    learning_rate  accuracy  lowest  highest  epsilon   seeds  time a run
    ...
    """

    __slots__ = ("_folder", "_picture", "_summary", "_table")

    def __init__(self, folder: str, summary: str, table: str, picture: str) -> None:
        self._folder = folder
        self._summary = summary
        self._table = table
        self._picture = picture

    @property
    def folder(self) -> str:
        """The folder, which holds a folder for each run, summary.json and summary.svg.

        >>> import muster
        >>> muster.Sweep("runs/a-sweep", "{}", "", "").folder
        'runs/a-sweep'
        """
        return self._folder

    @property
    def summary(self) -> dict[str, Any]:
        """What summary.json says (docs/formats.md).

        >>> import muster
        >>> muster.Sweep("runs/a-sweep", '{"runs": 4}', "", "").summary["runs"]
        4
        """
        summary: dict[str, Any] = json.loads(self._summary)
        return summary

    @property
    def runs(self) -> list[Run]:
        """All runs, combination by combination and seed by seed. They are read each time that this property is used.

        >>> import muster
        >>> muster.Sweep("runs/a-sweep", '{"combinations": []}', "", "").runs
        []
        """
        return [Run(os.path.join(self._folder, name))
                for combination in self.summary["combinations"] for name in combination["runs"]]

    def svg(self) -> str:
        """Returns the picture of summary.svg: accuracy against epsilon.

        >>> import muster
        >>> muster.Sweep("runs/a-sweep", "{}", "", "<svg/>").svg()
        '<svg/>'
        """
        return self._picture

    def __str__(self) -> str:
        return self._table.rstrip("\n")

    def __repr__(self) -> str:
        return f"<muster.Sweep {self._folder}: {self.summary['finished']} of {self.summary['runs']} runs finished>"


def sweep(plan: Plan, over: Mapping[str, Iterable[Any]], *, seeds: int = 1, out: str | os.PathLike[str] | None = None,
          resume: bool = False, callback: Callback | None = None, threads: int | None = None,
          fidelity: str = "message") -> Sweep:
    """Trains the plan for every combination of values of some keys, and several seeds: `muster train --sweep`.

    Every run is an ordinary one, in a folder of its own. Runs share the data set and the accountant where they can. A
    run that fails because its model diverges does not stop the others.

    Args:
        plan: The plan, whose seed is the first of the seeds.
        over: For each swept key, its values: {"randomizer.epsilon0": [1, 2, 4]}.
        seeds: With how many seeds each combination is trained: the plan's and the numbers after it.
        out: The folder; runs/NAME-sweep-HASH8 if None.
        resume: Continues a sweep in the folder.
        callback: As for `train`; the dict also has "run", the name of the run's folder.
        threads: As for `train`.
        fidelity: As for `train`.

    Raises:
        UsageError: The keys do not make a sweep.
        DataError: A run failed; the others are finished, and the summary is written.
        PlanError, UncoveredError, BudgetReached, FileError: As for `train`, before the first run begins.

    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
    ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
    >>> muster.sweep(plan, {"randomizer.epsilon": [1, 2]})
    Traceback (most recent call last):
    muster.errors.UsageError: over randomizer.epsilon is not a key of a plan; did you mean randomizer.epsilon0? ...
    """
    _choice("fidelity", fidelity, _FIDELITIES)
    if not isinstance(over, Mapping):
        raise PlanError(f"over = {over!r} is no dict; allowed: keys of a plan with their values", code=2, kind="plan",
                        reason="wrong-type", key="over", value=repr(over), allowed="keys of a plan with their values")
    keys: list[tuple[str, list[object]]] = [(str(key), list(values)) for key, values in over.items()]
    folder, summary, table, picture = _muster.sweep(_native(plan), keys, seeds, _folder(out), bool(resume), threads,
                                                    fidelity, _told(callback, True), _NOTES.warning)
    return Sweep(os.fsdecode(folder), summary, table, picture)


def _folder(out: str | os.PathLike[str] | None) -> bytes:
    return b"" if out is None else _path(out)


def _told(callback: Callback | None, of_several: bool) -> Callable[[str, str], None] | None:
    """Returns the function that the extension calls with a line of metrics.jsonl and the name of its run."""
    if callback is None:
        return None
    if not callable(callback):
        raise TypeError(f"callback is a function that takes a dict, not {type(callback).__name__}")
    call: Callback = callback

    def told(line: str, run: str) -> None:
        call({"run": run, **_measured(line)} if of_several else _measured(line))

    return told
