"""Curves: what a plan costs over the number of rounds, over delta, or over epsilon."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from muster import _muster
from muster.errors import PlanError
from muster.plans import Plan, _native

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


class Curve:
    """Upper and lower values at several points: those of a statement at each point, so that the upper ones are proven.

    Attributes:
        over: What the curve goes over: "rounds", "delta" or "epsilon".
        quantity: What is bounded: "epsilon", or "delta" for a curve over epsilon or at a fixed epsilon.
        at: The points, float64 [n], ascending.
        upper: The proven upper values, float64 [n]; infinite where no finite value is proven.
        lower: The largest valid lower values, float64 [n].
        local: What holds even if the shuffler colludes with the server, float64 [n].
        validity: "proven".
        neighbouring: "replace-one".
        view: What the adversary sees, at every point (`Bound.view`).

    The arrays are read-only.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=10, delta=1e-5)
    >>> curve = muster.curve(plan, over="rounds", at=[1, 5, 10])
    >>> curve.upper.shape, bool((curve.lower <= curve.upper).all())
    ((3,), True)
    """

    __slots__ = ("_heading", "_html", "_svg", "at", "local", "lower", "neighbouring", "over", "quantity", "upper",
                 "validity", "view")

    def __init__(self, parts: dict[str, Any]) -> None:
        for name, value in parts.items():
            setattr(self, name, value)
        for side in (self.at, self.upper, self.lower, self.local):
            side.setflags(write=False)

    over: str
    quantity: str
    at: NDArray[np.float64]
    upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    local: NDArray[np.float64]
    validity: str
    neighbouring: str
    view: str
    _heading: str
    _svg: str
    _html: str

    def plot(self, ax: Any = None) -> Any:
        """Draws the curve with matplotlib, which must be installed, and returns the axes.

        The true value lies in the band between the lower and the upper line.

        Args:
            ax: The axes of matplotlib to draw on; by default, new ones.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=9, delta=1e-5)
        >>> axes = muster.curve(plan, over="rounds").plot()  # doctest: +SKIP
        """
        try:
            plt = importlib.import_module("matplotlib.pyplot")
        except ImportError as missing:
            raise ImportError("Curve.plot needs matplotlib: python3 -m pip install matplotlib, or on Debian apt-get "
                              "install python3-matplotlib; Curve.svg() needs nothing") from missing
        if ax is None:
            _, ax = plt.subplots()
        shown = self.at > 0
        at, upper, lower = self.at[shown], self.upper[shown], self.lower[shown]
        ax.fill_between(at, lower, upper, alpha=0.2)
        ax.plot(at, upper, label=f"upper: {self.validity}; {self.neighbouring}; {self.view}")
        ax.plot(at, lower, linestyle="--", label="lower: some data set reaches it")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_xlabel(self.over)
        ax.set_ylabel(self.quantity)
        ax.legend()
        return ax

    def svg(self) -> str:
        """Returns the curve as one self-contained picture: an <svg> element that a file or a page may hold.

        >>> import muster
        >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=9, delta=1e-5)
        >>> muster.curve(plan, over="rounds", at=[1, 9]).svg().startswith("<svg")
        True
        """
        return self._svg

    def __repr__(self) -> str:
        return f"<muster.Curve {self.quantity} over {self.over} at {len(self.at)} points: {self._heading}>"

    def _repr_html_(self) -> str:
        return self._html

    def __reduce__(self) -> tuple[object, ...]:
        return Curve, ({name: getattr(self, name) for name in self.__slots__},)


def curve(plan: Plan, *, over: str = "rounds", at: ArrayLike | None = None, delta: float | None = None,
          epsilon: float | None = None, view: str | None = None) -> Curve:
    """Computes what a plan costs at several points: over "rounds", over "delta", or over "epsilon".

    Over rounds, the curve has epsilon at `delta`, or delta at `epsilon`. Over delta, it has epsilon at each delta, and
    over epsilon, delta at each epsilon. Each point is what `account` states there. Ctrl-C ends the computation.

    Args:
        plan: The plan, which must be complete, with the same dropout in all rounds.
        over: "rounds", "delta" or "epsilon".
        at: The points, an array [n] of numbers, ascending; by default the logarithmic grid of `muster account
            --curve`: up to the plan's rounds, or around `delta` or `epsilon`.
        delta: In (0, 1); by default the plan's.
        epsilon: In nats, >= 0.
        view: What the adversary sees (`Bound.view`); by default what it sees in the plan's protocol.

    Raises:
        PlanError: A key is missing, an argument has the wrong type, or a point is out of range or not above the point
            before.
        UsageError: `over` is unknown, or arguments do not go together.

    >>> import muster
    >>> plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=10, delta=1e-5)
    >>> over_delta = muster.curve(plan, over="delta", at=[1e-8, 1e-6])
    >>> bool(over_delta.upper[0] > over_delta.upper[1])
    True
    """
    if not isinstance(over, str):
        raise _refused("over", over, "is not text", "rounds | delta | epsilon")
    points = None if at is None else _points(at)
    native = _muster.curve(_native(plan), over, points, delta, epsilon, view)
    return Curve({
        "over": over,
        "quantity": "epsilon" if native.asks_epsilon() else "delta",
        "at": native.at(),
        "upper": native.upper(),
        "lower": native.lower(),
        "local": native.local(),
        "validity": "proven",
        "neighbouring": native.neighbouring(),
        "view": native.view(),
        "_heading": native.heading(),
        "_svg": native.svg(),
        "_html": native.html(),
    })


def _points(at: ArrayLike) -> list[Any]:
    """Returns the points as a list of Python's numbers."""
    import numpy as np

    try:
        array = np.asarray(at)
    except ValueError:  # lists of several lengths
        raise _refused("at", at, "is not an array of numbers", "array [n] of numbers") from None
    if array.ndim != 1:
        raise _refused("at", array, f"has the shape {array.shape}", "array [n] of numbers")
    points: list[Any] = array.tolist()
    return points


def _refused(argument: str, value: object, text: str, allowed: str) -> PlanError:
    return PlanError(f"{argument} = {value!r} {text}; allowed: {allowed}", code=2, kind="plan", reason="wrong-type",
                     key=argument, value=repr(value), allowed=allowed)
