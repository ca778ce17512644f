"""The trainable parameters of a module as one vector, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from muster.errors import PlanError


def trainable(module: nn.Module) -> dict[str, nn.Parameter]:
    """Returns the trainable parameters by name, in the order of `named_parameters`; a shared one has one name.

    Raises:
        PlanError: There is none, or one of them is not float32 or has no values yet.

    >>> from torch import nn
    >>> from muster.torch.parameters import trainable
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
    >>> from muster.torch.parameters import check_parameter
    >>> check_parameter("bias", torch.nn.Parameter(torch.zeros(2, dtype=torch.float64)))
    Traceback (most recent call last):
    muster.errors.PlanError: parameter bias has type torch.float64; allowed: torch.float32, which model.float() makes
    """
    if nn.parameter.is_lazy(parameter):
        raise refused(f"parameter {name}", "has no values yet", "a module that was called once")
    if parameter.dtype != torch.float32:
        raise refused(f"parameter {name}", f"has type {parameter.dtype}", "torch.float32, which model.float() makes")


def flatten(module: nn.Module) -> torch.Tensor:
    """Returns a copy of the trainable parameters, as one vector on the CPU.

    They follow each other in the order of `named_parameters`. A parameter that several layers share is there once.
    Frozen parameters and buffers are not part of the vector: rounds do not change them.

    Returns:
        A float32 tensor of shape (d,); `flatten(module).numpy()` is the same memory as an array.

    Raises:
        PlanError: No parameter is trainable, or a trainable one is not float32: half precision would lose most of a
            round's mean, and double precision would lose its last digits.

    >>> import torch, muster.torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> muster.torch.flatten(layer).shape
    torch.Size([8])
    """
    with torch.no_grad():
        return torch.cat([parameter.reshape(-1).cpu() for parameter in trainable(module).values()])


def unflatten(module: nn.Module, vector: Any) -> None:
    """Writes a vector, as `flatten` returns it, into the trainable parameters of a module.

    Args:
        module: The module that is changed.
        vector: float32 of shape (d,), a tensor or an array.

    Raises:
        PlanError: The vector has another shape or type, or the module is one that `flatten` refuses. Then nothing was
            changed.

    >>> import torch, muster.torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> muster.torch.unflatten(layer, torch.arange(8.0))
    >>> layer.bias
    Parameter containing:
    tensor([6., 7.], requires_grad=True)
    """
    parameters = list(trainable(module).values())
    count = sum(parameter.numel() for parameter in parameters)
    allowed = f"float32 of shape ({count},)"
    try:
        values = torch.as_tensor(vector)
    except (TypeError, ValueError, RuntimeError) as error:
        raise refused("vector", f"is no tensor ({error})", allowed) from error
    if values.dtype != torch.float32 or values.shape != (count,):
        raise refused("vector", f"has type {values.dtype} and shape {tuple(values.shape)}", allowed)
    with torch.no_grad():
        for parameter, piece in zip(parameters, pieces_of(values, parameters)):
            parameter.copy_(piece)


def pieces_of(vector: torch.Tensor, parameters: Sequence[nn.Parameter]) -> list[torch.Tensor]:
    """Returns the parts of a vector that belong to the parameters, in their shapes; they share its memory.

    >>> import torch
    >>> from muster.torch.parameters import pieces_of
    >>> layer = torch.nn.Linear(3, 2)
    >>> [tuple(piece.shape) for piece in pieces_of(torch.arange(8.0), list(layer.parameters()))]
    [(2, 3), (2,)]
    """
    parts = torch.split(vector, [parameter.numel() for parameter in parameters])
    return [part.reshape(parameter.shape) for part, parameter in zip(parts, parameters)]


def refused(argument: str, text: str, allowed: str) -> PlanError:
    """Returns the error that says what is wrong with an argument, and what is allowed.

    >>> from muster.torch.parameters import refused
    >>> str(refused("vector", "has shape (3,)", "shape (4,)"))
    'vector has shape (3,); allowed: shape (4,)'
    """
    return PlanError(f"{argument} {text}; allowed: {allowed}", code=2, kind="plan", reason="wrong-type", key=argument,
                     allowed=allowed)
