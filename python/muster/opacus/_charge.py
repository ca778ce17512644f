"""The hook by which rounds of check-ins are charged to an accountant, and refused if it must not have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from opacus.optimizers import DPOptimizer

from muster.errors import UsageError

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

    def __call__(self, optim: DPOptimizer) -> None:
        from muster.opacus.optimizers import CheckInOptimizer  # which imports this module

        if not isinstance(optim, CheckInOptimizer):
            allowed = "CheckInOptimizer, which muster.opacus.make_private returns"
            raise UsageError(f"{type(optim).__name__} draws one noise for the sum of a batch, and here every record is "
                             f"charged for noise of its own; allowed: {allowed}", code=2, kind="usage",
                             reason="inapplicable", key="optimizer", value=type(optim).__name__, allowed=allowed)
        self.accountant.step(noise_multiplier=optim.noise_multiplier, sample_rate=self.sample_rate)

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
