"""Tests that a numpy loop fed by muster.gradients leaves the parameters of `muster train`, bit for bit.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/gradients_test.py --command build/release/muster
"""

import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import muster_command
import numpy as np
from interrupts import expect_soon
from small_data import DIGITS, SMALL

import muster

BASE = {"clients": 120, "clip": 0.5, "delta": 1e-5, **SMALL, "model": "logistic", "log_every": 50,
        "checkpoint_every": 50, "learning_rate": "inverse-sqrt:0.5"}
# Each has fifty rounds or slots. In `batch`, two slots make one step. In `local`, clients train on random batches. The
# randomizers and numbers are such that the command composes the rounds quickly.
PLANS = {
    "ldp-sgd": {**DIGITS, "protocol": "shuffled-check-in", "clients": 1000, "rate": 0.05, "randomizer": "ldp-sgd",
                "epsilon0": 8.0, "rounds": 50},
    "gaussian": {"protocol": "random-check-in-averaged", "clients": 1000, "rate": 0.9, "slots": 50, "randomizer": "gaussian",
                 "sigma": 2.0, "rounds": 1, "learning_rate": [[1, 0.7], [20, 0.3]]},
    "subset": {**DIGITS, "protocol": "subset", "subset": 10, "randomizer": "l2", "epsilon0": 4.0, "rounds": 50},
    "batch": {"protocol": "random-check-in-fixed", "clients": 500, "rate": 0.9, "slots": 50, "batch": 2,
              "randomizer": "ldp-sgd", "epsilon0": 4.0, "rounds": 1},
    "local": {"protocol": "subset", "subset": 10, "randomizer": "l1", "epsilon0": 4.0, "rounds": 50, "records": 5,
              "partition": "shuffled", "local_steps": 3, "local_rate": 0.1, "local_batch": 2},
}


def plan(name, **changes):
    stated = {**BASE, **PLANS[name], **changes}
    return muster.plan(**{key: value for key, value in stated.items() if value is not None})


def loop(model, crowd, theta, size=512, steps=None):
    """Runs steps of a population, all that are left unless `steps` says how many, and returns the parameters."""
    for _ in range(crowd.rounds - crowd.begun if steps is None else steps):
        t = crowd.begun
        with crowd.round() as r:
            for clients in r.batches(size):
                r.send(clients, model.gradients(theta, clients, step=t))
        theta -= model.learning_rate(t) * r.mean
    return theta


def files(folder, name):
    """Returns the files in which a loop keeps its population and its parameters."""
    return pathlib.Path(folder) / f"{name}.json", pathlib.Path(folder) / f"{name}.npy"


def begin_and_die(folder):
    """Runs 17 steps of every plan, saves them, begins another step, and is killed."""
    for name in PLANS:
        model = muster.Model(plan(name), threads=1)
        crowd = muster.Population(plan(name), dimension=model.dimension, threads=1)
        theta = loop(model, crowd, model.initial(), steps=17)
        population, parameters = files(folder, name)
        crowd.save(population)
        np.save(parameters, theta)
    crowd.round().__enter__()
    os.kill(os.getpid(), signal.SIGKILL)


def trained(given, folder):
    """Returns the flat parameters in the model.safetensors that `muster train` leaves."""
    file = pathlib.Path(folder) / "plan.toml"
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in given.to_dict().items()))
    done = muster_command.run("train", file, "--out", pathlib.Path(folder) / "run", "--threads", "2")
    assert done.returncode == 0, done.stderr
    raw = (pathlib.Path(folder) / "run" / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + size])
    tensors = {}
    for name, about in header.items():
        if name != "__metadata__":
            first, last = about["data_offsets"]
            tensors[name] = np.frombuffer(raw[8 + size + first:8 + size + last], "<f4").reshape(about["shape"])
    # The flat parameters have the weights of each input together; the file, as PyTorch, has those of each output.
    return np.concatenate([tensors["fc1.weight"].T.ravel(), tensors["fc1.bias"]])


