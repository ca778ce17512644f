"""Tests what the package promises beyond its numbers: immutable plans, pickling, bad input, threads, Ctrl-C, fork.

    PYTHONPATH=build/release/python:tests/cli python3 python/tests/behaviour_test.py --command build/release/muster
"""

import copy
import json
import os
import pathlib
import pickle
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from fractions import Fraction

import muster_command
import numpy as np
from command_line import PROTOCOLS, RANDOMIZERS, keywords, plan, timeless
from interrupts import expect_soon

import muster

# An answer that takes many times longer than the tests wait for it.
LONG = """
import muster
plan = muster.plan(protocol="shuffled-check-in", clients=1_000_000, rate=0.01, randomizer="gaussian", delta=1e-9)
plans = [plan.replace({"rounds.count": 1000 + i, "randomizer.sigma": 1 + i / 1000}) for i in range(200)]
"""


BIG = 1 << 64


class Plans(unittest.TestCase):
    def test_equality_hashing_and_pickling(self):
        for protocol in PROTOCOLS:
            for randomizer in RANDOMIZERS:
                given = plan(keywords(protocol, randomizer))
                again = plan(keywords(protocol, randomizer))
                self.assertEqual((given, hash(given), given.hash), (again, hash(again), again.hash))
                for made in (pickle.loads(pickle.dumps(given)), copy.deepcopy(given), muster.Plan.from_dict(given.to_dict())):
                    self.assertEqual((made, made.hash, made.canonical), (given, given.hash, given.canonical))
                self.assertNotEqual(given, given.replace({"rounds.count": 3}))
        self.assertEqual(len({plan(keywords("shuffle", "pure", rounds=n % 3)) for n in range(9)}), 3)
        self.assertNotEqual(given, "a plan")

    def test_a_pickled_plan_says_where_its_values_came_from(self):
        given = pickle.loads(pickle.dumps(muster.Plan.read("plans/quickstart.toml")))
        self.assertEqual(given, muster.Plan.read("plans/quickstart.toml"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            given.replace({"participation.protocol": "shuffle"})
        self.assertIn("plans/quickstart.toml, line", str(caught[0].message))

    def test_immutable(self):
        given = plan(keywords("shuffle", "pure"))
        before = given.canonical
        for change in (lambda: setattr(given, "hash", "0"), lambda: setattr(given, "rounds", 3),
                       lambda: setattr(given, "_native", None), lambda: delattr(given, "_hash"),
                       lambda: given.__setitem__("rounds.count", 3)):
            with self.assertRaises(AttributeError):
                change()
        given.to_dict()["rounds.count"] = 17
        given.replace({"rounds.count": 17})
        self.assertEqual(given.canonical, before)
        statement = muster.account(given)
        statement.to_dict()["epsilon"]["upper"] = 0
        self.assertGreater(statement.to_dict()["epsilon"]["upper"], 0)
        with self.assertRaises(AttributeError):
            statement.upper = 0
        with self.assertRaises(AttributeError):
            statement.bounds[0].upper = 0
        with self.assertRaises(muster.UsageError):
            muster.Plan()

    def test_an_incomplete_plan_is_another_plan(self):
        self.assertNotEqual(plan(keywords("shuffle", "pure", rounds=None)), plan(keywords("shuffle", "pure", rounds=0)))

    def test_numbers(self):
        expected = plan(keywords("shuffled-check-in", "pure", clients=1000, rate=0.5, rounds=10))
        for clients in (1000, 1000.0, 1e3, np.int32(1000), np.float32(1000), np.uint64(1000), Fraction(1000), "1000",
                        np.array(1000), "1e3"):
            self.assertEqual(plan(keywords("shuffled-check-in", "pure", clients=clients, rate=0.5, rounds=10)), expected,
                             repr(clients))
        for rate in (0.5, np.float32(0.5), Fraction(1, 2), "0.5", [0.5, 0.5], np.array([0.5, 0.5])):
            self.assertEqual(plan(keywords("shuffled-check-in", "pure", clients=1000, rate=rate, rounds=10)), expected)

    def test_what_is_no_number(self):
        loop = []
        loop.append(loop)
        for value in (True, False, np.bool_(True), np.True_, None, object(), b"1", {}, [], [1, 2, 3], loop, 1j, "", "x", "\0",
                      np.array([1, 2, 3]), np.datetime64("2026-01-01"), 10**5000, BIG, -BIG, float("nan"), plan,
                      np.array("1000x"), type, ..., "\x1b[31m", "1" * 100_000):
            for key in ("population.clients", "randomizer.epsilon0", "privacy.delta"):
                if key == "randomizer.epsilon0" and value is BIG:
                    continue  # an epsilon0 may be so large
                with self.assertRaises(muster.PlanError, msg=(key, value)) as caught:
                    plan(keywords("shuffle", "pure")).replace({key: value})
                self.assertEqual((caught.exception.code, caught.exception.key), (2, key))
            if value is not None and value is not BIG and not isinstance(value, str):
                with self.assertRaises(muster.PlanError):
                    muster.account(plan(keywords("shuffle", "pure", delta=None)), epsilon=value)
        with self.assertRaises(ZeroDivisionError):
            plan(keywords("shuffle", "pure")).replace({"rounds.count": Raises()})

    def test_unknown_names(self):
        with self.assertRaisesRegex(muster.UsageError, "client is an unknown keyword; did you mean clients?"):
            muster.plan(client=3)
        with self.assertRaisesRegex(muster.PlanError, "did you mean rounds.count?"):
            plan(keywords("shuffle", "pure")).replace({"round.count": 3})
        with self.assertRaisesRegex(muster.PlanError, "did you mean population.clients"):
            muster.Plan.from_dict({"population": {"cleints": 3}})
        with self.assertRaisesRegex(muster.PlanError, "unknown; did you mean shuffle"):
            muster.plan(protocol="shufle", clients=3)
        with self.assertRaises(KeyError):
            plan(keywords("shuffle", "pure"))["no.key"]
        with self.assertRaises(TypeError):
            muster.account(plan(keywords("shuffle", "pure")), all="no")
        with self.assertRaises(TypeError):
            muster.account("plans/quickstart.toml")


class Raises:
    def __index__(self):
        return 1 // 0


class Errors(unittest.TestCase):
    def test_classes(self):
        for made, builtin in ((muster.PlanError, ValueError), (muster.DataError, ValueError), (muster.FileError, OSError),
                              (muster.UncoveredError, NotImplementedError), (muster.InternalError, RuntimeError)):
            self.assertTrue(issubclass(made, muster.MusterError) and issubclass(made, builtin))
        with self.assertRaises(ValueError) as caught:
            muster.plan(protocol="shuffle", clients=0, randomizer="pure")
        error = caught.exception
        again = pickle.loads(pickle.dumps(error))
        for name in ("code", "kind", "reason", "key", "value", "allowed"):
            self.assertEqual(getattr(again, name), getattr(error, name))
        self.assertEqual((str(again), type(again)), (str(error), muster.PlanError))

    # A statement without a finite proven upper value is no number.
    def test_no_number(self):
        statement = muster.account(plan(keywords("shuffle", "gaussian", sigma=1e-3, clients=2, rounds=1, delta=1e-300)))
        if statement.upper is None:
            with self.assertRaises(muster.UncoveredError):
                float(statement)
        made = timeless(statement.to_dict())
        made["epsilon"]["upper"] = None
        with self.assertRaises(muster.UncoveredError):
            float(muster.Statement(None, json.dumps(made)))
        for validity in ("conditional", "as-published"):
            with self.assertRaises(muster.UncoveredError):
                float(muster.Statement(None, json.dumps({**statement.to_dict(), "validity": validity})))


class Shown(unittest.TestCase):
    def pieces(self):
        given = plan(keywords("shuffle", "pure", rounds=3))
        return (given, muster.account(given, all=True), muster.curve(given, at=[1, 2, 3]),
                muster.curve(given, over="epsilon", at=[0, 0.1, 0.5]))

    def test_notebooks(self):
        for shown in self.pieces():
            html = shown._repr_html_()
            self.assertTrue(html.startswith("<div"))
            for word in ("<script", "<style", "class=\"dataframe", "http://", "https://"):
                self.assertNotIn(word, html.replace("http://www.w3.org/2000/svg", ""))
            # Text takes the colour of the page that includes it; only pictures, which have a background, have colours.
            outside = html.split("<svg")[0]
            self.assertNotIn("#", outside)
            self.assertTrue("color:inherit" in outside or "<svg" in html)

    def test_pickled_answers_show_the_same(self):
        for shown in self.pieces():
            again = pickle.loads(pickle.dumps(shown))
            self.assertEqual(again._repr_html_(), shown._repr_html_())
            self.assertEqual((str(again), repr(again)), (str(shown), repr(shown)))
        found = muster.calibrate(plan(keywords("shuffle", "pure")), "rounds", epsilon=1.0)
        again = pickle.loads(pickle.dumps(found))
        self.assertEqual((again.to_dict(), str(again), again.plan), (found.to_dict(), str(found), found.plan))


class Accounts(unittest.TestCase):
    def test_rounds_that_are_alike(self):
        given = plan(keywords("shuffle", "pure"))
        accountant = muster.RunningAccountant()
        for rounds in (1, 0, 2, 5):
            accountant.charge(given, rounds)
        expected = muster.account(given.replace({"rounds.count": 8}))
        self.assertEqual(timeless(accountant.epsilon(1e-5).to_dict()), timeless(expected.to_dict()))
        self.assertEqual(accountant.history, ((given, 8),))
        self.assertEqual(float(accountant.delta(0.3)), float(muster.account(given.replace({"rounds.count": 8}), epsilon=0.3)))

    # Two plans cost what `muster account A.toml B.toml` says.
    def test_different_rounds(self):
        first, second = plan(keywords("shuffle", "pure", rounds=2)), plan(keywords("subset", "k-rr", rounds=3))
        accountant = muster.RunningAccountant()
        accountant.charge(first, 2)
        accountant.charge(second, 3)
        with tempfile.TemporaryDirectory() as folder:
            files = [self.written(each, f"{folder}/{name}.toml") for name, each in (("a", first), ("b", second))]
            launches = json.loads(muster_command.run("account", *files, "--json").stdout)
        for side in ("upper", "lower"):
            self.assertEqual(getattr(accountant.epsilon(1e-5), side), launches["epsilon"][side])

    def written(self, given, path):
        """Writes what is accounted of a plan to a file, and returns its path."""
        lines = [f"{key} = {json.dumps(value)}" for key, value in given.to_dict().items()
                 if key.split(".")[0] in ("population", "participation", "randomizer", "privacy") or key == "rounds.count"]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def test_limits(self):
        given = plan(keywords("shuffle", "pure", rounds=None, clients=100))
        accountant = muster.RunningAccountant()
        rounds = 0
        while not accountant.would_exceed(0.7, 1e-5, given):
            accountant.charge(given)
            rounds += 1
        self.assertLessEqual(float(accountant.epsilon(1e-5)), 0.7)
        self.assertEqual(rounds, muster.calibrate(given, "rounds", epsilon=0.7).value)
        for limit in (float("nan"), -1, True, "x"):
            with self.assertRaises(muster.PlanError):
                accountant.would_exceed(limit, 1e-5, given)

    def test_forks_and_states(self):
        given = plan(keywords("shuffle", "pure"))
        accountant = muster.RunningAccountant()
        accountant.charge(given, 3)
        accountant.charge(given.replace({"randomizer.epsilon0": 0.5}), 1)
        copy_of_it = accountant.fork()
        copy_of_it.charge(given, 100)
        self.assertEqual((accountant.rounds, copy_of_it.rounds), (4, 104))
        state = json.loads(json.dumps(accountant.state_dict()))
        loaded = muster.RunningAccountant()
        loaded.charge(given, 50)
        loaded.load_state_dict(state)
        self.assertEqual((loaded.history, float(loaded.epsilon(1e-5))), (accountant.history, float(accountant.epsilon(1e-5))))
        self.assertEqual(pickle.loads(pickle.dumps(accountant)).history, accountant.history)
        for wrong in ({}, {"version": 2, "charges": []}, {**state, "charges": [{"plan": {}, "rounds": 1}]},
                      {**state, "charges": [{**state["charges"][0], "rounds": -1}]}):
            with self.assertRaises(muster.PlanError):
                loaded.load_state_dict(wrong)
            self.assertEqual(loaded.rounds, 4)
        charge = state["charges"][0]
        for wrong, key in ((3, "state"), (None, "state"), ({"version": 1}, "charges"), ({**state, "charges": 3}, "charges"),
                           ({**state, "charges": [3]}, "charges"), ({**state, "charges": [{}]}, "charges"),
                           ({**state, "charges": [{"plan": charge["plan"]}]}, "charges"),
                           ({**state, "charges": [{**charge, "plan": 3}]}, "plan"),
                           ({**state, "charges": [{**charge, "rounds": "x"}]}, "rounds")):
            with self.assertRaises(muster.PlanError) as caught:
                loaded.load_state_dict(wrong)
            error = caught.exception
            self.assertEqual((error.code, error.kind, error.key), (2, "plan", key))
            self.assertTrue(error.value and error.allowed, wrong)
            self.assertEqual(loaded.rounds, 4)

    def test_a_plan_keeps_the_profile_that_was_read(self):
        """A plan, what is made from it and an accountant's state do not read the profile's file again."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "profile.csv"
            path.write_text("# \xe9, as others write it\n0.75,0.25\n0.25,0.75\n", encoding="latin-1")
            given = muster.plan(protocol="shuffled-check-in", clients=1000, rate=0.1, randomizer="profile",
                                profile=str(path), rounds=10, delta=1e-6)
            epsilon = float(muster.account(given))
            accountant = muster.RunningAccountant()
            accountant.charge(given, 10)
            pickled, state = pickle.dumps(given), json.loads(json.dumps(accountant.state_dict()))
            for after in ("0.500001,0.499999\n0.499999,0.500001\n", None):
                path.unlink() if after is None else path.write_text(after, encoding="utf-8")
                loaded = muster.RunningAccountant()
                loaded.load_state_dict(state)
                for same in (given, pickle.loads(pickled), copy.deepcopy(given), given.replace({"rounds.count": 10}),
                             given.replace({"privacy.delta": 1e-6}), loaded.history[0][0].replace({"rounds.count": 10})):
                    self.assertEqual(same.canonical, given.canonical)
                    self.assertEqual(float(muster.account(same, delta=1e-6)), epsilon)
                self.assertEqual(float(loaded.epsilon(1e-6)), epsilon)
                self.assertEqual(float(copy.deepcopy(accountant).epsilon(1e-6)), epsilon)
                found = muster.calibrate(given, "rounds", epsilon=epsilon).value
                self.assertGreaterEqual(found, 10)
            for changed in ({"profile": "1,0\n0,1\n"}, {"profile": ""}, {"plan": {**state["charges"][0]["plan"],
                                                                                "randomizer.profile": "elsewhere.csv"}}):
                with self.assertRaises(muster.PlanError) as caught:
                    loaded.load_state_dict({**state, "charges": [{**state["charges"][0], **changed}]})
                self.assertEqual(caught.exception.key, "randomizer.profile")

    def test_what_cannot_be_charged(self):
        accountant = muster.RunningAccountant()
        given = plan(keywords("shuffled-check-in", "ldp-sgd"))
        for refused in (plan(keywords("shuffled-check-in", "ldp-sgd", epsilon0=None)),
                        plan(keywords("shuffled-check-in", "ldp-sgd", rounds=3, dropout=[[1, 0.0], [2, 0.5]]))):
            with self.assertRaises(muster.PlanError):
                accountant.charge(refused)
        for rounds in (-1, 0.5, True, float("nan"), 2**64, None, "x"):
            with self.assertRaises(muster.PlanError) as caught:
                accountant.charge(given, rounds)
            self.assertEqual(caught.exception.key, "rounds")
        self.assertEqual((accountant.rounds, accountant.history), (0, ()))

    def test_threads_take_turns(self):
        given = plan(keywords("shuffle", "pure", rounds=None))
        accountant = muster.RunningAccountant()
        threads = [threading.Thread(target=lambda: [accountant.charge(given) for _ in range(25)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((accountant.rounds, accountant.history), (100, ((given, 100),)))


class Processes(unittest.TestCase):
    def run_python(self, text, **options):
        return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    # Ctrl-C ends a computation that would take far longer, and the next question is answered as ever.
    def test_interrupts(self):
        for call in ("muster.account_many(plans, threads=1)", "muster.account_many(plans, threads=2)",
                     "[muster.calibrate(plan, 'sigma', epsilon=1.0) for plan in plans]",
                     "[muster.curve(plan, over='delta') for plan in plans]"):
            child = self.run_python(LONG + f"""
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    import time
    print(time.monotonic(), flush=True)
    given = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5)
    print(float(muster.account(given)) > 0, flush=True)
""")
            self.assertEqual(child.stdout.readline(), "ready\n", call)
            time.sleep(0.3)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            printed, errors = child.communicate(timeout=60)
            self.assertEqual(child.returncode, 0, errors)
            stopped, answer = printed.splitlines()
            self.assertEqual(answer, "True", errors)
            expect_soon(self, call, float(stopped) - sent)

    def test_a_signal_handler_that_raises_nothing_stops_nothing(self):
        child = self.run_python("""
import signal, threading, os, muster
seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
plan = muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0,
                   delta=1e-5, rounds=6800)
threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
print(float(muster.account(plan)) == float(muster.account(plan)), seen)
""")
        printed, errors = child.communicate(timeout=120)
        self.assertEqual(printed, "True [1]\n", errors)

    # Other threads of Python run while an answer is computed.
    def test_the_lock_is_released(self):
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)
        ticker = threading.Thread(target=tick)
        ticker.start()
        began = time.monotonic()
        muster.curve(plan(keywords("shuffled-check-in", "ldp-sgd", clients=60_000, epsilon0=2.0, rounds=1000)), over="delta")
        ended = time.monotonic()
        done.set()
        ticker.join()
        during = [at for at in ticks if began < at < ended]
        self.assertGreater(len(during), 3)

    def test_after_a_fork(self):
        child = self.run_python("""
import os, sys, muster
plan = muster.plan(protocol="shuffle", clients=100, randomizer="pure", epsilon0=1.0, rounds=2, delta=1e-5)
accountant = muster.RunningAccountant()
accountant.charge(plan)
before = float(muster.account(plan)), float(accountant.epsilon(1e-5))
pid = os.fork()
if pid == 0:
    same = before == (float(muster.account(plan)), float(accountant.epsilon(1e-5)))
    sys.exit(0 if same else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
""")
        printed, errors = child.communicate(timeout=120)
        self.assertEqual((printed, child.returncode), ("0\n", 0), errors)

    def test_importing_loads_little(self):
        child = self.run_python("import sys, muster; print(sorted({'numpy', 'matplotlib', 'torch'} & set(sys.modules)))")
        self.assertEqual(child.communicate(timeout=60)[0], "[]\n")

    # The wheel has the tag manylinux_2_34, so it must run on systems with these versions of the C and C++ libraries.
    @unittest.skipIf(platform.machine() != "x86_64" or "LD_PRELOAD" in os.environ,
                     "other machines, and sanitizers, use other symbols")
    def test_the_extension_uses_no_symbol_of_newer_systems(self):
        symbols = subprocess.run(["objdump", "-T", muster._muster.__file__], capture_output=True, text=True, check=True).stdout
        needed = re.findall(r"\*UND\*.*\((GLIBC|GLIBCXX)_([\d.]+)\)", symbols)
        self.assertGreater(len(needed), 100)
        newest = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29)}
        for library, version in set(needed):
            self.assertLessEqual(tuple(map(int, version.split("."))), newest[library], (library, version))


if __name__ == "__main__":
    muster_command.test_main()
