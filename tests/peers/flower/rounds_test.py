"""Tests the rounds of muster.flower against muster.Population with the same keys, and against `muster account`.

    tools/check-peers flower

Flower's own strategy loop, ClientApp, mods and records run over an in-process grid of 50 nodes. The adapters at the end
are wrong on purpose, and each must fail the test that the right one passes.
"""

import unittest

import in_process
import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Error, Message, RecordDict
from flwr.serverapp.strategy import DifferentialPrivacyServerSideFixedClipping, FedAdam, FedAvg
from in_process import (
    CHARGED,
    NODES,
    PLAN,
    ROUNDS,
    InProcessGrid,
    account,
    by_population,
    initial,
    learned,
    right,
    run,
    train,
)

import muster
import muster.flower
from muster.flower._records import RECORD

UPLOAD = 10 + muster._muster.Messages.made(PLAN._native, 10).size()


def expect_the_population(adapter):
    """Checks that five rounds have, bit for bit, the models of the population, and as many messages."""
    result, _, _, models = run(adapter)
    wanted, counts = by_population()
    assert len(models) == ROUNDS
    for t, (model, row) in enumerate(zip(models, wanted, strict=True), 1):
        assert model.tobytes() == row.tobytes(), f"round {t}"
    shown = [result.train_metrics_clientapp[t].get("muster-reports") for t in range(1, ROUNDS + 1)]
    assert shown == counts, (shown, counts)


def expect_the_epsilon(adapter):
    """Checks that epsilon after each round is what the command prints for the rounds until then."""
    result, strategy, _, _ = run(adapter)
    for t in range(1, ROUNDS + 1):
        assert result.train_metrics_clientapp[t].get("muster-epsilon") == account(t), f"round {t}"
    spent = strategy.privacy_spent()
    assert (spent.epsilon, spent.delta, spent.num_releases) == (account(ROUNDS), 1e-5, ROUNDS), spent


def expect_only_messages(adapter):
    """Checks that a node sends one message of its randomizer or a dummy of the same length, and nothing else."""
    _, _, grid, _ = run(adapter)
    replies = [reply for sent in grid.replies for reply in sent]
    assert len(replies) == NODES * ROUNDS
    for reply in replies:
        assert not reply.has_error() and list(reply.content) == [RECORD], reply
        record = reply.content[RECORD]
        assert list(record) == ["upload"] and len(record["upload"]) == UPLOAD, record
    # What travels for a report is as long as what travels for a dummy.
    assert len({len(reply.content[RECORD].deflate()) for reply in replies}) == 1


