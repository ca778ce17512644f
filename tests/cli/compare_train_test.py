"""Tests `muster compare --train`: the runs of every row, the accuracy in all formats, resuming, and what is refused.

    python3 tests/cli/compare_train_test.py --command build/release/muster
"""

import csv
import io
import json
import signal
import subprocess
import xml.etree.ElementTree

import muster_command
from small_runs import SmallRuns

PAIRS = ("--protocol", "shuffle,shuffled-check-in", "--randomizer", "ldp-sgd,l1")
FAST = (*PAIRS, "--epsilon", "2", "--train")
# For a plan with one client, which is calibrated in no time. The reference row `local` shares the runs.
QUICK = ("--protocol", "shuffle", "--randomizer", "ldp-sgd,l1", "--epsilon", "2", "--train")
MORE_KEYS = ["accuracy", "finished", "failed", "seconds", "runs", "why_no_accuracy"]
TOTALS = ["first_seed", "seeds", "runs", "finished", "failed", "stopped", "out"]
SVG = "{http://www.w3.org/2000/svg}"


def timeless(value):
    """Returns the answer of a comparison without its seconds and its folder."""
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in ("seconds", "out")}
    return [timeless(each) for each in value] if isinstance(value, list) else value


class CompareTrain(SmallRuns):
    def setUp(self):
        super().setUp()
        self.with_clients(20)

    def with_one_client(self):
        path = self.folder / "small.toml"
        plan = path.read_text().replace("clients = 20", "clients = 1").replace('"shuffled-check-in"', '"shuffle"')
        path.write_text(plan.replace("rate = 0.1", ""))

    def compare(self, *flags, status=0):
        return self.run_command("compare", "small.toml", *flags, status=status)

    def answer(self, *flags, status=0):
        """Returns the line of --json, and the error on the line after it, if there is one."""
        first, *more = self.compare("--json", *flags, status=status).stdout.splitlines()
        return json.loads(first), [json.loads(line)["error"] for line in more]

    def result(self, folder):
        return json.loads((self.folder / folder / "result.json").read_text())

    def test_every_row_with_a_plan_is_trained_with_every_seed(self):
        answer, _ = self.answer(*FAST, "--seeds", 2, "--seed", 7, "--out", "all")
        self.assertEqual(list(answer)[-len(TOTALS):], TOTALS)
        self.assertEqual([answer[key] for key in TOTALS], [7, 2, 12, 12, 0, "done", "all"])
        *local, replaced, changed = answer["references"]
        rows = answer["rows"] + local
        self.assertEqual([(row["protocol"], row["randomizer"]) for row in rows],
                         [(protocol, kind) for protocol in ("shuffle", "shuffled-check-in", "local")
                          for kind in ("ldp-sgd", "l1")])
        for row in rows:
            self.assertEqual(list(row)[-len(MORE_KEYS):], MORE_KEYS)
            results = [self.result(f"all/{folder}") for folder in row["runs"]]
            accuracies = [result["accuracy"] for result in results]
            self.assertEqual((row["finished"], row["failed"], row["why_no_accuracy"]), (2, 0, ""))
            self.assertEqual((row["accuracy"]["min"], row["accuracy"]["max"]), (min(accuracies), max(accuracies)))
            self.assertAlmostEqual(row["accuracy"]["mean"], sum(accuracies) / 2, places=15)
            # The runs cost what the row says. Those of `local` cost less, because they count on an honest shuffler.
            for result in results:
                self.assertEqual(result["rounds"], 24)
                if row["protocol"] == "local":
                    self.assertLess(result["epsilon"], row["epsilon"]["upper"])
                else:
                    self.assertEqual(result["epsilon"], row["epsilon"]["upper"])
        for row in (replaced, changed):
            self.assertEqual((row["accuracy"], row["runs"]), ({"mean": None, "min": None, "max": None}, []))
            self.assertIn("no plan", row["why_no_accuracy"])
        # Each run is what `muster train` leaves for the row's protocol, randomizer and noise.
        row = rows[2]
        self.train("--epsilon0", row["value"], "--seed", 8, "--out", "alone")
        self.assertEqual((self.folder / "alone" / "plan.txt").read_text(),
                         (self.folder / "all" / row["runs"][1] / "plan.txt").read_text())
        self.assertEqual(self.result("alone")["accuracy"], self.result(f"all/{row['runs'][1]}")["accuracy"])
        self.assertEqual(json.loads((self.folder / "all" / "summary.json").read_text()), answer)

    def test_every_format_has_the_accuracy(self):
        self.with_one_client()
        flags = (*QUICK, "--rounds", 6, "--seeds", 2)
        words = self.compare(*flags).stdout
        [folder] = (self.folder / "runs").iterdir()
        self.assertRegex(folder.name, r"^small-compare-[0-9a-f]{8}$")
        self.assertTrue(words.endswith(f"\nfolder    runs/{folder.name}\n"))
        self.assertEqual([line for line in words.splitlines() if len(line) > 80], [])
        # The same command with --resume shows the finished runs again.
        answer, _ = self.answer(*flags, "--resume")
        rows = answer["rows"] + answer["references"]
        table = words[words.index("accuracy  lowest"):].splitlines()
        cells = [line.split() for line in table if line.startswith("  ")]
        self.assertEqual(cells, [[row["randomizer"], *(f"{row['accuracy'][key]:.4f}" for key in ("mean", "min", "max")),
                                  "2", "of", "2", *cell[7:]] for row, cell in zip(rows, cells)])
        self.assertEqual(len(cells), 4)
        lines = list(csv.DictReader(io.StringIO(self.compare(*flags, "--resume", "--csv").stdout)))
        for row, line in zip(rows, lines, strict=True):
            self.assertEqual([line[f"accuracy_{key}"] for key in ("mean", "min", "max")],
                             ["" if value is None else f"{value:.17g}" for value in row["accuracy"].values()])
            self.assertEqual(line["finished"], str(row["finished"]))
        picture = self.compare(*flags, "--resume", "--svg").stdout
        self.assertEqual(picture, (folder / "summary.svg").read_text())
        circles = list(xml.etree.ElementTree.fromstring(picture).iter(f"{SVG}circle"))
        self.assertEqual(len(circles), 4 + 6)  # accuracies, and variances with those of `central`

    def test_interrupted_it_goes_on_where_it_was(self):
        self.with_one_client()
        flags = (*QUICK, "--rounds", 200, "--seeds", 3)
        whole, _ = self.answer(*flags, "--out", "whole")
        process = subprocess.Popen(self.command("compare", "small.toml", "--json", *flags, "--out", "part"),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        while "run 5 of 12" not in (line := process.stderr.readline()):
            self.assertIsNone(process.poll(), line)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("--resume continues", err)
        part = json.loads(out)
        self.assertEqual((part["stopped"], part["runs"]), ("interrupted", 12))
        self.assertIn(part["finished"], range(2, 12))
        reasons = {row["why_no_accuracy"] for row in part["rows"] if row["finished"] < 3}
        self.assertEqual(reasons, {"interrupted"})
        finished = self.folder / "part" / part["rows"][0]["runs"][0] / "result.json"
        before = finished.stat().st_mtime_ns
        refused = self.refusal("compare", "small.toml", *flags, "--out", "part", status=3)
        self.assertIn("holds runs of this comparison; --resume continues it", refused["message"])
        resumed, _ = self.answer(*flags, "--out", "part", "--resume")
        self.assertEqual(timeless(resumed), timeless(whole))
        self.assertEqual(finished.stat().st_mtime_ns, before)

    def test_a_row_that_diverges_stops_no_other(self):
        answer, [error] = self.answer(*FAST, "--learning-rate", "1e38", "--out", "all", status=3)
        self.assertIn("diverged", error["message"])
        self.assertIn("the other runs of the comparison are done", error["message"])
        self.assertEqual(answer["failed"] + answer["finished"], 6)
        self.assertGreater(answer["failed"], 0)
        for row in answer["rows"]:
            if row["failed"]:
                self.assertIn("diverged", row["why_no_accuracy"])
                self.assertEqual(row["accuracy"], {"mean": None, "min": None, "max": None})

    def test_a_row_without_an_answer_is_not_trained(self):
        answer, _ = self.answer("--protocol", "shuffle", "--randomizer", "ldp-sgd", "--epsilon", "1e-9", "--delta",
                                "1e-40", "--rounds", 2, "--train", "--out", "all")
        [row] = answer["rows"]
        self.assertIn("out of reach", row["why_not"])
        self.assertEqual((row["why_no_accuracy"], row["runs"]), (row["why_not"], []))

    def test_rows_of_the_same_plan_share_their_run(self):
        """A shuffler gains nothing for a single client, so `local` needs no more noise."""
        self.with_one_client()
        answer, _ = self.answer("--protocol", "shuffle", "--randomizer", "ldp-sgd", "--epsilon", "2", "--rounds", 2,
                                "--train", "--out", "all")
        [row], [local, *_] = answer["rows"], answer["references"]
        for key in ("value", "runs", "accuracy"):
            self.assertEqual(row[key], local[key])
        self.assertEqual([path.name for path in (self.folder / "all").iterdir() if path.is_dir()], row["runs"])

    def test_randomizers_that_do_not_serve_the_model_are_left_out(self):
        self.with_one_client()
        done = self.compare("--protocol", "shuffle", "--epsilon", "2", "--rounds", 2, "--train", "--json")
        answer = json.loads(done.stdout)
        self.assertEqual([row["randomizer"] for row in answer["rows"]], ["ldp-sgd", "gaussian", "l1", "l2", "linf"])
        self.assertIn("not compared: laplace: ", done.stderr)
        self.assertIn({"name": "k-rr", "why": "needs randomizer.k (--k)"}, answer["left_out"])

    def test_nothing_is_computed_for_a_plan_that_cannot_be_trained(self):
        plan = self.folder / "small.toml"
        whole = plan.read_text()
        for line, key in (('data = "idx:data"', "population.data"), ("learning_rate = 0.2", "rounds.learning_rate"),
                          ('kind = "logistic"', "model.kind"), ("clip = 1.0", "randomizer.clip")):
            self.assertIn(line, whole)
            plan.write_text(whole.replace(line, ""))
            error = self.refusal("compare", "small.toml", *PAIRS, "--epsilon", "2", "--train", status=2)
            self.assertEqual((error["key"], error["reason"]), (key, "missing"))
            self.compare("--protocol", "shuffle", "--randomizer", "l1", "--epsilon", "2", "--rounds", 1)
        plan.write_text(whole)
        for flags, key in ((("--seeds", 2), "--seeds"), (("--out", "all"), "--out"), (("--resume",), "--resume"),
                           (("--threads", 2), "--threads"), (("--train", "--seeds", 0), "--seeds"),
                           (("--train", "--seeds", 2, "--seed", 2**64 - 1), "--seeds"),
                           (("--train", "--budget", 1.9), "privacy.budget"),
                           (("--train", "--randomizer", "pure"), "randomizer.kind"),
                           (("--train", "--protocol", "subset"), "participation.subset")):
            error = self.refusal("compare", "small.toml", "--epsilon", "2", "--rounds", 2,
                                 *(() if set(flags) & {"--randomizer", "--protocol"} else PAIRS), *flags, status=2)
            self.assertEqual(error["key"], key, error)
        (self.folder / "data" / "t10k-labels-idx1-ubyte").unlink()
        self.with_one_client()
        self.refusal("compare", "small.toml", *QUICK, status=3)
        self.assertFalse((self.folder / "runs").exists())

    def test_folders_of_others_are_left_alone(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "letter").write_text("dear")
        self.with_one_client()
        for more in ((), ("--resume",)):
            error = self.refusal("compare", "small.toml", *QUICK, "--out", "mine", *more, status=3)
            self.assertEqual(error["key"], "mine")
        self.assertEqual([path.name for path in (self.folder / "mine").iterdir()], ["letter"])


if __name__ == "__main__":
    muster_command.test_main()
