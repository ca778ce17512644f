"""The server's side: every node is asked, and what leaves the shuffler is one mean, which is charged."""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp import Grid, PrivacySpent, strategy
from flwr.supercore.task_identity import TaskIdentity

from muster import _muster
from muster.accountant import RunningAccountant
from muster.errors import BudgetReached, UncoveredError
from muster.flower import _records as records
from muster.flower.accountant import Accountant
from muster.flower._records import RECORD, Request, misuse
from muster.plans import Plan
from muster.populations import Monitor

_log = logging.getLogger("flwr")
_POLL_SECONDS = 1.0  # between two looks for enough connected nodes, as in Flower's strategies

# Why an inner strategy cannot do here what it is made for.
_NOISE = "it draws noise once on the sum, whereas here every node randomizes its own message"
_ROBUST = "it compares the replies of nodes, and here it gets one reply, the mean"
_REFUSED = {
    "DifferentialPrivacyServerSideFixedClipping": _NOISE, "DifferentialPrivacyClientSideFixedClipping": _NOISE,
    "DifferentialPrivacyServerSideAdaptiveClipping": _NOISE, "DifferentialPrivacyClientSideAdaptiveClipping": _NOISE,
    "Bulyan": _ROBUST, "FedMedian": _ROBUST, "FedTrimmedAvg": _ROBUST, "Krum": _ROBUST, "MultiKrum": _ROBUST,
    "QFedAvg": "it weighs nodes by their losses, which no node sends",
    "FedXgbBagging": "trees are no vectors", "FedXgbCyclic": "trees are no vectors",
}


@dataclasses.dataclass
class _Open:
    """A round between its requests and its replies."""

    round: int
    name: str  # of the record of arrays
    arrays: ArrayRecord
    asked: set[int]


