"""The vectors of many clients at once: gradients, or the changes of local training, by torch.func."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from muster.errors import PlanError, UsageError
from muster.torch._parameters import refused, trainable

#: `loss(outputs, targets)`: the mean over the records that it is given, as torch.nn.functional's losses are.
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
#: `updates(inputs, targets, counts)`: a row for each client.
Updates = Callable[..., torch.Tensor]
_Values = dict[str, torch.Tensor]


def client_gradients(model: nn.Module, loss: Loss) -> Updates:
    """Returns a function that computes the gradient of each client: the mean over the client's records.

    The function takes `inputs` [N, ...] and `targets` [N, ...], the records of k clients one after the other, and
    `counts`, how many each client has (one, if it is left out). It returns float32 [k, d] at the model's parameters of
    that moment, in the order of `flatten`. A client without records has a row of zeros. Rows are not clipped:
    `Round.send` does that.

    Args:
        model: Takes inputs [m, ...] of one client. Its frozen parameters and its buffers are constants.
        loss: Takes the model's outputs [m, ...] and targets [m, ...], and returns their mean loss, one number.

    Raises:
        PlanError: A parameter is refused by `flatten`; or the shapes do not fit each other.
        UsageError: The model draws random numbers, as dropout does in training, or changes its buffers, as batch
            normalisation does in training: a record would leave its mark there without noise.

    >>> import torch, muster.torch
    >>> layer = torch.nn.Linear(2, 1, bias=False)
    >>> muster.torch.unflatten(layer, torch.zeros(2))
    >>> gradients = muster.torch.client_gradients(layer, torch.nn.functional.mse_loss)
    >>> inputs, targets = torch.tensor([[1., 0.], [3., 0.], [0., 1.]]), torch.ones(3, 1)
    >>> gradients(inputs, targets)                            # three clients with a record each
    tensor([[-2.,  0.],
            [-6.,  0.],
            [ 0., -2.]])
    >>> gradients(inputs, targets, [2, 1])                    # the first has two records
    tensor([[-4.,  0.],
            [ 0., -2.]])
    """
    def gradient(parameters: _Values, inputs: torch.Tensor, targets: torch.Tensor) -> Any:
        return torch.func.grad(_loss_of(model, loss))(parameters, inputs, targets)

    return _updates(model, gradient)


def client_changes(model: nn.Module, loss: Loss, *, steps: int, rate: float) -> Updates:
    """Returns a function that computes what local training changes: the parameters before it minus those after it.

    Each client makes `steps` steps of gradient descent of size `rate` on the mean loss of all its records, beginning
    at the model's parameters, as with `rounds.local_steps` in `muster train`. The server moves against the mean of
    these rows, as against a gradient (McMahan et al. 2017, federated averaging; Reddi et al. 2021). Otherwise the
    function is like that of `client_gradients`.

    Args:
        model: As for `client_gradients`.
        loss: As for `client_gradients`.
        steps: How many steps, >= 1.
        rate: The size of a step, > 0.

    Raises:
        PlanError: As for `client_gradients`; or a number is out of range.
        UsageError: As for `client_gradients`.

    >>> import torch, muster.torch
    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> muster.torch.unflatten(layer, torch.zeros(1))
    >>> changes = muster.torch.client_changes(layer, torch.nn.functional.mse_loss, steps=2, rate=0.25)
    >>> changes(torch.ones(1, 1), torch.ones(1, 1))           # 0 -> 0.5 -> 0.75
    tensor([[-0.7500]])
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise refused("steps", f"= {steps!r} is no number of local steps", "integer >= 1")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate < float("inf"):
        raise refused("rate", f"= {rate!r} is no size of a local step", "number > 0")

    def change(parameters: _Values, inputs: torch.Tensor, targets: torch.Tensor) -> Any:
        gradient = torch.func.grad(_loss_of(model, loss))
        now = parameters
        for _ in range(steps):
            slope = gradient(now, inputs, targets)
            now = {name: value - rate * slope[name] for name, value in now.items()}
        return {name: value - now[name] for name, value in parameters.items()}

    return _updates(model, change)


