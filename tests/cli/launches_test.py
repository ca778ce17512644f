"""Tests the command `muster account A B ...`: the cost of several launches on one population together."""

import pathlib
import tempfile

import muster_command
from muster_command import CommandTest, flags, run

PLAN = """[population]
clients = {clients}
{data}
[participation]
protocol = "shuffled-check-in"
rate = {rate}
[randomizer]
kind = "ldp-sgd"
epsilon0 = {epsilon0}
[rounds]
count = {rounds}
{delta}
"""


class Launches(CommandTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.often = self.plan("often.toml")
        self.rarely = self.plan("rarely.toml", rate=0.02, epsilon0=1, rounds=40)

    def plan(self, name, clients=2000, data="", rate=0.1, epsilon0=0.5, rounds=100, delta=1e-5):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(PLAN.format(clients=clients, data=data and f'data = "{data}"', rate=rate,
                                    epsilon0=epsilon0, rounds=rounds, delta="" if delta is None else f"[privacy]\ndelta = {delta}"))
        return str(path)

    def account(self, *arguments, note=""):
        done = run("account", *arguments, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, note), done.stderr)
        return self.one_line(done)

    def test_no_line_is_wider_than_80_columns(self):
        long_name = self.plan("o" * max(1, 40 - len(self.often)) + "-often-and.toml")
        for asked in ([], ["--epsilon", "1"], ["--basic"]):
            words = run("account", self.often, long_name, *asked).stdout
            self.assertLessEqual(max(map(len, words.splitlines())), 80, words)
            # The bound of each launch is named, in the table or in a note.
            self.assertGreaterEqual(words.count("class-c"), 2, words)

    def test_together_they_cost_more_than_each_and_less_than_the_sum(self):
        together = self.account(self.often, self.rarely)
        alone = [self.account(plan) for plan in (self.often, self.rarely)]
        self.assertEqual((together["bound"], together["validity"], together["rounds"]),
                         ("different-rounds", "proven", 140))
        total = together["epsilon"]["upper"]
        each = [answer["epsilon"]["upper"] for answer in alone]
        self.assertGreater(total, max(each))
        self.assertLess(total, sum(each))
        shares = together["launches"]
        self.assertEqual([share["plan"] for share in shares], [self.often, self.rarely])
        self.assertEqual([share["epsilon"]["upper"] for share in shares], each)
        for share, other in zip(shares, reversed(each)):
            self.assertAlmostEqual(share["without"], other, delta=2e-3 * other)
        basic = self.account(self.often, self.rarely, "--basic")
        self.assertEqual(basic["bound"], "basic-composition")
        self.assertGreater(basic["epsilon"]["upper"], total)
        self.assertEqual([share["without"] for share in basic["launches"]], [None, None])
        self.assertAlmostEqual(sum(share["epsilon"]["upper"] for share in basic["launches"]),
                               basic["epsilon"]["upper"], places=12)

    def test_delta_is_asked_at_an_epsilon_and_agrees(self):
        total = self.account(self.often, self.rarely)["epsilon"]["upper"]
        delta = self.account(self.often, self.rarely, "--epsilon", str(total))["delta"]["upper"]
        self.assertLessEqual(delta, 1e-5 * 1.01)
        self.assertGreater(delta, 0.9e-5)

    def test_the_table_names_each_plan(self):
        done = run("account", self.often, self.rarely, self.often)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("3 launches", done.stdout)
        self.assertEqual(done.stdout.count("\n" + self.often), 2)
        self.assertIn("all without it", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line.replace(self.folder.name, "")), 80, line)

    def test_populations_that_differ(self):
        more = self.plan("more.toml", clients=3000)
        note = ("muster: the plans have different numbers of clients: what follows is for a client who takes part in "
                "all launches\n")
        self.account(self.often, more, note=note)
        digits, faces = self.plan("digits.toml", data="digits"), self.plan("faces.toml", data="csv:faces.csv")
        self.account(digits, self.often)
        error = self.refused("account", digits, faces)
        self.assertEqual((error["key"], error["value"]), ("population.data", "csv:faces.csv"))
        self.assertIn(digits, error["message"])
        # A plan without data, named first, does not keep the others from being compared.
        self.assertEqual(self.refused("account", self.often, digits, faces)["key"], "population.data")

    def test_a_client_holds_the_same_records_in_all_launches(self):
        def plan(name, words, seed=1):
            path = pathlib.Path(self.plan(name))
            path.write_text(f"seed = {seed}\n" + path.read_text().replace("clients = 2000", f"clients = 2000\n{words}"))
            return str(path)

        rows = 'data = "csv:rows.csv"\n'
        digits, folder = plan("digits.toml", 'data = "digits"'), plan("folder.toml", 'data = "idx:mnist"')
        for key, first, words, seed in (
                ("population.records", folder, 'data = "idx:mnist"\nrecords = 5', 1),
                ("population.partition", folder, 'data = "idx:mnist"\npartition = "shuffled"', 1),
                ("population.share", folder, 'data = "idx:mnist"\nshare = true', 1),
                ("population.records", plan("rows.toml", rows), rows + 'records = "who"', 1),
                ("population.label", plan("label.toml", rows + 'label = "a"'), rows + 'label = "b"', 1),
                ("population.split", plan("split.toml", rows), rows + 'split = "part"', 1),
                ("seed", digits, 'data = "digits"', 2)):
            other = plan("other.toml", words, seed)
            error = self.refused("account", first, other)
            self.assertEqual((error["key"], error["reason"]), (key, "contradiction"))
            self.assertIn(f"in {other} is another population", error["message"])
            self.assertTrue(error["allowed"].endswith(f", as in {first}"), error)
            self.assertNotEqual(error["allowed"].split(",")[0], error["value"])
        self.account(folder, plan("other.toml", 'data = "idx:mnist"', 2))

    def test_refusals_name_what_is_wrong(self):
        other = self.plan("other.toml", delta=1e-6)
        silent = self.plan("silent.toml", delta=None)
        self.assertEqual(self.refused("account", self.often, other)["key"], "privacy.delta")
        self.assertEqual(self.refused("account", self.often, silent)["key"], "privacy.delta")
        self.account(self.often, other, silent, "--delta", "1e-6")
        self.assertEqual(self.refused("account", self.often, "none.toml", status=3)["kind"], "file")
        for arguments in (["--rate", "0.2"], ["--clients", "7"], ["--view", "sum-only"], ["--curve"], ["--all"]):
            self.assertIn(arguments[0], self.refused("account", self.often, self.rarely, *arguments)["key"])
        self.assertEqual(self.refused("account", self.often, "--basic")["key"], "--basic")
        self.assertEqual(self.refused("account", *flags(), "--basic")["key"], "--basic")
        self.assertEqual(self.refused("account", self.often, self.rarely, "--basic", "--epsilon", "1")["key"], "--basic")


if __name__ == "__main__":
    muster_command.test_main()
