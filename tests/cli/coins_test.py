"""After a round, nothing in the folder of a real device tells how its coin fell, what it sent, or with which token.

    python3 tests/cli/coins_test.py --command build/release/muster

All files of the devices, the write-ahead logs of their stores included, are searched for the bytes. While the round is
open, the same search finds them.
"""

import time

import device_stores
import muster_command
import role_processes
from deployed_tasks import DeployedTasks

ROUNDS, DEVICES, SECONDS = 2, 12, 4


class Coins(DeployedTasks):
    def found(self, needles):
        """Returns which of these bytes are in some file of the devices now."""
        texts = [path.read_bytes() for path in (self.folder / "client0").rglob("*") if path.is_file()]
        return {needle for needle in needles if any(needle in text for text in texts)}

    def secrets_of(self, number):
        """Returns bytes of the round's coins, sealed uploads and tokens of the devices, by kind."""
        secrets = {"coin": set(), "upload": set(), "token": set()}
        for blobs in device_stores.copied_blobs_in(self.folder / "client0"):
            if blobs.coin and int.from_bytes(blobs.coin[device_stores.ROUND], "little") == number:
                secrets["coin"].add(blobs.coin[device_stores.TOSSED])
                secrets["upload"].update({blobs.upload[9:41], blobs.upload[-32:]} if blobs.upload else ())
                for held in blobs.held():
                    if int.from_bytes(held[device_stores.ROUND], "little") == number:
                        secrets["token"].update({held[device_stores.NONCE], held[device_stores.SIGNATURE]})
        return secrets

    def until(self, is_so, what):
        end = time.monotonic() + role_processes.PATIENCE
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def search(self, deployment, uploads, number):
        """Searches while the round is open and after it. Returns what was searched for."""
        deployment.running["shuffler"].until(f"round {number} is open")
        self.until(lambda: len(uploads.acknowledged[number]) >= DEVICES / 3, "uploads are acknowledged")
        secrets = self.secrets_of(number)
        needles = set().union(*secrets.values())
        found = self.found(needles)
        print(f"round {number}: {({kind: len(each) for kind, each in secrets.items()})}, {len(found)} found while it is open")
        for kind, each in secrets.items():
            self.assertGreaterEqual(len(each & found), 2, f"the search finds each {kind} of an open round")
        deployment.running["aggregator"].until(f"round {number} is released")
        self.until(lambda: not self.found(needles), "what belongs to a round that is over is in no file")
        return needles

    def test_nothing_of_a_round_is_left_on_a_device(self):
        deployment = self.deployment(devices=(DEVICES,), seconds=SECONDS, text=role_processes.plan(rounds=ROUNDS))
        deployment.start_servers()
        uploads = self.proxy(deployment, "client0", "shuffler")
        aggregator, _ = deployment.start_aggregator()
        client = deployment.start_client(0)
        needles = set().union(*[self.search(deployment, uploads, number) for number in range(1, ROUNDS + 1)])
        self.assertEqual(aggregator.result()[0], 0)
        self.assertEqual(client.result()[0], 0)
        # A process that has ended has closed its stores. What it could have left is looked for once more.
        self.assertEqual(self.found(needles), set())


if __name__ == "__main__":
    muster_command.test_main()