class Rounds(unittest.TestCase):
    def test_rounds_are_those_of_the_population(self):
        expect_the_population(right())

    def test_epsilon_is_that_of_the_command(self):
        expect_the_epsilon(right(CHARGED))

    def test_only_messages_leave_a_node(self):
        expect_only_messages(right())

    def test_the_numbers_of_messages_are_watched(self):
        _, strategy, _, _ = run(right())
        watched = strategy.monitor
        self.assertEqual((watched.rounds, watched.alarm, watched.blind), (ROUNDS, None, ""))
        self.assertEqual(watched.rate[1], sum(by_population()[1]) / (NODES * ROUNDS))
        strategy = right()[1]
        with self.assertLogs("flwr", "WARNING") as logs:
            run(([CoinIgnored(PLAN, key="plan")], strategy))
        # At a rate of 1/2, all of 50 nodes report with probability 2^-50, far below the 1e-3 of a false alarm.
        self.assertIn("round 1 had 50 check-ins", strategy.monitor.alarm)
        self.assertEqual([line for line in logs.output if "alarm" in line], [logs.output[0]])

    def test_arrays_that_are_not_learned_stay(self):
        first = ArrayRecord({"steps": Array(np.array([7])), **initial()})
        result, _, _, models = run(right(), first=first)
        self.assertEqual(models[-1].tobytes(), by_population()[0][-1].tobytes())
        self.assertEqual((result.arrays["steps"].dtype, result.arrays["steps"].numpy().tolist()), ("int64", [7]))
        self.assertEqual(result.arrays["weight"].dtype, "float32")

    # The rounds with the other randomizers of vectors are the population's, too.
    def test_randomizers(self):
        for stated in ({"randomizer": "ldp-sgd", "epsilon0": 2.0}, {"randomizer": "l1", "epsilon0": 2.0},
                       {"randomizer": "l2", "epsilon0": 2.0}, {"randomizer": "linf", "epsilon0": 2.0}):
            plan = muster.plan(protocol="shuffled-check-in", clients=NODES, rate=0.3, clip=1.0, rounds=2, **stated)
            with self.subTest(stated):
                _, _, _, models = run(right(plan), rounds=2)
                wanted, _ = by_population(plan)
                self.assertEqual([model.tobytes() for model in models], [row.tobytes() for row in wanted])

    # The inner strategy gets one reply: the model plus the mean, of weight 1, from the server.
    def test_inner_strategies_get_one_reply(self):
        seen = []

        class Spy(FedAdam):
            def aggregate_train(self, server_round, replies):
                seen.append(list(replies))
                return super().aggregate_train(server_round, seen[-1])

        options = {"fraction_evaluate": 0.0, "eta": 0.3, "beta_1": 0.9, "beta_2": 0.99}
        _, _, _, models = run(([muster.flower.CheckIn(PLAN, key="plan")], muster.flower.Strategy(Spy(**options), PLAN)))
        plain, record = FedAdam(**options), initial()
        for t, replies in enumerate(seen, 1):
            self.assertEqual(len(replies), 1)
            self.assertEqual(dict(replies[0].content["metrics"]), {"num-examples": 1})
            self.assertEqual(replies[0].metadata.src_node_id, 1)
            plain.current_arrays = {name: array.numpy() for name, array in record.items()}
            record, _ = plain.aggregate_train(t, replies)
            self.assertEqual(models[t - 1].tobytes(), learned(record).tobytes())
        self.assertEqual(len(seen), ROUNDS)

    def test_compute_reporters_lets_only_reporters_train(self):
        trained = []

        def counted(msg, context):
            trained.append(context.node_config["partition-id"])
            return train(msg, context)

        for compute, wanted in (("always", NODES * ROUNDS), ("reporters", sum(by_population()[1]))):
            trained.clear()
            mods = [muster.flower.CheckIn(PLAN, key="plan", compute=compute)]
            _, _, _, models = run((mods, right()[1]), behaviour=counted)
            self.assertEqual(len(trained), wanted)
            self.assertEqual(models[-1].tobytes(), by_population()[0][-1].tobytes())


class TwiceGrid(InProcessGrid):
    """Asks each node twice in each round, and once more for the round before; hands both replies on."""

    before = {}

    def deliver(self, message):
        node = message.metadata.dst_node_id
        replies = super().deliver(message) + super().deliver(message)
        late = super().deliver(self.before[node]) if node in self.before else []
        self.before[node] = message
        assert all("is over" in reply.error.reason for reply in late), late
        assert replies[0].content == replies[1].content
        return replies + late


def failing(how, number=7, in_round=2):
    """Returns an app that fails on one node in one round."""
    def app(msg, context):
        reply = train(msg, context)
        if (context.node_config["partition-id"], msg.content[RECORD]["round"]) == (number, in_round):
            return how(msg, reply)
        return reply
    return app


def spoiled(change):
    def how(msg, reply):
        arrays = reply.content["arrays"]
        reply.content["arrays"] = ArrayRecord({key: change(key, array) for key, array in arrays.items()})
        return reply
    return how


def raising(error):
    def how(msg, reply):
        raise error
    return how


