"""Plans: who takes part, what a client does to what it sends, and for how many rounds."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Union

from muster import _muster
from muster.errors import FileError, PlanError, UsageError

#: The check-in rate of all clients, or the lowest and the highest of clients whose rates differ.
Rate = Union[float, Sequence[float]]
#: A number for all rounds, or steps [[1, value], [round, value], ...]; a learning rate may be "inverse-sqrt:V".
Schedule = Union[float, str, Sequence[Sequence[float]]]


class Plan:
    """A plan: immutable, and equal to another if both state the same.

    Make one by `muster.plan`, `Plan.read` or `Plan.from_dict`. Whatever a plan states is checked when it is made. What
    `calibrate` can solve for (epsilon0, sigma, rate, rounds, clients, minimum) may be missing until it is needed.

    A number may be an int, a float or a scalar of numpy; a whole float such as 1e6 counts as an integer, as it does in
    a flag of the command. A bool is no number. Text is read as a flag reads it. NaN and infinity are refused.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0, rounds=10)
    >>> plan == plan.replace({"rounds.count": 10}), hash(plan) == hash(plan.replace({"rounds.count": 20}))
    (True, False)
    >>> import pickle
    >>> pickle.loads(pickle.dumps(plan)) == plan
    True

    The file of a profile (`randomizer="profile"`) is read when the plan is made: the plan, all plans that are made from
    it, its pickle and an accountant's state have the file's contents, whatever becomes of the file.
    """

    __slots__ = ("_native", "_hash")
    _native: _muster.Plan
    _hash: str

    def __init__(self) -> None:
        raise UsageError("Plan is made by muster.plan, Plan.read or Plan.from_dict", code=2, kind="usage",
                         reason="missing")

    @classmethod
    def _of(cls, native: _muster.Plan) -> Plan:
        made = object.__new__(cls)
        object.__setattr__(made, "_native", native)
        object.__setattr__(made, "_hash", native.hash())
        return made

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Reads a plan from a TOML file of at most 1 MiB (docs/plan.md lists its keys).

        Raises:
            FileError: The file cannot be read.
            PlanError: The file is not TOML, or states something wrong; the message has the line and the column.

        >>> import muster
        >>> muster.Plan.read("plans/quickstart.toml")["participation.protocol"]
        'shuffled-check-in'
        """
        name = os.fsencode(path)
        if b"\0" in name:
            raise FileError("a path has no character 0", code=3, kind="file", key=os.fsdecode(name))
        return cls._of(_muster.Plan.read(name))

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> Plan:
        """Makes a plan from its keys: in sections, as a TOML file has them, or dotted.

        Raises:
            PlanError: A key is unknown, missing or inapplicable, or a value is wrong.

        >>> import muster
        >>> by_section = {"participation": {"protocol": "subset", "subset": 10}, "population": {"clients": 1000},
        ...               "randomizer": {"kind": "k-rr", "k": 4, "epsilon0": 1.0}, "rounds": {"count": 5}}
        >>> dotted = {"participation.protocol": "subset", "participation.subset": 10, "population.clients": 1000,
        ...           "randomizer.kind": "k-rr", "randomizer.k": 4, "randomizer.epsilon0": 1.0, "rounds.count": 5}
        >>> muster.Plan.from_dict(by_section) == muster.Plan.from_dict(dotted)
        True
        """
        return cls._of(_muster.Plan.of(_flat(stated)))

    def replace(self, changes: Mapping[str, Any]) -> Plan:
        """Returns a plan in which `changes` override the keys that they name; the plan itself stays as it is.

        If the protocol or the randomizer changes, keys of the plan that then do not apply are left out, with a
        warning; a key in `changes` that does not apply is refused.

        Raises:
            PlanError: The new plan is refused.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0, rounds=10)
        >>> plan.replace({"rounds.count": 1000})["rounds.count"], plan["rounds.count"]
        (1000, 10)
        """
        changed = Plan._of(self._native.replaced(_flat(changes, "changes")))
        for sentence in changed.left_out:
            warnings.warn(sentence, UserWarning, stacklevel=2)
        return changed

    @property
    def hash(self) -> str:
        """The plan's hash, as runs and deployments state it: BLAKE2b-256 of `canonical`, 64 hexadecimal digits.

        >>> import muster
        >>> len(muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0, rounds=10).hash)
        64
        """
        return self._hash

    @property
    def canonical(self) -> str:
        """The values after overrides and defaults, one "key = value" per line, sorted by key.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0, rounds=10)
        >>> "randomizer.sigma = 5" in plan.canonical.splitlines()
        True
        """
        return self._native.canonical()

    @property
    def complete(self) -> bool:
        """Whether the plan can be accounted for: nothing is missing that `calibrate` would have to find.

        >>> import muster
        >>> muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", rounds=10).complete
        False
        """
        return self._native.complete()

    @property
    def left_out(self) -> tuple[str, ...]:
        """One sentence for every key that an override of the protocol or the randomizer left out.

        >>> import muster
        >>> muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0, rounds=10).left_out
        ()
        """
        return tuple(self._native.left_out())

    def to_dict(self) -> dict[str, Any]:
        """Returns all values after overrides and defaults by dotted key: numbers, text, truth values and lists.

        `from_dict` makes the plan again from them, unless it has `randomizer.profile`: that is the hash of its file's
        contents here, as in `canonical`, and not the path.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=5.0, rounds=10)
        >>> plan.to_dict()["population.clients"]
        1000
        """
        return {key: _value_of(text) for key, text in self._native.values().items()}

    def __getitem__(self, key: str) -> Any:
        values = self._native.values()
        if key not in values:
            raise KeyError(key)
        return _value_of(values[key])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a plan is immutable: plan.replace makes another, with another {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a plan is immutable")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Plan):
            return NotImplemented
        return self._hash == other._hash and self.complete == other.complete

    def __hash__(self) -> int:
        return hash(self._hash)

    def __reduce__(self) -> tuple[object, ...]:
        return _plan_of_state, (self._native.state(),)

    def __repr__(self) -> str:
        return f"<muster.Plan {self._native.sentence()}>"

    def _repr_html_(self) -> str:
        return self._native.html()


def _native(plan: Plan) -> _muster.Plan:
    if not isinstance(plan, Plan):
        raise TypeError(f"a plan is needed, not {type(plan).__name__}: muster.plan or muster.Plan.read makes one")
    return plan._native


def _plan_of_state(state: tuple[str, list[tuple[object, ...]]]) -> Plan:
    return Plan._of(_muster.Plan.of_state(state))


def _flat(stated: Mapping[str, Any], argument: str = "stated") -> dict[str, Any]:
    """Returns the values by dotted key."""
    if not isinstance(stated, Mapping):
        raise PlanError(f"{argument} = {stated!r} is no dict; allowed: keys of a plan with their values", code=2,
                        kind="plan", reason="wrong-type", key=argument, value=repr(stated),
                        allowed="keys of a plan with their values")
    flat: dict[str, Any] = {}
    for key, value in stated.items():
        section = str(key)
        if isinstance(value, Mapping) and "." not in section and section not in _KEYS.values():
            flat.update({f"{section}.{inner}": each for inner, each in value.items()})
        else:
            flat[section] = value
    return flat


def _value_of(text: str) -> Any:
    """Returns the parsed value if the text is JSON (a number, a list, true or false), and otherwise the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def plan(*, protocol: str | None = None, clients: float | None = None, rate: Rate | None = None,
         dropout: Schedule | None = None, subset: float | None = None, slots: float | None = None,
         minimum: float | None = None, randomizer: str | None = None, epsilon0: float | None = None,
         clip: float | None = None, sigma: float | None = None, k: float | None = None, profile: str | None = None,
         rounds: float | None = None, delta: float | None = None, budget: float | None = None,
         name: str | None = None, seed: float | None = None,
         data: str | None = None, records: float | str | None = None, partition: str | None = None,
         share: bool | None = None, label: str | None = None, split: str | None = None, test_data: str | None = None,
         learning_rate: Schedule | None = None, momentum: float | None = None, average: float | None = None,
         projection: float | None = None, weight_decay: float | None = None, local_steps: float | None = None,
         local_rate: float | None = None, local_batch: float | None = None, batch: float | None = None,
         log_every: float | None = None, checkpoint_every: float | None = None, model: str | None = None,
         activation: str | None = None, public_data: str | None = None, pretrain_epochs: float | None = None,
         **unknown: object) -> Plan:
    stated = {keyword: value for keyword, value in locals().items() if keyword != "unknown" and value is not None}
    if unknown:
        word = next(iter(unknown))
        close = _muster.nearest_keyword(word)
        raise UsageError(f"{word} is an unknown keyword" + (f"; did you mean {close}?" if close else ""), code=2,
                         kind="usage", reason="unknown", key=word, value=str(unknown[word]), allowed=close)
    return Plan.from_dict({_KEYS[keyword]: value for keyword, value in stated.items()})


def _documented(rows: list[dict[str, str]]) -> str:
    """Returns the docstring of `plan`: its keywords, from the table that documents the command's flags."""
    lines = []
    for row in rows:
        only = f" Only with {row['only_with']}." if row["only_with"] else ""
        default = f" [{row['default']}]" if row["default"] else ""
        lines.append(f"        {row['keyword']}: {row['key']}: {row['meaning']}: {row['allowed']}{default}.{only}")
    return _DESCRIPTION.replace("KEYWORDS", "\n".join(lines))


_DESCRIPTION = """Makes a plan from keywords: the names of the command's flags, with _ for -.

    Every keyword is a key of a plan; None means that the plan does not state it. In square brackets is what holds if
    it is not stated. An unknown keyword is refused, with the nearest.

    Args:
KEYWORDS

    Raises:
        PlanError: A key is missing or inapplicable, or a value is wrong.
        UsageError: A keyword is unknown.

    >>> import muster
    >>> muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0,
    ...             rounds=6800)
    <muster.Plan ldp-sgd, epsilon0 = 2; 60000 clients, each reporting with probability 0.1 in each round; 6800 rounds>
    """

_ROWS = _muster.key_table()
_KEYS = {row["keyword"]: row["key"] for row in _ROWS}
plan.__doc__ = _documented(_ROWS)
