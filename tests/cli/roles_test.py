"""Runs a deployment as real processes: an issuer, a shuffler, an aggregator, and clients of several devices each.

    python3 tests/cli/roles_test.py --command build/release/muster
"""

import json
import shutil
import signal
import sqlite3
import stat
import time
import urllib.request

import configurations
import muster_command
from deployed_tasks import DeployedTasks

SAME = ("delta", "validity", "neighbouring", "view")

# Within this many seconds after a round begins, every device has heard of it and computed. A device that misses its
# send time because the shuffler or its own process was away sends the message of the zero vector, as it must; the model
# then differs from the simulation's.
SETTLED = 2

REFUSED = "Couldn't connect to server"  # where nobody listens

STATUS = ["task", "plan", "state", "reason", "rounds", "epsilon", "epsilon_planned", "delta", "validity",
          "neighbouring", "view", "bound", "local", "population", "assumptions", "accuracy", "last", "rejected",
          "alarm"]


class Roles(DeployedTasks):
    def write(self, role, changed=""):
        configurations.write(self.folder, role, changed)

    def check_beginning(self, url):
        """Checks that nothing was charged yet, and that the epsilon of the planned rounds is stated."""
        status = self.status(url)
        account = json.loads(self.run_command("account", "plan.toml", "--json").stdout)
        self.assertEqual(list(status), STATUS)
        self.assertEqual((status["state"], status["epsilon"]), ("waiting", {"upper": 0, "lower": 0}))
        self.assertEqual(status["local"], {"epsilon": 0, "delta": 1e-4, "rounds": 0})
        self.assertEqual((status["epsilon_planned"], status["bound"]), (account["epsilon"]["upper"], account["bound"]))
        self.assertEqual([status[key] for key in (*SAME, "assumptions")],
                         [account[key] for key in (*SAME, "assumptions")])
        self.assertEqual([status[key] for key in ("population", "last", "accuracy", "alarm")], [None] * 4)
        self.assertEqual(status["rounds"], {"released": 0, "spent": 0, "void": 0, "opened": 0, "planned": 3, "most": 6})
        words = self.run_command("status", url).stdout
        for part in ("waiting: ", "0 released", "at delta 0.0001", "nobody is protected"):
            self.assertIn(part, words)

    def check_open(self, url, running):
        """Checks that the second round is open, and that the first was charged as `muster account` says."""
        status, end = self.status(url), time.monotonic() + 30
        while status["state"] != "open" and time.monotonic() < end:
            status = self.status(url)
        account = self.account(1)
        self.assertEqual((status["state"], status["reason"]), ("open", "round 2 is open"))
        self.assertEqual(status["epsilon"], account["epsilon"])
        self.assertEqual(status["epsilon"]["upper"], running["epsilon"])
        self.assertEqual(status["local"]["rounds"], 2)
        last = status["last"]
        self.assertEqual((last["round"], last["heard"], last["needed"]), (1, 12, 12))
        self.assertEqual(last["check_ins"], running["rounds"][0]["reports"])
        low, high = last["band"]
        self.assertTrue(low <= last["check_ins"] <= high, last)
        self.assertEqual(set(last["rejected"].values()), {0})
        with urllib.request.urlopen(f"{url}/healthz") as answer:
            self.assertEqual(answer.status, 200)

    def refuse_second(self, deployment, name, *flags):
        error = self.refusal(name.rstrip("012"), f"{name}.toml", *flags, status=3)
        self.assertEqual(error["key"], name)
        self.assertIn("is in use by another process", error["message"])

    def check_private(self, deployment):
        """Checks that core files are off, folders are closed to others, and no name of a device was said."""
        for name, role in deployment.running.items():
            limits = (f"/proc/{role.process.pid}/limits")
            with open(limits, encoding="utf-8") as file:
                self.assertRegex(file.read(), r"Max core file size +0 +0 ")
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o700)
        said = deployment.logs()
        for i in range(len(deployment.devices)):
            for line in (self.folder / f"client{i}/devices.txt").read_text().splitlines()[1:]:
                for word in line.replace("#", "").split():
                    self.assertNotIn(word, said)

    def test_the_model_and_its_epsilon_are_those_of_the_simulation(self):
        """Each role is killed once with rounds under way, and loses nothing."""
        deployment = self.deployment(devices=(4, 4, 3, 1))
        deployment.start_servers()
        aggregator, url = deployment.start_aggregator()
        self.check_beginning(url)
        clients = [deployment.start_client(i) for i in range(len(deployment.devices))]
        shuffler = deployment.running["shuffler"]
        shuffler.until("round 1 is open")
        self.check_private(deployment)
        self.refuse_second(deployment, "issuer")
        self.refuse_second(deployment, "shuffler")
        self.refuse_second(deployment, "aggregator")
        self.refuse_second(deployment, "client0", "--devices", "4")
        for command in ("verify", "status"):
            self.assertIn("is in use by another process", self.refusal(command, "aggregator", status=3)["message"])
        time.sleep(SETTLED)
        shuffler.kill()
        shuffler = deployment.start("shuffler")
        clients[3].until("1 uploads are acknowledged")
        clients[3].kill()
        clients[3] = deployment.start_client(3)
        shuffler.until("round 2 is open")
        aggregator.kill()
        running = self.verify()
        self.assertEqual([round["outcome"] for round in running["rounds"]], ["released", "open"])
        self.assertEqual(self.status("aggregator")["state"], "open")
        aggregator, url = deployment.start_aggregator()
        self.check_open(url, running)
        deployment.running["issuer"].kill()
        issuer = deployment.start("issuer")
        shuffler.until("round 3 is open")
        time.sleep(SETTLED)
        self.assertEqual(aggregator.stop(), 0)
        self.assertEqual(shuffler.stop(), 0)
        shuffler = deployment.start("shuffler")
        aggregator, _ = deployment.start_aggregator()
        status, output = aggregator.result()
        self.assertEqual(status, 0, aggregator.said())
        self.compare(json.loads(output), aggregator)
        self.assertEqual(clients[0].stop(signal.SIGINT), 0, clients[0].said())
        for role in (issuer, shuffler, *clients[1:]):
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
        status = self.status("aggregator")
        self.assertEqual((status["state"], status["reason"]), ("done", "every planned round was charged"))
        self.assertEqual((status["epsilon"], status["local"]), (account["epsilon"], account["local"]))
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
                self.assertEqual(epsilon, self.account(rounds)["epsilon"]["upper"])

    def check_again(self, deployment):
        """Checks that a task that is over says so again, and that a changed ledger is refused."""
        words = " ".join(self.run_command("aggregator", "aggregator.toml").stdout.split())
        for part in ("(proven, replace-one, shuffler and aggregator do not collude), by the", "3 released", "done:",
                     "nobody is protected"):
            self.assertIn(part, words)
        staying, url = deployment.start_aggregator("--stay")
        self.assertEqual(json.loads(staying.process.stdout.readline())["stopped"], "done")
        self.assertEqual(self.status(url)["state"], "done")
        self.assertIsNone(staying.process.poll())
        self.assertEqual(staying.stop(), 0)
        self.assertIn("every epsilon are as they must be", self.run_command("verify", "aggregator").stdout)
        self.assertEqual(self.refusal("verify", "shuffler", status=3)["key"], "shuffler/task.txt")
        for name, change in (("changed", "UPDATE log SET row = CAST(substr(row, 1, 9) || x'00' || substr(row, 11) "
                                         "AS BLOB) WHERE number = 3"),
                             ("missing", "DELETE FROM log WHERE number = 3"),
                             ("swapped", "UPDATE log SET number = -number WHERE number IN (2, 3); "
                                         "UPDATE log SET number = 5 + number WHERE number < 0"),
                             ("cut", "DELETE FROM log WHERE number = 1")):
            shutil.copytree(self.folder / "aggregator", self.folder / name)
            with sqlite3.connect(self.folder / name / "store.db") as store:
                store.executescript(change)
            store.close()
            error = self.refusal("verify", name, status=3)
            self.assertIn("entry", error["message"])
            deployment.write(name, shuffler="http://127.0.0.1:9")
            error = self.refusal("aggregator", f"{name}.toml", status=3)
            self.assertEqual(error["key"], f"{name}/store.db")
            self.assertIn("entry", error["message"])
        self.check_cut(deployment)

    def test_a_client_says_which_role_does_not_answer(self):
        deployment = self.deployment()
        deployment.start_servers()
        servers = [deployment.running[name] for name in ("issuer", "shuffler")]
        for server in servers:
            self.assertEqual(server.stop(), 0)
        client = deployment.start_client(0)
        ports = {role: deployment.port_of("client0", role) for role in ("issuer", "shuffler")}
        client.until(f"of 12 devices cannot reach the shuffler at http://127.0.0.1:{ports['shuffler']} ({REFUSED}); they try again")
        client.until(f"of 12 devices get no tokens from the issuer at http://127.0.0.1:{ports['issuer']} ({REFUSED}); they try again")
        shuffler = deployment.start("shuffler")
        shuffler.until(f"the issuer cannot be reached: {REFUSED}; it is asked again")
        deployment.start("issuer")
        shuffler.until("the issuer answers again")
        client.until("the issuer answers again")
        client.until("the shuffler answers again")
        self.assertEqual(client.stop(), 0)

    def test_too_few_devices_leave_a_round_void(self):
        """One device of twelve is away after its tokens were issued: nothing is released, and nothing is charged."""
        deployment = self.deployment(devices=(6, 6), seconds=2)
        deployment.start_servers()
        aggregator, _ = deployment.start_aggregator()
        aggregator.until("3 rounds are planned")
        self.assertEqual(aggregator.stop(), 0)
        shutil.copytree(self.folder / "aggregator", self.folder / "yesterday")
        aggregator, url = deployment.start_aggregator()
        clients = [deployment.start_client(i) for i in range(2)]
        deployment.running["shuffler"].until("round 1 is open")
        clients[1].kill()
        aggregator.until("round 1 is void: ")
        status = self.status(url)
        self.assertGreaterEqual(status["rounds"]["void"], 1)
        self.assertEqual((status["epsilon"]["upper"], status["last"]["band"]), (0, None))
        self.assertLess(status["last"]["heard"], 12)
        # A void round costs no epsilon. But it was opened, so it counts if shuffler and aggregator collude.
        self.assertGreaterEqual(status["local"]["rounds"], status["rounds"]["void"])
        self.check_cost(status, status["epsilon"]["upper"], 0)
        self.assertEqual(status["last"]["enrolled"], 12)
        self.assertEqual(aggregator.stop(), 0)
        found = self.verify()
        self.assertEqual((found["counts"]["released"], found["counts"]["spent"], found["epsilon"]), (0, 0, 0))
        self.assertRegex(found["rounds"][0]["reason"], r"heard \d+ devices, fewer than 12")
        stopping = deployment.start("aggregator", "--json", "--stop")
        clients[1] = deployment.start_client(1)
        status, output = stopping.result()
        self.assertEqual((status, json.loads(output.splitlines()[-1])["stopped"]), (0, "stopped"))
        self.assertEqual(self.verify()["ended"], "stopped")
        (self.folder / "aggregator").rename(self.folder / "today")
        (self.folder / "yesterday").rename(self.folder / "aggregator")
        said = self.run_command("aggregator", "aggregator.toml", status=3).stderr.splitlines()[-1]
        today = self.verify("today")
        self.assertIn(self.verify()["head"], said)
        self.assertIn("--charge-lost-rounds", said)
        lost = deployment.start("aggregator", "--charge-lost-rounds", "--json", "--stop")
        lost.until("round 1 is spent without an update (lost)")
        clients[0].kill()
        status, output = lost.result()
        result = json.loads(output.splitlines()[-1])
        rounds = result["rounds"]
        self.assertEqual((status, rounds["spent"]), (0, min(3, today["counts"]["opened"])))
        self.assertEqual(result["local"]["rounds"], rounds["opened"])
        self.check_cost(result, result["epsilon"], rounds["released"] + rounds["spent"])

    def test_tasks_on_one_population_share_its_budget(self):
        deployment = self.deployment()
        budget = {"shuffler": "http://127.0.0.1:9", "population": "population.db"}
        deployment.write("aggregator", population_budget=[2.7, 1e-3], **budget)
        self.assertIn("does not pay for this task", self.refusal("aggregator", "aggregator.toml", status=4)["message"])
        deployment.write("aggregator", population_budget=[3, 1e-3], **budget)
        for _ in range(2):  # what is reserved is not reserved again
            aggregator = deployment.start("aggregator", "--json")
            aggregator.until(f"the shuffler cannot be reached: {REFUSED}")
            status = self.status(deployment.ready(aggregator)["status"])
            self.assertEqual(status["population"]["epsilon"], status["epsilon_planned"])
            self.assertEqual(status["population"]["budget"], {"epsilon": 3, "delta": 1e-3})
            self.assertEqual(aggregator.stop(), 0)
        deployment.write("aggregator", population_budget=[0.5, 1e-9], **budget)
        aggregator = deployment.start("aggregator", "--json")
        aggregator.until("population_budget = [0.5, 1e-09] is less than the tasks on this population have reserved")
        self.assertEqual(aggregator.stop(), 0)
        keys = [word for role in ("issuer", "shuffler", "aggregator") for word in (f"--{role}", f"{role}/{role}.pub")]
        deployment.muster("keygen", "task", "plan.toml", *keys, "--malicious", "0", "--seconds", "9", "--out",
                          "second.txt")
        (self.folder / "second").mkdir()
        shutil.copy(self.folder / "aggregator/aggregator.key", self.folder / "second")
        deployment.write("second", population_budget=[3, 1e-3], **{**budget, "task": "second.txt"})
        error = self.refusal("aggregator", "second.toml", status=4)
        self.assertEqual(error["key"], "population_budget")
        deployment.write("second", **{"shuffler": "http://127.0.0.1:9", "task": "second.txt", "folder": "aggregator"})
        self.assertIn("is another task", self.refusal("aggregator", "second.toml", status=3)["message"])

    def test_what_else_a_role_refuses(self):
        self.deployment()
        for role in ("issuer", "shuffler", "aggregator", "client0"):
            self.write(role)
        few = "".join((self.folder / "devices.txt").read_text().splitlines(keepends=True)[:6])
        (self.folder / "few.txt").write_text(few)
        (self.folder / "bad.txt").write_text("abc\n")
        (self.folder / "ca.pem").write_text("no certificate\n")
        for status, words, arguments in [
                (2, "are too few to open the task", ["issuer", "issuer.toml"]),
                (3, "line 1", ["issuer", "issuer.toml", "--enrol", "bad.txt"]),
                (3, "none.txt", ["issuer", "issuer.toml", "--enrol", "none.txt"]),
                (2, "--devices 3", ["client", "client0.toml", "--devices", "3"]),
                (2, "integer 1..", ["client", "client0.toml", "--devices", "0"]),
                (2, "FOLDER is missing", ["verify"]),
                (3, "absent is no folder", ["verify", "absent"]),
                (2, "WHERE is missing", ["status"]),
                (3, "absent is neither a folder nor such a URL", ["status", "absent"]),
                (3, "cannot be reached", ["status", "http://127.0.0.1:9"]),
                (3, "none.pem", ["status", "https://127.0.0.1:9", "--ca", "none.pem"]),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(words, self.refusal(*arguments, status=status)["message"])
        said = self.run_command("issuer", "issuer.toml", "--enrol", "few.txt", status=2).stderr
        self.assertIn("enrolled devices = 5 are too few to open the task", said)
        for line in ("max_epsilon = 0.1", "max_epsilon0 = 1.9", "max_delta = 1e-5", "min_clients = 13",
                     "max_rounds = 5", "allow_seeded = false"):
            with self.subTest(line=line):
                self.write("client0", line)
                error = self.refusal("client", "client0.toml", "--devices", "12", status=2)
                self.assertEqual(error["key"], f"policy.{line.split()[0]}")
                self.assertIn("does not allow the task", error["message"])
        for role, line in (("shuffler", 'ca = "ca.pem"'), ("aggregator", 'ca = "none.pem"'),
                           ("client0", 'ca = "ca.pem"')):
            self.write(role, line)
            flags = ["--devices", "12"] if role == "client0" else []
            self.assertIn(".pem", self.refusal(role.rstrip("0"), f"{role}.toml", *flags, status=3)["message"])
        self.write("aggregator", 'population = "/proc/muster/population.db"\npopulation_budget = [9, 0.1]')
        error = self.refusal("aggregator", "aggregator.toml", status=3)
        self.assertIn("/proc/muster/population.db cannot be opened", error["message"])
        for role in ("issuer", "shuffler", "aggregator", "client0"):
            self.check_keys_and_tasks(role)

    def check_keys_and_tasks(self, role):
        """Checks the refusal of a key that others may read, of another role's key or none, of damaged tasks, and of bad
        folders."""
        self.write(role)
        name = role.rstrip("0")
        key = next((self.folder / role).glob("*.key"))
        arguments = [name, f"{role}.toml", *(["--devices", "12"] if role == "client0" else [])]
        key.chmod(0o644)
        self.assertIn("mode 0644", self.refusal(*arguments, status=3)["message"])
        key.chmod(0o600)
        text = key.read_text()
        for other in (text.replace("secret key 1 ", "secret key 1 other-"), "", text[:-3]):
            key.write_text(other)
            self.assertIn("is not the key that is needed", self.refusal(*arguments, status=3)["message"])
        key.write_text(text)
        task = (self.folder / "task.txt").read_text()
        for other in (task.replace("task.seconds = 8", "task.seconds = 0"), task[:-9], "",
                      task.replace("digits", "\0")):
            (self.folder / "task.txt").write_text(other)
            self.assertIn("task.txt", self.refusal(*arguments, status=3)["message"])
        (self.folder / "task.txt").write_text(task)
        self.write(role, 'folder = "plan.toml"')
        self.assertIn("is no folder", self.refusal(*arguments, status=3)["message"])
        # Not even the administrator can change the rights of a process's own folder.
        for folder, words in (("misspelt", "does not exist"), ("/proc/self", "neither a key nor a store")):
            self.write(role, f'folder = "{folder}"')
            self.assertIn(f"{folder} ", self.refusal(*arguments, status=3)["message"])
            self.assertIn(words, self.refusal(*arguments, status=3)["message"])
        self.assertFalse((self.folder / "misspelt").exists())
        self.write(role, 'task = "none.txt"')
        self.assertIn("none.txt", self.refusal(*arguments, status=3)["message"])


if __name__ == "__main__":
    muster_command.test_main()
