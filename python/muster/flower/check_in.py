"""A node's side: it decides by its own coin whether it reports, and whatever it sends has been randomized."""

from __future__ import annotations

import dataclasses
import logging
import secrets
from typing import Any

import numpy as np
from flwr.app import ConfigRecord, Context, Message, MessageType, RecordDict
from flwr.clientapp.typing import ClientAppCallable
from numpy.typing import NDArray

from muster import _muster
from muster.errors import PlanError
from muster.flower import _records as records
from muster.flower._records import RECORD, Request, misuse
from muster.plans import Plan, _native

_KEYS = ("secret", "plan")
_COMPUTE = ("always", "reporters")
_log = logging.getLogger("flwr")


class CheckIn:
    """A mod of a ClientApp that turns what the app learned into the node's message of a round, or into a dummy.

    For each request to train, the node tosses its own coin, before anything of the app runs; lets the app train; and
    takes the change of the arrays of floating point, which it clips and randomizes. Whatever the coin said, the reply
    has the same length and nothing else in it: no arrays, metrics or numbers of examples of the app. An app that fails,
    or whose arrays are not finite or of other shapes, is answered for with the message of the zero change, because
    silence would tell something about its data. Requests to evaluate and to query pass through: their answers have no
    protection.

    The node's key, and the coin and the reply of its last round, are in the context's state. A round that is asked for
    again gets the same reply, and one before it is refused, as is a request under another plan.

    Put it first in the list of mods, so that it is the last to touch a reply. One object serves any number of nodes and
    threads; a node answers one request at a time.

    Args:
        plan: The plan of the server's Strategy: protocol "shuffled-check-in" with one rate and no dropout, with
            `randomizer.clip`. The node goes by its own copy, so that no server can lower the noise.
        key: "secret" draws the node's key from the system, coins come from it, and every message has fresh noise.
            "plan" derives key and noise from the plan's seed, for the client whose number is the node's "partition-id"
            in its node config: the rounds are then bit for bit those of `muster.Population`, and everybody who knows
            the plan can undo the noise. Use it with invented data alone.
        compute: Which nodes let the app train. "always": all of them, also those whose coin says no, so that neither
            the time that a reply takes nor a process that dies while it trains reveals the coin. "reporters" saves the
            work of the others, and epsilon then assumes that nobody watches the network and that no app dies.

    Raises:
        PlanError: The plan does not run in Flower, or an argument is wrong.

    >>> import muster, muster.flower
    >>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0,
    ...                    clip=1.0, rounds=20)
    >>> muster.flower.CheckIn(plan)
    <muster.flower.CheckIn in 20 rounds at rate 0.1, key 'secret'>
    """

    def __init__(self, plan: Plan, *, key: str = "secret", compute: str = "always") -> None:
        for name, value, allowed in (("key", key, _KEYS), ("compute", compute, _COMPUTE)):
            if value not in allowed:
                raise PlanError(f"{name} = {value!r} is unknown; allowed: {' | '.join(allowed)}", code=2, kind="plan",
                                reason="out-of-range", key=name, value=repr(value), allowed=" | ".join(allowed))
        self._plan = records.runnable(plan)
        self._key = key
        self._compute = compute

    def __call__(self, msg: Message, context: Context, call_next: ClientAppCallable) -> Message:
        """Answers a message to the node; Flower calls this. `call_next` runs the other mods and the app.

        Raises:
            UsageError: The request is not one of the plan's rounds, or the node has no number; the node tells this
                to the server as an error, whatever its coin and its data.

        >>> import muster, muster.flower
        >>> from flwr.app import ConfigRecord, Context, Message, RecordDict
        >>> from flwr.supercore.task_identity import TaskIdentity
        >>> TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> node = Context(run_id=1, node_id=5, node_config={}, state=RecordDict(), run_config={})
        >>> plain = Message(RecordDict(), dst_node_id=5, message_type="train")
        >>> muster.flower.CheckIn(plan)(plain, node, lambda msg, context: Message(RecordDict(), reply_to=msg))
        Traceback (most recent call last):
        muster.errors.UsageError: the server's message has no record 'muster': its strategy is not muster...
        """
        if msg.metadata.message_type.split(".")[0] != MessageType.TRAIN:
            return call_next(msg, context)
        request = Request.of(msg.content, self._plan)
        memory = _Memory.of(context, self._plan, self._key)
        if request.round < memory.round:
            raise misuse(f"round {request.round} is over: this node has answered round {memory.round}", "round",
                         request.round, f"{memory.round}..{self._plan['rounds.count']}")
        if request.round > memory.round or not memory.upload:
            memory = self._answer(request, memory, msg, context, call_next)
        return Message(RecordDict({RECORD: ConfigRecord({"upload": memory.upload})}), reply_to=msg)

    def _answer(self, request: Request, memory: _Memory, msg: Message, context: Context,
                call_next: ClientAppCallable) -> _Memory:
        """Makes the reply of a round, and returns the memory of it."""
        found = records.only_arrays(msg.content)
        before = records.learned(found[1]) if found is not None else {}
        if not before:
            raise misuse("the server's message has not one record of arrays of floating point", "arrays")
        messages = records.messages_of(self._plan, records.dimension_of(before))
        client = self._number(context)
        if request.round > memory.round:  # otherwise the coin was tossed, but the process ended before the reply
            memory = memory.tossed(request.round, messages.coin(memory.key, request.round, client))
            memory.keep(context)
        vector = None
        if memory.coin or self._compute == "always":
            vector = _learn(before, msg, context, call_next)
        # Both are made, so that neither the time nor a failure reveals the coin.
        noise = memory.key if self._key == "plan" else None
        report = messages.message(noise, request.round, client, vector)
        dummy = secrets.token_bytes(messages.size())
        memory = memory.replied(records.upload(request.round, memory.coin, report if memory.coin else dummy))
        memory.keep(context)
        return memory

    def _number(self, context: Context) -> int:
        """Returns the number of the client in streams of the plan's key; a secret key has one client, number 0."""
        if self._key == "secret":
            return 0
        number = context.node_config.get("partition-id")
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise misuse(f"partition-id = {number} is no number of a client: key=\"plan\" needs it in the node config, "
                         "as in flower-supernode --node-config partition-id=3", "partition-id", number, "integer >= 0")
        return number

    def __repr__(self) -> str:
        return (f"<muster.flower.CheckIn in {self._plan['rounds.count']} rounds at rate "
                f"{self._plan['participation.rate']}, key {self._key!r}>")


