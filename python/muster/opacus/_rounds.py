"""The rounds of a population as Opacus needs them: begun by a sampler, ended by an optimizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import Sampler

from muster.errors import CheckpointError, UsageError
from muster.populations import Population
from muster.rounds import Round


class Rounds:
    """The rounds of a population, of which one at most is open.

    Attributes:
        population: The population.
        options: `threads` and `on_bad`, with which the population is resumed.
        allow: Called before a round begins; raises an exception if it must not.
        charge: Called when a round has begun.
        charged: The accountant's charges by origin, which it must still have when the next round begins.

    >>> import muster
    >>> from muster.opacus._rounds import Rounds
    >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
    >>> rounds = Rounds(muster.Population(plan, dimension=1), {})
    >>> rounds.remaining
    0
    """

    def __init__(self, population: Population, options: dict[str, Any]) -> None:
        self.population = population
        self.options = options
        self.allow: Callable[[], object] = lambda: None
        self.charge: Callable[[], object] | None = None
        self.charged: dict[str, int] = {}
        self._round: Round | None = None
        self._clients: list[int] = []
        self._sent = 0

    @property
    def remaining(self) -> int:
        """How many clients of the open round have not sent yet."""
        return len(self._clients) - self._sent

    def begin(self) -> list[int]:
        """Begins and charges the next round, and returns who sends in it, in the secret order."""
        if self.charge is None:
            raise UsageError("no accountant charges the rounds: attach the hook of one first", code=2, kind="usage",
                             reason="missing", key="accountant")
        if self.remaining > 0:
            raise UsageError(f"a round is open, and {self.remaining} of its clients have not sent: every batch of this "
                             "loader needs backward() and optimizer.step(), and no other use (evaluate with a loader "
                             "of your own); optimizer.abandon() gives the round up", code=2, kind="usage",
                             reason="contradiction", key="round")
        self.settle()
        self.allow()
        begun = self.population.begun
        # Wherever Ctrl-C comes, a round that the population has begun is charged, and is kept or abandoned.
        self._round = opened = self.population.round()
        try:
            opened.__enter__()
            self._sent, self._clients = 0, [int(client) for client in opened.clients]
        except BaseException:
            self.abandon()
            raise
        finally:
            if self.population.begun > begun:
                self._charge()
        return self._clients

    def _charge(self) -> None:
        assert self.charge is not None
        try:
            self.charge()
        except BaseException:
            self.abandon()  # nothing may be sent in a round that is not charged
            raise

    def send(self, rows: torch.Tensor) -> None:
        """Sends the vectors of the next clients of the open round."""
        if self._round is None or len(rows) > self.remaining:
            raise UsageError(f"{len(rows)} records have gradients, and {self.remaining} clients of the round have not "
                             "sent yet: each batch of the loader goes through backward() and step() once", code=2,
                             kind="usage", reason="contradiction", key="round")
        try:
            self._round.send(self._clients[self._sent:self._sent + len(rows)], rows)
        except BaseException:
            self.abandon()
            raise
        self._sent += len(rows)

    def finish(self) -> Round | None:
        """Ends the open round, and returns it with its mean; None if no round is open, as after `settle`."""
        ended, self._round, self._clients, self._sent = self._round, None, [], 0
        if ended is not None:
            ended.__exit__(None, None, None)
        return ended

    def settle(self) -> None:
        """Ends the open round if all its clients have sent. A program need not call `step` if there are none."""
        if self.remaining == 0:
            self.finish()

    def abandon(self) -> None:
        """Gives the open round up: it has no mean and stays charged."""
        ended, self._round, self._clients, self._sent = self._round, None, [], 0
        if ended is not None:
            ended.__exit__(GeneratorExit, None, None)

    def state_dict(self) -> dict[str, Any]:
        """Returns what `load_state_dict` needs, in plain dicts, lists, numbers and text; never a secret key."""
        self.settle()
        native = self.population._native
        return {"plan": self.population.plan.hash, "dimension": native.dimension(), "fidelity": native.fidelity(),
                "key": "secret" if native.secret() else "plan", "messages": native.messages(),
                "charged": dict(self.charged)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes on after the rounds of a `state_dict`.

        With the key of the plan, the population continues with the same bits. A secret key was not saved, so a new one
        is drawn. The noise of rounds that this population has begun is not drawn again, whatever the state says. No round
        begins before the accountant has the charges of the state's rounds, too.
        """
        now = self.state_dict()
        for part in ("plan", "dimension", "fidelity", "key"):
            if state.get(part) != now[part]:
                raise CheckpointError(f"the state is of another population: its {part} differs", code=3,
                                      kind="checkpoint", key=part)
        if not isinstance(state.get("charged"), Mapping):
            raise CheckpointError("the state does not say what was charged for its rounds: charged is missing", code=3,
                                  kind="checkpoint", reason="missing", key="charged")
        for origin, steps in state["charged"].items():
            self.charged[origin] = max(steps, self.charged.get(origin, 0))
        if len(state["messages"]) > self.population.begun:
            self.population = self.population._after(list(state["messages"]), **self.options)


class CheckIns(Sampler[list[int]]):
    """Gives the check-ins of round after round, as indices of records in their secret order.

    A pass has 1 / sample_rate rounds, as in Opacus, or those that the plan has left if they are fewer.

    >>> import muster
    >>> from muster.opacus._rounds import CheckIns, Rounds
    >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
    >>> rounds = Rounds(muster.Population(plan, dimension=1), {})
    >>> rounds.charge = lambda: print("charged")
    >>> for batch in CheckIns(rounds, sample_rate=1.0):
    ...     print(sorted(batch))
    ...     rounds.send(torch.zeros(2, 1))
    charged
    [0, 1]
    """

    def __init__(self, rounds: Rounds, sample_rate: float) -> None:
        self._rounds = rounds
        self._each = max(1, int(1 / sample_rate))

    def __iter__(self) -> Iterator[list[int]]:
        population = self._rounds.population
        if population.begun == population.rounds:
            raise UsageError(f"all {population.rounds} rounds of the plan have begun, and the loader has no more",
                             code=2, kind="usage", reason="contradiction", key="rounds.count", value=str(population.rounds))
        for _ in range(len(self)):
            yield self._rounds.begin()

    def __len__(self) -> int:
        population = self._rounds.population
        return min(self._each, population.rounds - population.begun)
