"""What tests of deployments ask of a task: how it stands, and whether everything that states its cost agrees."""

import json

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

    def proxy(self, deployment, name, key, also=(), **faults):
        """Puts a proxy between the role NAME and the server that its configuration has under this key, and between
        those of `also` and the same server."""
        proxy = UnreliableProxy(deployment.port_of(name, key), **faults)
        self.addCleanup(proxy.close)
        for each in (name, *also):
            deployment.redirect(each, key, proxy.port)
        return proxy

    def expect_done(self, output, uploads, devices, rounds):
        """The task has ended by itself with `rounds` rounds released, at the epsilon that `muster account` prints. What
        the proxy `uploads` saw of each round agrees with how many of the `devices` were heard in it: all that were told
        so, and none that had not sent. Returns what `muster verify` says."""
        result, verified, status = json.loads(output.splitlines()[-1]), self.verify(), self.status("aggregator")
        account = json.loads(self.run_command("account", "plan.toml", "--rounds", rounds, "--json").stdout)
        self.assertEqual((result["stopped"], verified["ended"], status["state"]), ("done", "done", "done"))
        self.assertEqual(verified["findings"], [])
        epsilons = {result["epsilon"], verified["epsilon"], status["epsilon"]["upper"], account["epsilon"]["upper"]}
        self.assertEqual(len(epsilons), 1, epsilons)
        counts, outcomes = verified["counts"], [each["outcome"] for each in verified["rounds"]]
        self.assertEqual((counts["released"], counts["spent"]), (rounds, 0), verified)
        self.assertEqual(counts, {**{kind: outcomes.count(kind) for kind in ("released", "spent", "void")},
                                  "opened": len(outcomes)})
        self.assertEqual((result["rounds"], {key: status["rounds"][key] for key in counts}), (counts, counts))
        # The task, an opening and an outcome of each round, and the end.
        self.assertEqual(verified["entries"], 2 + 2 * len(outcomes))
        for each in verified["rounds"]:
            acknowledged, sent = (len(noted[each["round"]]) for noted in (uploads.acknowledged, uploads.sent))
            with self.subTest(round=each["round"], acknowledged=acknowledged, sent=sent):
                self.assertEqual(each["signed_by"], "shuffler")
                self.assertTrue(acknowledged <= each["heard"] <= min(sent, devices), each)
                if each["outcome"] == "released":
                    self.assertGreaterEqual(each["heard"], 12)
        return verified
