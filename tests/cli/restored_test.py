"""Folders of a deployment that are restored from an earlier copy, one by one and two together.

    python3 tests/cli/restored_test.py --command build/release/muster [--long]

docs/deployment.md says under "Copies of a role's folder" what the roles then find out, and what they do.
"""

import json
import re
import shutil
import sys
import time
import unittest

import muster_command
import role_processes
from deployed_tasks import DeployedTasks

SECONDS = 3  # of a round
REFUSED = "the shuffler refuses the issuer's key directory"
LOG_OF_ROUND_1 = "uploads-1.log"

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")


class Restored(DeployedTasks):
    def begin(self, rounds=2, **options):
        deployment = self.deployment(seconds=SECONDS, text=role_processes.plan(rounds=rounds), **options)
        deployment.start_servers()
        return deployment

    def copy(self, name):
        shutil.copytree(self.folder / name, self.folder / f"old {name}")

    def restore(self, name):
        shutil.rmtree(self.folder / name)
        shutil.copytree(self.folder / f"old {name}", self.folder / name)

    def kill_and_copy(self, deployment, name):
        """Makes a copy of the role's folder as a crash leaves it, and starts the role again."""
        deployment.running[name].kill()
        self.copy(name)
        deployment.start_any(name)
        deployment.expect_up(name)
        return deployment.running[name]

    def kill_and_restore(self, deployment, name):
        deployment.running[name].kill()
        self.restore(name)
        return deployment.start_any(name)

    def outcomes(self, verified):
        return [each["outcome"] for each in verified["rounds"]]

    def test_a_shuffler_goes_on_with_the_next_round(self):
        """The copy is of the first round, and is restored within the second, whose key it lacks."""
        deployment = self.begin()
        aggregator, _ = deployment.start_aggregator()
        deployment.start_client(0)
        deployment.running["shuffler"].until("round 1 is open")
        self.kill_and_copy(deployment, "shuffler")
        aggregator.until("round 1 is released")
        deployment.running["shuffler"].until("round 2 is open")
        shuffler = self.kill_and_restore(deployment, "shuffler")
        self.assertTrue((self.folder / "old shuffler" / LOG_OF_ROUND_1).exists())
        aggregator.until("round 2 is void")
        shuffler.until("round 3 is open")
        self.assertFalse((self.folder / "shuffler" / LOG_OF_ROUND_1).exists())
        status, output = aggregator.result()
        self.assertEqual((status, json.loads(output.splitlines()[-1])["stopped"]), (0, "done"))
        verified = self.verify()
        self.assertEqual(self.outcomes(verified), ["released", "void", "released"])
        self.assertEqual([each["signed_by"] for each in verified["rounds"]], ["shuffler"] * 3)
        self.assertEqual([each["heard"] for each in verified["rounds"]], [12, 0, 12])
        self.check_cost(self.status("aggregator"), verified["epsilon"], charged=2)
        self.assertNotRegex(shuffler.said(), "round 1 is (closed|destroyed)")  # it was forgotten, and not run again

    @unittest.skipUnless(LONG, "with --long")
    def test_a_shuffler_with_its_key_alone_does_not_know_whether_a_batch_left_it(self):
        deployment = self.begin()
        aggregator, _ = deployment.start_aggregator()
        deployment.start_client(0)
        shuffler = deployment.running["shuffler"]
        shuffler.until("round 1 is open")
        aggregator.kill()
        shuffler.until("round 1 is closed, its reports are shuffled")
        shuffler.kill()
        for path in (self.folder / "shuffler").iterdir():
            if path.suffix != ".key":
                path.unlink()
        deployment.start_any("shuffler")
        deployment.expect_up("shuffler")
        self.expect_refused("lacks the outcome of rounds that the shuffler has opened", "expected: 1 rounds")
        self.expect_charged(deployment, ["spent"], "stopped")

    def expect_refused(self, *words):
        """Checks that the aggregator ends with exit 3, says these words, and what goes on nevertheless."""
        said = self.run_command("aggregator", "aggregator.toml", status=3).stderr.splitlines()[-1]
        for part in ("restored from an older copy?", "--charge-lost-rounds", *words):
            self.assertIn(part, said)

    def expect_charged(self, deployment, outcomes, stopped):
        """Checks that these outcomes, charged without the shuffler's word, are what --charge-lost-rounds comes to."""
        status, output = deployment.start("aggregator", "--charge-lost-rounds", "--stop", "--json").result()
        result, verified = json.loads(output.splitlines()[-1]), self.verify()
        self.assertEqual((status, result["stopped"], verified["findings"]), (0, stopped, []))
        self.assertEqual(self.outcomes(verified), outcomes)
        self.assertEqual({(each["reason"], each["signed_by"]) for each in verified["rounds"]}, {("lost", "")})
        self.check_cost(result, result["epsilon"], charged=len(outcomes))

    def test_aggregator_and_shuffler_together(self):
        """Within a round that is opened again, devices are not heard. After a release, the issuer knows of it."""
        deployment = self.begin()
        aggregator, _ = deployment.start_aggregator()
        aggregator.until("rounds are planned")
        aggregator.kill()
        self.copy("aggregator")
        shuffler = self.kill_and_copy(deployment, "shuffler")
        uploads = self.proxy(deployment, "client0", "shuffler")
        aggregator, _ = deployment.start_aggregator()
        deployment.start_client(0)
        shuffler.until("round 1 is open")
        end = time.monotonic() + role_processes.PATIENCE
        while sum(uploads.downloads.values()) < 12 and time.monotonic() < end:
            time.sleep(0.02)  # a device that has downloaded the model has tossed its coin
        aggregator.kill()
        self.kill_and_restore(deployment, "shuffler")
        aggregator = self.kill_and_restore(deployment, "aggregator")
        aggregator.until("round 1 is void")
        aggregator.until("round 2 is released")
        aggregator.kill()
        seen = self.verify()
        self.assertEqual(self.outcomes(seen)[:2], ["void", "released"])
        self.assertLess(seen["rounds"][0]["heard"], 12)
        self.restore("aggregator")
        self.expect_refused("is not the one that the shuffler saw last", self.verify()["head"])
        self.kill_and_restore(deployment, "shuffler")
        deployment.expect_up("shuffler")
        self.expect_refused("lacks the outcome of rounds that the shuffler has opened", "expected: 2 rounds")
        self.expect_charged(deployment, ["spent", "spent"], "done")

    def test_an_issuer_is_refused(self):
        deployment = self.begin()
        self.kill_and_copy(deployment, "issuer")
        aggregator, url = deployment.start_aggregator()
        client = deployment.start_client(0)
        deployment.running["shuffler"].until("round 1 is open")
        began = time.monotonic()
        self.kill_and_restore(deployment, "issuer")
        aggregator.until(REFUSED)
        client.until("uploads are acknowledged")
        time.sleep(max(0, began + SECONDS + 0.5 - time.monotonic()))  # until the round's time is over
        status = self.status(url)
        self.assertEqual((status["state"], status["rounds"]["opened"]), ("open", 1))
        self.assertIn(REFUSED, status["reason"])
        self.assertEqual(aggregator.stop(), 0)
        self.assertEqual(self.outcomes(self.verify()), ["open"])
        # An operator who ends the task waits for the open round, unless it is given up and charged.
        stopping = deployment.start("aggregator", "--stop")
        stopping.until(REFUSED)
        self.assertIsNone(stopping.process.poll())
        self.assertEqual(stopping.stop(), 0)
        self.check_cost(self.status("aggregator"), self.verify()["epsilon"], charged=0)
        self.expect_charged(deployment, ["spent"], "stopped")

    def test_a_device_is_heard_once(self):
        """Its clone sends another upload with the same token. Both are told that they are heard, and one is counted. Of
        two tokens for one later round, the issuer gives one, also to the device restored from before it asked."""
        deployment = self.begin(rounds=6, devices=(11, 1, 1))
        for i in (1, 2, 0):  # the first round's tokens are issued until shortly after the twelfth
            deployment.start_client(i).until("devices take part")
        deployment.until_issued(13)
        deployment.running["client2"].kill()  # the first round does not end before its time, since it has a token
        deployment.running["client1"].kill()
        self.copy("client1")
        shutil.copytree(self.folder / "client1", self.folder / "clone")
        text = (self.folder / "client1.toml").read_text()
        (self.folder / "client3.toml").write_text(text.replace('folder = "client1"', 'folder = "clone"'))
        deployment.devices = (*deployment.devices, 1)
        aggregator, url = deployment.start_aggregator()
        twins = [deployment.start_client(i) for i in (1, 3)]
        for twin in twins:
            twin.until("1 uploads are acknowledged")
        aggregator.until("round 1 is released")
        self.assertEqual(self.status(url)["rejected"]["uploads"]["repeated"], 1)
        self.until_refused(twins)  # so one of them has a token that the copy lacks
        deployment.running["client3"].kill()
        self.until_refused([self.kill_and_restore(deployment, "client1")])
        self.assertEqual(aggregator.stop(), 0)
        self.assertEqual(self.verify()["rounds"][0]["heard"], 12)

    def until_refused(self, devices):
        """Waits until the issuer has refused a token to one of these devices."""
        end = time.monotonic() + role_processes.PATIENCE
        while not any(re.search("[1-9][0-9]* tokens refused", device.said()) for device in devices):
            self.assertLess(time.monotonic(), end, [device.said() for device in devices])
            time.sleep(0.05)


if __name__ == "__main__":
    muster_command.test_main()
