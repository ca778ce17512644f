"""Accountants of Opacus's interface that charge check-ins."""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from opacus.accountants import IAccountant, register_accountant
from opacus.optimizers import DPOptimizer

from muster.accountant import RunningAccountant
from muster.errors import CheckpointError, PlanError, UsageError
from muster.opacus._charge import Charge
from muster.plans import Plan, plan

#: The protocols whose rounds are charged one by one, each with a rate. A run of slots is charged as a whole.
PROTOCOLS = ("shuffled-check-in", "shuffle", "subset", "aggregated-check-in")

_made: dict[str, type[CheckInAccountant]] = {}


class CheckInAccountant(IAccountant):
    """Charges rounds in which each record gets noise of its own; `accountant_class` makes subclasses.

    `noise_multiplier` is the standard deviation of one record's noise in each coordinate, divided by the clip norm: a
    plan's `randomizer.sigma`. `sample_rate` is the probability that a record takes part: `participation.rate`, or the
    share of a subset. Epsilon is `muster.account`'s proven upper value. Neighbours are replace-one, so that two
    gradients lie up to twice the clip norm apart, and this is charged.

    Attributes:
        clients: How many records there are.
        protocol: Who takes part in a round.
        minimum: The number of messages below which a round is destroyed (aggregated-check-in).
        history: (noise_multiplier, sample_rate, steps) of what was charged.

    >>> import muster.opacus
    >>> accountant = muster.opacus.accountant_class(clients=60_000)()
    >>> for _ in range(100):
    ...     accountant.step(noise_multiplier=5.0, sample_rate=0.1)
    >>> len(accountant), round(accountant.get_epsilon(1e-5), 4)
    (100, 0.0138)
    """

    clients: int
    protocol: str
    minimum: int
    history: list[tuple[float, float, int]]

    def __init__(self) -> None:
        if not hasattr(type(self), "clients"):
            raise UsageError("CheckInAccountant does not know the number of clients; accountant_class makes a class "
                             "that does", code=2, kind="usage", reason="missing", key="clients")
        super().__init__()
        # Two accountants may have equal histories of different rounds. A random id for each accountant tells them apart.
        self._id = secrets.token_hex(8)
        self._origins: dict[str, int] = {}

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Charges one round.

        Raises:
            PlanError: A number is out of range, or no round of the protocol has this rate.

        >>> import muster.opacus
        >>> accountant = muster.opacus.accountant_class(clients=1000, protocol="subset")()
        >>> accountant.step(noise_multiplier=5.0, sample_rate=0.01)
        >>> accountant.history
        [(5.0, 0.01, 1)]
        """
        charge = float(noise_multiplier), float(sample_rate)
        self._plan_of(*charge)
        if self.history and tuple(self.history[-1][:2]) == charge:
            self.history[-1] = (*charge, self.history[-1][2] + 1)
        else:
            self.history.append((*charge, 1))
        self._origins[self._id] = self._origins.get(self._id, 0) + 1

    def get_epsilon(self, delta: float) -> float:
        """Returns the proven upper value of epsilon for everything charged, at a delta in (0, 1).

        It is infinite if no finite value is proven, as without noise.

        >>> import muster, muster.opacus
        >>> accountant = muster.opacus.accountant_class(clients=1000, protocol="shuffle")()
        >>> accountant.step(noise_multiplier=10.0, sample_rate=1.0)
        >>> accountant.get_epsilon(1e-5) == float(muster.account(muster.plan(
        ...     protocol="shuffle", clients=1000, randomizer="gaussian", sigma=10.0, rounds=1, delta=1e-5)))
        True
        """
        account, without_noise = self._running()
        upper = account.epsilon(delta).upper
        return math.inf if upper is None or without_noise else upper

    def _running(self) -> tuple[RunningAccountant, bool]:
        """Returns an account of everything charged with noise, and whether something was charged without noise."""
        account = RunningAccountant()
        without_noise = False
        # Rounds are charged in the order in which they came: those of one kind together only if no other came between.
        for noise_multiplier, sample_rate, steps in self.history:
            charged, count = self._plan_of(float(noise_multiplier), float(sample_rate)), _count_of(steps)
            if charged is not None:
                account.charge(charged, count)
            elif count > 0:
                without_noise = True
        return account, without_noise

    def __len__(self) -> int:
        return sum(_count_of(steps) for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """Returns the name by which Opacus knows the class, such as `PrivacyEngine(accountant=...)` takes.

        >>> import muster.opacus
        >>> muster.opacus.accountant_class(clients=1000, protocol="subset").mechanism()
        'muster-subset-1000'
        """
        return f"muster-{cls.protocol}-{cls.clients}" + (f"-minimum-{cls.minimum}" if cls.minimum > 1 else "")

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[DPOptimizer], None]:
        """Returns the hook that charges a round of a `CheckInOptimizer`; it refuses every other optimizer.

        >>> import muster.opacus, opacus.optimizers, torch
        >>> hook = muster.opacus.accountant_class(clients=1000)().get_optimizer_hook_fn(sample_rate=0.1)
        >>> stock = opacus.optimizers.DPOptimizer(torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))]),
        ...                                       noise_multiplier=1.0, max_grad_norm=1.0, expected_batch_size=100)
        >>> hook(stock)
        Traceback (most recent call last):
        muster.errors.UsageError: DPOptimizer draws one noise for the sum of a batch, and here every record is charged \
