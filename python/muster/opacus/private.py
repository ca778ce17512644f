"""What takes the place of PrivacyEngine.make_private: a model, an optimizer, a loader and an accountant."""

from __future__ import annotations

from typing import Any

import torch
from opacus.data_loader import wrap_collate_with_empty
from opacus.grad_sample import GradSampleModule
from opacus.grad_sample.gsm_base import AbstractGradSampleModule
from opacus.validators import ModuleValidator
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, IterableDataset

from muster.errors import PlanError, UsageError
from muster.opacus.accountants import PROTOCOLS, CheckInAccountant, accountant_class
from muster.opacus.optimizers import CheckInOptimizer
from muster.plans import Plan
from muster.torch._parameters import check_parameter, refused

#: Why ghost clipping is refused.
_GHOST = ("ghost clipping computes the sum of clipped gradients and never a record's own, so there is nothing that "
          "noise of its own could be added to")
#: The options of Opacus that a round of check-ins cannot have, with the reasons.
_REFUSED = {
    ("grad_sample_mode", "ghost"): _GHOST,
    ("grad_sample_mode", "ghost_fsdp"): _GHOST,
    ("clipping", "per_layer"): "randomizer.clip bounds the norm of a record's whole gradient, and the accountant "
                               "charges this norm",
    ("clipping", "adaptive"): "it chooses the clip norm from the data, and the plan fixes it",
}


def make_private(module: nn.Module, optimizer: torch.optim.Optimizer, data_loader: DataLoader[Any], plan: Plan, *,
                 accountant: CheckInAccountant | None = None, loss_reduction: str = "mean", batch_first: bool = True,
                 grad_sample_mode: str = "hooks", clipping: str = "flat", **options: Any,
                 ) -> tuple[nn.Module, CheckInOptimizer, DataLoader[Any], CheckInAccountant]:
    """Makes the objects that train a module privately by check-ins, with noise on every record.

    Record j of the data set is client j of the plan: each tosses its own exact coin in each round. Those whose coin
    says yes are the batch, in a secret order; their gradients are clipped, randomized one by one, shuffled and added.
    The program's loop stays as it is. Rounds are charged when the loader begins them, empty ones too.

    Args:
        module: The model, which Opacus's ModuleValidator accepts; wrapped to compute the gradient of each record.
        optimizer: Moves the parameters, all of them float32.
        data_loader: Its data set, collate function and pinning are kept. Its batch size, sampler and shuffling are
            replaced. It has no worker processes: they would begin rounds in advance.
        plan: With `randomizer.kind = "gaussian"`, a clip norm, one number as rate, no dropout, one record a client, and
            as many clients as the data set has records. `privacy.budget` ends training with `BudgetReached`.
        accountant: The accountant to charge in place of a new one, such as `PrivacyEngine.accountant`; its class is
            made by `accountant_class` for the plan's protocol and clients.
        loss_reduction: "mean" or "sum", as in the loss that is differentiated.
        batch_first: As in Opacus.
        grad_sample_mode: "hooks" or "functorch".
        clipping: "flat".
        **options: `threads`, `fidelity`, `key`, `on_bad` of `muster.Population`. Use key="secret" with real data.

    Returns:
        The module with per-record gradients, a `CheckInOptimizer`, the loader and the accountant.

    Raises:
        PlanError: The plan cannot be charged by Opacus's interface, or does not fit the data.
        UsageError: An option or a feature of Opacus is not possible here; the message says why.

    >>> import muster, muster.opacus, torch
    >>> plan = muster.plan(protocol="shuffle", clients=4, randomizer="gaussian", sigma=5.0, clip=1.0, rounds=3)
    >>> data = torch.utils.data.TensorDataset(torch.ones(4, 2), torch.ones(4, 1))
    >>> layer = torch.nn.Linear(2, 1)
    >>> layer, optimizer, loader, accountant = muster.opacus.make_private(
    ...     layer, torch.optim.SGD(layer.parameters(), lr=0.1), torch.utils.data.DataLoader(data), plan)
    >>> type(layer).__name__, len(loader), accountant.mechanism()
    ('GradSampleModule', 1, 'muster-shuffle-4')
    """
    _check_module(module, grad_sample_mode, clipping)
    _check_plan(plan)
    _check_loader(data_loader, plan)
    _check_parameters(module, optimizer)
    ModuleValidator.validate(module, strict=True)
    private = module if isinstance(module, GradSampleModule) else GradSampleModule(
        module, batch_first=batch_first, loss_reduction=loss_reduction, force_functorch=grad_sample_mode == "functorch")
    if private.loss_reduction != loss_reduction:
        raise refused("module", f"has gradients for loss_reduction = {private.loss_reduction!r}", repr(loss_reduction))
    private.forbid_grad_accumulation()
    stepping = CheckInOptimizer(optimizer, plan, loss_reduction=loss_reduction, **options)
    charged = accountant if accountant is not None else accountant_class(
        clients=plan["population.clients"], protocol=plan["participation.protocol"],
        minimum=plan.to_dict().get("participation.minimum", 1))()
    stepping.attach_step_hook(charged.get_optimizer_hook_fn(stepping.sample_rate))
    return private, stepping, _loader_of(data_loader, stepping, batch_first), charged


