"""What travels between the nodes and the server of a Flower app, and how arrays become vectors and back.

    request  a record "muster" beside the server's own: the hash of the plan, and the round
    reply    a record "muster" alone: version u8 | round u64 | kind u8 | payload, numbers little-endian
    kind     1 report, 0 dummy, whose payload is random

The payload is that of docs/wire.md, so that every reply of a task has the same length.
"""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, RecordDict
from numpy.typing import NDArray

from muster import _muster
from muster.errors import PlanError, UsageError
from muster.plans import Plan, _native

RECORD = "muster"  # the name of the record that this module adds to Flower's
_HEAD = struct.Struct("<BQB")
_VERSION = 1


def misuse(text: str, key: str, value: object = "", allowed: str = "") -> UsageError:
    """Returns the error of a request, a reply or an argument that does not fit."""
    return UsageError(text, code=2, kind="usage", reason="contradiction", key=key, value=str(value), allowed=allowed)


def runnable(plan: Plan) -> Plan:
    """Returns the plan if devices can run it by themselves, as deployments do; otherwise raises PlanError."""
    if not isinstance(plan, Plan):
        raise PlanError(f"plan is a {type(plan).__name__}, no muster.Plan", code=2, kind="plan", reason="wrong-type",
                        key="plan", value=type(plan).__name__, allowed="a muster.Plan")
    stated: Mapping[str, Any] = plan.to_dict()
    protocol, rate, dropout = (stated["participation.protocol"], stated.get("participation.rate"),
                               stated.get("participation.dropout", 0))
    for key, value, fine, allowed, why in (
            ("participation.protocol", protocol, protocol == "shuffled-check-in", "shuffled-check-in",
             "nodes toss their own coins, and the server samples nobody"),
            ("participation.rate", rate, not isinstance(rate, (list, tuple)), "one number in (0, 1]",
             "all nodes have one rate"),
            ("participation.dropout", dropout, dropout == 0, "0", "a loss that need not happen cannot be charged")):
        if not fine:
            raise PlanError(f"{key} = {value} does not run in Flower: {why}; allowed: {allowed}", code=2, kind="plan",
                            reason="inapplicable", key=key, value=str(value), allowed=allowed)
    messages_of(plan, int(stated.get("randomizer.k", 1)))  # refuses a randomizer that has no messages
    return plan


def messages_of(plan: Plan, dimension: int) -> _muster.Messages:
    """Returns the object that makes and decodes the messages of vectors of `dimension` numbers."""
    return _muster.Messages.made(_native(plan), dimension)


def watch_of(plan: Plan) -> _muster.Watch:
    """Returns the object that compares the numbers of messages with the declared rate."""
    return _muster.Watch.made(_native(plan))


@dataclasses.dataclass(frozen=True)
class Request:
    """What the server asks of a node: its answer in a round of a plan."""

    plan: str
    round: int

    def record(self) -> ConfigRecord:
        """Returns the record that goes out."""
        return ConfigRecord({"plan": self.plan, "round": self.round})

    @classmethod
    def of(cls, content: RecordDict, plan: Plan) -> Request:
        """Returns the request in a message to a node whose plan is `plan`."""
        record = content.config_records.get(RECORD)
        if record is None:
            raise misuse(f"the server's message has no record {RECORD!r}: its strategy is not muster.flower.Strategy",
                         RECORD)
        named, round_ = record.get("plan"), record.get("round")
        if named != plan.hash:
            raise misuse(f"the server asks for the plan {named!r}, and this node goes by {plan.hash}", "plan", named,
                         plan.hash)
        last = plan["rounds.count"]
        if isinstance(round_, bool) or not isinstance(round_, int) or not 1 <= round_ <= last:
            raise misuse(f"round = {round_!r} is none of the plan; allowed: 1..{last}", "round", round_, f"1..{last}")
        return cls(plan.hash, round_)


def upload(round_: int, reports: bool, payload: bytes) -> bytes:
    """Returns the bytes of a reply."""
    return _HEAD.pack(_VERSION, round_, reports) + payload


def opened(content: RecordDict, round_: int, size: int) -> tuple[bool, bytes] | None:
    """Returns whether a reply is a report, and its payload of `size` bytes; None if it is no reply of the round."""
    record = content.config_records.get(RECORD)
    data = record.get("upload") if record is not None else None
    if not isinstance(data, bytes) or len(data) != _HEAD.size + size:
        return None
    version, of, kind = _HEAD.unpack_from(data)
    return (kind == 1, data[_HEAD.size:]) if (version, of) == (_VERSION, round_) and kind in (0, 1) else None


def only_arrays(content: RecordDict) -> tuple[str, ArrayRecord] | None:
    """Returns the one record of arrays of a message, with its name; None if the message has none or several."""
    found = list(content.array_records.items())
    return found[0] if len(found) == 1 else None


def _floating(array: Array) -> bool:
    return array.stype == "numpy.ndarray" and np.issubdtype(np.dtype(array.dtype), np.floating)


def learned(record: ArrayRecord) -> dict[str, NDArray[Any]]:
    """Returns copies of the learned arrays: those of floating point. The others stay as the server has them."""
    return {name: array.numpy() for name, array in record.items() if _floating(array)}


def dimension_of(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Returns how many numbers the arrays have together."""
    return sum(array.size for array in arrays.values())


def change(before: Mapping[str, NDArray[Any]], record: ArrayRecord) -> NDArray[np.float32] | None:
    """Returns the arrays of a record minus those before it, flat; None if names or shapes differ."""
    after = learned(record)
    if after.keys() != before.keys() or any(after[name].shape != old.shape for name, old in before.items()):
        return None
    pieces = [np.subtract(after[name], old, dtype=np.result_type(after[name], old, np.float32)).ravel()
              for name, old in before.items()]
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and the caller refuses it
        return np.concatenate(pieces).astype(np.float32)


def with_kept(made: ArrayRecord, server: ArrayRecord) -> ArrayRecord:
    """Returns the record, but with the server's own arrays where they are not learned: averaging changes these, too."""
    return ArrayRecord({name: server[name] if name in server and not _floating(server[name]) else array
                        for name, array in made.items()})


def moved(record: ArrayRecord, mean: NDArray[np.float32]) -> ArrayRecord:
    """Returns the record with the mean change added to its learned arrays, each in its own type."""
    result, at = ArrayRecord(), 0
    for name, array in record.items():
        if not _floating(array):
            result[name] = array
            continue
        old = array.numpy()
        piece = mean[at:at + old.size].reshape(old.shape)
        at += old.size
        result[name] = Array(np.add(old, piece, dtype=np.result_type(old, np.float32)).astype(old.dtype))
    return result
