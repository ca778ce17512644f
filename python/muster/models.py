"""The built-in models: the vectors of a plan's clients, for rounds that a program of yours runs.

>>> import muster
>>> plan = muster.plan(protocol="shuffled-check-in", clients=500, rate=0.2, randomizer="gaussian", sigma=1.0, clip=0.5,
...                    rounds=5, delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
>>> model = muster.Model(plan)
>>> crowd = muster.Population(plan, dimension=model.dimension)
>>> theta = model.initial()
>>> for t in range(crowd.rounds):
...     with crowd.round() as r:
...         for clients in r.batches(512):
...             r.send(clients, model.gradients(theta, clients))
...     theta -= model.learning_rate(t) * r.mean

`theta` then has the parameters that `muster train` leaves, bit for bit.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from muster import _muster
from muster.plans import Plan, _native

if TYPE_CHECKING:  # numpy is imported when it is first used
    import numpy as np
    from numpy.typing import NDArray


class Model:
    """The model that a plan trains, with the plan's data set, which is loaded once.

    A loop that begins at `initial()`, sends `gradients` through a `Population` of the same plan, and subtracts
    `learning_rate(t) * mean` after step t, leaves the parameters of `muster train` bit for bit, whatever the sizes of
    batches and the number of threads. If the plan states `rounds.momentum`, `rounds.average`, `rounds.weight_decay` or
    `rounds.projection`, the server's update is more than that (server_update.h). Threads of the process that made the
    model may share it; they take turns.

    Args:
        plan: A plan that `muster train` accepts: with population.data and, unless it learns a statistic, with
            rounds.learning_rate.
        threads: How many threads compute; all cores if None.

    Raises:
        PlanError: The plan lacks what training needs; its model does not fit the data; or threads are out of range.
        DataError: The data set cannot be read, or cannot be used.

    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
    ...                    delta=1e-5, data="digits", model="logistic", learning_rate="inverse-sqrt:1")
    >>> muster.Model(plan)
    <muster.Model logistic, 7850 parameters>
    """

    __slots__ = ("_native", "_plan")

    def __init__(self, plan: Plan, *, threads: int | None = None) -> None:
        self._native = _muster.Model(_native(plan), threads)
        self._plan = plan

    @property
    def plan(self) -> Plan:
        """The plan whose model this is.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> muster.Model(plan).plan == plan
        True
        """
        return self._plan

    @property
    def dimension(self) -> int:
        """The number of parameters of the model, which is also the length of a client's vector.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> muster.Model(plan).dimension
        7850
        """
        return self._native.dimension()

    def initial(self) -> NDArray[np.float32]:
        """Returns the parameters before the first step, float32 of shape (dimension,): a new array every time.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> muster.Model(plan).initial().dtype
        dtype('float32')
        """
        return self._native.initial()

    def learning_rate(self, step: int) -> float:
        """Returns the learning rate of a step, counted from 0 like the rounds of a `Population`.

        numpy rounds it to float32 when it multiplies a float32 array, as `muster train` does.

        Raises:
            PlanError: The plan has no such step, or learns a statistic, which has no learning rate.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate="inverse-sqrt:1")
        >>> model = muster.Model(plan)
        >>> model.learning_rate(0), model.learning_rate(3)
        (1.0, 0.5)
        """
        return self._native.learning_rate(step)

    def gradients(self, theta: Any, clients: Any, *, step: int | None = None) -> NDArray[np.float32]:
        """Returns the vectors that clients clip and randomize, float32 of shape (k, dimension), in their order.

        They are the rows that `muster train` computes: the mean gradient of the loss over a client's records; with
        `rounds.local_steps`, the server's parameters minus those after the client's local training; and the value of a
        statistic. They are not clipped, and nothing protects them: they must not leave the process.

        Args:
            theta: The server's parameters, float32 of shape (dimension,); float64 is rounded.
            clients: k client numbers, whole numbers below population.clients, such as `Round.batches` gives.
            step: The step for which they are computed, counted from 0. Only needed with `rounds.local_batch`, where a
                client draws new batches in every step.

        Raises:
            PlanError: An argument has a wrong type or shape, or names no client or no step of the plan.
            UsageError: The plan needs the step, which is missing.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> model = muster.Model(plan)
        >>> model.gradients(model.initial(), [7, 3]).shape
        (2, 7850)
        >>> model.gradients(model.initial(), [100])
        Traceback (most recent call last):
        muster.errors.PlanError: clients = 100 is no client of the plan; allowed: integer 0..99
        """
        from muster._arrays import client_numbers, parameters_of

        return self._native.gradients(parameters_of(theta, self.dimension), client_numbers(clients), step)

    def accuracy(self, theta: Any) -> float:
        """Returns how good parameters are on the test set, in [0, 1]: for a classifier, the share of correct classes.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> model = muster.Model(plan)
        >>> 0 <= model.accuracy(model.initial()) <= 1
        True
        """
        return self._score(theta)[0]

    def loss(self, theta: Any) -> float | None:
        """Returns the mean cross-entropy on the test set in nats; None for a statistic.

        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
        ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> model = muster.Model(plan)
        >>> model.loss(model.initial()) > 0
        True
        """
        return self._score(theta)[1]

    def _score(self, theta: Any) -> tuple[float, float | None]:
        from muster._arrays import parameters_of

        return self._native.score(parameters_of(theta, self.dimension))

    def __repr__(self) -> str:
        return f"<muster.Model {self._plan['model.kind']}, {self.dimension} parameters>"


# A child process lacks the threads of its parent's models, so it makes a model of its own.
@functools.lru_cache(maxsize=1)
def _model_of(plan: Plan, process: int) -> Model:
    return Model(plan)


def gradients(plan: Plan, theta: Any, clients: Any, *, step: int | None = None) -> NDArray[np.float32]:
    """Returns the vectors that clients of a plan clip and randomize: `Model.gradients` of the plan's model.

    The model and its data set stay loaded until another plan is asked about. `Model` says what the arguments are.

    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="l2", epsilon0=4.0, clip=0.5, rounds=5,
    ...                    delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
    >>> theta = muster.Model(plan).initial()
    >>> muster.gradients(plan, theta, [7, 3]).shape
    (2, 7850)
    """
    _native(plan)
    return _model_of(plan, os.getpid()).gradients(theta, clients, step=step)
