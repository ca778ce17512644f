"""Which parameters of a module are trained, and the parts of a vector that belong to them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from muster.errors import PlanError


def trainable(module: nn.Module) -> dict[str, nn.Parameter]:
    """Returns the trainable parameters by name, in the order of `named_parameters`; a shared one has one name.

    Raises:
        PlanError: No parameter is trainable, or one of these is not float32 or has no values yet.

    >>> from torch import nn
    >>> from muster.torch._parameters import trainable
    >>> list(trainable(nn.Linear(3, 2)))
    ['weight', 'bias']
    """
    found = {name: parameter for name, parameter in module.named_parameters() if parameter.requires_grad}
    if not found:
        raise refused("model", "has no trainable parameter", "at least one with requires_grad")
    for name, parameter in found.items():
        check_parameter(name, parameter)
    return found


def check_parameter(name: str, parameter: nn.Parameter) -> None:
    """Refuses a parameter whose gradient cannot be part of a message, which is float32.

    >>> import torch
    >>> from muster.torch._parameters import check_parameter
    >>> check_parameter("bias", torch.nn.Parameter(torch.zeros(2, dtype=torch.float64)))
    Traceback (most recent call last):
    muster.errors.PlanError: parameter bias has type torch.float64; allowed: torch.float32, which model.float() makes
    """
    if nn.parameter.is_lazy(parameter):
        raise refused(f"parameter {name}", "has no values yet", "a module that was called once")
    if parameter.dtype != torch.float32:
        raise refused(f"parameter {name}", f"has type {parameter.dtype}", "torch.float32, which model.float() makes")


def pieces_of(vector: torch.Tensor, parameters: Sequence[nn.Parameter]) -> list[torch.Tensor]:
    """Returns the parts of a vector that belong to the parameters, in their shapes; they share its memory.

    >>> import torch
    >>> from muster.torch._parameters import pieces_of
    >>> layer = torch.nn.Linear(3, 2)
    >>> [tuple(piece.shape) for piece in pieces_of(torch.arange(8.0), list(layer.parameters()))]
    [(2, 3), (2,)]
    """
    parts = torch.split(vector, [parameter.numel() for parameter in parameters])
    return [part.reshape(parameter.shape) for part, parameter in zip(parts, parameters)]


def refused(argument: str, text: str, allowed: str) -> PlanError:
    """Returns the error that says what is wrong with an argument, and what is allowed.

    >>> from muster.torch._parameters import refused
    >>> str(refused("vector", "has shape (3,)", "shape (4,)"))
    'vector has shape (3,); allowed: shape (4,)'
    """
    return PlanError(f"{argument} {text}; allowed: {allowed}", code=2, kind="plan", reason="wrong-type", key=argument,
                     allowed=allowed)
