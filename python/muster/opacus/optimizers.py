"""An optimizer of Opacus that sends every record's gradient through a round of check-ins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from opacus.optimizers import DPOptimizer
from opacus.optimizers.optimizer import _check_processed_flag, _mark_as_processed

from muster.errors import CheckpointError, UsageError
from muster.opacus._charge import Charge
from muster.opacus._rounds import CheckIns, Rounds
from muster.plans import Plan
from muster.populations import Population
from muster.torch._parameters import pieces_of, refused


_PIECE = 1 << 19  # numbers that are sent at once, about two megabytes


class CheckInOptimizer(DPOptimizer):
    """Sends each record's gradient through the open round: clipped, with noise of its own, shuffled and added up.

    The parameters move along the mean over the messages of the round (`loss_reduction="mean"`), or along their sum.
    The number of messages is public, as in every protocol here, so the mean is over their number and not over an
    expected one. A round that is not decoded, because nobody or too few sent, changes no parameter.

    `noise_multiplier` and `max_grad_norm` are the plan's `randomizer.sigma` and `randomizer.clip`; they cannot be
    changed, so Opacus's schedulers of noise and clip norm are refused.

    Args:
        optimizer: The optimizer that moves the parameters. They are float32.
        plan: A plan with `randomizer.kind = "gaussian"` and a protocol of single rounds.
        loss_reduction: "mean" or "sum", as in the loss that is differentiated.
        **options: `threads`, `fidelity`, `key`, `on_bad` of `muster.Population`.

    >>> import muster, muster.opacus, torch
    >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
    >>> layer = torch.nn.Linear(2, 1)
    >>> optimizer = muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan)
    >>> optimizer.noise_multiplier, optimizer.max_grad_norm, optimizer.sample_rate
    (5.0, 1.0, 1.0)
    >>> optimizer.noise_multiplier = 1.0
    Traceback (most recent call last):
    muster.errors.UsageError: noise_multiplier is randomizer.sigma = 5 of the plan, and is fixed
    """

    def __init__(self, optimizer: torch.optim.Optimizer, plan: Plan, *, loss_reduction: str = "mean",
                 **options: Any) -> None:
        if isinstance(optimizer, DPOptimizer):
            raise refused("optimizer", f"is a {type(optimizer).__name__} already", "the optimizer that it wraps")
        self.plan = plan
        self.sample_rate = _sample_rate_of(plan)
        self.original_optimizer = optimizer
        dimension = sum(parameter.numel() for parameter in self.params)
        population = Population(plan, dimension=dimension, **options)
        self._rounds = Rounds(population, {name: options[name] for name in ("threads", "on_bad") if name in options})
        self._decoded = False
        super().__init__(optimizer, noise_multiplier=plan["randomizer.sigma"], max_grad_norm=plan["randomizer.clip"],
                         expected_batch_size=plan["population.clients"] * self.sample_rate,
                         loss_reduction=loss_reduction)

    @property
    def population(self) -> Population:
        """The population: how many rounds have begun, and the check-in monitor.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan).population
        <muster.Population 0 of 3 rounds begun, 3 numbers a client>
        """
        return self._rounds.population

    @property
    def noise_multiplier(self) -> float:
        """The standard deviation of a record's noise in each coordinate, over the clip norm: `randomizer.sigma`.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan).noise_multiplier
        5.0
        """
        return float(self.plan["randomizer.sigma"])

    @noise_multiplier.setter
    def noise_multiplier(self, value: float) -> None:
        self._keep("noise_multiplier", "randomizer.sigma", value)

    @property
    def max_grad_norm(self) -> float:
        """The largest norm that a record's gradient keeps: `randomizer.clip`.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan).max_grad_norm
        1.0
        """
        return float(self.plan["randomizer.clip"])

    @max_grad_norm.setter
    def max_grad_norm(self, value: float) -> None:
        self._keep("max_grad_norm", "randomizer.clip", value)

    def _keep(self, name: str, key: str, value: object) -> None:
        if value != self.plan[key]:
            raise UsageError(f"{name} is {key} = {self.plan[key]} of the plan, and is fixed", code=2, kind="usage",
                             reason="contradiction", key=name, value=str(value))

    def check_ins(self) -> CheckIns:
        """Returns the batch sampler whose batches are the rounds of this optimizer.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=100, rate=0.1, randomizer="gaussian", sigma=5.0,
        ...                    clip=1.0, rounds=30)
        >>> layer = torch.nn.Linear(2, 1)
        >>> len(muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan).check_ins())
        10
        """
        return CheckIns(self._rounds, self.sample_rate)

    def abandon(self) -> None:
        """Gives the open round up, if there is one: it moves no parameter, and stays charged.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan).abandon()
        """
        self._rounds.abandon()

    def attach_step_hook(self, fn: Callable[[DPOptimizer], None]) -> None:
        """Attaches the hook of a `CheckInAccountant`, which is called when a round begins, and not in `step`.

        So a round is charged even if nobody checks in and the program does not call `step`.

        Raises:
            UsageError: The hook is not of a `CheckInAccountant` for the plan's clients, protocol and rate.

        >>> import muster, muster.opacus, opacus.accountants, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> optimizer = muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan)
        >>> optimizer.attach_step_hook(opacus.accountants.RDPAccountant().get_optimizer_hook_fn(sample_rate=1.0))
        Traceback (most recent call last):
        muster.errors.UsageError: the hook is not of an accountant of check-ins: Opacus's own charge noise on a sum; \
allowed: muster.opacus.accountant_class(clients=2, protocol='shuffle', minimum=1)
        """
        clients, protocol = self.plan["population.clients"], self.plan["participation.protocol"]
        minimum = self.plan.to_dict().get("participation.minimum", 1)
        allowed = f"muster.opacus.accountant_class(clients={clients}, protocol={protocol!r}, minimum={minimum})"
        text = "is not of an accountant of check-ins: Opacus's own charge noise on a sum"
        if isinstance(fn, Charge):
            of = fn.accountant
            text = ("" if (of.clients, of.protocol, of.minimum) == (clients, protocol, minimum)
                    else f"charges {of.mechanism()}")
            if not text and fn.sample_rate != self.sample_rate:
                text, allowed = f"charges sample_rate = {fn.sample_rate}", f"{self.sample_rate}, the plan's"
        if text:
            raise UsageError(f"the hook {text}; allowed: {allowed}", code=2, kind="usage", reason="contradiction",
                             key="accountant", allowed=allowed)
        attached = cast(Charge, fn)

        def charge() -> None:
            attached(self)
            self._rounds.charged = attached.accountant._charged_by()

        def allow() -> None:
            attached.expect_charged(self._rounds.charged, self.population.begun)
            attached.expect_affordable(self.plan, self.population.begun)

        self._rounds.allow = allow
        self._rounds.charge = charge

    def clip_and_accumulate(self) -> None:
        """Sends the gradients of a batch: the next clients of the open round, in the loader's order."""
        for parameter in self.params:
            _check_processed_flag(parameter.grad_sample)
        columns = [each.detach().reshape(len(each), parameter.numel())
                   for each, parameter in zip(self.grad_samples, self.params)]
        # Pieces that stay in the cache are joined and sent faster than the whole batch.
        piece = max(1, _PIECE // sum(parameter.numel() for parameter in self.params))
        for at in range(0, len(columns[0]), piece):
            self._rounds.send(torch.cat([each[at:at + piece].to("cpu", torch.float32) for each in columns], dim=1))
        for parameter in self.params:
            _mark_as_processed(parameter.grad_sample)

    def _check_skip_next_step(self, pop_next: bool = True) -> bool:
        # The round knows whether it is complete; BatchMemoryManager's signals, which a program that skips empty
        # batches leaves behind, are not needed.
        self._step_skip_queue.clear()
        return self._rounds.remaining > 0

    def add_noise(self) -> None:
        """Ends the round, and makes its mean or sum the gradient; the noise is in the messages already."""
        ended = self._rounds.finish()
        self._decoded = ended is not None and ended.decoded
        vector = torch.zeros(sum(parameter.numel() for parameter in self.params))
        if ended is not None and ended.decoded:
            vector = torch.from_numpy(ended.mean) * (ended.count if self.loss_reduction == "sum" else 1)
        for parameter, piece in zip(self.params, pieces_of(vector, self.params)):
            parameter.grad = piece.to(parameter.device)

    def scale_grad(self) -> None:
        """Does nothing: `add_noise` has scaled the gradient."""

    def pre_step(self, closure: Callable[[], float] | None = None) -> bool:
        """Sends, and returns whether the wrapped optimizer moves: not before the round is complete and decoded."""
        return bool(super().pre_step(closure)) and self._decoded

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the wrapped optimizer, with the rounds that have begun as `muster`.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> optimizer = muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan)
        >>> sorted(optimizer.state_dict())
        ['muster', 'param_groups', 'state']
        """
        return {**self.original_optimizer.state_dict(), "muster": self._rounds.state_dict()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on after a `state_dict`: with the key of the plan with the same bits, otherwise with a new secret key.

        Raises:
            CheckpointError: The state has no rounds, or those of another plan or model.

        >>> import muster, muster.opacus, torch
        >>> plan = muster.plan(protocol="shuffle", clients=2, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
        >>> layer = torch.nn.Linear(2, 1)
        >>> optimizer = muster.opacus.CheckInOptimizer(torch.optim.SGD(layer.parameters(), lr=0.1), plan)
        >>> optimizer.load_state_dict(torch.optim.SGD(layer.parameters(), lr=0.1).state_dict())
        Traceback (most recent call last):
        muster.errors.CheckpointError: the state has no rounds of check-ins: it is not of a CheckInOptimizer
        """
        if "muster" not in state_dict:
            raise CheckpointError("the state has no rounds of check-ins: it is not of a CheckInOptimizer", code=3,
                                  kind="checkpoint", key="muster")
        self._rounds.load_state_dict(state_dict["muster"])
        self.original_optimizer.load_state_dict({name: value for name, value in state_dict.items() if name != "muster"})


def _sample_rate_of(plan: Plan) -> float:
    """Returns the probability that a record takes part in a round.

    >>> import muster
    >>> from muster.opacus.optimizers import _sample_rate_of
    >>> _sample_rate_of(muster.plan(protocol="subset", subset=10, clients=1000, randomizer="gaussian", rounds=1))
    0.01
    """
    protocol = plan["participation.protocol"]
    if protocol == "subset":
        return float(plan["participation.subset"] / plan["population.clients"])
    return 1.0 if protocol == "shuffle" else float(plan["participation.rate"])
