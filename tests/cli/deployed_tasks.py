"""What tests of deployments ask of a task: how it stands, and whether everything that states its cost agrees."""

import json
import shutil
import sqlite3

from role_processes import Deployment
from small_runs import SmallRuns
from unreliable_proxy import UnreliableProxy


class DeployedTasks(SmallRuns):
    def deployment(self, **options):
        deployment = Deployment(self.folder, **options)
        self.addCleanup(deployment.close)
        return deployment

    def verify(self, folder="aggregator", status=0):
        return json.loads(self.run_command("verify", folder, "--json", status=status).stdout)

    def status(self, where):
        return json.loads(self.run_command("status", where, "--json").stdout)

    def account(self, rounds):
        return json.loads(self.run_command("account", "plan.toml", "--rounds", rounds, "--json").stdout)

    def check_cost(self, stated, epsilon, charged):
        """Checks that the statement costs what `muster account` says: epsilon for the rounds charged, and the local
        epsilon for all rounds that were opened."""
        self.assertEqual(epsilon, self.account(charged)["epsilon"]["upper"])
        self.assertEqual(stated["local"], self.account(stated["local"]["rounds"])["local"])

    def check_cut(self, deployment):
        """Checks that the updates of the model, or a noted head, show that a ledger lacks its last entries."""
        whole = self.verify()["head"]
        self.assertEqual(self.run_command("verify", "aggregator", "--head", whole).stdout.splitlines()[-1].split(),
                         "and no entry up to the one of --head is missing".split())
        for name, missing, is_seen in (("three", 3, True), ("one", 1, False)):
            shutil.copytree(self.folder / "aggregator", self.folder / name)
            with sqlite3.connect(self.folder / name / "store.db") as store:
                store.execute("DELETE FROM log WHERE number > (SELECT max(number) FROM log) - ?", (missing,))
            store.close()
            found = self.verify(name, status=3 if is_seen else 0)
            self.assertEqual(len(found["findings"]), is_seen)
            found = json.loads(self.run_command("verify", name, "--head", whole, "--json", status=3).stdout)
            self.assertIn(f"no entry is the one of --head, {whole}", found["findings"][-1])
        self.assertIn("the model has had 3 updates, and the ledger has released 2 rounds",
                      self.verify("three", status=3)["findings"][0])
        self.assertIn("A ledger that lacks its last entries would look the same",
                      self.run_command("verify", "one").stdout)
        deployment.write("three", shuffler="http://127.0.0.1:9")
        error = self.refusal("aggregator", "three.toml", status=3)
        self.assertEqual((error["key"], error["value"]), ("three/store.db", "2 rounds released"))
        self.assertIn("lacks entries at its end", error["message"])
        for head in ("", "12", whole[:-1] + "g", whole + "0"):
            error = self.refusal("verify", "aggregator", "--head", head, status=2)
            self.assertEqual((error["key"], error["reason"]), ("--head", "malformed"))
        zeros = self.run_command("verify", "aggregator", "--head", "0" * 64, "--json", status=3).stdout
        self.assertIn("--head", json.loads(zeros)["findings"][0])

    def proxy(self, deployment, name, key, also=(), **faults):
        """Puts a proxy between the role NAME and the server that its configuration has under this key, and between
        those of `also` and the same server."""
        proxy = UnreliableProxy(deployment.port_of(name, key), **faults)
        self.addCleanup(proxy.close)
        for each in (name, *also):
            deployment.redirect(each, key, proxy.port)
        return proxy

    def expect_done(self, output, uploads, devices, rounds):
        """Checks that the task has ended by itself with `rounds` rounds released, at the epsilon that `muster account`
        prints. In each round, at least as many of the `devices` were heard as the proxy `uploads` saw acknowledged, and
        at most as many as it saw sending. Returns what `muster verify` says."""
        result, verified, status = json.loads(output.splitlines()[-1]), self.verify(), self.status("aggregator")
        account = self.account(rounds)
        self.assertEqual((result["stopped"], verified["ended"], status["state"]), ("done", "done", "done"))
        self.assertEqual(verified["findings"], [])
        epsilons = {result["epsilon"], verified["epsilon"], status["epsilon"]["upper"], account["epsilon"]["upper"]}
        self.assertEqual(len(epsilons), 1, epsilons)
        counts, outcomes = verified["counts"], [each["outcome"] for each in verified["rounds"]]
        self.assertEqual((counts["released"], counts["spent"]), (rounds, 0), verified)
        self.assertEqual(counts, {**{kind: outcomes.count(kind) for kind in ("released", "spent", "void")},
                                  "opened": len(outcomes)})
        self.assertEqual((result["rounds"], {key: status["rounds"][key] for key in counts}), (counts, counts))
        # The entries are the task, an opening and an outcome of each round, and the end.
        self.assertEqual(verified["entries"], 2 + 2 * len(outcomes))
        for each in verified["rounds"]:
            acknowledged, sent = (len(noted[each["round"]]) for noted in (uploads.acknowledged, uploads.sent))
            with self.subTest(round=each["round"], acknowledged=acknowledged, sent=sent):
                self.assertEqual(each["signed_by"], "shuffler")
                self.assertTrue(acknowledged <= each["heard"] <= min(sent, devices), each)
                if each["outcome"] == "released":
                    self.assertGreaterEqual(each["heard"], 12)
        return verified