for noise of its own; allowed: CheckInOptimizer, which muster.opacus.make_private returns
        """
        return Charge(self, sample_rate)

    def state_dict(self, destination: dict[str, Any] | None = None) -> dict[str, Any]:
        """Returns the charges, and under `origins` how many of them each accountant made, by its random id.

        >>> import muster.opacus
        >>> sorted(muster.opacus.accountant_class(clients=1000)().state_dict())
        ['history', 'mechanism', 'origins']
        """
        stated: dict[str, Any] = super().state_dict(destination)
        stated["origins"] = self._charged_by()
        return stated

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Goes on after the charges of a `state_dict`, and forgets none that this accountant has.

        An older state of this accountant changes nothing, because its later rounds have been released. A state that
        lacks charges for another reason is refused. If the state is refused, the accountant stays as it was.

        Raises:
            ValueError: The state is of another kind of accountant, or has a charge that is refused.
            CheckpointError: The state has not all charges that this accountant has.

        >>> import muster.opacus
        >>> of_thousand = muster.opacus.accountant_class(clients=1000)
        >>> accountant, other = of_thousand(), of_thousand()
        >>> accountant.step(noise_multiplier=5.0, sample_rate=0.1)
        >>> other.load_state_dict(accountant.state_dict())
        >>> other.history
        [(5.0, 0.1, 1)]
        """
        before = self.history
        super().load_state_dict(state_dict)
        loaded, self.history = self.history, before
        checked = [(float(noise), float(rate), _count_of(steps)) for noise, rate, steps in loaded]
        for noise, rate, _ in checked:
            self._plan_of(noise, rate)
        steps = sum(each for _, _, each in checked)
        origins = _origins_of(state_dict.get("origins", {}), steps)
        if self._lacks(origins) == 0:
            return
        forgotten = _missing(self._charged_by(), origins)
        if forgotten > 0:
            raise CheckpointError(f"the state has {steps} steps, and lacks {forgotten} of the {len(self)} that this "
                                  "accountant has charged, which loading would forget; allowed: a later state of this "
                                  "accountant, or a new accountant", code=3, kind="checkpoint", reason="contradiction",
                                  key="history", value=f"{steps} steps",
                                  allowed="a later state of this accountant, or a new accountant")
        self.history, self._origins = checked, origins

    def __reduce__(self) -> tuple[object, ...]:
        return _accountant_of, (self.clients, self.protocol, self.minimum, list(self.history), self._charged_by())

    def _charged_by(self) -> dict[str, int]:
        """Returns how many charges each accountant made; those that a program wrote into `history` count as own."""
        others = {each: steps for each, steps in self._origins.items() if each != self._id}
        own = len(self) - sum(others.values())
        return {**others, self._id: own} if own > 0 else others

    def _lacks(self, origins: Mapping[str, int]) -> int:
        """Returns how many of these charges are not in the history."""
        return max(_missing(origins, self._charged_by()), sum(origins.values()) - len(self), 0)

    def _plan_of(self, noise_multiplier: float, sample_rate: float) -> Plan | None:
        """Returns the plan whose rounds are charged, or None if there is no noise."""
        stated: dict[str, Any] = {}
        if self.protocol == "subset":
            stated["subset"] = round(sample_rate * self.clients) if 0 < sample_rate <= 1 else 0
            fits = stated["subset"] / self.clients == sample_rate
        elif self.protocol == "shuffle":
            fits = sample_rate == 1
        else:
            stated["rate"] = sample_rate
            fits = 0 < sample_rate <= 1
        if not fits:
            allowed = {"subset": f"k / {self.clients} for a whole number k", "shuffle": "1, because everybody sends"}
            raise _out_of_range("sample_rate", sample_rate, allowed.get(self.protocol, "number in (0, 1]"))
        if self.protocol == "aggregated-check-in":
            stated["minimum"] = self.minimum
        if noise_multiplier == 0:
            return None
        if not 0 < noise_multiplier < math.inf:
            raise _out_of_range("noise_multiplier", noise_multiplier, "number >= 0")
        return plan(protocol=self.protocol, clients=self.clients, randomizer="gaussian", sigma=noise_multiplier,
                    rounds=0, **stated)


