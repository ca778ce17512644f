"""A deployment learns the same and charges the same when its network loses, repeats and delays what it carries.

    python3 tests/cli/bad_network_test.py --command build/release/muster [--tasks N] [--seed N]

A proxy stands between devices and shuffler, one between devices and issuer, one between shuffler and issuer, and one
between aggregator and shuffler. They lose requests, lose answers, carry requests twice and delay them. If every device
was heard in every round, and had the model before it sent, the task computes the same as `muster train` with the same
seed, and its model must have the same bytes.
"""

import time

import muster_command
import role_processes
from deployed_tasks import DeployedTasks
from unreliable_proxy import FAULTS

# As many devices as a round needs, so that they are the clients of the simulation. Devices that share a process compute
# as soon as they have the model; a device that is alone computes in another process, which may be late.
DEVICES = (4, 4, 4)
CLIENTS = [f"client{i}" for i in range(len(DEVICES))]
# A device sends a tenth of a round after it has heard of the round, or later; by then it should have the model.
ROUNDS, SECONDS = 3, 6
PROBABILITY = 0.15  # of a fault, for each request
BETWEEN = {"devices and shuffler": ("client0", "shuffler", CLIENTS[1:]),
           "devices and issuer": ("client0", "issuer", CLIENTS[1:]),
           "shuffler and issuer": ("shuffler", "issuer", ()),
           "aggregator and shuffler": ("aggregator", "shuffler", ())}


class BadNetwork(DeployedTasks):
    def test_a_network_that_loses_repeats_and_delays_changes_nothing(self):
        tasks, seed, root = int(OPTIONS["--tasks"]), int(OPTIONS["--seed"]), self.folder
        same = 0
        for task in range(tasks):
            self.folder = root / f"task{task}"
            self.folder.mkdir()
            same += self.learns_the_same(seed + task)
        print(f"{same} of {tasks} models were compared with the simulation")
        # On a busy machine a device may be late, and then a model is not compared. One model in four must be.
        self.assertGreaterEqual(4 * same + 3, tasks)

    def learns_the_same(self, seed):
        """Runs a task. Returns whether its model could be compared with the simulation's, which it then must equal."""
        deployment = self.deployment(devices=DEVICES, seconds=SECONDS, most=20 * ROUNDS,
                                     text=role_processes.plan(rounds=ROUNDS))
        deployment.start_servers()
        self.assertEqual(deployment.running["shuffler"].stop(), 0)
        proxies = {words: self.proxy(deployment, name, key, also, seed=10 * seed + i, probability=PROBABILITY)
                   for i, (words, (name, key, also)) in enumerate(BETWEEN.items())}
        began = time.monotonic()
        for name in ("shuffler", "aggregator", *CLIENTS):
            deployment.start_any(name)
            deployment.expect_up(name)
        aggregator = deployment.running["aggregator"]
        output = aggregator.process.communicate(timeout=20 * ROUNDS * SECONDS)[0]
        self.assertEqual(aggregator.process.returncode, 0, aggregator.said())
        uploads = proxies["devices and shuffler"]
        counts = self.expect_done(output, uploads, sum(DEVICES), ROUNDS)["counts"]
        for name in ("issuer", "shuffler", *CLIENTS):
            self.assertEqual(deployment.running[name].stop(), 0, deployment.running[name].said())
        for words, proxy in proxies.items():
            print(f"between {words}: {dict(proxy.faults)}")
        self.assertTrue(all(sum(proxy.faults[fault] for proxy in proxies.values()) > 0 for fault in FAULTS))
        is_same = counts["void"] == 0 and self.all_had_the_models(uploads.downloads, ROUNDS)
        if is_same:
            self.compare_models()
        print(f"{counts} in {time.monotonic() - began:.0f} s (seed {seed}); the model is "
              f"{'that of the simulation' if is_same else 'not comparable with the simulation'}")
        return is_same

    def all_had_the_models(self, downloads, rounds):
        """Returns whether every device got the model of each round. It does so before it sends, or not at all."""
        return len(downloads) == rounds and set(downloads.values()) == {sum(DEVICES)}

    def compare_models(self):
        self.run_command("train", "plan.toml", "--out", "run", "--json")
        self.assertEqual((self.folder / "aggregator/model.safetensors").read_bytes(),
                         (self.folder / "run/model.safetensors").read_bytes())


OPTIONS = {"--tasks": "1", "--seed": "1"}

if __name__ == "__main__":
    muster_command.take_options(OPTIONS)
    muster_command.test_main()
