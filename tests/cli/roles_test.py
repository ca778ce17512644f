"""Runs a deployment as real processes: an issuer, a shuffler, an aggregator, and clients of several devices each.

    python3 tests/cli/roles_test.py --command build/release/muster
"""

import json
import shutil
import signal
import sqlite3
import stat
import subprocess
import time

import muster_command
from role_processes import POLICY, Deployment
from small_runs import SmallRuns

SAME = ("delta", "validity", "neighbouring", "view")


class Roles(SmallRuns):
    def deployment(self, **options):
        deployment = Deployment(self.folder, **options)
        self.addCleanup(deployment.close)
        return deployment

    def verify(self, folder="aggregator", status=0):
        return json.loads(self.run_command("verify", folder, "--json", status=status).stdout)

    def refuse_second(self, deployment, name, *flags):
        error = self.refusal(name.rstrip("012"), f"{name}.toml", *flags, status=3)
        self.assertEqual(error["key"], name)
        self.assertIn("is in use by another process", error["message"])

    def check_private(self, deployment):
        """No core file, no right of others to a folder, and no name of a device in what was said."""
        for name, role in deployment.running.items():
            limits = (f"/proc/{role.process.pid}/limits")
            with open(limits, encoding="utf-8") as file:
                self.assertRegex(file.read(), r"Max core file size +0 +0 ")
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o700)
        said = deployment.logs()
        for i in range(deployment.clients):
            for line in (self.folder / f"client{i}/devices.txt").read_text().splitlines()[1:]:
                for word in line.replace("#", "").split():
                    self.assertNotIn(word, said)

    def test_the_model_and_its_epsilon_are_those_of_the_simulation(self):
        """Each role is killed once with rounds under way, and loses nothing."""
        deployment = self.deployment()
        deployment.start_servers()
        aggregator = deployment.start("aggregator", "--json")
        clients = [deployment.start_client(i) for i in range(deployment.clients)]
        shuffler = deployment.running["shuffler"]
        shuffler.until("round 1 is open")
        self.check_private(deployment)
        self.refuse_second(deployment, "issuer")
        self.refuse_second(deployment, "shuffler")
        self.refuse_second(deployment, "aggregator")
        self.refuse_second(deployment, "client0", "--devices", "4")
        shuffler.kill()
        shuffler = deployment.start("shuffler")
        clients[0].kill()
        clients[0] = deployment.start_client(0)
        shuffler.until("round 2 is open")
        aggregator.kill()
        running = self.verify()
        self.assertEqual([round["outcome"] for round in running["rounds"]], ["released", "open"])
        aggregator = deployment.start("aggregator", "--json")
        deployment.running["issuer"].kill()
        issuer = deployment.start("issuer")
        shuffler.until("round 3 is open")
        self.assertEqual(aggregator.stop(), 0)
        self.assertEqual(clients[1].stop(signal.SIGINT), 0)
        self.assertEqual(shuffler.stop(), 0)
        shuffler = deployment.start("shuffler")
        clients[1] = deployment.start_client(1)
        aggregator = deployment.start("aggregator", "--json")
        status, output = aggregator.result()
        self.assertEqual(status, 0, aggregator.said())
        self.compare(json.loads(output), aggregator)
        for role in (issuer, shuffler, *clients):
            self.assertEqual(role.stop(), 0, role.said())
        self.check_again(deployment)

    def compare(self, result, aggregator):
        """Compares what the aggregator printed with `muster train`, `muster account` and `muster verify`."""
        trained = json.loads(self.run_command("train", "plan.toml", "--out", "run", "--json").stdout.splitlines()[-1])
        account = json.loads(self.run_command("account", "plan.toml", "--json").stdout)
        verified = self.verify()
        self.assertEqual(result["rounds"], {"released": 3, "spent": 0, "void": 0, "opened": 3}, aggregator.said())
        self.assertEqual((self.folder / "aggregator/model.safetensors").read_bytes(),
                         (self.folder / "run/model.safetensors").read_bytes())
        self.assertEqual((result["accuracy"], result["stopped"]), (trained["accuracy"], "done"))
        epsilons = {result["epsilon"], trained["epsilon"], account["epsilon"]["upper"], verified["epsilon"]}
        self.assertEqual(len(epsilons), 1, epsilons)
        self.assertEqual(result["local"], account["local"])
        self.assertEqual(result["bound"], account["bound"])
        for key in SAME:
            self.assertEqual((result[key], verified[key]), (account[key], account[key]))
        self.assertEqual((verified["counts"], verified["ended"], verified["findings"]), (result["rounds"], "done", []))
        for round in verified["rounds"]:
            self.assertEqual((round["outcome"], round["heard"], round["signed_by"]), ("released", 12, "shuffler"))
        epsilon = 0
        for rounds, round in enumerate(verified["rounds"], 1):
            self.assertGreater(round["epsilon"], epsilon)
            epsilon = round["epsilon"]
            if rounds < 3:
                shorter = self.run_command("account", "plan.toml", "--rounds", rounds, "--json").stdout
                self.assertEqual(epsilon, json.loads(shorter)["epsilon"]["upper"])

    def check_again(self, deployment):
        """A task that is over says so again, and a ledger that was changed is no ledger."""
        words = " ".join(self.run_command("aggregator", "aggregator.toml").stdout.split())
        for part in ("(proven, replace-one, shuffler and aggregator do not collude), by the", "3 released", "done:",
                     "nobody was protected"):
            self.assertIn(part, words)
        self.assertIn("every epsilon are as they must be", self.run_command("verify", "aggregator").stdout)
        self.assertEqual(self.refusal("verify", "shuffler", status=3)["key"], "shuffler/task.txt")
        for name, change in (("changed", "UPDATE log SET row = CAST(substr(row, 1, 9) || x'00' || substr(row, 11) "
                                         "AS BLOB) WHERE number = 3"),
                             ("missing", "DELETE FROM log WHERE number = 3"),
                             ("cut", "DELETE FROM log WHERE number = 1")):
            shutil.copytree(self.folder / "aggregator", self.folder / name)
            with sqlite3.connect(self.folder / name / "store.db") as store:
                store.execute(change)
            store.close()
            error = self.refusal("verify", name, status=3)
            self.assertIn("entry", error["message"])

    def test_too_few_devices_leave_a_round_void(self):
        """One device of twelve is away after its tokens were issued: nothing is released, and nothing is charged."""
        deployment = self.deployment(clients=2, devices=6, seconds=2)
        deployment.start_servers()
        aggregator = deployment.start("aggregator", "--json")
        clients = [deployment.start_client(i) for i in range(2)]
        deployment.running["shuffler"].until("round 1 is open")
        clients[1].kill()
        aggregator.until("round 1 is void: ")
        self.assertEqual(aggregator.stop(), 0)
        found = self.verify()
        self.assertEqual((found["counts"]["void"], found["epsilon"]), (1, 0))
        self.assertRegex(found["rounds"][0]["reason"], r"heard \d+ devices, fewer than 12")
        stopping = deployment.start("aggregator", "--json", "--stop")
        clients[1] = deployment.start_client(1)
        status, output = stopping.result()
        self.assertEqual((status, json.loads(output)["stopped"]), (0, "stopped"))
        self.assertEqual(self.verify()["ended"], "stopped")


if __name__ == "__main__":
    muster_command.test_main()
