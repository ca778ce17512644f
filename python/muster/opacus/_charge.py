"""The hook by which rounds of check-ins are charged to an accountant, and refused if it must not have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from opacus.optimizers import DPOptimizer

from muster.errors import BudgetReached, UsageError
from muster.plans import Plan

if TYPE_CHECKING:
    from muster.opacus.accountants import CheckInAccountant


class Charge:
    """The hook of an accountant: `CheckInOptimizer` calls it when a round begins.

    >>> import muster.opacus
    >>> muster.opacus.accountant_class(clients=1000)().get_optimizer_hook_fn(sample_rate=0.1).sample_rate
    0.1
    """

    def __init__(self, accountant: CheckInAccountant, sample_rate: float) -> None:
        self.accountant = accountant
        self.sample_rate = sample_rate
        # How many further rounds of a plan its budget pays for after a history, because to ask for each round takes long.
        self._paid: tuple[Plan | None, list[tuple[float, float, int]], int] = None, [], 0

    def __call__(self, optim: DPOptimizer) -> None:
        from muster.opacus.optimizers import CheckInOptimizer  # which imports this module

        if not isinstance(optim, CheckInOptimizer):
            allowed = "CheckInOptimizer, which muster.opacus.make_private returns"
            raise UsageError(f"{type(optim).__name__} draws one noise for the sum of a batch, and here every record is "
                             f"charged for noise of its own; allowed: {allowed}", code=2, kind="usage",
                             reason="inapplicable", key="optimizer", value=type(optim).__name__, allowed=allowed)
        plan, history, paid = self._paid
        known = plan == optim.plan and history == self.accountant.history
        self.accountant.step(noise_multiplier=optim.noise_multiplier, sample_rate=self.sample_rate)
        self._paid = optim.plan, list(self.accountant.history), paid - 1 if known else 0

    def expect_charged(self, origins: Mapping[str, int], rounds: int) -> None:
        """Refuses another round if the charges of earlier ones are not in the accountant.

        >>> import muster.opacus
        >>> hook = muster.opacus.accountant_class(clients=1000)().get_optimizer_hook_fn(sample_rate=0.1)
        >>> hook.expect_charged({"a checkpoint": 5}, rounds=5)
        Traceback (most recent call last):
        muster.errors.UsageError: the accountant has 0 steps, and lacks 5 of those charged for the 5 rounds that have begun: \
load its state with the optimizer's, as PrivacyEngine.load_checkpoint does
        """
        lacks, steps = self.accountant._lacks(origins), len(self.accountant)
        if lacks > 0:
            raise UsageError(f"the accountant has {steps} steps, and lacks {lacks} of those charged for the {rounds} "
                             "rounds that have begun: load its state with the optimizer's, as "
                             "PrivacyEngine.load_checkpoint does", code=2, kind="usage", reason="contradiction",
                             key="accountant", value=f"{steps} steps", allowed=f"at least {steps + lacks} steps")

    def expect_affordable(self, plan: Plan, begun: int) -> None:
        """Refuses another round of a plan if the accountant, with what others charged to it, would pass the budget.

        >>> import muster, muster.opacus
        >>> plan = muster.plan(protocol="shuffle", clients=1000, randomizer="gaussian", sigma=10.0, rounds=3, delta=1e-5,
        ...                    budget=0.2)
        >>> accountant = muster.opacus.accountant_class(clients=1000, protocol="shuffle")()
        >>> for _ in range(20):
        ...     accountant.step(noise_multiplier=1.0, sample_rate=1.0)
        >>> accountant.get_optimizer_hook_fn(sample_rate=1.0).expect_affordable(plan, begun=0)
        Traceback (most recent call last):
        muster.errors.BudgetReached: privacy.budget = 0.2 does not pay for round 1: 20 rounds were charged before
        """
        budget = plan.to_dict().get("privacy.budget")
        if budget is None:
            return
        known, history, paid = self._paid
        if known != plan or history != self.accountant.history or paid <= 0:
            paid = self._affordable(plan, max(1, plan["rounds.count"] - begun))
            self._paid = plan, list(self.accountant.history), paid
        if paid <= 0:
            raise BudgetReached(f"privacy.budget = {budget} does not pay for round {begun + 1}: {len(self.accountant)} "
                                "rounds were charged before", code=4, kind="budget", key="privacy.budget",
                                value=str(budget))

    def _affordable(self, plan: Plan, rounds: int) -> int:
        """Returns how many of so many rounds the budget pays for."""
        if not self.accountant.history:
            return rounds  # the population itself refuses the round by which its own rounds would pass the budget
        account, without_noise = self.accountant._running()
        if without_noise:
            return 0
        # The plan as `step` charges it, so that the limit is on what `get_epsilon` says.
        charged = self.accountant._plan_of(plan["randomizer.sigma"], self.sample_rate)
        assert charged is not None

        def exceeds(count: int) -> bool:
            return account.would_exceed(plan["privacy.budget"], plan["privacy.delta"], charged, count)

        if not exceeds(rounds):
            return rounds
        low, high = 0, rounds  # `low` rounds are within the budget, and `high` are not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if exceeds(middle) else (middle, high)
        return low
