"""The roles of a deployment are killed with SIGKILL at random moments, and lose and double nothing.

    python3 tests/cli/kills_test.py --command build/release/muster [--kills N] [--seed N]

A role that was killed is started again at once, and must come up every time. Some are killed again while they start,
and some together with another one.
"""

import random
import time

import muster_command
import role_processes
from deployed_tasks import DeployedTasks

DEVICES = (6, 6, 1, 1)  # two more than a round needs; a device that is alone computes in a process of its own
ROLES = ("issuer", "shuffler", "aggregator", *[f"client{i}" for i in range(len(DEVICES))])
SECONDS = 3
LONGEST_PAUSE = 1.5


class Kills(DeployedTasks):
    def kill(self, deployment, names):
        for name in names:
            role = deployment.running[name]
            self.assertIn(role.process.poll(), (None, 0) if deployment.may_end(name) else (None,), role.said())
            role.kill()
        for name in names:
            deployment.start_any(name)

    def kill_often(self, deployment, draw, kills, rounds):
        """Kills roles at such a pace that the last kill comes shortly before the last round, but stops when the task is
        over. Returns how often each role was killed."""
        done = dict.fromkeys(ROLES, 0)
        log = self.folder / "aggregator.log"
        while sum(done.values()) < kills:
            released = log.read_text().count(" is released: ")
            if released >= rounds:
                break
            if released * kills <= 0.8 * sum(done.values()) * rounds:
                time.sleep(draw.uniform(0, LONGEST_PAUSE))
            # The issuer, the shuffler, the aggregator and some client are equally likely to be killed, however many
            # clients there are.
            pool = ["issuer", "shuffler", "aggregator", draw.choice(ROLES[3:])]
            names = draw.sample(pool, draw.choice([1, 1, 1, 2]))
            self.kill(deployment, names)
            for name in names:
                done[name] += 1
            if draw.random() < 0.25:
                time.sleep(draw.uniform(0, 0.5))
                self.kill(deployment, names[:1])
                done[names[0]] += 1
            for name in names:
                deployment.expect_up(name)
        return done

    def test_roles_that_are_killed_lose_and_double_nothing(self):
        kills, seed = int(OPTIONS["--kills"]), int(OPTIONS["--seed"])
        rounds = max(5, kills // 3)
        # Many rounds with a larger epsilon0 would have an epsilon that devices refuse.
        text = role_processes.plan(rounds=rounds, epsilon0=0.5 if rounds < 20 else 0.1)
        deployment = self.deployment(devices=DEVICES, seconds=SECONDS, text=text, most=20 * rounds)
        deployment.start_servers()
        uploads = self.proxy(deployment, "client0", "shuffler", also=ROLES[4:])
        for name in ROLES[2:]:
            deployment.start_any(name)
            deployment.expect_up(name)
        began = time.monotonic()
        done = self.kill_often(deployment, random.Random(seed), kills, rounds)
        killed = time.monotonic()
        aggregator = deployment.running["aggregator"]
        output = aggregator.process.communicate(timeout=20 * rounds * SECONDS)[0]
        self.assertEqual(aggregator.process.returncode, 0, aggregator.said())
        self.assertGreaterEqual(sum(done.values()), 0.9 * kills, "the task was over too early")
        counts = self.expect_done(output, uploads, sum(DEVICES), rounds)["counts"]
        for name in ROLES:
            if name != "aggregator":
                self.assertEqual(deployment.running[name].stop(), 0, deployment.running[name].said())
        left = list(self.folder.rglob("*.tmp"))
        self.assertEqual(left, [], "files that a killed role had begun")
        print(f"{sum(done.values())} kills (seed {seed}) in {killed - began:.0f} s: {done}; {counts}, "
              f"after {time.monotonic() - began:.0f} s")


OPTIONS = {"--kills": "10", "--seed": "1"}

if __name__ == "__main__":
    muster_command.take_options(OPTIONS)
    muster_command.test_main()
