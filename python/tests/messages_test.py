"""Tests the messages of single clients, on which adapters for systems with real devices are built.

With the population's key, a client's coin and message are those that the population makes for it, so that the mean of
the messages has the population's bits.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/messages_test.py --command build/release/muster
"""

import unittest

import muster_command
import numpy as np

import muster
from muster import _muster

CLIENTS, ROUNDS = 40, 3
RANDOMIZERS = {
    "gaussian": ({"sigma": 2.0}, 6),
    "ldp-sgd": ({"epsilon0": 2.0}, 6),
    "l1": ({"epsilon0": 2.0}, 6),
    "l2": ({"epsilon0": 2.0}, 6),
    "linf": ({"epsilon0": 2.0}, 6),
    "laplace": ({"epsilon0": 2.0}, 1),
    "k-rr": ({"epsilon0": 2.0, "k": 4, "clip": None}, 4),
}


def plan_of(randomizer, **changes):
    stated = {"protocol": "shuffled-check-in", "clients": CLIENTS, "rate": 0.5, "randomizer": randomizer, "clip": 1.0,
              "rounds": ROUNDS, **RANDOMIZERS[randomizer][0], **changes}
    return muster.plan(**{key: value for key, value in stated.items() if value is not None})


def messages_of(plan, dimension):
    return _muster.Messages.made(plan._native, dimension)


class Messages(unittest.TestCase):
    def test_they_are_those_of_the_population(self):
        for randomizer, (_, dimension) in RANDOMIZERS.items():
            plan = plan_of(randomizer)
            crowd, messages = muster.Population(plan, dimension=dimension), messages_of(plan, dimension)
            key = _muster.plan_key(plan._native)
            vectors = np.random.default_rng(1).normal(size=(CLIENTS, dimension)).astype(np.float32)
            if randomizer == "k-rr":
                vectors = np.eye(dimension, dtype=np.float32)[np.arange(CLIENTS) % dimension]
            for t in range(1, ROUNDS + 1):
                with self.subTest(randomizer, round=t):
                    with crowd.round() as r:
                        r.send(r.clients, vectors[r.clients])
                        senders = sorted(r.clients.tolist())
                    reporting = [client for client in range(CLIENTS) if messages.coin(key, t, client)]
                    self.assertEqual(reporting, senders)
                    sent = [messages.message(key, t, client, vectors[client]) for client in reporting]
                    self.assertEqual({len(each) for each in sent}, {messages.size()})
                    mean, count, refused = messages.mean(sent[::-1])
                    self.assertEqual((mean.tobytes(), count, refused), (r.mean.tobytes(), r.count, 0))

    # A client must answer with the message of the zero vector if it has no valid vector.
    def test_no_vector(self):
        plan = plan_of("gaussian")
        messages, key = messages_of(plan, 2), _muster.plan_key(plan._native)
        zero = messages.message(key, 1, 0, np.zeros(2, np.float32))
        for none in (None, np.array([np.nan, 0], np.float32), np.array([np.inf, 0], np.float32),
                     np.zeros(3, np.float32)):
            self.assertEqual(messages.message(key, 1, 0, none), zero)
        self.assertNotEqual(messages.message(key, 1, 0, np.ones(2, np.float32)), zero)

    # Without a key, the noise is fresh.
    def test_fresh_noise(self):
        messages = messages_of(plan_of("gaussian"), 4)
        self.assertEqual(len({messages.message(None, 1, 0, None) for _ in range(20)}), 20)

    def test_what_is_no_message_is_counted(self):
        messages = messages_of(plan_of("ldp-sgd"), 4)
        good = messages.message(None, 1, 0, None)
        mean, count, refused = messages.mean([b"", good[:-1], good + b"\0", good[:-1] + b"\2", good])
        self.assertEqual((count, refused), (1, 4))
        self.assertEqual(mean.tobytes(), messages.mean([good])[0].tobytes())
        self.assertEqual((messages.mean([])[0].tolist(), messages.mean([])[1:]), ([0, 0, 0, 0], (0, 0)))

    def test_secret_order(self):
        order = _muster.secret_order(1000)
        self.assertEqual(sorted(order), list(range(1000)))
        self.assertNotEqual(order, _muster.secret_order(1000))
        self.assertEqual((_muster.secret_order(0), _muster.secret_order(1)), ([], [0]))

    def test_refusals(self):
        plan = plan_of("gaussian")
        messages, key = messages_of(plan, 2), _muster.plan_key(plan._native)
        for dimension in (0, -1, 1.5, 2**31, True, "two"):
            with self.assertRaisesRegex(muster.PlanError, "dimension"):
                messages_of(plan, dimension)
        for round_ in (0, -1, 2**40, 1.5, True, None):
            with self.assertRaisesRegex(muster.PlanError, "round"):
                messages.coin(key, round_, 0)
        for client in (-1, 2**48, 1.5, True, None):
            with self.assertRaisesRegex(muster.PlanError, "client"):
                messages.message(key, 1, client, None)
        with self.assertRaises(muster.InternalError):
            messages.coin(b"short", 1, 0)
        for vector in (np.zeros(2), [0.0, 0.0], np.zeros(2, ">f4"), np.zeros(2, int)):
            with self.assertRaises(TypeError):
                messages.message(key, 1, 0, vector)
        with self.assertRaisesRegex(muster.PlanError, "randomizer.clip is missing: a client's message needs it"):
            messages_of(plan_of("gaussian", clip=None), 2)
        with self.assertRaisesRegex(muster.PlanError, "laplace .* randomizes one number"):
            messages_of(plan_of("laplace"), 2)


if __name__ == "__main__":
    muster_command.test_main()
