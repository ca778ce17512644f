"""For users of pfl-research: check-ins instead of a sampled cohort, and a local randomizer whose rounds are charged.

`CheckInDataset` is a federated dataset whose cohorts are the clients that check in, and `CheckInMechanism` the local
privacy mechanism that goes with it:

>>> import numpy as np
>>> from pfl.aggregate.simulate import SimulatedBackend
>>> from pfl.data.dataset import Dataset
>>> import muster
>>> from muster.pfl import CheckInDataset, CheckInMechanism
>>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=5.0, clip=1.0,
...                    rounds=20, delta=1e-5)
>>> crowd = muster.Population(plan, dimension=3)
>>> users = CheckInDataset(crowd, lambda client: Dataset([np.ones((1, 3))], user_id=str(client)))
>>> backend = SimulatedBackend(users, None, postprocessors=[CheckInMechanism(users)])
>>> crowd.charged
0

Its coins, clipping, noise and charges are the population's: after a round, the backend has the exact mean that
`muster.Population` decodes, and `crowd.epsilon` says what the rounds cost. The module was written for pfl 0.6;
docs/pfl.md is the guide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from muster.errors import DataError, UncoveredError, UsageError
from muster.populations import Population
from muster.rounds import Round

try:
    import pfl as _pfl  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "pfl":
        raise
    raise ModuleNotFoundError("muster.pfl needs the package pfl: pip install pfl", name=error.name) from None

try:
    from pfl.data.dataset import AbstractDataset
    from pfl.data.federated_dataset import FederatedDatasetBase
    from pfl.internal.ops.selector import get_default_framework_module
    from pfl.metrics import Metrics, StringMetricName
    from pfl.privacy.privacy_mechanism import LocalPrivacyMechanism
    from pfl.stats import TrainingStatistics, WeightedStatistics
except ImportError as error:
    if (error.name or "").partition(".")[0] != "pfl":
        raise
    raise ImportError(f"muster.pfl was written for pfl 0.6; in this one, {error}", name=error.name) from None

__all__ = ["CheckInDataset", "CheckInMechanism"]

_PROTOCOLS = ("shuffle", "subset", "shuffled-check-in", "aggregated-check-in")


class CheckInDataset(FederatedDatasetBase):
    """A federated dataset whose cohorts are the clients that check in: their coins decide, and the server samples nobody.

    Every cohort is a round of the population: it begins, and is charged, when the first user is asked for. Users come in
    the round's secret order.

    Args:
        population: The population whose rounds are the cohorts. Its protocol is shuffle, subset, shuffled-check-in or
            aggregated-check-in.
        make_dataset: Called with the number of a client that sends; returns its dataset.

    Raises:
        UncoveredError: The protocol has slots. In an empty slot a dummy must answer, and pfl-research has no user for it.
        UsageError: The fidelity is "sum", which makes no messages, or pfl-research runs in several processes.

    >>> import numpy as np
    >>> from pfl.data.dataset import Dataset
    >>> import muster
    >>> from muster.pfl import CheckInDataset
    >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
    >>> crowd = muster.Population(plan, dimension=2)
    >>> users = CheckInDataset(crowd, lambda client: Dataset([np.zeros((4, 2))], user_id=str(client)))
    >>> for user, seed in users.get_cohort(1000):
    ...     print(user.user_id in "012", len(user))
    Traceback (most recent call last):
    muster.errors.UsageError: client ... has not sent: ...
    """

    def __init__(self, population: Population, make_dataset: Callable[[int], AbstractDataset]) -> None:
        super().__init__()
        protocol = population.plan["participation.protocol"]
        if protocol not in _PROTOCOLS:
            raise UncoveredError(f"participation.protocol = {protocol} has slots, in which a dummy answers if nobody "
                                 f"does, and pfl-research has no user for it; allowed: {' | '.join(_PROTOCOLS)}", code=2,
                                 kind="uncovered", key="participation.protocol", value=protocol,
                                 allowed=" | ".join(_PROTOCOLS))
        if population._native.fidelity() != "message":
            raise _misuse("fidelity = sum makes no messages that a backend could add up; allowed: message", "fidelity")
        if get_default_framework_module().distributed.world_size > 1:
            raise _misuse("pfl-research runs in several processes, and a population belongs to one", "population")
        self._population = population
        self._make_dataset = make_dataset
        self._round: Round | None = None
        self._sent = 0
        self._client: int | None = None
        self._user: AbstractDataset | None = None

    @property
    def population(self) -> Population:
        """The population whose rounds are the cohorts.

        >>> import muster
        >>> from muster.pfl import CheckInDataset
        >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> crowd = muster.Population(plan, dimension=2)
        >>> CheckInDataset(crowd, dict().get).population is crowd
        True
        """
        return self._population

    def __next__(self) -> Any:
        raise _misuse("nobody samples a user: clients check in, and get_cohort gives those of a round", "cohort")

    def get_cohort(self, cohort_size: int) -> Iterator[tuple[AbstractDataset, int]]:
        """Gives the users of the next round, each with a seed for what is not private.

        Args:
            cohort_size: Ignored, because clients decide for themselves. pfl-research asks for a number.

        Raises:
            UsageError: A user's statistics did not pass through CheckInMechanism, and the round is abandoned; or all
                rounds of the plan have begun.
            BudgetReached: The round would pass `privacy.budget`, and has not begun.

        >>> import numpy as np
        >>> from pfl.data.dataset import Dataset
        >>> from pfl.stats import MappedVectorStatistics
        >>> import muster
        >>> from muster.pfl import CheckInDataset, CheckInMechanism
        >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> users = CheckInDataset(muster.Population(plan, dimension=2), lambda client: Dataset([np.zeros((4, 2))]))
        >>> mechanism = CheckInMechanism(users)
        >>> for user, seed in users.get_cohort(1000):
        ...     sent, _ = mechanism.privatize(MappedVectorStatistics({"weights": np.ones(2, dtype=np.float32)}))
        >>> sent["weights"].shape, users.population.charged
        ((2,), 1)
        """
        self._end()  # abandons a round that the backend did not end
        # Wherever Ctrl-C comes, a round that the population has opened is kept, and the next cohort abandons it.
        self._round = current = self._population.round()
        self._sent = 0
        try:
            current.__enter__()
        except BaseException:
            self._end()
            raise
        clients = current.clients
        for place, client in enumerate(clients.tolist()):
            self._client, self._user = client, self._make_dataset(client)
            yield self._user, int(self._get_seed())
            if self._round is not current or self._sent != place + 1:
                self._end()
                raise _misuse(f"client {client} has not sent: every user of a cohort must pass through "
                              "CheckInMechanism, because silence would tell something about its data", "client")
        self._client = self._user = None
        if len(clients) == 0:
            self._close()

    def _send(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sends for the user that was asked for last; returns what its message decodes to."""
        current, client = self._round, self._client
        if current is None or client is None:
            raise _misuse("no user is training: a mechanism works within a cohort of its CheckInDataset", "round")
        decoded = current.send_decoded([client], vector[np.newaxis])
        self._sent += 1
        self._client = None
        row: NDArray[np.float32] = decoded[0]
        return row

    def _close(self) -> Round:
        """Ends the round and decodes its mean."""
        ended, self._round = self._round, None
        if ended is None:
            raise _misuse("no round is open: its cohort must come from the mechanism's CheckInDataset", "round")
        ended.__exit__(None, None, None)
        return ended

    def _end(self) -> None:
        """Abandons the round that is open, if one is. It stays charged."""
        if self._round is not None:
            self._round._abandon()
        self._round = self._client = self._user = None