def _learn(before: dict[str, NDArray[Any]], msg: Message, context: Context,
           call_next: ClientAppCallable) -> NDArray[np.float32] | None:
    """Returns the change that the app learned, or None if it failed."""
    try:
        reply = call_next(msg, context)
        found = None if reply.has_error() else records.only_arrays(reply.content)
        vector = None if found is None else records.change(before, found[1])
    # A SystemExit of the app counts as a failure, too. Ctrl-C is not caught.
    except (Exception, SystemExit) as error:  # noqa: BLE001
        _log.warning("muster: the app failed, and the zero change is sent instead", exc_info=error)
        return None
    if vector is None or not np.isfinite(vector).all():
        _log.warning("muster: the app's arrays are no change of the server's, and the zero change is sent instead")
        return None
    return vector


@dataclasses.dataclass(frozen=True)
class _Memory:
    """What a node remembers in its context's state: its key, and the coin and the reply of its last round."""

    plan: str
    key: bytes
    round: int
    coin: bool
    upload: bytes  # empty until the reply is made

    @classmethod
    def of(cls, context: Context, plan: Plan, key: str) -> _Memory:
        kept = context.state.config_records.get(RECORD)
        if kept is None:
            drawn = _muster.plan_key(_native(plan)) if key == "plan" else secrets.token_bytes(16)
            return cls(plan.hash, drawn, 0, False, b"")
        memory = cls(*(kept[field.name] for field in dataclasses.fields(cls)))  # type: ignore[arg-type]
        if memory.plan != plan.hash:
            raise misuse(f"this node's state is of the plan {memory.plan}, and its plan is now {plan.hash}", "plan",
                         plan.hash, memory.plan)
        return memory

    def tossed(self, round_: int, coin: bool) -> _Memory:
        return dataclasses.replace(self, round=round_, coin=coin, upload=b"")

    def replied(self, upload: bytes) -> _Memory:
        return dataclasses.replace(self, upload=upload)

    def keep(self, context: Context) -> None:
        context.state[RECORD] = ConfigRecord(dataclasses.asdict(self))