class Strategy(strategy.Strategy):
    """A strategy for nodes with the mod CheckIn, around one of Flower's that makes the next model of the mean.

    A round begins once at least `population.clients` + `malicious` nodes are connected. It is charged then, and asks
    all of them; the server samples nobody. Only the first reply of a node counts. If fewer nodes than that reply, the
    round is destroyed: nothing is decoded, and it stays charged. Otherwise names are dropped, the messages are put into
    a secret uniform order and decoded, and the inner strategy gets one reply of weight 1 with the mean change added to
    the arrays. Without any message the model stays as it is.

    Args:
        inner: FedAvg, FedAdam or another strategy that takes means, with fraction_train=1. Evaluation by nodes sends
            their metrics in the clear, which epsilon does not cover, so state fraction_evaluate=0 and evaluate with
            `evaluate_fn`, or state `unprotected_evaluation=True`.
        plan: As for CheckIn; it may have `privacy.delta` and `privacy.budget`. `population.clients` is how many honest
            nodes you can count on in every round, not how many are enrolled.
        malicious: How many nodes may be hostile.
        accountant: An account of earlier runs with the same people, to which this run is charged as well.
        unprotected_evaluation: Whether nodes may be asked to evaluate.

    Raises:
        PlanError: The plan does not run in Flower.
        UncoveredError: The inner strategy draws noise on a sum.
        UsageError: The inner strategy does not go with a mean.

    >>> import muster, muster.flower
    >>> from flwr.serverapp.strategy import FedAdam
    >>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0,
    ...                    clip=1.0, rounds=20, delta=1e-6)
    >>> muster.flower.Strategy(FedAdam(fraction_evaluate=0.0), plan)
    <muster.flower.Strategy around FedAdam, 0 of 20 rounds begun>
    """

    def __init__(self, inner: strategy.Strategy, plan: Plan, *, malicious: int = 0,
                 accountant: RunningAccountant | None = None, unprotected_evaluation: bool = False) -> None:
        self._plan = records.runnable(plan)
        self._stated: dict[str, Any] = plan.to_dict()
        self._unprotected_evaluation = unprotected_evaluation
        self._inner = self._fitting(inner)
        if isinstance(malicious, bool) or not isinstance(malicious, int) or malicious < 0:
            raise misuse(f"malicious = {malicious} is no number of nodes", "malicious", malicious, "integer >= 0")
        self._needed: int = self._stated["population.clients"] + malicious
        self._accountant = Accountant(self._stated.get("privacy.delta"), self._stated.get("privacy.budget"), accountant)
        self._watch = records.watch_of(self._plan)
        self._begun = 0
        self._open: _Open | None = None

    def _fitting(self, inner: strategy.Strategy) -> strategy.Strategy:
        for kind in type(inner).__mro__:
            why = _REFUSED.get(kind.__name__) if kind.__module__.startswith("flwr.") else None
            if why is not None:
                text = f"inner = {kind.__name__} does not go with check-ins: {why}"
                if why is _NOISE:
                    raise UncoveredError(text, code=2, kind="uncovered", key="inner", value=kind.__name__)
                raise misuse(text, "inner", kind.__name__)
        if getattr(inner, "fraction_train", 1.0) != 1.0:
            raise misuse("fraction_train of the inner strategy lets the server sample: state participation.rate in the "
                         "plan, and fraction_train=1", "fraction_train", getattr(inner, "fraction_train", ""), "1.0")
        if not self._unprotected_evaluation and getattr(inner, "fraction_evaluate", 0.0) != 0.0:
            raise misuse("fraction_evaluate of the inner strategy asks nodes for metrics of their data, which epsilon "
                         "does not cover: state fraction_evaluate=0 and evaluate with evaluate_fn, or "
                         "unprotected_evaluation=True", "fraction_evaluate", getattr(inner, "fraction_evaluate", ""),
                         "0.0")
        return inner

    @property
    def plan(self) -> Plan:
        """The plan whose rounds the strategy runs.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan).plan == plan
        True
        """
        return self._plan

    @property
    def accountant(self) -> Accountant:
        """The account of the rounds that have begun, and of rounds that were charged before this run.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan).accountant.num_releases
        0
        """
        return self._accountant

    @property
    def monitor(self) -> Monitor:
        """Whether the numbers of messages of the nodes that were heard fit the declared rate.

        Rounds that were destroyed are not watched. An alarm is logged, too, as a warning.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan).monitor
        <muster.Monitor 0 rounds watched, no alarm>
        """
        return Monitor._of(self._watch.watched())

    def privacy_spent(self, delta: float | None = None) -> PrivacySpent:
        """Returns what the rounds that have begun cost, in Flower's type: proven, at the plan's delta or another.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan).privacy_spent(1e-5).epsilon
        0.0
        """
        return self._accountant.get_privacy_spent(delta)

    def affordable(self, rounds: int) -> int:
        """Returns how many of the next `rounds` stay within `privacy.budget`; all of them if the plan has none.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20, delta=1e-6, budget=0.2)
        >>> muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan).affordable(20) < 20
        True
        """
        if "privacy.budget" not in self._stated or not self._accountant.would_exceed(self._plan, count=rounds):
            return rounds
        low, high = 0, rounds  # `low` rounds are within the budget, and `high` are not
        while high - low > 1:
            middle = (low + high) // 2
            if self._accountant.would_exceed(self._plan, count=middle):
                high = middle
            else:
                low = middle
        return low

    def start(self, grid: Grid, initial_arrays: ArrayRecord, num_rounds: int = 3, timeout: float = 3600,
              train_config: ConfigRecord | None = None, evaluate_config: ConfigRecord | None = None,
              evaluate_fn: Callable[[int, ArrayRecord], MetricRecord | None] | None = None) -> strategy.Result:
        """Runs rounds as Flower's strategies do, but stops at the budget; arguments and result are Flower's.

        `timeout` is how many seconds a round waits for replies. `train_metrics_clientapp` of the result has, for each
        round, "muster-heard" (nodes), "muster-reports" (messages), "muster-rounds" (charged) and, with `privacy.delta`,
        "muster-epsilon".

        Raises:
            UsageError: The plan has fewer than `num_rounds` rounds left.
            BudgetReached: The budget does not pay for the first of these rounds.

        >>> import muster, muster.flower
        >>> from flwr.app import ArrayRecord, ConfigRecord
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> grid = None  # Flower's
        >>> strategy.start(grid, ArrayRecord(), num_rounds=21)
        Traceback (most recent call last):
        muster.errors.UsageError: num_rounds = 21 is more than the plan has: 20 of rounds.count = 20 are left
        """
        left = self._stated["rounds.count"] - self._begun
        if num_rounds > left:
            raise misuse(f"num_rounds = {num_rounds} is more than the plan has: {left} of rounds.count = "
                         f"{self._stated['rounds.count']} are left", "num_rounds", num_rounds, f"0..{left}")
        paid = self.affordable(num_rounds)
        if paid == 0 and num_rounds > 0:
            raise self._budget_reached()
        if paid < num_rounds:
            _log.info("muster: privacy.budget = %s pays for %s of %s rounds", self._stated["privacy.budget"], paid,
                      num_rounds)
        return super().start(grid, initial_arrays, paid, timeout, train_config, evaluate_config, evaluate_fn)

    def _budget_reached(self) -> BudgetReached:
        budget = self._stated["privacy.budget"]
        return BudgetReached(f"privacy.budget = {budget} does not pay for round {self._begun + 1}", code=4,
                             kind="budget", key="privacy.budget", value=str(budget))

    def configure_train(self, server_round: int, arrays: ArrayRecord, config: ConfigRecord,
                        grid: Grid) -> Iterable[Message]:
        """Begins the next round of the plan, charges it, and returns a request to every node; Flower calls this.

        Raises:
            UsageError: All rounds have begun, or the arrays or the inner strategy's requests do not fit.
            BudgetReached: The budget does not pay for the round.

        >>> import muster, muster.flower
        >>> from flwr.app import ArrayRecord, ConfigRecord
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> grid = None  # Flower's
        >>> strategy.configure_train(1, ArrayRecord(), ConfigRecord(), grid)
        Traceback (most recent call last):
        muster.errors.UsageError: the arrays have none of floating point
        """
        if self._begun == self._stated["rounds.count"]:
            raise misuse(f"all rounds of the plan have begun: rounds.count = {self._begun}", "rounds.count",
                         self._begun)
        if self.affordable(1) == 0:
            raise self._budget_reached()
        if not records.learned(arrays):
            raise misuse("the arrays have none of floating point", "arrays")
        nodes = self._nodes(grid)
        asked = list(self._inner.configure_train(server_round, arrays, config, grid))
        if not asked:
            return []
        content = asked[0].content
        found = records.only_arrays(content)
        if found is None or any(each.content is not content and each.content != content for each in asked[1:]):
            raise misuse("the inner strategy does not ask all nodes the same, with one record of arrays", "inner",
                         type(self._inner).__name__)
        records.messages_of(self._plan, records.dimension_of(records.learned(found[1])))
        self._accountant.compose(self._plan)
        self._begun += 1
        self._open = _Open(self._begun, found[0], found[1], set(nodes))
        request = RecordDict({**content, RECORD: Request(self._plan.hash, self._begun).record()})
        first = asked[0].metadata
        return [Message(request, node, first.message_type, ttl=first.ttl, group_id=first.group_id) for node in nodes]

    def _nodes(self, grid: Grid) -> list[int]:
        """Waits until enough nodes are connected, and returns all of them."""
        while True:
            nodes = list(grid.get_node_ids())
            if len(nodes) >= self._needed:
                return nodes
            _log.info("muster: %d nodes are connected, and a round needs %d", len(nodes), self._needed)
            time.sleep(_POLL_SECONDS)

    def aggregate_train(self, server_round: int,
                        replies: Iterable[Message]) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Shuffles and decodes the replies, and lets the inner strategy make the next model; Flower calls this.

        Returns the next model, or None if there is none, and the metrics that `start` names.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> strategy.aggregate_train(1, [])  # no round is open
        (None, None)
        """
        opened, self._open = self._open, None
        if opened is None:
            return None, None
        messages = records.messages_of(self._plan, records.dimension_of(records.learned(opened.arrays)))
        heard, payloads = self._heard(opened, replies, messages.size())
        metrics: dict[str, Any] = {"muster-heard": heard, "muster-reports": 0,
                                   "muster-rounds": self._accountant.num_releases}
        if "privacy.delta" in self._stated:
            metrics["muster-epsilon"] = self.privacy_spent().epsilon
        if heard < self._needed:
            _log.warning("muster: round %d is destroyed: %d nodes were heard, and it needs %d", opened.round, heard,
                         self._needed)
            return None, MetricRecord(metrics)
        mean, metrics["muster-reports"], refused = messages.mean(payloads)
        if refused:
            _log.warning("muster: round %d has %d replies without a message of the plan", opened.round, refused)
        self._look(heard, len(payloads))
        if metrics["muster-reports"] == 0:
            return None, MetricRecord(metrics)
        weight = getattr(self._inner, "weighted_by_key", "num-examples")
        content = RecordDict({opened.name: records.moved(opened.arrays, mean), "metrics": MetricRecord({weight: 1})})
        # The reply comes from the server itself, because it has no other author.
        reply = Message(content, TaskIdentity.node_id, "train")
        made, own = self._inner.aggregate_train(server_round, [reply])
        arrays = None if made is None else records.with_kept(made, opened.arrays)
        return arrays, MetricRecord({**(own or {}), **metrics})

    def _look(self, heard: int, reports: int) -> None:
        """Compares the number of reports, also of those that are no messages of the plan, with the declared rate."""
        before = self.monitor.alarm
        self._watch.round(heard, reports)
        alarm = self.monitor.alarm
        if alarm is not None and before is None:
            _log.warning("muster: alarm: %s. The declared rate stays what is charged", alarm)

    @staticmethod
    def _heard(opened: _Open, replies: Iterable[Message], size: int) -> tuple[int, list[bytes]]:
        """Returns how many nodes replied, and the payloads of the reports in a secret order, without names."""
        first: dict[int, tuple[bool, bytes]] = {}
        for reply in replies:
            node = reply.metadata.src_node_id
            upload = None if reply.has_error() else records.opened(reply.content, opened.round, size)
            if upload is not None and node in opened.asked:
                first.setdefault(node, upload)
        reports = [payload for reports, payload in first.values() if reports]
        return len(first), [reports[at] for at in _muster.secret_order(len(reports))]

    def configure_evaluate(self, server_round: int, arrays: ArrayRecord, config: ConfigRecord,
                           grid: Grid) -> Iterable[Message]:
        """Returns the inner strategy's requests to evaluate, if they are allowed; Flower calls this.

        Raises:
            UsageError: The inner strategy asks nodes to evaluate, although this is not allowed.

        >>> import muster, muster.flower
        >>> from flwr.app import ArrayRecord, ConfigRecord
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> grid = None  # Flower's
        >>> strategy.configure_evaluate(1, ArrayRecord(), ConfigRecord(), grid)
        []
        """
        asked = list(self._inner.configure_evaluate(server_round, arrays, config, grid))
        if asked and not self._unprotected_evaluation:
            raise misuse("the inner strategy asks nodes for metrics of their data, which epsilon does not cover: "
                         "evaluate with evaluate_fn, or state unprotected_evaluation=True", "unprotected_evaluation",
                         False)
        return asked

    def aggregate_evaluate(self, server_round: int, replies: Iterable[Message]) -> MetricRecord | None:
        """Hands replies to the inner strategy; Flower calls this.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> strategy.aggregate_evaluate(1, [])
        """
        return self._inner.aggregate_evaluate(server_round, replies)

    def summary(self) -> None:
        """Logs the plan and what was charged before, and then what the inner strategy says; Flower calls this.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> strategy.summary()
        """
        _log.info("\t├──> muster: %s nodes toss their own coins at rate %s; %d nodes are needed in each round",
                  self._stated["population.clients"], self._stated["participation.rate"], self._needed)
        _log.info("\t│\t└── %d rounds were charged before", self._accountant.num_releases)
        self._inner.summary()

    def state_dict(self) -> dict[str, Any]:
        """Returns the rounds begun and charged, as plain dicts, lists, numbers and strings.

        The state of the inner strategy is not part of it.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> state = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan).state_dict()
        >>> state["plan"] == plan.hash, state["begun"]
        (True, 0)
        """
        return {"plan": self._plan.hash, "begun": self._begun, "account": self._accountant.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on after the rounds of a `state_dict`. The accountant loses no charge by it.

        Raises:
            UsageError: The state is of another plan, or lacks charges that the accountant has by now, such as those of
                other runs since it was saved.

        >>> import muster, muster.flower
        >>> from flwr.serverapp.strategy import FedAvg
        >>> plan = muster.plan(protocol="shuffled-check-in", clients=10, rate=0.5, randomizer="gaussian", sigma=2.0,
        ...                    clip=1.0, rounds=20)
        >>> strategy = muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)
        >>> strategy.load_state_dict(strategy.state_dict())
        """
        for key in ("plan", "begun", "account"):
            if key not in state:
                raise misuse(f"{key} is missing: the state is not of a Strategy", key, allowed="a state_dict of a Strategy")
        if state["plan"] != self._plan.hash:
            raise misuse(f"the state is of the plan {state['plan']}, and this strategy's is {self._plan.hash}", "plan",
                         state["plan"], self._plan.hash)
        self._accountant._advance(state["account"])
        self._begun, self._open = state["begun"], None

    def __repr__(self) -> str:
        return (f"<muster.flower.Strategy around {type(self._inner).__name__}, {self._begun} of "
                f"{self._stated['rounds.count']} rounds begun>")
