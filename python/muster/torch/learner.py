"""Trains a PyTorch model by the rounds of a plan."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Union

import torch
from torch import nn

from muster.errors import PlanError, UsageError
from muster.plans import Plan
from muster.populations import Population
from muster.rounds import Round
from muster.statements import Statement
from muster.torch._parameters import pieces_of, refused, trainable
from muster.torch.gradients import Loss, client_changes, client_gradients
from muster.torch.parameters import flatten

#: Two tensors with one record a client, or for each client its records: (inputs [m, ...], targets [m, ...]).
Data = Union[tuple[torch.Tensor, torch.Tensor], Sequence[tuple[torch.Tensor, torch.Tensor]]]


class Learner:
    """Trains a model: in each round, the clients that check in send their updates through a population of the plan.

    A client's update is its mean gradient or, with `local_steps`, what its local training changes. The population clips
    it, randomizes it by itself and adds it up with the others; the model moves against the mean. Epsilon covers all
    records of one client, whatever their number and the number of local steps (neighbours: replace-one).

    Args:
        model: Changed in place. Its trainable parameters are float32 (see `flatten`).
        loss: `loss(outputs, targets)`, the mean over the records of one client.
        data: Client j's records. Either two tensors, inputs [clients, ...] and targets [clients, ...], with one record
            a client; or a sequence, such as a list, whose item j is the pair (inputs [m, ...], targets [m, ...]).
        plan: Who takes part, and with which randomizer; any that `Population` takes.
        rate: The size of the server's steps, a number or a function of the round, which is counted from 1. The
            default 1 suits local steps.
        optimizer: Moves the model instead, along gradients that are the rounds' means: any torch.optim.Optimizer over
            the model's parameters. What it does is post-processing and costs no privacy.
        local_steps: Steps of each client's own training; 0 for its gradient.
        local_rate: The size of the local steps.
        batch: How many clients are computed at once. Larger batches take more memory; the messages are the same
            but for the rounding of torch, which may depend on shapes.
        population: The population that is used, such as `Population.resume` gives, in place of a new one.
        **options: `threads`, `fidelity`, `key`, `on_bad` of a new `Population`. Use key="secret" with real data.

    Raises:
        PlanError: An argument is wrong, or the number of clients is not the plan's.
        UsageError: Arguments do not go together.

    >>> import muster, muster.torch, torch
    >>> records = [(torch.ones(m, 1), torch.full((m, 1), 2.0)) for m in (1, 3, 0, 2)]     # of four clients
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> plan = muster.plan(protocol="shuffle", clients=4, randomizer="ldp-sgd", epsilon0=2.0, clip=1.0, rounds=3,
    ...                    delta=1e-5)
    >>> learner = muster.torch.Learner(model, torch.nn.functional.mse_loss, records, plan, local_steps=4,
    ...                                local_rate=0.1)
    >>> learner.fit().epsilon.validity
    'proven'
    """

    def __init__(self, model: nn.Module, loss: Loss, data: Data, plan: Plan, *,
                 rate: float | Callable[[int], float] | None = None, optimizer: torch.optim.Optimizer | None = None,
                 local_steps: int = 0, local_rate: float | None = None, batch: int = 256,
                 population: Population | None = None, **options: Any) -> None:
        if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
            raise refused("batch", f"= {batch!r} is no number of clients", "integer >= 1")
        if rate is not None and optimizer is not None:
            raise _contradiction("rate", "goes with the learner's own steps, not with an optimizer")
        if (local_rate is None) != (local_steps == 0):
            raise _contradiction("local_rate", "goes with local_steps, and they with it")
        parameters = trainable(model)
        clients = plan["population.clients"]
        if _clients_of(data) != clients:
            raise PlanError(f"data has records of {_clients_of(data)} clients; allowed: {clients}, as the plan says",
                            code=2, kind="plan", reason="contradiction", key="data", value=str(_clients_of(data)),
                            allowed=str(clients))
        self._model = model
        self._data = data
        self._batch = batch
        self._rate = rate
        self._parameters = list(parameters.values())
        self._optimizer = torch.optim.SGD(self._parameters, lr=1.0) if optimizer is None else optimizer
        self._updates = (client_changes(model, loss, steps=local_steps, rate=local_rate)
                         if local_rate is not None else client_gradients(model, loss))
        self._population = _population_of(plan, flatten(model).numel(), population, options)

    @property
    def population(self) -> Population:
        """The population: how many rounds have begun, the check-in monitor, and `save`.

        >>> import muster, muster.torch, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> data = (torch.ones(2, 1), torch.ones(2, 1))
        >>> muster.torch.Learner(torch.nn.Linear(1, 1), torch.nn.functional.mse_loss, data, plan).population
        <muster.Population 0 of 3 rounds begun, 2 numbers a client>
        """
        return self._population

    @property
    def epsilon(self) -> Statement:
        """What the rounds that have begun cost, at the plan's delta: `population.epsilon`.

        >>> import muster, muster.torch, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3,
        ...                    delta=1e-5)
        >>> data = (torch.ones(2, 1), torch.ones(2, 1))
        >>> learner = muster.torch.Learner(torch.nn.Linear(1, 1), torch.nn.functional.mse_loss, data, plan)
        >>> learner.fit().epsilon.upper == muster.account(plan).upper
        True
        """
        return self._population.epsilon

    def fit(self, rounds: int | None = None, *, callback: Callable[[Round], object] | None = None) -> Learner:
        """Trains for some rounds; called again, it goes on.

        Args:
            rounds: How many rounds, >= 0; all that the plan has left if None.
            callback: Called after each round with the round, whose `mean` and `count` are public.

        Returns:
            The learner itself, so that `fit().epsilon` states the cost.

        Raises:
            PlanError: `rounds` is no such number.
            BudgetReached: The next round would pass `privacy.budget`. Earlier rounds have changed the model.
            DataError: A client's update is not finite; with on_bad="neutral" it is answered like zero.

        >>> import muster, muster.torch, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> data = (torch.ones(2, 1), torch.ones(2, 1))
        >>> learner = muster.torch.Learner(torch.nn.Linear(1, 1), torch.nn.functional.mse_loss, data, plan)
        >>> learner.fit(2, callback=lambda round: print(round.count, "sent"))
        2 sent
        2 sent
        <muster.torch.Learner of a Linear, <muster.Population 2 of 3 rounds begun, 2 numbers a client>>
        """
        left = self._population.rounds - self._population.begun
        for _ in range(left if rounds is None else _rounds_of(rounds)):
            with self._population.round() as r:
                for clients in r.batches(self._batch):
                    with torch.no_grad():
                        r.send(clients, self._updates(*self._records(torch.from_numpy(clients.astype("int64")))).cpu())
            self._move(r)
            if callback is not None:
                callback(r)
        return self

    @property
    def model(self) -> nn.Module:
        """The model, which `fit` changes.

        >>> import muster, muster.torch, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> data = (torch.ones(2, 1), torch.ones(2, 1))
        >>> muster.torch.Learner(torch.nn.Linear(1, 1), torch.nn.functional.mse_loss, data, plan).model
        Linear(in_features=1, out_features=1, bias=True)
        """
        return self._model

    def _records(self, clients: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, Any]:
        if isinstance(self._data, tuple):
            inputs, targets = self._data
            return inputs[clients], targets[clients], None
        held = [self._data[client] for client in clients.tolist()]
        counts = [len(inputs) for inputs, _ in held]
        return torch.cat([inputs for inputs, _ in held]), torch.cat([targets for _, targets in held]), counts

    def _move(self, r: Round) -> None:
        # As in `muster train`, a round that was not decoded changes no parameter.
        if not r.decoded:
            return
        for parameter, piece in zip(self._parameters, pieces_of(torch.from_numpy(r.mean), self._parameters)):
            parameter.grad = piece.to(parameter.device)
        if self._rate is not None:
            size = self._rate(self._population.begun) if callable(self._rate) else self._rate
            for group in self._optimizer.param_groups:
                group["lr"] = size
        self._optimizer.step()
        self._optimizer.zero_grad()

    def __repr__(self) -> str:
        return f"<muster.torch.Learner of a {type(self._model).__name__}, {self._population!r}>"


def _rounds_of(rounds: Any) -> int:
    try:
        count = -1 if isinstance(rounds, bool) else operator.index(rounds)
    except TypeError:
        count = -1
    if count < 0:
        allowed = "integer >= 0, or None for all that are left"
        raise PlanError(f"rounds = {rounds!r} is no number of rounds; allowed: {allowed}", code=2, kind="plan",
                        reason="out-of-range", key="rounds", value=repr(rounds), allowed=allowed)
    return count


def _clients_of(data: Data) -> int:
    if not isinstance(data, tuple):
        return len(data)
    if len(data) != 2 or not all(isinstance(each, torch.Tensor) for each in data) or len(data[0]) != len(data[1]):
        raise refused("data", "is a tuple, but not of as many inputs as targets",
                      "(inputs [clients, ...], targets [clients, ...]), or a list with a pair for each client")
    return len(data[0])


def _population_of(plan: Plan, dimension: int, given: Population | None, options: dict[str, Any]) -> Population:
    if given is None:
        return Population(plan, dimension=dimension, **options)
    if options:
        raise _contradiction(next(iter(options)), "belongs to a new population, and one was given")
    if given.plan != plan or given.dimension != dimension:
        raise _contradiction("population", f"has {given.dimension} numbers a client and plan {given.plan.hash[:8]}; "
                             f"the model has {dimension}, and the plan is {plan.hash[:8]}")
    return given


def _contradiction(argument: str, text: str) -> UsageError:
    return UsageError(f"{argument} {text}", code=2, kind="usage", reason="contradiction", key=argument)