class Loops(unittest.TestCase):
    def test_parameters_are_those_of_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            code = (f"import sys\nsys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
                    f"import gradients_test\ngradients_test.begin_and_die({folder!r})")
            died = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
            self.assertEqual(died.returncode, -signal.SIGKILL, died.stderr)
            for name in PLANS:
                with self.subTest(plan=name), tempfile.TemporaryDirectory() as run:
                    given = plan(name)
                    expected = trained(given, run)
                    one, two = (muster.Model(given, threads=threads) for threads in (1, 2))
                    self.assertTrue((expected != one.initial()).any())
                    for size, model, threads in ((1, two, 1), (37, one, 2), (512, two, 2), (512, one, 1)):
                        crowd = muster.Population(given, dimension=model.dimension, threads=threads)
                        np.testing.assert_array_equal(loop(model, crowd, model.initial(), size), expected)
                    population, parameters = files(folder, name)
                    crowd = muster.Population.resume(population)
                    self.assertEqual(crowd.begun, 17)
                    np.testing.assert_array_equal(loop(two, crowd, np.load(parameters), 37), expected)
                    score = json.loads((pathlib.Path(run) / "run" / "result.json").read_text())
                    self.assertEqual((one.accuracy(expected), one.loss(expected)), (score["accuracy"], score["loss"]))

    # With a statistic, `muster train` leaves the mean of the rounds' means, each step of which is computed in double.
    def test_statistics_are_those_of_the_command(self):
        stated = {"protocol": "shuffled-check-in", "clients": 1000, "rate": 0.5, "epsilon0": 2.0, "rounds": 5,
                  "delta": 1e-5, **SMALL}
        for more in ({"model": "histogram", "randomizer": "k-rr", "k": 3},
                     {"model": "mean", "randomizer": "laplace", "clip": 1.0}):
            with self.subTest(**more), tempfile.TemporaryDirectory() as folder:
                given = muster.plan(**stated, **more)
                expected = muster.train(given, out=folder + "/run").parameters
                model = muster.Model(given)
                crowd = muster.Population(given, dimension=model.dimension)
                theta = model.initial()
                for t in range(crowd.rounds):
                    with crowd.round() as r:
                        for clients in r.batches(37):
                            r.send(clients, model.gradients(theta, clients))
                    before = theta.astype(np.float64)
                    theta = (before + (r.mean.astype(np.float64) - before) / (t + 1)).astype(np.float32)
                np.testing.assert_array_equal(theta, expected)
                self.assertEqual(len(expected), more.get("k", 1))

    # Loops with another seed or another rate must leave other parameters. With random batches, rows depend on the step.
    def test_wrong_loops_leave_other_parameters(self):
        given = plan("gaussian")
        model = muster.Model(given)
        right = loop(model, muster.Population(given, dimension=model.dimension), model.initial())
        for wrong in (given.replace({"seed": 2}), given.replace({"participation.rate": 0.8})):
            crowd = muster.Population(wrong, dimension=model.dimension)
            self.assertTrue((loop(model, crowd, model.initial()) != right).any())
        local = muster.Model(plan("local"))
        rows = [local.gradients(local.initial(), range(40), step=step) for step in (0, 1)]
        self.assertTrue((rows[0] != rows[1]).any())


