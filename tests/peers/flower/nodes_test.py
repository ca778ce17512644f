"""Tests secret keys, the shuffle, the budget, Flower's accounting types, and what is refused.

    tools/check-peers flower
"""

import copy
import itertools
import math
import unittest
from unittest import mock

import in_process
import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.serverapp import GaussianPrivacyEvent, PrivacySpent
from flwr.serverapp.strategy import (
    Bulyan,
    DifferentialPrivacyClientSideAdaptiveClipping,
    DifferentialPrivacyServerSideFixedClipping,
    FedAvg,
    FedMedian,
    FedXgbBagging,
    QFedAvg,
)
from in_process import NODES, PLAN, ROUNDS, STATED, InProcessGrid, app_of, by_population, initial, learned, right, run

import muster
import muster.flower
from muster.flower._records import RECORD

FALSE_ALARM = 1e-6  # the probability that a statistical test fails although all is well


def plan_of(**changes):
    return muster.plan(**{**STATED, **changes})


def secret(plan=PLAN):
    return [muster.flower.CheckIn(plan)], muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)


def asked(grid, plan=PLAN, strategy=None):
    """Returns the requests of a round to all nodes of a grid."""
    strategy = strategy or secret(plan)[1]
    return list(strategy.configure_train(1, initial(), ConfigRecord(), grid))


class SecretKeys(unittest.TestCase):
    def test_coins_have_the_rate(self):
        trials, rate = 4000, 0.25
        plan = plan_of(clients=trials, rate=rate, rounds=1)
        grid = InProcessGrid(app_of(secret(plan)[0]), trials)
        kinds = [reply.content[RECORD]["upload"][9] for message in asked(grid, plan) for reply in grid.deliver(message)]
        # Hoeffding: a mean of n coins is further than t from its rate with probability 2 exp(-2 n t^2) at most.
        allowed = math.sqrt(math.log(2 / FALSE_ALARM) / (2 * trials))
        print(f"n {trials}, expected rate {rate}, observed {np.mean(kinds):.4f}, allowed difference {allowed:.4f}")
        self.assertLess(abs(np.mean(kinds) - rate), allowed)
        self.assertGreater(abs(2 * rate - rate), allowed)  # a coin of twice the rate fails the same test

    def test_keys_and_noise_are_the_nodes_own(self):
        grid = InProcessGrid(app_of(secret()[0]))
        requests = asked(grid)
        for message in requests:
            grid.deliver(message)
        states = [context.state[RECORD] for context in grid.contexts.values()]
        self.assertEqual({len(state["key"]) for state in states}, {16})
        self.assertEqual(len({state["key"] for state in states}), NODES)
        self.assertEqual(len({state["upload"] for state in states}), NODES)

    # A node whose state was put back to before a round tosses the same coin, but draws new noise, because two messages
    # with the same noise would reveal the difference of their vectors.
    def test_a_state_that_was_put_back(self):
        grid = InProcessGrid(app_of(secret()[0]))
        strategy = secret()[1]
        for message in asked(grid, strategy=strategy):
            grid.deliver(message)
        before = copy.deepcopy(grid.contexts)
        requests = list(strategy.configure_train(2, initial(), ConfigRecord(), grid))
        uploads = []
        for _ in range(2):
            uploads.append([grid.deliver(message)[0].content[RECORD]["upload"] for message in requests])
            grid.contexts = copy.deepcopy(before)
        self.assertEqual([upload[:10] for upload in uploads[0]], [upload[:10] for upload in uploads[1]])
        self.assertTrue(all(first != second for first, second in zip(*uploads, strict=True)))

    # The state survives what Flower does with it between two tasks of a node.
    def test_the_state_travels(self):
        from flwr.common.serde import context_from_proto, context_to_proto
        grid = InProcessGrid(app_of(secret()[0]))
        message = asked(grid)[0]
        first, = grid.deliver(message)
        grid.contexts[1000] = context_from_proto(context_to_proto(grid.contexts[1000]))
        again, = grid.deliver(message)
        self.assertEqual(first.content, again.content)

    def test_the_mean_is_near(self):
        plan = plan_of(clients=400, rate=1, sigma=0.5, clip=10.0, rounds=1)
        grid = InProcessGrid(app_of(secret(plan)[0]), 400)
        result = secret(plan)[1].start(grid, initial(), 1)
        row = learned(initial())
        wanted = np.mean([in_process.local_model(row, number) for number in range(400)], axis=0)
        # The noise of the mean of 400 messages has deviation 5 / 20 a coordinate; a normal number is beyond 5.6
        # deviations with probability 2.2e-8, and there are ten.
        self.assertLess(np.abs(learned(result.arrays) - wanted).max(), 5.6 * 5 / 20)


