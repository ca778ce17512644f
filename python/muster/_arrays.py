"""Reads client numbers and vectors from whatever a caller has: arrays, lists, or tensors by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from muster.errors import PlanError


_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def _bad(argument: str, text: str, allowed: str) -> PlanError:
    return PlanError(f"{argument}: {text}; allowed: {allowed}", code=2, kind="plan", reason="wrong-type", key=argument,
                     allowed=allowed)


def _array_of(argument: str, given: Any, allowed: str) -> NDArray[Any]:
    # numpy would drop the masks, and what is masked would be sent like any other number.
    parts = given if isinstance(given, (list, tuple)) else (given,)
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise _bad(argument, "is or has a masked array, whose masked values would be read as well",
                   f"{allowed}, without a mask, as filled() gives it")
    try:
        if not isinstance(given, np.ndarray) and hasattr(given, "__dlpack__"):
            return np.from_dlpack(given)
        return np.asarray(given)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise _bad(argument, f"is no array ({error})", allowed) from error


def client_numbers(clients: Any) -> NDArray[np.uint64]:
    """Returns client numbers as the extension takes them: uint64, contiguous."""
    allowed = "client numbers, as the round gives them"
    array = _array_of("clients", clients, allowed)
    if array.ndim != 1 or (array.size > 0 and array.dtype.kind not in "iu"):
        raise _bad("clients", f"has shape {array.shape} and type {array.dtype}", allowed)
    if array.dtype.kind == "i" and array.size > 0 and int(array.min()) < 0:
        raise _bad("clients", f"has the number {int(array.min())}", allowed)
    return np.ascontiguousarray(array, dtype=np.uint64)


def parameters_of(theta: Any, dimension: int) -> NDArray[np.float32]:
    """Returns the parameters of a model as the extension takes them: float32, contiguous."""
    allowed = f"float32 of shape ({dimension},)"
    array = _array_of("theta", theta, allowed)
    if array.shape != (dimension,):
        raise _bad("theta", f"has shape {array.shape}", allowed)
    return np.require(_float32_of("theta", array, allowed), requirements=["C", "A"])


def _float32_of(argument: str, array: NDArray[Any], allowed: str) -> NDArray[np.float32]:
    if array.dtype not in _FLOATS or not array.dtype.isnative:
        kind = array.dtype.name if array.dtype.isnative else array.dtype.str
        raise _bad(argument, f"has type {kind}", f"{allowed}, or float64, which is rounded")
    if array.dtype == np.float32:
        return array
    # A number too large for float32 becomes infinite, and is treated as such.
    with np.errstate(over="ignore"):
        return array.astype(np.float32)


def rows_of(updates: Any, count: int, dimension: int) -> NDArray[np.float32]:
    """Returns vectors as the extension takes them: float32, aligned, each row contiguous.

    Rows that already have this form are not copied, whatever lies between them.
    """
    allowed = f"float32 of shape ({count}, {dimension})"
    array = _array_of("updates", updates, allowed)
    if count == 0 and array.size == 0:
        return np.empty((0, dimension), dtype=np.float32)
    rows = _float32_of("updates", array, allowed)
    if array.shape != (count, dimension):
        raise _bad("updates", f"has shape {array.shape}", allowed)
    adjacent = rows.strides[1] == rows.itemsize and rows.strides[0] >= 0 and rows.strides[0] % rows.itemsize == 0
    if not adjacent or not rows.flags.aligned:
        rows = np.require(rows, requirements=["C", "A"])
    return rows
