"""The built-in digits as arrays, for programs that try something without a download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from muster import _muster

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def digits(part: str, count: int, *, seed: int = 1) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Draws digits that look handwritten: the data of plans with `population.data = "digits"` (docs/data.md).

    Example i depends on the part, the seed and i alone. Client j of a plan holds training example j, drawn with the
    plan's seed. The built-in models see `(image / 255 - 0.1307) / 0.3081`.

    Args:
        part: "train"; "test"; or "public", which belong to no client.
        count: How many, at most 1,000,000. `muster train` tests on 10,000.
        seed: The seed of the drawings, as a plan's `seed`.

    Returns:
        Images, uint8 of shape (count, 28, 28), from 0 for paper to 255 for ink; and labels, uint8 of shape (count,).

    Raises:
        PlanError: An argument is out of range.

    >>> import muster
    >>> images, labels = muster.digits("train", 100)
    >>> images.shape, images.dtype.name, sorted(set(labels.tolist()))
    ((100, 28, 28), 'uint8', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    return _muster.digits(part, count, seed)