def orders_fit(shuffle, draws=3000):
    """Returns whether three replies come in all six orders equally often, by the chi-square of `draws` shuffles."""
    counts = dict.fromkeys(itertools.permutations(range(3)), 0)
    for _ in range(draws):
        counts[tuple(shuffle())] += 1
    statistic = sum((count - draws / 6) ** 2 for count in counts.values()) / (draws / 6)

    def beyond(x):  # the tail of chi-square with 5 degrees of freedom
        return math.erfc(math.sqrt(x / 2)) + math.sqrt(2 * x / math.pi) * math.exp(-x / 2) * (1 + x / 3)

    print(f"n {draws}, expected {draws / 6:g} of each order, observed {sorted(counts.values())}, "
          f"p {beyond(statistic):.3g}")
    return beyond(statistic) >= FALSE_ALARM


class Shuffle(unittest.TestCase):
    # The order in which messages are decoded is uniform, and does not follow the order of the replies.
    def test_replies_are_shuffled(self):
        grid = InProcessGrid(None, 3)
        plan = plan_of(clients=3, rate=1)
        mods, strategy = secret(plan)
        grid.app = app_of(mods)
        replies = [grid.deliver(message)[0] for message in asked(grid, plan, strategy)]
        payloads = [reply.content[RECORD]["upload"][10:] for reply in replies]
        opened = strategy._open
        self.assertTrue(orders_fit(lambda: [payloads.index(each) for each in
                                            strategy._heard(opened, replies, len(payloads[0]))[1]]))
        self.assertFalse(orders_fit(lambda: range(3)))  # replies as they come


class Budget(unittest.TestCase):
    def test_rounds_stop_at_the_budget(self):
        spent = [float(muster.account(plan_of(rounds=t, delta=1e-5))) for t in range(1, ROUNDS + 1)]
        plan = plan_of(delta=1e-5, budget=spent[2])
        with self.assertLogs("flwr", "INFO") as logs:
            result, strategy, grid, models = run(right(plan))
        self.assertTrue(any(f"privacy.budget = {spent[2]} pays for 3 of 5 rounds" in line for line in logs.output))
        self.assertEqual((len(models), len(result.train_metrics_clientapp), len(grid.replies)), (3, 3, 6))
        self.assertEqual(models[-1].tobytes(), by_population()[0][2].tobytes())
        self.assertEqual(strategy.privacy_spent(), PrivacySpent(spent[2], 1e-5, 3, "muster"))
        with self.assertRaisesRegex(muster.BudgetReached, "does not pay for round 4"):
            strategy.start(grid, initial(), 1)
        with self.assertRaisesRegex(muster.BudgetReached, "does not pay for round 4"):
            list(strategy.configure_train(4, initial(), ConfigRecord(), grid))
        self.assertEqual(strategy.accountant.num_releases, 3)

    # A second run with the same people is charged on the account of the first.
    def test_runs_share_an_account(self):
        running = muster.RunningAccountant()
        plan = plan_of(rounds=1)
        for run_ in (1, 2):
            _, strategy, _, _ = run(right(plan, accountant=running), rounds=1)
            self.assertEqual(strategy.accountant.num_releases, run_)
        self.assertEqual(strategy.accountant.get_epsilon(1e-5), float(muster.account(plan_of(rounds=2, delta=1e-5))))

    # A server that starts again goes on with the next round.
    def test_a_strategy_goes_on(self):
        mods, strategy = right()
        grid, models = InProcessGrid(app_of(mods)), []
        result = strategy.start(grid, initial(), 2)
        again = right()[1]
        again.load_state_dict(strategy.state_dict())
        again.start(grid, result.arrays, 3, evaluate_fn=lambda t, arrays: models.append(learned(arrays)))
        self.assertEqual(models[-1].tobytes(), by_population()[0][-1].tobytes())
        self.assertEqual(again.accountant.num_releases, ROUNDS)
        with self.assertRaisesRegex(muster.UsageError, "num_rounds = 1 is more than the plan has: 0 of"):
            again.start(grid, result.arrays, 1)
        with self.assertRaisesRegex(muster.UsageError, "the state is of the plan"):
            right(plan_of(rounds=9))[1].load_state_dict(strategy.state_dict())

    # A state that was saved before other runs were charged does not erase what they were charged.
    def test_a_state_erases_no_charge(self):
        running, plan, other = muster.RunningAccountant(), plan_of(), plan_of(sigma=9.0)
        running.charge(other, 2)
        mods, strategy = right(plan, accountant=running)
        strategy.start(InProcessGrid(app_of(mods)), initial(), 2)
        state = strategy.state_dict()
        running.charge(other, 3)
        with self.assertRaisesRegex(muster.UsageError, "charges of 4 rounds, and the accountant has 7 by now") as caught:
            strategy.load_state_dict(state)
        error = caught.exception
        self.assertEqual((error.code, error.key, error.value), (2, "account", "4 rounds"))
        self.assertIn("7 rounds", error.allowed)
        self.assertEqual([rounds for _, rounds in running.history], [2, 2, 3])
        # As many rounds, or more, of which some are other ones, do not stand for them.
        for charges in ([(plan, 7)], [(other, 9)], [(other, 3), (plan, 4)], [(other, 2), (plan, 1), (other, 4)],
                        [(other, 2), (plan, 4), (other, 3)]):
            forged = muster.RunningAccountant()
            for charged, rounds in charges:
                forged.charge(charged, rounds)
            with self.assertRaisesRegex(muster.UsageError, f"{forged.rounds} rounds, but other ones, and .* 7 by now"):
                strategy.load_state_dict({**state, "account": forged.state_dict()})
        self.assertEqual(running.rounds, 7)
        # A server that starts again with the account of before goes on.
        restored = muster.RunningAccountant()
        restored.charge(other, 2)
        again = right(plan, accountant=restored)[1]
        again.load_state_dict(state)
        self.assertEqual((again.accountant.num_releases, restored.rounds), (4, 4))
        with self.assertRaisesRegex(muster.UsageError, "begun is missing"):
            again.load_state_dict({"plan": plan.hash})