def accountant_class(*, clients: int, protocol: str = "shuffled-check-in", minimum: int = 1) -> type[CheckInAccountant]:
    """Makes an accountant class for a number of clients, and registers it with Opacus by its `mechanism()`.

    Opacus makes its accountants without an argument, so the number of clients is part of the class. The same arguments
    give the same class again.

    Args:
        clients: How many records there are, each of which is a client.
        protocol: shuffled-check-in, shuffle, subset or aggregated-check-in.
        minimum: `participation.minimum` of aggregated-check-in.

    Raises:
        PlanError: An argument is out of range.

    >>> import muster.opacus
    >>> from opacus.accountants.utils import get_noise_multiplier
    >>> sigma = get_noise_multiplier(target_epsilon=1.0, target_delta=1e-5, sample_rate=0.1, steps=100,
    ...                              accountant=muster.opacus.accountant_class(clients=1000).mechanism())
    >>> found = muster.calibrate(muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, rounds=100,
    ...                                      randomizer="gaussian", delta=1e-5), "sigma", epsilon=1.0)
    >>> found.value <= sigma < 1.02 * found.value
    True
    """
    if protocol not in PROTOCOLS:
        raise PlanError(f"protocol = {protocol} cannot be charged step by step; allowed: {' | '.join(PROTOCOLS)}",
                        code=2, kind="plan", reason="inapplicable", key="protocol", value=str(protocol),
                        allowed=" | ".join(PROTOCOLS))
    if minimum != 1 and protocol != "aggregated-check-in":
        raise PlanError(f"minimum = {minimum} does not apply to {protocol}; allowed: aggregated-check-in", code=2,
                        kind="plan", reason="inapplicable", key="minimum", value=str(minimum),
                        allowed="aggregated-check-in")
    # The plan checks the numbers.
    tried = plan(protocol=protocol, clients=clients, randomizer="gaussian", rounds=0,
                 minimum=minimum if protocol == "aggregated-check-in" else None,
                 rate=1.0 if protocol.endswith("check-in") else None, subset=1 if protocol == "subset" else None)
    content = {"clients": tried["population.clients"], "protocol": protocol, "minimum": int(minimum)}
    word = re.sub(r"\W", "_", f"{protocol}_{content['clients']}")
    made: type[CheckInAccountant] = type(f"CheckInAccountant_{word}", (CheckInAccountant,),
                                         {**content, "__doc__": CheckInAccountant.__doc__})
    if made.mechanism() not in _made:
        register_accountant(made.mechanism(), made)
        _made[made.mechanism()] = made
    return _made[made.mechanism()]


def _accountant_of(clients: int, protocol: str, minimum: int, history: list[tuple[float, float, int]],
                   origins: dict[str, int]) -> CheckInAccountant:
    accountant = accountant_class(clients=clients, protocol=protocol, minimum=minimum)()
    accountant.history, accountant._origins = history, origins
    return accountant


def _origins_of(stated: Any, steps: int) -> dict[str, int]:
    """Returns the origins of a state with so many steps; steps without one are of an accountant that nobody knows."""
    origins = {str(each): _count_of(count) for each, count in stated.items()} if isinstance(stated, Mapping) else {}
    unknown = steps - sum(origins.values())
    if not isinstance(stated, Mapping) or unknown < 0:
        raise _out_of_range("origins", stated, f"numbers of steps by accountant, at most {steps} in all")
    return {**origins, secrets.token_hex(8): unknown} if unknown > 0 else origins


def _missing(wanted: Mapping[str, int], there: Mapping[str, int]) -> int:
    """Returns how many charges are in `wanted` and not in `there`.

    >>> from muster.opacus.accountants import _missing
    >>> _missing({"a": 5, "b": 1}, {"a": 3, "c": 9})
    3
    """
    return sum(max(0, steps - there.get(each, 0)) for each, steps in wanted.items())


def _count_of(steps: Any) -> int:
    number = isinstance(steps, (int, float)) and not isinstance(steps, bool)
    if not number or not 0 <= steps < math.inf or steps != int(steps):
        raise _out_of_range("steps", steps, "integer >= 0")
    return int(steps)


def _out_of_range(argument: str, value: object, allowed: str) -> PlanError:
    return PlanError(f"{argument} = {value} is out of range; allowed: {allowed}", code=2, kind="plan",
                     reason="out-of-range", key=argument, value=str(value), allowed=allowed)