class CheckInMechanism(LocalPrivacyMechanism):
    """The local randomizer of a population's plan: clips and randomizes the statistics of each user of a cohort.

    A user's statistics become what the user's message decodes to, which is an unbiased estimate of the clipped
    statistics. When the backend has added them up, they are replaced by the round's exact mean, of weight 1, which has
    the bits that `muster.Population` decodes.

    Noise comes from the population's own streams. pfl-research's seeds are not used: they have 32 bits, so
    they repeat within a long run, and whoever guesses one can undo the noise.

    Put it last among the postprocessors: whatever changes statistics after it changes what was charged, and is refused.

    Args:
        users: The dataset whose cohorts train.

    >>> import muster
    >>> from muster.pfl import CheckInDataset, CheckInMechanism
    >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
    >>> mechanism = CheckInMechanism(CheckInDataset(muster.Population(plan, dimension=2), dict().get))
    >>> mechanism.population.dimension
    2
    """

    def __init__(self, users: CheckInDataset) -> None:
        if not isinstance(users, CheckInDataset):
            raise TypeError(f"users is a CheckInDataset, not {users!r}")
        self._users = users
        self._sizes = np.zeros(users.population.dimension)

    @property
    def population(self) -> Population:
        """The population that is charged.

        >>> import muster
        >>> from muster.pfl import CheckInDataset, CheckInMechanism
        >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> crowd = muster.Population(plan, dimension=2)
        >>> CheckInMechanism(CheckInDataset(crowd, dict().get)).population is crowd
        True
        """
        return self._users.population

    def privatize(self, statistics: TrainingStatistics, name_formatting_fn: Callable[[str], Any] = StringMetricName,
                  seed: int | None = None) -> tuple[TrainingStatistics, Metrics]:
        """Sends the statistics of the user that is training, and returns what the message decodes to.

        Args:
            statistics: Weighted statistics of weight 1, with as many numbers as the population's dimension.
            name_formatting_fn: Not used; there are no metrics, because they would tell about the data.
            seed: Not used.

        Raises:
            UsageError: The weight is not 1, or no user of the cohort is training.
            DataError: The number of numbers is wrong, or one is not finite.

        >>> from pfl.stats import MappedVectorStatistics
        >>> import muster
        >>> from muster.pfl import CheckInDataset, CheckInMechanism
        >>> plan = muster.plan(protocol="shuffle", clients=3, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=1)
        >>> mechanism = CheckInMechanism(CheckInDataset(muster.Population(plan, dimension=2), dict().get))
        >>> mechanism.privatize(MappedVectorStatistics({}, weight=8.0))
        Traceback (most recent call last):
        muster.errors.UsageError: weight = 8.0: every client's vector counts once, ...; allowed: 1
        """
        weight = _weight(statistics)
        if weight != 1:
            raise _misuse(f"weight = {weight!r}: every client's vector counts once, because its weight would be outside "
                          "the clipping; allowed: 1", "weight")
        metadata, tensors = statistics.get_weights()
        vector = _flat(tensors, self.population.dimension)
        if self._users._sent == 0:
            self._sizes[:] = 0
        decoded = self._users._send(vector)
        self._sizes += np.abs(decoded)
        return statistics.from_weights(metadata, _like(tensors, decoded)), Metrics()

    def postprocess_one_user(self, *, stats: TrainingStatistics,
                             user_context: Any) -> tuple[TrainingStatistics, Metrics]:
        """Privatizes a user's statistics, as a backend asks for it.

        >>> from muster.pfl import CheckInMechanism
        >>> callable(CheckInMechanism.postprocess_one_user)
        True
        """
        user = self._users._user
        if user is not None and user_context.user_id != user.user_id:
            raise _misuse(f"user {user_context.user_id!r} is not the one that CheckInDataset gave last, which is "
                          f"{user.user_id!r}", "client")
        return self.privatize(stats, seed=user_context.seed)

    def postprocess_server(self, *, stats: TrainingStatistics, central_context: Any,
                           aggregate_metrics: Metrics) -> tuple[TrainingStatistics, Metrics]:
        """Ends the round: replaces the sum of the contributions by their exact mean, of weight 1.

        Raises:
            UsageError: The sum is not that of the cohort's contributions: another postprocessor changed them. The round
                is abandoned.

        >>> from muster.pfl import CheckInMechanism
        >>> callable(CheckInMechanism.postprocess_server)
        True
        """
        _, tensors = stats.get_weights()
        total = _flat(tensors, self.population.dimension).astype(np.float64)
        sent = self._users._sent
        ended = self._users._close()
        count = sent if ended.decoded else 0
        # The slack covers the error of a sum of float32 numbers in any order, and the rounding of terms and mean.
        slack = (sent + 4) * 2.0**-23 * self._sizes
        if _weight(stats) != sent or (count > 0 and bool(np.any(np.abs(total - count * ended.mean.astype(np.float64))
                                                                > slack))):
            raise _misuse("the statistics are not the sum of what CheckInMechanism returned: put it last among the "
                          "postprocessors, and let nothing weigh, clip or drop what it returns", "postprocessors")
        metadata = get_default_framework_module().to_tensor([1.0])
        return stats.from_weights(metadata, _like(tensors, ended.mean)), Metrics()


