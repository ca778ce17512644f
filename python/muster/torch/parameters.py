"""The trainable parameters of a module as one vector, and back."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from muster.torch._parameters import pieces_of, refused, trainable


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
