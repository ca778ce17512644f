"""Tests populations whose vectors come from Python: order, batches, threads, bad input, budgets, saved state, Ctrl-C.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/population_test.py --command build/release/muster
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import muster_command
import numpy as np
from command_line import PROTOCOLS

import muster

RUNNABLE = {
    "ldp-sgd": {"epsilon0": 1.0, "clip": 1.0},
    "gaussian": {"sigma": 2.0, "clip": 1.0},
    "l1": {"epsilon0": 1.0, "clip": 1.0},
    "l2": {"epsilon0": 1.0, "clip": 1.0},
    "linf": {"epsilon0": 1.0, "clip": 1.0},
    "k-rr": {"epsilon0": 1.0, "k": 5},
    "laplace": {"epsilon0": 1.0, "clip": 1.0},
}
D = 5


def plan(protocol="shuffled-check-in", randomizer="gaussian", **changes):
    stated = {"protocol": protocol, "clients": 100, "rounds": 3, **PROTOCOLS[protocol], "randomizer": randomizer,
              **RUNNABLE.get(randomizer, {}), **changes}
    return muster.plan(**{name: value for name, value in stated.items() if value is not None})


def vectors(clients, step):
    """Returns the vectors that these clients send in this step, float32."""
    clients = np.asarray(clients, dtype=np.float64)[:, None]
    return np.sin(31 * clients + 7 * np.arange(D) + step).astype(np.float32)


def crowd_of(given, **options):
    """Returns a population whose vectors have D numbers or, for laplace, one."""
    return muster.Population(given, dimension=1 if given["randomizer.kind"] == "laplace" else D, **options)


def rows_of(crowd, clients, step):
    """Returns vectors that the randomizer of a population takes: for k-rr, indicators of categories."""
    if crowd.plan["randomizer.kind"] == "k-rr":
        return np.eye(D, dtype=np.float32)[(7 * np.asarray(clients, dtype=np.int64) + step) % D]
    return vectors(clients, step)[:, :crowd.dimension]


def run(crowd, size=512, steps=None):
    """Runs rounds, all that are left unless `steps` says how many, and returns their means."""
    means = []
    for _ in range(crowd.rounds - crowd.begun if steps is None else steps):
        step = crowd.begun
        with crowd.round() as r:
            for clients in r.batches(size):
                r.send(clients, rows_of(crowd, clients, step))
        means.append(r.mean)
    return np.array(means)


class Populations(unittest.TestCase):
    def test_batches_and_threads_do_not_matter(self):
        for protocol in PROTOCOLS:
            for randomizer in RUNNABLE:
                with self.subTest(protocol=protocol, randomizer=randomizer):
                    given = plan(protocol, randomizer)
                    expected = run(crowd_of(given, threads=1))
                    self.assertTrue(np.isfinite(expected).all() and expected.any())
                    for size, threads in ((1, 1), (37, 2), (512, 2)):
                        again = run(crowd_of(given, threads=threads), size)
                        np.testing.assert_array_equal(again, expected)

    def test_the_mean_is_that_of_the_clipped_vectors(self):
        # Everybody sends, and the noise of a mean has a standard deviation of 1e-4.
        crowd = muster.Population(plan("shuffle", sigma=1e-3), dimension=D)
        clients = np.arange(100)
        expected = vectors(clients, 0).astype(np.float64)
        expected /= np.maximum(1, np.linalg.norm(expected, axis=1))[:, None]
        np.testing.assert_allclose(run(crowd, steps=1)[0], expected.mean(axis=0), atol=1e-3)
        sums = muster.Population(plan("shuffle", sigma=1e-3), dimension=D, fidelity="sum")
        np.testing.assert_allclose(run(sums, steps=1)[0], expected.mean(axis=0), atol=1e-3)

    # The mean of what the messages decode to is close to the round's, which has the bits of a round that only sends.
    def test_messages_decode_one_by_one(self):
        for randomizer in RUNNABLE:
            given = plan("shuffled-check-in", randomizer, rounds=1)
            expected = run(crowd_of(given))[0]
            crowd = crowd_of(given, threads=2)
            with crowd.round() as r:
                decoded = np.concatenate([r.send_decoded(each, rows_of(crowd, each, 0)) for each in r.batches(7)])
            self.assertEqual(decoded.dtype, np.float32)
            np.testing.assert_array_equal(r.mean, expected)
            np.testing.assert_allclose(decoded.mean(axis=0, dtype=np.float64), expected, rtol=1e-5, atol=1e-5)
        with muster.Population(plan(), dimension=D).round() as r:
            with self.assertRaisesRegex(muster.UsageError, "does not send|is not the next"):
                r.send_decoded([10**6], vectors([10**6], 0))
            with self.assertRaisesRegex(muster.PlanError, "has shape"):
                r.send_decoded(r.clients, vectors(r.clients, 0)[:, 1:])
            r.send_decoded(r.clients, vectors(r.clients, 0))
        with self.assertRaises(ZeroDivisionError), muster.Population(plan("shuffle"), dimension=D, fidelity="sum").round() as r:
            with self.assertRaisesRegex(muster.UsageError, "fidelity = sum, no message is made"):
                r.send_decoded(r.clients, vectors(r.clients, 0))
            raise ZeroDivisionError

    def test_who_sends_is_as_declared_and_secretly_ordered(self):
        crowd = muster.Population(plan("subset"), dimension=D)
        with crowd.round() as r:
            self.assertEqual((len(r.clients), len(set(r.clients.tolist()))), (10, 10))
            r.send(r.clients, vectors(r.clients, 0))
        orders = []
        for _ in range(2):
            with muster.Population(plan("shuffle"), dimension=D).round() as r:
                orders.append(r.clients.tolist())
                r.send(r.clients, vectors(r.clients, 0))
        self.assertEqual(sorted(orders[0]), list(range(100)))
        self.assertNotEqual(orders[0], orders[1])  # equal by chance with probability 1/100!
        self.assertEqual((r.count, r.decoded, r.neutral), (100, True, 0))

    def test_forms_of_rows(self):
        given = plan("shuffle", rounds=1)
        expected = run(muster.Population(given, dimension=D))[0]
        forms = {
            "float64": lambda rows: rows.astype(np.float64),
            "a list": lambda rows: rows.tolist(),
            "transposed": lambda rows: np.asfortranarray(rows),
            "with room between the rows": lambda rows: np.pad(rows, ((0, 0), (0, 3)))[:, :D],
            "every other row": lambda rows: np.repeat(rows, 2, axis=0)[::2],
            "backwards": lambda rows: rows[::-1].copy()[::-1],
            "every other column": lambda rows: np.repeat(rows, 2, axis=1)[:, ::2],
            "read-only": lambda rows: np.frombuffer(rows.tobytes(), dtype=np.float32).reshape(rows.shape),
            "not aligned": lambda rows: np.ndarray(rows.shape, np.float32, bytearray(b"\0" + rows.tobytes()), 1),
            "by DLPack": lambda rows: Exported(rows),
        }
        for name, form in forms.items():
            with self.subTest(form=name):
                crowd = muster.Population(given, dimension=D)
                with crowd.round() as r:
                    r.send(r.clients, form(vectors(r.clients, 0)))
                np.testing.assert_array_equal(r.mean, expected)

    def test_rows_that_are_refused_send_nothing(self):
        crowd = muster.Population(plan("shuffle"), dimension=D)
        with crowd.round() as r:
            two = r.clients[:2]
            good = vectors(two, 0)
            for bad in (good.astype(np.int32), good.astype(np.complex64), good.astype(">f4"), good.astype(np.float16),
                        good[:1], good[:, :-1], good.T, good.ravel(), good[None], [["a"] * D] * 2, None, 1.0,
                        [[1.0] * D, [1.0]], good.astype(bool)):
                with self.assertRaises(muster.PlanError, msg=repr(bad)) as caught:
                    r.send(two, bad)
                self.assertEqual((caught.exception.code, caught.exception.key), (2, "updates"))
            for bad in ([0.5, 1.5], "01", [[0, 1]], [-1, 2], [True, False], None, [1 << 64, 0], ["0", "1"]):
                with self.assertRaises(muster.PlanError, msg=repr(bad)) as caught:
                    r.send(bad, good)
                self.assertEqual(caught.exception.key, "clients")
            # numpy would drop the masks of these, and what is masked would be sent.
            masked = np.ma.masked_greater(good, 0)
            for clients, rows, key in ((two, masked, "updates"), (two, list(masked), "updates"),
                                       (two, np.ma.masked_array(good), "updates"), (np.ma.masked_array(two), good, "clients")):
                with self.assertRaisesRegex(muster.PlanError, f"^{key}: .*masked array.*; allowed: ") as caught:
                    r.send(clients, rows)
                self.assertEqual((caught.exception.code, caught.exception.key), (2, key))
            r.send([], np.empty((0, D), dtype=np.float32))
            r.send([], [])
            r.send(r.clients, vectors(r.clients, 0))
        self.assertEqual(r.count, 100)

    def test_everybody_sends_once_in_turn(self):
        crowd = muster.Population(plan("shuffle"), dimension=D)
        with crowd.round() as r:
            first, second = int(r.clients[0]), int(r.clients[1])
            for clients, words in (([second], "is not the next"), ([100], "does not send"), ([1 << 63], "does not send")):
                with self.assertRaisesRegex(muster.UsageError, f"client {clients[0]} {words}.*client {first}"):
                    r.send(clients, vectors(np.zeros(1), 0))
            r.send([first], vectors([first], 0))
            with self.assertRaisesRegex(muster.UsageError, f"client {first} has sent"):
                r.send([first], vectors([first], 0))
            with self.assertRaisesRegex(muster.UsageError, f"client {second} has sent"):
                r.send([second, second], vectors([second, second], 0))
            with self.assertRaisesRegex(muster.UsageError, "has not ended"):
                r.mean  # noqa: B018
            r.send(r.clients[1:], vectors(r.clients[1:], 0))
        for use in (lambda: r.send([first], vectors([first], 0)), lambda: r.clients, lambda: r.batches(3)):
            with self.assertRaisesRegex(muster.UsageError, "the round has ended"):
                use()
        with self.assertRaises(muster.UsageError), r:
            pass
        with self.assertRaisesRegex(muster.UsageError, r"client \d+ and 99 more have not sent"), crowd.round() as r:
            pass
        with self.assertRaisesRegex(muster.UsageError, "was abandoned"):
            r.mean  # noqa: B018
        self.assertEqual(crowd.charged, 2)

    # So many messages are made in several pieces, and the order is checked before the first.
    def test_a_large_batch_in_another_order_sends_nothing(self):
        crowd, same = (muster.Population(plan("shuffle", clients=40_000), dimension=1, threads=1) for _ in range(2))
        with crowd.round() as r:
            wrong = r.clients.copy()
            wrong[-2:] = wrong[:-3:-1]
            with self.assertRaisesRegex(muster.UsageError, f"client {wrong[-2]} is not the next.* client {wrong[-1]}"):
                r.send(wrong, vectors(wrong, 0)[:, :1])
            with self.assertRaisesRegex(muster.UsageError, "all 40000 senders of the round have sent"):
                r.send_decoded(np.append(r.clients, r.clients[:1]), np.zeros((40_001, 1), dtype=np.float32))
            r.send(r.clients, vectors(r.clients, 0)[:, :1])
        with same.round() as expected:
            expected.send(expected.clients, vectors(expected.clients, 0)[:, :1])
        np.testing.assert_array_equal(r.mean, expected.mean)

    def test_a_body_that_raises_abandons_the_round(self):
        given = plan("shuffle", "l2", delta=1e-5)
        crowd = muster.Population(given, dimension=D)
        with self.assertRaises(ZeroDivisionError), crowd.round() as r:
            r.send(r.clients[:50], vectors(r.clients[:50], 0))
            raise ZeroDivisionError
        with self.assertRaisesRegex(muster.UsageError, "was abandoned"):
            r.mean  # noqa: B018
        self.assertEqual((crowd.begun, crowd.charged), (1, 1))
        self.assertEqual(float(crowd.epsilon), float(muster.account(given.replace({"rounds.count": 1}))))
        np.testing.assert_array_equal(run(crowd), run(muster.Population(given, dimension=D))[1:])

    def test_vectors_that_are_not_finite(self):
        for bad in (np.nan, np.inf, -np.inf, 1e300):
            crowd = muster.Population(plan("shuffle"), dimension=D)
            with self.assertRaisesRegex(muster.DataError, "client 7 has an entry that is NaN or infinite"):
                with crowd.round() as r:
                    rows = vectors(r.clients, 0).astype(np.float64)
                    rows[r.clients == 7, 2] = bad
                    r.send(r.clients, rows)
            with self.assertRaisesRegex(muster.UsageError, "was abandoned"):
                r.mean  # noqa: B018
            lenient = muster.Population(plan("shuffle"), dimension=D, on_bad="neutral")
            with lenient.round() as r:
                rows = vectors(r.clients, 0).astype(np.float64)
                rows[r.clients == 7, 2] = bad
                r.send(r.clients, rows)
            self.assertEqual((r.count, r.neutral), (100, 1))
            zero = muster.Population(plan("shuffle"), dimension=D)
            with zero.round() as expected:
                rows = vectors(expected.clients, 0)
                rows[expected.clients == 7] = 0
                expected.send(expected.clients, rows)
            np.testing.assert_array_equal(r.mean, expected.mean)
        # The largest floats are finite.
        crowd = muster.Population(plan("shuffle"), dimension=D)
        with crowd.round() as r:
            r.send(r.clients, np.full((100, D), 1e38, dtype=np.float32))
        self.assertTrue(np.isfinite(r.mean).all())

    # k-rr also refuses finite vectors: those that are no indicator of a category.
    def test_vectors_that_are_finite_and_refused(self):
        for fidelity in ("message", "sum"):
            given = plan("shuffle", "k-rr")
            rows = np.eye(D, dtype=np.float32)[np.arange(100) % D]
            rows[7] = 0
            with muster.Population(given, dimension=D, fidelity=fidelity).round() as expected:
                expected.send(expected.clients, rows[expected.clients])
            rows[7, 2] = 0.5
            crowd = muster.Population(given, dimension=D, fidelity=fidelity)
            with self.assertRaisesRegex(muster.DataError, "the vector of client 7 is refused: .* indicator") as caught:
                with crowd.round() as r:
                    r.send(r.clients, rows[r.clients])
            error = caught.exception
            self.assertEqual((error.key, error.value, error.allowed),
                             ("vector", "client 7", "1 at one category at most, else 0"))
            with muster.Population(given, dimension=D, fidelity=fidelity, on_bad="neutral").round() as r:
                r.send(r.clients, rows[r.clients])
            self.assertEqual((r.count, r.neutral, expected.neutral), (100, 1, 0))
            np.testing.assert_array_equal(r.mean, expected.mean)

    def test_saved_and_resumed_in_another_process(self):
        with tempfile.TemporaryDirectory() as folder:
            crowds = []
            for protocol in PROTOCOLS:
                for key in ("plan", "secret"):
                    crowds.append(muster.Population(plan(protocol, seed=9), dimension=D, key=key))
                    run(crowds[-1], steps=2)
                    path = pathlib.Path(folder) / f"{len(crowds) - 1}.json"
                    crowds[-1].save(path)
            code = ("import sys, json, muster\nsys.path.insert(0, 'python/tests')\nimport population_test\n"
                    f"for i in range({len(crowds)}):\n"
                    f"    crowd = muster.Population.resume(f'{folder}/{{i}}.json', threads=1)\n"
                    "    print(json.dumps([crowd.plan.hash, population_test.run(crowd, 7).tolist()]))")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            for crowd, line in zip(crowds, done.stdout.splitlines(), strict=True):
                hashed, means = json.loads(line)
                self.assertEqual(hashed, crowd.plan.hash)
                np.testing.assert_array_equal(np.array(means, dtype=np.float32), run(crowd))
            self.assertEqual(path.stat().st_mode & 0o077, 0)  # the last one has a secret key
            same = muster.Population.resume(path, plan=crowd.plan, dimension=D)
            self.assertEqual(same.begun, 2)
            with self.assertRaisesRegex(muster.CheckpointError, "is of another plan"):
                muster.Population.resume(path, plan=crowd.plan.replace({"seed": 10}))
            with self.assertRaisesRegex(muster.CheckpointError, f"is of dimension {D}, not {D + 1}"):
                muster.Population.resume(path, dimension=D + 1)
            path.write_text(path.read_text().replace(f'"dimension":{D}', f'"dimension":{D + 1}'))
            with self.assertRaisesRegex(muster.CheckpointError, "its checksum does not match"):
                muster.Population.resume(path)
            path.write_text(path.read_text()[:-20])
            with self.assertRaises(muster.CheckpointError):
                muster.Population.resume(path)
            with self.assertRaises(muster.FileError):
                muster.Population.resume(pathlib.Path(folder) / "none.json")

    def test_resuming_says_which_key_is_meant(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "crowd.json"
            for key, other in (("plan", "secret"), ("secret", "plan")):
                muster.Population(plan(), dimension=D, key=key).save(path)
                for good in (None, key):
                    self.assertEqual(muster.Population.resume(path, key=good).begun, 0)
                with self.assertRaisesRegex(muster.CheckpointError, f"has key = '{key}'; allowed: '{other}'") as caught:
                    muster.Population.resume(path, key=other)
                error = caught.exception
                self.assertEqual((error.code, error.key, error.value, error.allowed), (3, "key", repr(key), repr(other)))
            with self.assertRaisesRegex(muster.PlanError, r"allowed: plan \| secret"):
                muster.Population.resume(path, key="x")

    def test_the_epsilon_of_a_schedule_is_that_of_the_rounds_begun(self):
        given = plan(randomizer="ldp-sgd", clients=20, dropout=[[1, 0.1], [2, 0.4]], rounds=3, delta=1e-5)
        crowd = muster.Population(given, dimension=D)
        for rounds in (1, 2):  # of one stage, and of two
            run(crowd, steps=1)
            expected = muster.account(given.replace({"rounds.count": rounds}))
            self.assertEqual((float(crowd.epsilon), expected.rounds), (float(expected), rounds))

    def test_keys(self):
        given = plan("shuffle", rounds=1)
        means = {key: [run(muster.Population(given, dimension=D, key=key)) for _ in range(2)] for key in ("plan", "secret")}
        np.testing.assert_array_equal(*means["plan"])
        self.assertTrue((means["secret"][0] != means["secret"][1]).all())
        self.assertTrue((run(muster.Population(given.replace({"seed": 2}), dimension=D)) != means["plan"][0]).all())

    def test_budget(self):
        given = plan("subset", "l2", delta=1e-5, rounds=10)
        budget = float(muster.account(given.replace({"rounds.count": 4}))) * 1.0001
        crowd = muster.Population(given.replace({"privacy.budget": budget}), dimension=D)
        run(crowd, steps=4)
        self.assertLessEqual(float(crowd.epsilon), budget)
        with self.assertRaises(muster.BudgetReached) as caught, crowd.round():
            self.fail("the round began")
        self.assertEqual((caught.exception.code, caught.exception.key, crowd.begun), (4, "privacy.budget", 4))

    def test_plans_and_arguments_that_are_refused(self):
        good = plan()
        for changes, key in (({"clip": None}, "randomizer.clip"), ({"budget": 1.0}, "privacy.delta")):
            with self.assertRaises(muster.PlanError) as caught:
                muster.Population(plan(**changes), dimension=D)
            self.assertEqual(caught.exception.key, key)
        for randomizer in ("pure", "profile"):
            more = {"epsilon0": 1.0} if randomizer == "pure" else {"profile": "plans/profiles/three-letters.csv"}
            with self.assertRaisesRegex(muster.PlanError, "cannot run"):
                muster.Population(plan(randomizer=randomizer, **more), dimension=D)
        for dimension in (0, -1, 1.5, float("nan"), True, None, "x", 1 << 31, 1 << 64):
            with self.assertRaises(muster.PlanError, msg=repr(dimension)) as caught:
                muster.Population(good, dimension=dimension)
            self.assertEqual(caught.exception.key, "dimension")
        for name in ("threads", "fidelity", "key", "on_bad"):
            for value in (0, -1, "x", True, 5000):
                with self.assertRaises(muster.PlanError, msg=(name, value)) as caught:
                    muster.Population(good, **{"dimension": D, name: value})
                self.assertEqual(caught.exception.key, name)
        with self.assertRaisesRegex(muster.UsageError, "^fidelity sum does not go with randomizer ldp-sgd") as caught:
            muster.Population(plan(randomizer="ldp-sgd"), dimension=D, fidelity="sum")
        self.assertEqual(caught.exception.key, "fidelity")
        for size in (0, -1, 1.5, True, None, "1"):
            with self.assertRaises(muster.PlanError), muster.Population(good, dimension=D).round() as r:
                r.batches(size)

    def test_the_monitor_raises_an_alarm(self):
        crowd = muster.Population(plan("shuffled-check-in"), dimension=D)
        run(crowd)
        monitor = crowd.monitor
        self.assertEqual((monitor.rounds, monitor.alarm, monitor.blind), (3, None, ""))
        low, rate, high = monitor.rate
        self.assertTrue(low <= rate <= high)
        self.assertNotEqual(muster.Population(plan("shuffle"), dimension=D).monitor.blind, "")


class Exported:
    """Gives its array by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


if __name__ == "__main__":
    muster_command.test_main()
