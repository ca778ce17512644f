"""Rounds of a population, as `Population.round` gives them."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from muster.errors import PlanError, UsageError

if TYPE_CHECKING:  # numpy is imported when the first round is used
    import numpy as np
    from numpy.typing import NDArray

    from muster.populations import Population

_Sent = TypeVar("_Sent")
# The numbers by which populations know their rounds: no two rounds have the same.
_numbers = itertools.count(1)


class Round:
    """One round of a population, as `Population.round` gives it.

    In the block, every client of `batches` sends exactly once, in the order given. If the block raises, the round is
    abandoned: it has no mean, and stays charged.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
    >>> with muster.Population(plan, dimension=2).round() as r:
    ...     for clients in r.batches(2):
    ...         r.send(clients, [[0.1, 0.2]] * len(clients))
    >>> r.decoded
    True
    """

    __slots__ = ("_clients", "_mean", "_number", "_population", "_result", "_state")

    def __init__(self) -> None:
        raise UsageError("Round is made by Population.round", code=2, kind="usage", reason="missing")

    @classmethod
    def _of(cls, population: Population) -> Round:
        import numpy as np

        made = object.__new__(cls)
        made._population = population
        made._clients = np.empty(0, dtype=np.uint64)
        made._number = next(_numbers)
        made._state = "new"
        made._mean = None
        made._result = (0, 0, False)
        return made

    _population: Population
    _clients: NDArray[np.uint64]
    _number: int
    _state: str  # "new", "open", "ended" or "abandoned"
    _mean: NDArray[np.float32] | None
    _result: tuple[int, int, bool]

    def __enter__(self) -> Round:
        if self._state != "new":
            raise _misuse("a round is used in one with block only: ask the population for the next")
        # Ctrl-C may also come after the population has opened the round. Nobody would then have the round, and no other
        # could begin, so it is abandoned; it stays charged.
        try:
            self._clients = self._population._native.open(self._number)
            self._clients.flags.writeable = False
            self._state = "open"
        except BaseException:
            self._abandon()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        native = self._population._native
        if kind is not None:
            self._abandon()
            return
        self._expect_open()
        try:
            self._mean, count, neutral, decoded = native.close()
        except BaseException:
            self._abandon()
            raise
        self._result = (count, neutral, decoded)
        self._state = "ended"

    def _abandon(self) -> None:
        """Abandons the round if the population has opened it. What was charged for it stays charged."""
        self._population._native.abandon(self._number)
        self._state = "abandoned"

    def _expect_open(self) -> None:
        if self._state == "new":
            raise _misuse("the round has not begun: use it in a with block")
        if self._state == "ended":
            raise _misuse("the round has ended")
        if self._state == "abandoned" or not self._population._native.is_open(self._number):
            raise _misuse("the round was abandoned")

    @property
    def clients(self) -> NDArray[np.uint64]:
        """All clients that send in the round, uint64, in their secret order; the array is read-only.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> with muster.Population(plan, dimension=2).round() as r:
        ...     sorted(r.clients.tolist())
        ...     r.send(r.clients, [[0.1, 0.2]] * 3)
        [0, 1, 2]
        """
        self._expect_open()
        return self._clients

    def batches(self, size: int) -> Iterator[NDArray[np.uint64]]:
        """Gives the clients of the round in pieces of `size`, the last one perhaps smaller.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> with muster.Population(plan, dimension=2).round() as r:
        ...     for clients in r.batches(2):
        ...         r.send(clients, [[0.1, 0.2]] * len(clients))
        ...         print(len(clients))
        2
        1
        """
        try:
            each = 0 if isinstance(size, bool) else operator.index(size)
        except TypeError:
            each = 0
        if each < 1:
            raise PlanError(f"size = {size!r} is no size of a batch; allowed: integer >= 1", code=2, kind="plan",
                            reason="out-of-range", key="size", value=repr(size), allowed="integer >= 1")
        self._expect_open()
        return (self._clients[at:at + each] for at in range(0, len(self._clients), each))

    def send(self, clients: Any, updates: Any) -> None:
        """Clips and randomizes the vectors of the next clients, and adds them up.

        Args:
            clients: k client numbers, the next of the round's order.
            updates: Their vectors, of shape (k, dimension): float32, from numpy, from anything that numpy reads as an
                array, or by DLPack from a tensor on the CPU. Rows are read where they lie if each is contiguous.
                float64 is rounded to float32. The vectors need not be clipped.

        Raises:
            UsageError: Another client is next, or the round is not open; nothing was sent.
            PlanError: The shape or the type is wrong; nothing was sent.
            DataError: A vector is not finite, or for k-rr no indicator of a category; the round is abandoned.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> with muster.Population(plan, dimension=2).round() as r:
        ...     r.send([3], [[0.1, 0.2]])
        Traceback (most recent call last):
        muster.errors.UsageError: client 3 does not send in this round; the next to send is client 0
        """
        self._send(self._population._native.send, clients, updates)

    def send_decoded(self, clients: Any, updates: Any) -> NDArray[np.float32]:
        """Does what `send` does, and returns what the message of each client decodes to by itself.

        A framework that adds up contributions itself can be given these: float32 of shape (k, dimension), of which the
        round's `mean` is the exact mean. The server could decode them, too, but not tell whose they are. Fidelity "sum"
        makes no messages and is refused.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> with muster.Population(plan, dimension=2).round() as r:
        ...     r.send_decoded([0], [[0.1, 0.2]]).shape
        (1, 2)
        """
        return self._send(self._population._native.send_decoded, clients, updates)

    def _send(self, native_send: Callable[[Any, Any], _Sent], clients: Any, updates: Any) -> _Sent:
        from muster._arrays import client_numbers, rows_of

        self._expect_open()
        numbers = client_numbers(clients)
        rows = rows_of(updates, len(numbers), self._population.dimension)
        try:
            return native_send(numbers, rows)
        except BaseException:
            if not self._population._native.is_open(self._number):
                self._abandon()
            raise

    @property
    def mean(self) -> NDArray[np.float32]:
        """The estimate of the mean of the senders' clipped vectors, float32 of shape (dimension,), after the block.

        It is zero if nothing was decoded: without messages, or with fewer than `participation.minimum`.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> r = muster.Population(plan, dimension=2).round()
        >>> r.mean
        Traceback (most recent call last):
        muster.errors.UsageError: the round has not ended, so it has no mean
        """
        if self._mean is None:
            raise _misuse("the round was abandoned, so it has no mean" if self._state == "abandoned"
                          else "the round has not ended, so it has no mean")
        return self._mean

    @property
    def count(self) -> int:
        """The number of messages, those of the server's dummies included: nobody may learn which they are.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> with muster.Population(plan, dimension=1).round() as r:
        ...     r.send([0], [[0.5]])
        >>> r.count
        1
        """
        self._ended()
        return self._result[0]

    @property
    def neutral(self) -> int:
        """How many vectors were refused by the randomizer and answered like zero (`on_bad="neutral"`).

        This number reveals something about the data.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=1, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> with muster.Population(plan, dimension=1, on_bad="neutral").round() as r:
        ...     r.send([0], [[float("nan")]])
        >>> r.neutral
        1
        """
        self._ended()
        return self._result[1]

    @property
    def decoded(self) -> bool:
        """Whether the sum was decoded. It is not if there were no messages, or fewer than `participation.minimum`.

        >>> import muster
        >>> plan = muster.plan(protocol="aggregated-check-in", clients=2, rate=0.5, minimum=2, randomizer="gaussian",
        ...                    sigma=5.0, clip=1.0, rounds=1, seed=2)
        >>> with muster.Population(plan, dimension=1).round() as r:
        ...     r.send(r.clients, [[0.5]] * len(r.clients))
        >>> r.decoded == (r.count == 2)
        True
        """
        self._ended()
        return self._result[2]

    def _ended(self) -> None:
        if self._state != "ended":
            raise _misuse("the round was abandoned" if self._state == "abandoned" else "the round has not ended")

    def __repr__(self) -> str:
        return f"<muster.Round {self._state}, {len(self._clients)} clients>"


def _misuse(text: str) -> UsageError:
    return UsageError(text, code=2, kind="usage", reason="contradiction", key="round")
