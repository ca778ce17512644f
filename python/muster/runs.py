"""Training runs as `muster train` leaves them in their folders: metrics, parameters, result and report."""

from __future__ import annotations

import base64
import json
import logging
import math
import os
from typing import TYPE_CHECKING, Any

from muster import _muster
from muster.plans import Plan
from muster.populations import _path

if TYPE_CHECKING:  # numpy is imported when it is first used
    import numpy as np
    from numpy.typing import NDArray

_NOTES = logging.getLogger("muster")
_COUNTS = ("round", "check_ins", "neutral", "slot", "messages")
# The fields that may be infinite, which JSON cannot state; the files have null in its place.
_INFINITE = ("epsilon", "loss")


class Run:
    """The folder of a training run, finished or not, of `muster train` or of `train`.

    The folder is read once, when the object is made, and may be that of a run which is still going on. Every epsilon is
    computed anew: a file that states a smaller one than is proven today is refused, and a larger one is replaced.

    Args:
        folder: The folder, such as "runs/quickstart".

    Raises:
        FileError: The folder is not that of a run, a file is damaged, or a file states an epsilon that is too small.
        CheckpointError: The checkpoint is damaged.

    >>> import tempfile
    >>> import muster
    >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
    ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5, log_every=2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = muster.train(plan, out=folder)
    ...     bool((muster.Run(folder).metrics == run.metrics).all())
    True
    >>> run.metrics["round"], run.metrics["epsilon"].dtype
    (array([2, 4], dtype=uint64), dtype('float64'))
    """

    __slots__ = ("_folder", "_native")

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._native = _muster.Run.read(_path(folder), _NOTES.warning)
        self._folder = os.fsdecode(folder)

    @property
    def folder(self) -> str:
        """The folder of the run.

        >>> import muster
        >>> muster.Run("no/such/run").folder
        Traceback (most recent call last):
        muster.errors.FileError: no/such/run cannot be read: No such file or directory; expected: the folder of a run, \
as muster train writes it
        """
        return self._folder

    @property
    def plan(self) -> Plan:
        """The plan that was trained.

        >>> import tempfile
        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
        ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     muster.train(plan, out=folder).plan == plan
        True
        """
        return Plan._of(self._native.plan())

    @property
    def metrics(self) -> NDArray[np.void]:
        """The logged rounds as a structured array: its fields are those of metrics.jsonl (docs/formats.md).

        Counts are uint64: round, check_ins, messages, neutral, and slot in protocols with slots. Other fields are
        float64: accuracy, epsilon (infinite if none is proven), loss in nats (not for a statistic), client_accuracy and
        worst_decile (if clients hold several records), and seconds.

        >>> import tempfile
        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
        ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5, log_every=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     metrics = muster.train(plan, out=folder).metrics
        >>> metrics["check_ins"].tolist(), metrics.dtype.names[:3]
        ([10, 10], ('round', 'accuracy', 'epsilon'))
        """
        import numpy as np

        rows = [_measured(line) for line in self._native.lines()]
        names = [name for name in rows[0] if all(name in row for row in rows)] if rows else []
        types = [(name, np.uint64 if name in _COUNTS else np.float64) for name in names or ("round", "accuracy", "epsilon")]
        return np.array([tuple(row[name] for name in names) for row in rows], dtype=types)

    @property
    def result(self) -> dict[str, Any] | None:
        """What result.json says of a finished run, with the epsilon that is proven today; None if it is not finished.

        >>> import tempfile
        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
        ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result = muster.train(plan, out=folder).result
        >>> result["stopped"], result["rounds"], result["validity"]
        ('done', 4, 'proven')
        """
        line = self._native.result()
        return None if line is None else _measured(line)

    @property
    def parameters(self) -> NDArray[np.float32]:
        """The parameters at the last checkpoint, float32 of shape (dimension,): the averaged ones if the plan averages.

        `Model.accuracy` takes them. The file model.safetensors has them as named tensors.

        >>> import tempfile
        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
        ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run = muster.train(plan, out=folder)
        >>> muster.Model(plan).accuracy(run.parameters) == run.result["accuracy"]
        True
        """
        return self._native.parameters()

    def report(self, out: str | os.PathLike[str] | None = None, *,
               svg: str | os.PathLike[str] | None = None) -> str:
        """Writes the web page that `muster report` makes of the run, and returns its path.

        Args:
            out: The page; report.html in the run's folder if None. An earlier page is replaced, any other file is not.
            svg: A file for the main picture, or None.

        Raises:
            FileError: A file would be replaced that muster did not make, or cannot be written.

        >>> import tempfile
        >>> import muster
        >>> plan = muster.plan(protocol="subset", clients=100, subset=10, randomizer="ldp-sgd", epsilon0=1.0, clip=0.5,
        ...                    rounds=4, delta=1e-5, data="digits", model="logistic", learning_rate=0.5)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     muster.train(plan, out=folder).report()
        '/.../report.html'
        """
        page = os.path.join(self._folder, "report.html") if out is None else os.fsdecode(out)
        self._native.report(_path(page), b"" if svg is None else _path(svg))
        return page

    def __repr__(self) -> str:
        return f"<muster.Run {self._folder}: {self._native.state()}>"

    def _repr_html_(self) -> str:
        # The picture is embedded as an image, so that its style sheet does not change the page around it.
        picture = base64.b64encode(self._native.picture().encode()).decode()
        return (f'{self._native.html()}<img alt="accuracy by round" style="max-width:100%" '
                f'src="data:image/svg+xml;base64,{picture}">\n')


def _measured(line: str) -> dict[str, Any]:
    """Returns the fields of a line of metrics.jsonl or of a result, with infinity where JSON has null."""
    fields: dict[str, Any] = json.loads(line)
    return {key: math.inf if value is None and key in _INFINITE else value for key, value in fields.items()}