def _weight(statistics: TrainingStatistics) -> float:
    """Returns the weight of statistics that have one."""
    if isinstance(statistics, WeightedStatistics):
        try:
            return float(statistics.weight)
        except NotImplementedError:
            pass
    raise _misuse(f"{type(statistics).__name__} has no weight of its own; allowed: statistics of weight 1, such as "
                  "MappedVectorStatistics", "statistics")


def _flat(tensors: list[Any], dimension: int) -> NDArray[np.float32]:
    """Returns the numbers of all tensors, in their order, as one float32 vector."""
    to_numpy = get_default_framework_module().to_numpy
    parts = [np.asarray(each if isinstance(each, np.ndarray) else to_numpy(each)).ravel() for each in tensors]
    vector = np.concatenate(parts) if parts else np.empty(0)
    if vector.size != dimension or not np.issubdtype(vector.dtype, np.floating):
        raise DataError(f"statistics have {vector.size} numbers of type {vector.dtype}; allowed: {dimension} floats, the "
                        "population's dimension", code=3, kind="data", key="statistics", value=str(vector.size),
                        allowed=str(dimension))
    return vector.astype(np.float32)


def _like(tensors: list[Any], vector: NDArray[np.float32]) -> list[Any]:
    """Returns the numbers of a vector in tensors of the same shapes and kind."""
    made: list[Any] = []
    at = 0
    for each in tensors:
        shape = tuple(each.shape)
        size = int(np.prod(shape, dtype=np.int64))
        part = vector[at:at + size].reshape(shape).copy()
        made.append(part if isinstance(each, np.ndarray) else get_default_framework_module().to_tensor(part))
        at += size
    return made


def _misuse(text: str, key: str) -> UsageError:
    return UsageError(text, code=2, kind="usage", reason="contradiction", key=key)
