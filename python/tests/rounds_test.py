"""Tests who may use a population when: rounds that are abandoned, threads, child processes, Ctrl-C.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/rounds_test.py --command build/release/muster
"""

import os
import pathlib
import signal
import tempfile
import threading
import time
import unittest

import muster_command
import numpy as np
from interrupts import expect_soon
from population_test import D, plan, run

import muster

LONG = 20_000  # the dimension of vectors that take long to send


def big(clients=8000, **options):
    """Returns a population, and rows for all its clients, that take long to send and no memory."""
    crowd = muster.Population(plan("shuffle", clients=clients), dimension=LONG, **options)
    return crowd, np.broadcast_to(np.zeros((1, LONG), dtype=np.float32), (clients, LONG))


class OpenedThenInterrupted:
    """The extension's population, but Ctrl-C comes when it has opened a round and before Python has the round."""

    def __init__(self, native):
        self.native = native

    def __getattr__(self, name):
        return getattr(self.native, name)

    def open(self, *arguments):
        self.native.open(*arguments)
        raise KeyboardInterrupt


class Sender(threading.Thread):
    """Sends all rows of a round in another thread, and keeps what was raised."""

    def __init__(self, r, rows):
        super().__init__()
        self.r, self.rows, self.raised = r, rows, None

    def run(self):
        try:
            self.r.send(self.r.clients, self.rows)
        except muster.MusterError as error:
            self.raised = error

    def wait_until_it_sends(self, crowd):
        while self.is_alive():
            try:
                crowd.monitor  # noqa: B018
            except muster.UsageError as error:
                return str(error)
        raise AssertionError(f"the rows were sent too soon, or not at all: {self.raised}")


class Abandoned(unittest.TestCase):
    def expect_free(self, crowd, charged):
        """Checks that the next round can begin, that the population can be saved, and what is charged."""
        self.assertEqual((crowd.begun, crowd.charged), (charged, charged))
        self.assertEqual(crowd.epsilon.rounds, charged)
        with tempfile.TemporaryDirectory() as folder:
            crowd.save(pathlib.Path(folder) / "crowd.json")
            self.assertEqual(muster.Population.resume(pathlib.Path(folder) / "crowd.json").charged, charged)
        with self.assertRaises(LookupError), crowd.round() as r:
            self.assertGreater(len(r.clients), 0)
            raise LookupError
        self.assertEqual(crowd.charged, charged + 1)

    def test_ctrl_c_while_a_round_begins(self):
        given = plan("shuffle", delta=1e-5)
        crowd = muster.Population(given, dimension=D)
        native = crowd._native
        crowd._native = OpenedThenInterrupted(native)
        interrupted = crowd.round()
        with self.assertRaises(KeyboardInterrupt), interrupted:
            self.fail("the block began")
        crowd._native = native
        with self.assertRaisesRegex(muster.UsageError, "was abandoned"):
            interrupted.clients  # noqa: B018
        self.expect_free(crowd, 1)
        np.testing.assert_array_equal(run(crowd), run(muster.Population(given, dimension=D))[2:])

    def test_a_round_that_does_not_begin_leaves_the_open_one_alone(self):
        crowd = muster.Population(plan("shuffle"), dimension=D)
        with crowd.round() as r:
            with self.assertRaisesRegex(muster.UsageError, "a round is open"), crowd.round():
                self.fail("the block began")
            r.send(r.clients, np.zeros((100, D), dtype=np.float32))
        self.assertTrue(r.decoded)

    def test_a_block_that_ends_while_another_thread_sends(self):
        for raises in (False, True):
            crowd, rows = big()
            crowd._plan = crowd.plan.replace({"privacy.delta": 1e-5})
            expected = (ZeroDivisionError, "raised") if raises else (muster.UsageError, "in use by another thread")
            with self.assertRaisesRegex(*expected), crowd.round() as r:
                sender = Sender(r, rows)
                sender.start()
                sender.wait_until_it_sends(crowd)
                if raises:
                    raise ZeroDivisionError("raised")
            sender.join()
            self.assertRegex(str(sender.raised), "the round was abandoned while it was being sent to")
            with self.assertRaisesRegex(muster.UsageError, "was abandoned"):
                r.mean  # noqa: B018
            self.expect_free(crowd, 1)


class Threads(unittest.TestCase):
    def test_one_thread_and_one_process(self):
        crowd, rows = big()
        with crowd.round() as r:
            sender = Sender(r, rows)
            sender.start()
            refused = sender.wait_until_it_sends(crowd)
            with self.assertRaisesRegex(muster.UsageError, refused):
                crowd._native.messages()
            sender.join()
        self.assertEqual((refused, sender.raised), ("the population is in use by another thread", None))
        child = os.fork()
        if child == 0:
            try:
                crowd.monitor  # noqa: B018
            except muster.UsageError as error:
                os._exit(0 if "belongs to the process that made it" in str(error) else 1)
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_any_thread_reads_what_is_charged_at_any_time(self):
        crowd = muster.Population(plan(clients=3_000_000, rounds=5), dimension=2)  # whose rounds take long to begin
        seen, done = [], threading.Event()

        def read():
            while not done.is_set():
                seen.append((crowd.charged, crowd.begun))
                repr(crowd)
        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        for expected in range(1, crowd.rounds + 1):
            with crowd.round() as r:
                self.assertEqual((crowd.begun, crowd.charged), (expected, expected))
                r.send(r.clients, np.zeros((len(r.clients), 2), dtype=np.float32))
        done.set()
        for reader in readers:
            reader.join()
        self.assertTrue(all(0 <= charged <= begun <= 5 for charged, begun in seen))


class CtrlC(unittest.TestCase):
    def test_ctrl_c_abandons_the_round(self):
        crowd, rows = big(1_000_000, threads=1)  # which take a minute to send
        sent = []
        timer = threading.Timer(0.3, lambda: (sent.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
        with self.assertRaises(KeyboardInterrupt):
            with crowd.round() as r:
                timer.start()
                r.send(r.clients, rows)
        expect_soon(self, "send", time.monotonic() - sent[0])
        with self.assertRaisesRegex(muster.UsageError, "was abandoned"):
            r.mean  # noqa: B018
        self.assertEqual(crowd.begun, 1)
        with self.assertRaises(LookupError), crowd.round() as r:
            r.send(r.clients[:1], rows[:1])
            with self.assertRaisesRegex(muster.UsageError, "a round is open"):
                crowd.save("never")
            raise LookupError


if __name__ == "__main__":
    muster_command.test_main()