def _check_module(module: nn.Module, grad_sample_mode: str, clipping: str) -> None:
    for argument, value in (("grad_sample_mode", grad_sample_mode), ("clipping", clipping)):
        if (argument, value) in _REFUSED:
            raise _inapplicable(argument, value, _REFUSED[argument, value])
    if grad_sample_mode not in ("hooks", "functorch"):
        raise refused("grad_sample_mode", f"= {grad_sample_mode!r} is unknown", "hooks | functorch")
    if clipping != "flat":
        raise refused("clipping", f"= {clipping!r} is unknown", "flat")
    if isinstance(module, AbstractGradSampleModule) and type(module) is not GradSampleModule:
        reason = _REFUSED["grad_sample_mode", "ghost"] if "Fast" in type(module).__name__ else "it was not tried"
        raise _inapplicable("module", type(module).__name__, reason)
    distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
    several = distributed and torch.distributed.get_world_size() > 1
    named = any(word in type(module).__name__ for word in ("DistributedDataParallel", "FSDP", "FullySharded"))
    if several or named or isinstance(module, DistributedDataParallel):
        raise _inapplicable("module", type(module).__name__, "every process would toss the coins of all records, and "
                            "shuffle its own part alone; one process trains here")


def _check_plan(plan: Plan) -> None:
    if not isinstance(plan, Plan):
        raise TypeError(f"a plan is needed, not {type(plan).__name__}: muster.plan or muster.Plan.read makes one")
    stated = plan.to_dict()
    allowed = {"randomizer.kind": ("gaussian",), "participation.protocol": PROTOCOLS, "participation.dropout": (0,),
               "population.records": (1,)}
    reasons = {"randomizer.kind": "Opacus's accountants know noise by its multiplier alone (muster.torch takes every "
                                  "randomizer)",
               "participation.protocol": "a run of slots is charged as a whole, and Opacus charges every step",
               "participation.dropout": "Opacus's accountants know one rate; rate * (1 - dropout) as the rate is the same",
               "population.records": "every record of the data set is a client (muster.torch takes several a client)"}
    for key, values in allowed.items():
        if key in stated and stated[key] not in values:
            raise _plan_error(key, stated[key], reasons[key], " | ".join(map(str, values)))
    if isinstance(stated.get("participation.rate"), list):
        raise _plan_error("participation.rate", stated["participation.rate"], "Opacus's accountants know one rate",
                          "number in (0, 1]")
    for key in ("randomizer.sigma", "randomizer.clip"):
        if key not in stated:
            raise PlanError(f"{key} is missing: make_private needs it", code=2, kind="plan", reason="missing", key=key)


def _check_loader(data_loader: DataLoader[Any], plan: Plan) -> None:
    dataset: Any = data_loader.dataset
    if isinstance(dataset, IterableDataset):
        raise _inapplicable("data_loader", type(dataset).__name__, "records of an IterableDataset have no numbers, and "
                            "each record needs its coin")
    clients = plan["population.clients"]
    if len(dataset) != clients:
        raise _plan_error("population.clients", clients, f"the data set has {len(dataset)} records, and each is "
                          "a client", str(len(dataset)))
    if data_loader.num_workers > 0:
        raise _inapplicable("data_loader", f"num_workers = {data_loader.num_workers}", "workers fetch batches in "
                            "advance, and a round begins when the one before has ended; use num_workers = 0")
    if data_loader.batch_sampler is None:
        raise _inapplicable("data_loader", "batch_size = None", "a round is a batch; use any batch_size")


def _check_parameters(module: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    names = {id(parameter): name for name, parameter in module.named_parameters()}
    moved = [parameter for group in optimizer.param_groups for parameter in group["params"] if parameter.requires_grad]
    if not moved or any(id(parameter) not in names for parameter in moved):
        raise refused("optimizer", "has parameters that are not the module's, or none", "trainable ones of the module")
    for parameter in moved:
        check_parameter(names[id(parameter)], parameter)


def _loader_of(given: DataLoader[Any], optimizer: CheckInOptimizer, batch_first: bool) -> DataLoader[Any]:
    collate = wrap_collate_with_empty(collate_fn=given.collate_fn, batch_first=batch_first)
    # A batch without records gets the shape of a batch with records, which is taken from record 0.
    collate([given.dataset[0]])
    return DataLoader(given.dataset, batch_sampler=optimizer.check_ins(), collate_fn=collate,
                      pin_memory=given.pin_memory, generator=given.generator)


def _inapplicable(argument: str, value: str, reason: str) -> UsageError:
    return UsageError(f"{argument}: {value} is not possible with check-ins: {reason}", code=2, kind="usage",
                      reason="inapplicable", key=argument, value=value)


def _plan_error(key: str, value: object, reason: str, allowed: str) -> PlanError:
    return PlanError(f"{key} = {value} is not possible with Opacus: {reason}; allowed: {allowed}", code=2, kind="plan",
                     reason="inapplicable", key=key, value=str(value), allowed=allowed)