class Arguments(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = muster.Model(plan("gaussian"))
        cls.theta = cls.model.initial()

    def refused(self, error, key, call):
        with self.assertRaises(error) as caught:
            call()
        self.assertEqual((caught.exception.code, caught.exception.key), (2, key), caught.exception)

    def test_rows_do_not_depend_on_how_they_are_asked_for(self):
        clients = np.arange(100, dtype=np.uint64)[::-3]
        expected = self.model.gradients(self.theta, clients)
        self.assertEqual((expected.shape, expected.dtype), ((len(clients), self.model.dimension), np.float32))
        for same in (self.theta.astype(np.float64), self.theta.tolist(), np.repeat(self.theta, 2)[::2]):
            np.testing.assert_array_equal(self.model.gradients(same, clients), expected)
        np.testing.assert_array_equal(self.model.gradients(self.theta, clients.tolist(), step=49), expected)
        np.testing.assert_array_equal(muster.gradients(plan("gaussian"), self.theta, clients), expected)
        for i, client in enumerate(clients):
            np.testing.assert_array_equal(self.model.gradients(self.theta, [client, client])[1], expected[i])
        self.assertEqual(self.model.gradients(self.theta, []).shape, (0, self.model.dimension))
        self.assertTrue((self.model.initial() == self.theta).all())

    def test_bad_arguments(self):
        good = self.theta
        for bad in (good[:-1], good[None], good.astype(np.int32), good.astype(">f4"), good.astype(np.float16),
                    good.astype(complex), None, 1.0, "x", [["a"]]):
            self.refused(muster.PlanError, "theta", lambda bad=bad: self.model.gradients(bad, [1]))
            self.refused(muster.PlanError, "theta", lambda bad=bad: self.model.accuracy(bad))
        for bad in ([1000], [1 << 63], [0.5], [-1], "0", [True], None, [[1]]):
            self.refused(muster.PlanError, "clients", lambda bad=bad: self.model.gradients(good, bad))
        for bad in (-1, 50, 1.5, True, "x", float("nan"), 1 << 64):
            self.refused(muster.PlanError, "step", lambda bad=bad: self.model.gradients(good, [1], step=bad))
            self.refused(muster.PlanError, "step", lambda bad=bad: self.model.learning_rate(bad))
        self.refused(muster.PlanError, "step", lambda: self.model.learning_rate(None))
        self.refused(muster.PlanError, "threads", lambda: muster.Model(plan("gaussian"), threads=0))

    def test_plans_without_what_is_needed(self):
        for missing, key in (("data", "population.data"), ("learning_rate", "rounds.learning_rate"),
                             ("clip", "randomizer.clip"), ("delta", "privacy.delta")):
            stated = {**BASE, **PLANS["gaussian"]}
            del stated[missing]
            self.refused(muster.PlanError, key, lambda stated=stated: muster.Model(muster.plan(**stated)))
        with self.assertRaises(muster.DataError):
            muster.Model(plan("gaussian", data="csv:no/such/file.csv"))
        with self.assertRaises(TypeError):
            muster.Model("plans/quickstart.toml")
        local = muster.Model(plan("local"))
        self.refused(muster.UsageError, "step", lambda: local.gradients(local.initial(), [1]))
        slots = muster.Model(plan("batch", clients=100, records=5, partition="shuffled", local_steps=1, local_rate=0.1, local_batch=2))
        self.refused(muster.PlanError, "rounds.local_batch", lambda: slots.gradients(slots.initial(), [1], step=0))

    def test_statistics(self):
        stated = {**BASE, **PLANS["gaussian"], "model": "histogram"}
        del stated["learning_rate"]
        shares = muster.Model(muster.plan(**stated))
        self.refused(muster.PlanError, "model.kind", lambda: shares.learning_rate(0))
        rows = shares.gradients(shares.initial(), range(1000))
        self.assertTrue(((rows == 1).sum(axis=1) == 1).all() and rows.sum() == 1000)
        self.assertIsNone(shares.loss(rows.mean(axis=0)))
        self.assertGreater(shares.accuracy(rows.mean(axis=0)), 0.8)

    def test_threads_take_turns_and_a_child_makes_its_own(self):
        expected = self.model.gradients(self.theta, range(120))
        rows = [None] * 4

        def ask(i):
            rows[i] = self.model.gradients(self.theta, range(120))
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for each in rows:
            np.testing.assert_array_equal(each, expected)
        muster.gradients(plan("gaussian"), self.theta, [1])  # keeps a model
        child = os.fork()
        if child == 0:
            try:
                self.model.gradients(self.theta, [1])
            except muster.UsageError as error:
                same = (muster.gradients(plan("gaussian"), self.theta, range(120)) == expected).all()
                os._exit(0 if "belongs to the process that made it" in str(error) and same else 1)
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_ctrl_c(self):
        slow = muster.Model(plan("local", local_steps=3000), threads=1)  # milliseconds a client
        sent = []
        timer = threading.Timer(0.2, lambda: (sent.append(time.monotonic()), os.kill(os.getpid(), signal.SIGINT)))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            slow.gradients(slow.initial(), np.zeros(10_000, dtype=np.uint64), step=0)
        expect_soon(self, "gradients", time.monotonic() - sent[0])


if __name__ == "__main__":
    muster_command.test_main()
