"""Every protocol with every randomizer has a plan, and the stored results belong to these plans.

    python3 tests/cli/plans_test.py --command build/release/muster          # compares epsilon of a third of the plans
    python3 tests/cli/plans_test.py --command build/release/muster --long   # of all, and trains each on MNIST

testdata/logs/mnist-matrix.jsonl has one line for each plan of plans/mnist; the README shows these results.
"""

import json
import pathlib
import sys
import tempfile
import unittest

import muster_command
from muster_command import run

PROTOCOLS = ["shuffle", "subset", "shuffled-check-in", "random-check-in-fixed", "random-check-in-averaged",
             "random-check-in-sliding", "aggregated-check-in"]
RANDOMIZERS = ["ldp-sgd", "gaussian", "l1", "l2", "linf", "k-rr", "laplace"]
PLANS = pathlib.Path("plans/mnist")
STORED = {entry["plan"]: entry for entry in map(
    json.loads, pathlib.Path("testdata/logs/mnist-matrix.jsonl").read_text(encoding="utf-8").splitlines())}
MNIST = pathlib.Path("../shared/data/mnist")
LONG = "--long" in sys.argv

# A third of the pairs. Each protocol and each randomizer occurs in at least two of them.
QUICK = {f"{protocol}-{randomizer}" for i, protocol in enumerate(PROTOCOLS) for j, randomizer in enumerate(RANDOMIZERS)
         if (i + j) % 3 == 0}

# Float kernels differ in their last bits between instruction sets, so accuracies and bounds on epsilon differ, too.
ACCURACY_TOLERANCE = 0.01
EPSILON_TOLERANCE = 1e-4  # the largest relative difference of two epsilons


class Plans(muster_command.CommandTest):
    def check_epsilon(self, plan, epsilon):
        stored = STORED[plan]["epsilon"]
        self.assertLess(abs(epsilon - stored), EPSILON_TOLERANCE * stored, plan)

    def test_every_pair_has_a_plan_and_a_result(self):
        pairs = sorted(f"{protocol}-{randomizer}" for protocol in PROTOCOLS for randomizer in RANDOMIZERS)
        self.assertEqual(sorted(path.stem for path in PLANS.glob("*.toml")), pairs)
        self.assertEqual(sorted(STORED), pairs)

    def test_epsilons_are_proven_and_the_stored_ones(self):
        for path in sorted(PLANS.glob("*.toml")):
            if not LONG and path.stem not in QUICK:
                continue
            statement = self.one_line(run("account", str(path), "--json"))
            self.assertEqual(statement["validity"], "proven", path)
            self.check_epsilon(path.stem, statement["epsilon"]["upper"])

    @unittest.skipUnless(LONG, "trained with --long")
    @unittest.skipUnless(MNIST.is_dir(), f"needs MNIST in {MNIST}")
    def test_training_gives_the_stored_results(self):
        for path in sorted(PLANS.glob("*.toml")):
            with tempfile.TemporaryDirectory() as folder:
                done = run("train", str(path), "--data", str(MNIST), "--out", folder + "/run", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            final = json.loads(done.stdout.splitlines()[-1])
            self.check_epsilon(path.stem, final["epsilon"])
            self.assertLess(abs(final["accuracy"] - STORED[path.stem]["accuracy"]), ACCURACY_TOLERANCE, path)


if __name__ == "__main__":
    if LONG:
        sys.argv.remove("--long")
    muster_command.test_main()