class Refusals(unittest.TestCase):
    def test_plans(self):
        for changes, said in (({"protocol": "shuffle", "rate": None}, "participation.protocol = shuffle does not run"),
                              ({"protocol": "subset", "rate": None, "subset": 5}, "participation.protocol = subset"),
                              ({"rate": (0.1, 0.5)}, "participation.rate = .0.1, 0.5. does not run"),
                              ({"dropout": 0.1}, "participation.dropout = 0.1 does not run"),
                              ({"clip": None}, "randomizer.clip"),
                              ({"rounds": None}, "rounds.count"),
                              ({"randomizer": "pure", "sigma": None, "clip": None, "epsilon0": 1.0}, "pure")):
            plan = muster.plan(**{key: value for key, value in {**STATED, **changes}.items() if value is not None})
            for use in (muster.flower.CheckIn,
                        lambda plan: muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan)):
                with self.subTest(changes), self.assertRaisesRegex(muster.PlanError, said):
                    use(plan)
        for argument in ("a plan", None, STATED):
            with self.assertRaisesRegex(muster.PlanError, "no muster.Plan"):
                muster.flower.CheckIn(argument)
        for options in ({"key": "mine"}, {"key": None}, {"compute": "never"}):
            with self.assertRaisesRegex(muster.PlanError, "is unknown; allowed: "):
                muster.flower.CheckIn(PLAN, **options)

    def test_inner_strategies(self):
        quiet = FedAvg(fraction_evaluate=0.0)
        for inner, error, said in (
                (FedAvg(), muster.UsageError, "fraction_evaluate of the inner strategy asks nodes for metrics"),
                (FedAvg(fraction_train=0.5, fraction_evaluate=0.0), muster.UsageError, "lets the server sample"),
                (DifferentialPrivacyServerSideFixedClipping(quiet, 1.0, 1.0, 10), muster.UncoveredError, "on the sum"),
                (DifferentialPrivacyClientSideAdaptiveClipping(quiet, 1.0, 999), muster.UncoveredError, "on the sum"),
                (FedMedian(fraction_evaluate=0.0), muster.UsageError, "it compares the replies of nodes"),
                (Bulyan(fraction_evaluate=0.0), muster.UsageError, "it compares the replies of nodes"),
                (QFedAvg(client_learning_rate=0.1, fraction_evaluate=0.0), muster.UsageError, "by their losses"),
                (FedXgbBagging(fraction_evaluate=0.0), muster.UsageError, "trees are no vectors")):
            with self.subTest(type(inner).__name__), self.assertRaisesRegex(error, said):
                muster.flower.Strategy(inner, PLAN)
        for malicious in (-1, 1.5, True):
            with self.assertRaisesRegex(muster.UsageError, "malicious"):
                muster.flower.Strategy(quiet, PLAN, malicious=malicious)

    def test_an_inner_strategy_that_asks_nodes_differently(self):
        class Different(FedAvg):
            def configure_train(self, server_round, arrays, config, grid):
                requests = list(super().configure_train(server_round, arrays, config, grid))
                requests[1].content = RecordDict({"arrays": arrays, "config": ConfigRecord({"lr": 2.0})})
                return requests

        strategy = muster.flower.Strategy(Different(fraction_evaluate=0.0), PLAN)
        with self.assertRaisesRegex(muster.UsageError, "does not ask all nodes the same"):
            asked(InProcessGrid(None), strategy=strategy)
        self.assertEqual(strategy.accountant.num_releases, 0)

    # A user's own inner strategy that evaluates on nodes is refused unless that is allowed.
    def test_evaluation(self):
        class Evaluating(FedAvg):
            def configure_evaluate(self, server_round, arrays, config, grid):
                self.fraction_evaluate = 1.0
                return super().configure_evaluate(server_round, arrays, config, grid)

        with self.assertRaisesRegex(muster.UsageError, "unprotected_evaluation=True"):
            run((right()[0], muster.flower.Strategy(Evaluating(fraction_evaluate=0.0), PLAN)))

        def evaluated(msg, context):
            return Message(RecordDict({"metrics": MetricRecord({"num-examples": 1, "loss": 0.5})}), reply_to=msg)

        mods, _ = right()
        app = app_of(mods)
        app.evaluate()(evaluated)
        strategy = muster.flower.Strategy(FedAvg(), PLAN, unprotected_evaluation=True)
        result = strategy.start(InProcessGrid(app), initial(), 1)
        self.assertAlmostEqual(result.evaluate_metrics_clientapp[1]["loss"], 0.5)

    def test_requests(self):
        mods, strategy = right()
        grid = InProcessGrid(app_of(mods))
        request = asked(grid, strategy=strategy)[0]

        def refused(change, said, grid=grid):
            message = copy.deepcopy(request)
            change(message.content)
            reply, = grid.deliver(message)
            self.assertTrue(reply.has_error())
            self.assertRegex(reply.error.reason, said)

        def record(**changes):
            return lambda content: content.update({RECORD: ConfigRecord({**content[RECORD], **changes})})

        refused(lambda content: content.pop(RECORD), "its strategy is not muster.flower.Strategy")
        refused(record(plan="0" * 64), "the server asks for the plan")
        for round_ in (0, -1, ROUNDS + 1, 2**62, 1.5, True, "1"):
            refused(record(round=round_), "none of the plan; allowed: 1..5")
        refused(lambda content: content.pop("arrays"), "one record of arrays")
        refused(lambda content: content.update(more=copy.deepcopy(content["arrays"])), "one record of arrays")
        refused(lambda content: content.update(arrays=ArrayRecord({"n": Array(np.arange(3))})), "one record of arrays")
        self.assertEqual(sum(RECORD in context.state for context in grid.contexts.values()), 0)  # no coin has fallen
        for number in ("three", -1, None, True, 1.5):
            grid.contexts[1000].node_config = {} if number is None else {"partition-id": number}
            refused(lambda content: None, "is no number of a client: key=\"plan\" needs it in the node config")
        other = InProcessGrid(app_of(right(plan_of(rounds=9))[0]))
        other.deliver(asked(other, strategy=right(plan_of(rounds=9))[1])[0])
        other.app = grid.app
        refused(lambda content: None, "this node's state is of the plan", other)

    def test_too_few_nodes_are_waited_for(self):
        strategy, grid = right(malicious=2)[1], InProcessGrid(None, NODES + 1)
        with mock.patch("time.sleep", lambda seconds: grid.contexts.update({9: None})), self.assertLogs("flwr") as logs:
            self.assertEqual(len(asked(grid, strategy=strategy)), NODES + 2)
        self.assertIn("51 nodes are connected, and a round needs 52", "".join(logs.output))

    def test_accountants(self):
        accountant = muster.flower.Accountant(delta=1e-5)
        event = GaussianPrivacyEvent(1.0, 10, 100)
        for call in (lambda: accountant.compose(event), lambda: accountant.would_exceed(event, 1.0)):
            with self.assertRaisesRegex(muster.UncoveredError, "GaussianPrivacyEvent is not covered"):
                call()
        with self.assertRaisesRegex(muster.UncoveredError, "str is not covered"):
            accountant.compose("a round")
        # Flower's mechanisms refuse an accountant that has no name for them, and muster refuses Flower's accountants.
        with self.assertRaisesRegex(muster.UncoveredError, "no name for check-ins"):
            DifferentialPrivacyServerSideFixedClipping(FedAvg(fraction_evaluate=0.0), 1.0, 1.0, 10,
                                                       accountant=accountant)
        with self.assertRaisesRegex(muster.UsageError, "does not know check-ins"):
            right(accountant=muster.flower.Accountant())
        with self.assertRaisesRegex(muster.UsageError, "delta is missing"):
            muster.flower.Accountant().get_privacy_spent()
        with self.assertRaisesRegex(muster.UsageError, "max_epsilon is missing"):
            accountant.would_exceed(PLAN)
        accountant.compose(PLAN, 2)
        again = muster.flower.Accountant(delta=1e-5)
        again.load_state_dict(accountant.state_dict())
        self.assertEqual(again.get_privacy_spent(), accountant.get_privacy_spent())
        self.assertEqual(again.get_delta(1.0), float(muster.account(plan_of(rounds=2), epsilon=1.0)))


if __name__ == "__main__":
    in_process.main()