class Failures(unittest.TestCase):
    def test_a_node_that_is_asked_twice_replies_once(self):
        TwiceGrid.before = {}
        _, strategy, _, models = run(right(), TwiceGrid)
        self.assertEqual(models[-1].tobytes(), by_population()[0][-1].tobytes())
        self.assertEqual(strategy.accountant.num_releases, ROUNDS)

    # A node whose app fails sends the message of the zero change if its coin says yes, and a dummy if it says no.
    def test_a_node_whose_app_fails_sends_the_zero_change(self):
        ways = {"raises": raising(ValueError("no record")), "exits": raising(SystemExit(1)),
                "error": lambda msg, reply: Message(Error(0, "no"), reply_to=msg),
                "nothing": lambda msg, reply: Message(RecordDict(), reply_to=msg),
                "no message": lambda msg, reply: None,
                "nan": spoiled(lambda key, array: Array(array.numpy() * np.float32(np.nan))),
                "huge": spoiled(lambda key, array: Array(array.numpy().astype(float) + 1e300)),
                "transposed": spoiled(lambda key, array: Array(array.numpy().T.copy())),
                "text": spoiled(lambda key, array: Array("float32", (2, 3), "numpy.ndarray", b"text"))}
        messages, key = muster._muster.Messages.made(PLAN._native, 1), muster._muster.plan_key(PLAN._native)
        coins = {number: messages.coin(key, 2, number) for number in range(NODES)}
        heads = next(number for number, coin in coins.items() if coin)
        tails = next(number for number, coin in coins.items() if not coin)
        wanted = by_population(vector_of=lambda t, client, change: change * (0 if (t, client) == (2, heads) else 1))[0]
        self.assertNotEqual(wanted[-1].tobytes(), by_population()[0][-1].tobytes())
        for name, how in ways.items():
            with self.subTest(name), self.assertLogs("flwr", "WARNING"):
                _, _, grid, models = run(right(), behaviour=failing(how, heads))
                self.assertEqual(models[-1].tobytes(), wanted[-1].tobytes())
                lengths = {len(reply.content[RECORD]["upload"]) for sent in grid.replies for reply in sent}
                self.assertEqual(lengths, {UPLOAD})
        with self.subTest("tails"), self.assertLogs("flwr", "WARNING"):
            _, _, _, models = run(right(), behaviour=failing(ways["raises"], tails))
            self.assertEqual(models[-1].tobytes(), by_population()[0][-1].tobytes())

    # A node whose process ended after its coin had fallen, and before it replied, has the same coin when asked again.
    def test_a_coin_falls_once(self):
        class Killed(BaseException):
            pass

        grid = InProcessGrid(in_process.app_of([muster.flower.CheckIn(PLAN)], failing(raising(Killed()), 0, 1)))
        strategy = right()[1]
        first = next(iter(strategy.configure_train(1, initial(), ConfigRecord(), grid)))
        with self.assertRaises(Killed):
            grid.deliver(first)
        state = grid.contexts[1000].state[RECORD]
        self.assertEqual((state["round"], state["upload"], len(state["key"])), (1, b"", 16))
        grid.app = in_process.app_of([muster.flower.CheckIn(PLAN)])
        reply, = grid.deliver(first)
        self.assertEqual(reply.content[RECORD]["upload"][9], state["coin"])

    # Too few nodes destroy a round: nothing is decoded, the round is charged, and later rounds do not depend on it.
    def test_a_round_with_too_few_nodes_is_destroyed(self):
        class Silent(InProcessGrid):
            def deliver(self, message):
                missing = message.metadata.dst_node_id == 1009 and message.content[RECORD]["round"] == 3
                return [] if missing else super().deliver(message)

        with self.assertLogs("flwr", "WARNING") as logs:
            result, strategy, _, models = run(right(), Silent)
        self.assertIn("49 nodes were heard, and it needs 50", logs.output[-1])
        wanted = by_population(dropped=frozenset({3}))[0]
        self.assertEqual([model.tobytes() for model in models], [row.tobytes() for row in wanted])
        self.assertEqual((result.train_metrics_clientapp[3]["muster-heard"],
                          result.train_metrics_clientapp[3]["muster-reports"]), (49, 0))
        self.assertEqual(strategy.accountant.num_releases, ROUNDS)

    # Invalid replies do not count: of another round, too long, of an unknown kind, or of nodes that were not asked.
    def test_replies_that_are_none_are_not_heard(self):
        def of(change):
            class Changed(InProcessGrid):
                def deliver(self, message):
                    reply, = super().deliver(message)
                    if message.metadata.dst_node_id == 1009:
                        upload = reply.content[RECORD]["upload"]
                        reply.content[RECORD] = ConfigRecord({"upload": change(upload)})
                    return [reply]
            return Changed

        for change in (lambda upload: upload + b"x", lambda upload: upload[:-1], lambda upload: b"",
                       lambda upload: "text",
                       lambda upload: b"\2" + upload[1:], lambda upload: upload[:1] + b"\9" + upload[2:],
                       lambda upload: upload[:9] + b"\2" + upload[10:]):
            with self.assertLogs("flwr", "WARNING"):
                _, _, _, models = run(right(), of(change), rounds=1)
            self.assertEqual(models[0].tobytes(), learned(initial()).tobytes())

    # If a valid reply has a payload that is no message, its node is heard, and the mean is that of the others.
    def test_payloads_that_are_no_messages(self):
        plan = muster.plan(protocol="shuffled-check-in", clients=NODES, rate=1, clip=1.0, rounds=1,
                           randomizer="ldp-sgd", epsilon0=2.0)

        class Changed(InProcessGrid):
            def deliver(self, message):
                reply, = super().deliver(message)
                if message.metadata.dst_node_id == 1009:
                    reply.content[RECORD]["upload"] = reply.content[RECORD]["upload"][:-1] + b"\7"  # a sign is 0 or 1
                return [reply]

        with self.assertLogs("flwr", "WARNING") as logs:
            result, _, _, models = run(right(plan), Changed, rounds=1)
        self.assertIn("round 1 has 1 replies without a message of the plan", logs.output[-1])
        metrics = result.train_metrics_clientapp[1]
        self.assertEqual((metrics["muster-heard"], metrics["muster-reports"]), (NODES, NODES - 1))
        row, key = learned(initial()), muster._muster.plan_key(plan._native)
        made = muster._muster.Messages.made(plan._native, row.size)
        others = [made.message(key, 1, number, in_process.local_model(row, number) - row) for number in range(NODES)
                  if number != 9]
        self.assertEqual(models[0].tobytes(), (row + made.mean(others)[0]).tobytes())


