"""Calibration: the parameter of a plan that just meets a target."""

from __future__ import annotations

import json
from typing import Any

from muster import _muster
from muster.plans import Plan, _native
from muster.statements import Statement, _statement


class Calibration:
    """What `calibrate` found.

    Attributes:
        value: The value of the knob. For the knob "accuracy", the value of epsilon0 or sigma.
        plan: The plan with the answer filled in.
        statement: What that plan costs: its upper value is at most the target.
        rate: For the knob "accuracy", the check-in rate that goes with `value`; otherwise None.
        variance: For the knob "accuracy", the variance of one coordinate of a round's mean, in squared clips;
            otherwise None.
        at_end: Whether the search stopped at an end of its range, although values beyond it exist.

    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=60_000, subset=10, randomizer="ldp-sgd", rounds=100, delta=1e-5)
    >>> found = muster.calibrate(plan, "epsilon0", epsilon=1.0)
    >>> found.plan["randomizer.epsilon0"] == found.value, float(found.statement) <= 1
    (True, True)
    """

    __slots__ = ("_sentence", "_text", "at_end", "plan", "rate", "statement", "value", "variance")

    def __init__(self, text: str, sentence: str, at_end: bool, plan: Plan, statement: Statement) -> None:
        self._text = text
        self._sentence = sentence
        found = json.loads(text)["value"]
        several = isinstance(found, dict)
        self.value: float = next(iter(found.values())) if several else found
        self.rate: float | None = float(found["rate"]) if several else None
        self.variance: float | None = found["variance"] if several else None
        self.at_end = at_end
        self.plan = plan
        self.statement = statement

    def to_dict(self) -> dict[str, Any]:
        """Returns exactly what `muster calibrate --json` prints, number for number.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, delta=1e-5)
        >>> muster.calibrate(plan, "rounds", epsilon=2.0).to_dict()["value"] > 1
        True
        """
        answer: dict[str, Any] = json.loads(self._text)
        return answer

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return self._sentence

    def __repr__(self) -> str:
        return f"<muster.Calibration {self._sentence}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Calibration, (self._text, self._sentence, self.at_end, self.plan, self.statement)


def calibrate(plan: Plan, knob: str, *, epsilon: float, delta: float | None = None,
              view: str | None = None) -> Calibration:
    """Finds the value of one parameter that just meets a target epsilon.

    The answer is the largest epsilon0, rate or number of rounds, or the smallest sigma, number of clients or minimum,
    whose proven epsilon is at most the target; the next value of six digits, or the next integer, misses it. Whatever
    the plan says of that parameter is ignored. The answer is the command's (`muster calibrate`). Ctrl-C ends the search.

    Args:
        plan: The plan; the key that is solved for may be missing.
        knob: "epsilon0", "sigma", "rate", "rounds", "clients", "minimum", or "accuracy", which chooses the noise and
            the check-in rate together.
        epsilon: The target, in nats, > 0.
        delta: In (0, 1); by default the plan's.
        view: What the adversary sees (`Bound.view`); by default what it sees in the plan's protocol.

    Raises:
        PlanError: The knob does not apply to the plan, a key is missing, or no value meets the target.
        UncoveredError: No theorem covers the view.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", rounds=10, delta=1e-5)
    >>> print(muster.calibrate(plan, "epsilon0", epsilon=1.0))
    epsilon0 = ...: the largest that keeps epsilon <= 1 at delta 1e-05
    """
    found = _muster.calibrate(_native(plan), knob, epsilon, delta, view)
    return Calibration(found.json(), found.sentence(), found.at_end(), Plan._of(found.plan()),
                       _statement(found.statement()))