def _loss_of(model: nn.Module, loss: Loss) -> Callable[..., torch.Tensor]:
    places = _places(model)

    def of_client(parameters: _Values, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        placed = {place: parameters[name] for place, name in places.items()}
        value = loss(torch.func.functional_call(model, placed, (inputs,), tie_weights=False), targets)
        if value.shape != ():
            raise refused("loss", f"has shape {tuple(value.shape)}", "one number, the mean over the records")
        return value

    return of_client


def _places(model: nn.Module) -> dict[str, str]:
    """Returns where each trainable parameter is, with its name: a shared one is in several places.

    A layer that the model uses twice is listed once. With tie_weights=True, functional_call would replace the parameter
    of such a layer twice, and leave the replacement in the model; so this module passes all names itself.
    """
    names = {id(parameter): name for name, parameter in trainable(model).items()}
    return {f"{layer}.{own}".lstrip("."): names[id(parameter)]
            for layer, module in model.named_modules() for own, parameter in module.named_parameters(recurse=False)
            if id(parameter) in names}


def _updates(model: nn.Module, update: Callable[..., Any]) -> Updates:
    trainable(model)

    def of_clients(inputs: torch.Tensor, targets: torch.Tensor, counts: Any = None) -> torch.Tensor:
        _check_layers(model)
        held = _counts(counts, inputs, targets)
        parameters = {name: parameter.detach() for name, parameter in trainable(model).items()}
        first = held.cumsum(0) - held
        kinds = torch.unique(held).tolist()
        rows = torch.zeros(len(held), sum(value.numel() for value in parameters.values()), device=inputs.device)
        # Clients that hold equally many records are computed together.
        for count in kinds:
            clients = (held == count).nonzero().flatten()
            if count == 0:
                continue
            records = first[clients, None] + torch.arange(count)
            each = _each(update, parameters, inputs[records], targets[records])
            whole = torch.cat([each[name].reshape(len(clients), -1) for name in parameters], dim=1)
            if len(kinds) == 1:
                return whole
            rows[clients] = whole
        return rows

    return of_clients


def _each(update: Callable[..., Any], parameters: _Values, inputs: torch.Tensor, targets: torch.Tensor) -> Any:
    try:
        return torch.func.vmap(update, in_dims=(None, 0, 0))(parameters, inputs, targets)
    except RuntimeError as error:
        # The message names vmap if torch.func cannot do an operation for each client by itself.
        if "vmap" not in str(error):
            raise
        raise UsageError("the model cannot be run for each client apart; one that draws random numbers, as dropout "
                         f"does in training, needs model.eval(): {str(error).splitlines()[0]}", code=2, kind="usage",
                         reason="inapplicable", key="model") from error


def _counts(counts: Any, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    held = torch.as_tensor([1] * len(inputs) if counts is None else counts)
    if held.numel() == 0:
        held = held.to(torch.int64)
    whole = held.dtype in (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
    if held.ndim != 1 or not whole:
        raise refused("counts", f"has shape {tuple(held.shape)} and type {held.dtype}", "an integer for each client")
    held = held.to(torch.int64)
    total = int(held.sum())
    if bool((held < 0).any()) or total != len(inputs) or total != len(targets):
        raise PlanError(f"counts: the clients hold {total} records, and there are {len(inputs)} inputs and "
                        f"{len(targets)} targets; allowed: equally many, and no negative count", code=2, kind="plan",
                        reason="contradiction", key="counts", value=str(total))
    return held


def _check_layers(model: nn.Module) -> None:
    for name, layer in model.named_modules():
        keeps = isinstance(layer, nn.modules.batchnorm._NormBase) and layer.track_running_stats
        if keeps and layer.training:
            raise UsageError(f"layer {name or 'model'} is a {type(layer).__name__} in training: its running statistics "
                             "would take in records without noise; use GroupNorm, or eval()", code=2, kind="usage",
                             reason="inapplicable", key=name or "model", value=type(layer).__name__)
