"""Tests the command `muster train` with every model and every format of data.

    python3 tests/cli/models_test.py --command build/release/muster

The test writes small files in each format, and starts runs of a few rounds as separate processes.
"""

import json
import pathlib
import random
import tempfile
import unittest

import muster_command
from muster_command import run

PLAN = """
[population]
clients = 600
data = "{data}"
[participation]
protocol = "shuffled-check-in"
rate = 1          # no amplification: an accountant that answers at once
[randomizer]
{randomizer}
[rounds]
count = 30
log_every = 30
{rounds}
[model]
{model}
[privacy]
delta = 1e-4
"""

LDP_SGD = 'kind = "ldp-sgd"\nepsilon0 = 6.0\nclip = 1.0'
RATE = "learning_rate = 1.0"


class Models(muster_command.CommandTest):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        draw = random.Random(1)
        rows = []
        for _ in range(720):
            kind = draw.randrange(3)
            rows.append(",".join(f"{draw.gauss(j == kind, 0.2):.4f}" for j in range(3)) + f",{kind}")
        self.rows = rows
        self.csv = self.folder / "rows.csv"
        self.csv.write_text("a,b,c,kind\n" + "\n".join(rows) + "\n", encoding="utf-8")

    def plan(self, model, randomizer=LDP_SGD, rounds=RATE, data=None):
        file = self.folder / "plan.toml"
        file.write_text(PLAN.format(model=model, randomizer=randomizer, rounds=rounds, data=data or f"csv:{self.csv}"),
                        encoding="utf-8")
        return str(file)

    def trained(self, name, *arguments):
        done = run("train", *arguments, "--json", "--out", str(self.folder / name))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def test_rows_of_numbers(self):
        for model in ('kind = "logistic"', 'kind = "mlp"', 'kind = "mlp"\nactivation = "tanh"'):
            result = self.trained(f"run{len(model)}", self.plan(model))
            self.assertGreater(result["accuracy"], 0.9, model)
            self.assertEqual(result["rounds"], 30)
        error = self.refused("train", self.plan('kind = "cnn"'), "--out", str(self.folder / "cnn"))
        self.assertEqual((error["kind"], error["key"], error["allowed"]), ("plan", "model.kind", "logistic | mlp"))
        public = self.folder / "public.csv"
        public.write_text("a,b,c,kind\n" + "9,9,9,1\n8,7,6,0\n" * 6, encoding="utf-8")
        features = self.plan(f'kind = "features+linear"\npublic_data = "csv:{public}"')
        error = self.refused("train", features, "--out", str(self.folder / "features"), status=3)
        self.assertEqual((error["kind"], error["key"], error["allowed"]),
                         ("data", "population.data", "images of at least 14x14 pixels"))

    def test_statistics(self):
        histogram = self.plan('kind = "histogram"', 'kind = "k-rr"\nk = 3\nepsilon0 = 4.0', "")
        result = self.trained("histogram", histogram)
        self.assertGreater(result["accuracy"], 0.9)
        self.assertGreater(self.trained("sum", histogram, "--fidelity", "sum")["accuracy"], 0.9)
        error = self.refused("train", histogram, "--k", "4", "--out", str(self.folder / "wrong"))
        self.assertEqual((error["key"], error["value"], error["allowed"]), ("randomizer.k", "4", "3"))
        mean = self.plan('kind = "mean"', 'kind = "laplace"\nclip = 2.0\nepsilon0 = 4.0', "")
        self.assertGreater(self.trained("mean", mean)["accuracy"], 0.95)
        self.assertEqual(self.trained("mean", mean, "--resume")["rounds"], 30)
        error = self.refused("train", self.plan('kind = "mean"'))
        self.assertEqual((error["key"], error["allowed"]), ("rounds.learning_rate",
                                                           "model cnn | logistic | mlp | features+linear"))
        self.assertFalse((self.folder / "wrong").exists())
        # The canonical text of a plan has every key, even keys that do not apply to a statistic.
        for name in ("histogram", "sum", "mean"):
            done = run("report", str(self.folder / name))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((self.folder / name / "report.html").exists())

    def test_a_malformed_line_is_named(self):
        self.csv.write_text("a,b,c,kind\n" + "\n".join([*self.rows[:20], "1,x,2,0"]) + "\n", encoding="utf-8")
        error = self.refused("train", self.plan('kind = "logistic"'), "--out", str(self.folder / "run"), status=3)
        self.assertEqual((error["kind"], error["key"], error["value"]), ("data", str(self.csv), "x"))
        self.assertIn("line 22, column 2 (b)", error["message"])
        self.assertFalse((self.folder / "run").exists())

    def test_numbers_that_are_not_finite_are_refused_at_once(self):
        for bad in ("nan", "inf", "-inf", "1e39", "-4e38", "1e999"):
            rows = [*self.rows[:20], f"1,{bad},2,0", *self.rows[20:]]
            self.csv.write_text("a,b,c,kind\n" + "\n".join(rows) + "\n", encoding="utf-8")
            error = self.refused("train", self.plan('kind = "logistic"'), "--out", str(self.folder / "run"), status=3)
            self.assertEqual((error["kind"], error["key"], error["value"]), ("data", str(self.csv), bad))
            self.assertIn("line 22, column 2 (b)", error["message"])
            self.assertFalse((self.folder / "run").exists())

    def test_a_record_whose_vector_overflows_answers_neutrally(self):
        rows = [f"3e38,{row}" if i % 9 == 0 else f"0.5,{row}" for i, row in enumerate(self.rows)]
        self.csv.write_text("huge,a,b,c,kind\n" + "\n".join(rows) + "\n", encoding="utf-8")
        plan = self.plan('kind = "logistic"', rounds="learning_rate = 100.0")
        folder = self.folder / "run"
        done = run("train", plan, "--json", "--log-every", "10", "--out", str(folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        *logged, final = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((final["stopped"], final["rounds"]), ("done", 30))
        metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        self.assertEqual([line["neutral"] for line in metrics], [line["neutral"] for line in logged])
        self.assertEqual(metrics[-1]["neutral"], final["neutral"])
        self.assertEqual({line["check_ins"] for line in logged}, {600})  # every client reports
        odd = sum(1 for i in range(0, 720, 9) if i % 6 != 5)  # every sixth line belongs to the test set
        self.assertTrue(0 < final["neutral"] <= 30 * odd, final)
        said = f"{final['neutral']} answers were neutral, R(0) in place of a vector that was not finite"
        self.assertIn(said, done.stderr)
        self.assertIn(said, run("train", plan, "--out", str(folder), "--resume", "--log-every", "10").stderr)
        self.assertEqual(run("report", str(folder)).returncode, 0)
        page = (folder / "report.html").read_text(encoding="utf-8")
        self.assertIn(said, page)
        self.assertIn('neutral so far</th>', page)
        self.assertIn(f'<data value="{final["neutral"]}">', page)
        words = run("train", plan, "--out", str(self.folder / "words"), "--threads", "3")
        self.assertIn(f"neutral   {final['neutral']} answers, in place of vectors that were not finite", words.stdout)
        sweep = run("train", plan, "--seeds", "2", "--json", "--out", str(self.folder / "sweep"))
        lines = [json.loads(line) for line in sweep.stdout.splitlines()]
        self.assertEqual(lines[-1]["combinations"][0]["neutral"], sum(line["neutral"] for line in lines[:-1]))
        self.assertIn("run 1 of 2: ", sweep.stderr)
        self.assertIn("answers were neutral", sweep.stderr)

    def test_transfer(self):
        result = self.trained("transfer", self.plan('kind = "features+linear"\npretrain_epochs = 1', data="digits"),
                              "--learning-rate", "0.3")
        self.assertGreater(result["accuracy"], 0.6)

    def test_private_data_is_never_public(self):
        transfer = 'kind = "features+linear"\npublic_data = "idx:pictures"'
        error = self.refused("train", self.plan(transfer, data="pictures"))
        self.assertEqual((error["kind"], error["key"]), ("plan", "model.public_data"))
        self.assertIn("what clients hold is not public", error["message"])


if __name__ == "__main__":
    muster_command.test_main()