# Adapters that are wrong on purpose.

class CoinIgnored(muster.flower.CheckIn):
    """Every node reports in every round."""

    def __call__(self, msg, context, call_next):
        context.state[RECORD] = ConfigRecord({"plan": PLAN.hash, "key": muster._muster.plan_key(PLAN._native),
                                              "round": msg.content[RECORD]["round"], "coin": True, "upload": b""})
        return super().__call__(msg, context, call_next)


class Uncharged(muster.flower.Strategy):
    """The second round is free."""

    def configure_train(self, server_round, arrays, config, grid):
        before = self.accountant.state_dict()
        asked = super().configure_train(server_round, arrays, config, grid)
        if server_round == 2:
            self.accountant.load_state_dict(before)
        return asked


def noise_on_the_sum():
    """Returns Flower's own strategy: nodes send what they learned, and the server clips and draws noise once."""
    strategy = DifferentialPrivacyServerSideFixedClipping(FedAvg(fraction_evaluate=0.0), 3.0, 1.0, NODES)
    return [], strategy


class WrongAdapters(unittest.TestCase):
    def test_noise_once_on_the_sum(self):
        for expected in (expect_the_population, expect_only_messages):
            with self.assertRaises(AssertionError):
                expected(noise_on_the_sum())
        with self.assertRaisesRegex(muster.UncoveredError, "draws noise once on the sum"):
            muster.flower.Strategy(noise_on_the_sum()[1], PLAN)

    def test_a_round_that_is_not_charged(self):
        uncharged = Uncharged(FedAvg(fraction_evaluate=0.0), CHARGED)
        with self.assertRaisesRegex(AssertionError, "round 2"):
            expect_the_epsilon((right(CHARGED)[0], uncharged))

    def test_a_coin_that_is_ignored(self):
        with self.assertRaisesRegex(AssertionError, "round 1"):
            expect_the_population(([CoinIgnored(PLAN, key="plan")], right()[1]))


if __name__ == "__main__":
    in_process.main()
