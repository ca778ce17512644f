"""Tests `muster train --sweep --seeds`: the runs for all values and seeds, the summary, and resuming.

    python3 tests/cli/sweep_test.py --command build/release/muster
"""

import json
import re
import xml.etree.ElementTree

import muster_command
from small_runs import SmallRuns, write_data

RUN_KEYS = ["accuracy", "epsilon", "delta", "rounds", "seconds", "examples_per_second", "fidelity", "stopped", "out",
            "neutral", "clients_per_record", "validity", "neighbouring", "view", "loss"]
SUMMARY_KEYS = ["sweep", "combinations", "runs", "finished", "failed", "stopped", "out"]
COMBINATION_KEYS = ["set", "first_seed", "seeds", "finished", "accuracy", "epsilon", "delta", "seconds", "runs",
                    "neutral"]
PRODUCT = ("--sweep", "randomizer.epsilon0=0.5,1", "--sweep", "rounds.learning_rate=0.2,[[1, 0.3], [12, 0.1]]")


def timeless(lines):
    return [{key: value for key, value in line.items() if not key.endswith(("seconds", "second"))} for line in lines]


class SweepTest(SmallRuns):
    def test_every_combination_and_seed_is_an_ordinary_run(self):
        lines = self.json_lines(*PRODUCT, "--seeds", 2, "--seed", 7, "--out", "sweep")
        *runs, summary = lines
        self.assertEqual(len(runs), 8)
        for run in runs:
            self.assertEqual(list(run), RUN_KEYS)
        self.assertEqual(list(summary), SUMMARY_KEYS)
        self.assertEqual((summary["runs"], summary["finished"], summary["failed"], summary["stopped"], summary["out"]),
                         (8, 8, 0, "done", "sweep"))
        self.assertEqual(summary["sweep"], ["randomizer.epsilon0", "rounds.learning_rate"])
        by_folder = {run["out"]: run for run in runs}
        self.assertEqual(len(by_folder), 8)
        sets = [tuple(combination["set"].values()) for combination in summary["combinations"]]
        self.assertEqual(sets, [(e, r) for e in ("0.5", "1") for r in ("0.2", "[[1, 0.3], [12, 0.1]]")])
        for combination in summary["combinations"]:
            self.assertEqual(list(combination), COMBINATION_KEYS)
            self.assertEqual((combination["first_seed"], combination["seeds"], combination["finished"]), (7, 2, 2))
            mine = [by_folder[f"sweep/{folder}"] for folder in combination["runs"]]
            accuracies = [run["accuracy"] for run in mine]
            self.assertAlmostEqual(combination["accuracy"]["mean"], sum(accuracies) / 2, places=15)
            self.assertEqual((combination["accuracy"]["min"], combination["accuracy"]["max"]),
                             (min(accuracies), max(accuracies)))
            self.assertEqual({run["epsilon"] for run in mine}, {combination["epsilon"]})
        # The last combination with the second seed, trained by itself, gives the same run.
        self.train("--epsilon0", 1, "--learning-rate", "[[1, 0.3], [12, 0.1]]", "--seed", 8, "--out", "alone")
        same = f"sweep/{summary['combinations'][-1]['runs'][1]}"
        self.assertEqual(timeless(self.metrics("alone")), timeless(self.metrics(same)))
        self.assertEqual((self.folder / "alone" / "plan.txt").read_text(),
                         (self.folder / same / "plan.txt").read_text())
        self.run_command("report", same)
        self.assertEqual(json.loads((self.folder / "sweep" / "summary.json").read_text()), summary)

    def test_words_are_a_table(self):
        table = self.train("--sweep", "randomizer.epsilon0=0.5,1", "--seeds", 2).stdout.splitlines()
        self.assertEqual(table[0].split(), ["epsilon0", "accuracy", "lowest", "highest", "epsilon", "seeds", "time", "a",
                                            "run"])
        [folder] = (self.folder / "runs").iterdir()
        self.assertRegex(folder.name, r"^small-sweep-[0-9a-f]{8}$")
        self.assertEqual(table[-1], f"folder    runs/{folder.name}")
        summary = json.loads((folder / "summary.json").read_text())
        for row, combination in zip(table[1:], summary["combinations"]):
            words = row.split()
            self.assertEqual(words[0], combination["set"]["randomizer.epsilon0"])
            self.assertEqual(words[1:4], [f"{combination['accuracy'][key]:.4f}" for key in ("mean", "min", "max")])
            self.assertGreaterEqual(float(words[4]), combination["epsilon"])  # the table rounds epsilon up
            self.assertLess(float(words[4]), combination["epsilon"] + 1e-4)

    def test_the_picture_has_every_combination_and_its_spread(self):
        self.train(*PRODUCT, "--seeds", 2, "--out", "sweep")
        text = (self.folder / "sweep" / "summary.svg").read_text()
        picture = xml.etree.ElementTree.fromstring(text)
        svg = "{http://www.w3.org/2000/svg}"
        dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in picture.iter(f"{svg}circle")]
        combinations = json.loads((self.folder / "sweep" / "summary.json").read_text())["combinations"]
        self.assertEqual(len(dots), len(combinations))
        # A combination with a higher accuracy is drawn higher, and one with a larger epsilon further right.
        by_line = [combinations[i] for i in (0, 2, 1, 3)]  # the two combinations of a line share their learning rate
        for a, dot_a in zip(by_line, dots):
            for b, dot_b in zip(by_line, dots):
                if a["accuracy"]["mean"] > b["accuracy"]["mean"]:
                    self.assertLessEqual(dot_a[1], dot_b[1])
                if a["epsilon"] > b["epsilon"]:
                    self.assertGreater(dot_a[0], dot_b[0])
        self.assertNotIn("nan", text)
        self.assertIn("learning_rate = [[1, 0.3], [12, 0.1]]", text)

    def test_seeds_alone_are_a_sweep(self):
        *runs, summary = self.json_lines("--seeds", 3, "--out", "sweep")
        self.assertEqual((len(runs), summary["sweep"], len(summary["combinations"])), (3, [], 1))

    def test_interrupted_it_goes_on_where_it_was(self):
        whole = self.json_lines("--sweep", "randomizer.epsilon0=0.5,1", "--rounds", 300, "--seeds", 2, "--out", "whole")
        flags = ("--sweep", "randomizer.epsilon0=0.5,1", "--rounds", 300, "--seeds", 2, "--out", "sweep")
        status, lines = self.stop_after(1, *flags)
        self.assertEqual(status, 130)
        self.assertEqual((lines[-1]["stopped"], lines[-1]["runs"]), ("interrupted", 4))
        self.assertLess(lines[-1]["finished"], 4)
        done = lines[0]
        before = (self.folder / done["out"] / "checkpoint").stat().st_mtime_ns
        refused = self.refusal("train", "small.toml", *flags, status=3)
        self.assertIn("--resume", refused["message"])
        resumed = self.json_lines(*flags, "--resume")
        self.assertEqual(resumed[0], done)  # the finished run is shown, not repeated: its time is the same
        self.assertEqual((self.folder / done["out"] / "checkpoint").stat().st_mtime_ns, before)
        self.assertEqual((resumed[-1]["finished"], resumed[-1]["stopped"]), (4, "done"))
        for a, b in zip(whole[:-1], resumed[:-1]):
            self.assertEqual(timeless(self.metrics(a["out"])), timeless(self.metrics(b["out"])))

    def test_values_that_are_too_long_for_the_table_are_listed_below_it(self):
        schedules = ["[[1, 0.5], [2, 0.25], [3, 0.125], [4, 0.0625]]", "0.5"]
        done = self.train("--rounds", "2", "--log-every", "2", "--sweep", "rounds.learning_rate=" + ",".join(schedules))
        lines = done.stdout.splitlines()
        self.assertEqual([line for line in lines if len(line) > 80 and "folder" not in line], [])
        self.assertRegex(lines[0], "^values +accuracy +lowest +highest +epsilon +seeds +time a run$")
        self.assertRegex(lines[1], "^ +1 +0")
        self.assertEqual(lines[4:6], [f"{i}: learning_rate = {value}" for i, value in enumerate(schedules, 1)])

    def test_protocols_and_randomizers_are_swept(self):
        """A key of the file or of a flag is left out of the runs to which it does not apply."""
        done = self.train("--sweep", "participation.protocol=shuffled-check-in,shuffle,subset", "--subset", 100,
                          "--sweep", "randomizer.kind=ldp-sgd,gaussian", "--sigma", 4, "--rounds", 2, "--out", "sweep")
        summary = json.loads((self.folder / "sweep" / "summary.json").read_text())
        self.assertEqual((summary["runs"], summary["finished"]), (6, 6))
        notes = [line for line in done.stderr.splitlines() if line.endswith(", and is left out")]
        self.assertEqual(len(notes), len(set(notes)))
        self.assertIn("muster: participation.rate = 0.1 (small.toml, line 9, column 8) does not apply to protocol "
                      "shuffle with randomizer ldp-sgd, and is left out", notes)
        self.assertIn("muster: participation.subset = 100 (--subset) does not apply to protocol shuffled-check-in "
                      "with randomizer gaussian, and is left out", notes)
        # Such a run equals a run of the plan whose protocol and randomizer are given by flags or by the file.
        alone = self.train("--protocol", "subset", "--subset", 100, "--rounds", 2, "--out", "alone")
        self.assertIn("participation.rate = 0.1 (small.toml, line 9, column 8) does not apply", alone.stderr)
        mine = summary["combinations"][4]
        self.assertEqual(mine["set"], {"participation.protocol": "subset", "randomizer.kind": "ldp-sgd"})
        self.assertEqual((self.folder / "alone" / "plan.txt").read_text(),
                         (self.folder / "sweep" / mine["runs"][0] / "plan.txt").read_text())

    def test_nothing_begins_when_one_combination_is_bad(self):
        for flags, key in (
                (("--sweep", "randomizer.epsilon0=1,two"), "randomizer.epsilon0"),
                (("--sweep", "randomizer.epsilon0=1,-1"), "randomizer.epsilon0"),
                (("--sweep", "randomizer.epsilon=1"), "--sweep"),
                (("--sweep", "randomizer.epsilon0"), "--sweep"),
                (("--sweep", "randomizer.epsilon0=1,,2"), "--sweep"),
                (("--sweep", "randomizer.epsilon0=1,1"), "--sweep"),
                (("--sweep", "randomizer.epsilon0=1,1.0"), "--sweep"),
                (("--sweep", "randomizer.epsilon0=1", "--sweep", "randomizer.epsilon0=2"), "--sweep"),
                (("--sweep", "randomizer.epsilon0=1", "--epsilon0", 2), "--sweep"),
                (("--sweep", "seed=1,2"), "--sweep"), (("--sweep", "name=a,b"), "--sweep"),
                (("--sweep", "randomizer.sigma=1,2"), "randomizer.sigma"),
                (("--sweep", "participation.protocol=shuffled-check-in,subset"), "participation.subset"),
                (("--sweep", "participation.protocol=shuffled-check-in,shuffle", "--subset", 5), "participation.subset"),
                (("--sweep", "randomizer.kind=ldp-sgd,gaussian"), "randomizer.sigma"),
                (("--seeds", 2, "--seed", 2**64 - 1), "--seeds"),
                (("--sweep", "rounds.count=" + ",".join(map(str, range(200))), "--seeds", 100), "--sweep")):
            error = self.refusal("train", "small.toml", *flags, status=2)
            self.assertEqual(error["key"], key, (flags, error))
        self.run_command("train", "small.toml", "--seeds", 0, status=2)
        self.assertIn("randomizer.epsilon0 = 0 (--sweep) is out of range",
                      self.refusal("train", "small.toml", "--sweep", "randomizer.epsilon0=0,1", status=2)["message"])
        self.assertEqual(self.refusal("train", "small.toml", "--sweep", "privacy.budget=1000,1e-9", status=4)["kind"],
                         "budget")
        self.assertFalse((self.folder / "runs").exists())

    def test_folders_of_others_are_left_alone(self):
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "letter").write_text("dear")
        for more in ((), ("--resume",)):
            self.assertEqual(self.refusal("train", "small.toml", "--seeds", 2, "--out", "mine", *more, status=3)["key"],
                             "mine")
        self.assertEqual([path.name for path in (self.folder / "mine").iterdir()], ["letter"])

    def test_a_run_that_diverges_stops_no_other(self):
        done = self.train("--json", "--sweep", "rounds.learning_rate=1e38,0.2", "--out", "sweep", status=3)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(list(lines[0]), RUN_KEYS)
        summary, error = lines[1], lines[2]["error"]
        self.assertEqual((summary["finished"], summary["failed"]), (1, 1))
        self.assertEqual([combination["finished"] for combination in summary["combinations"]], [0, 1])
        self.assertEqual(summary["combinations"][0]["accuracy"], {"mean": None, "min": None, "max": None})
        self.assertIn("diverged", error["message"])
        self.assertTrue(re.search("run 1 of 2 failed", done.stderr))

    def test_data_that_cannot_be_read_fail_once(self):
        images = self.folder / "data" / "train-images-idx3-ubyte"
        images.write_bytes(images.read_bytes()[:-1])
        alone = self.refusal("train", "small.toml", "--out", "alone", status=3)
        swept = self.refusal("train", "small.toml", "--seeds", 3, "--out", "sweep", status=3)
        self.assertEqual(swept, alone)
        self.assertFalse((self.folder / "sweep" / "summary.json").exists())

    def test_data_that_cannot_be_read_stop_no_run_of_other_data(self):
        write_data(self.folder / "cut")
        images = self.folder / "cut" / "train-images-idx3-ubyte"
        images.write_bytes(images.read_bytes()[:-1])
        done = self.train("--json", "--sweep", "population.data=idx:cut,idx:data", "--seeds", 2, "--out", "sweep",
                          status=3)
        *runs, summary, error = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((len(runs), summary["finished"], summary["failed"]), (2, 2, 2))
        self.assertEqual([combination["finished"] for combination in summary["combinations"]], [0, 2])
        self.assertIn("train-images-idx3-ubyte", error["error"]["message"])


if __name__ == "__main__":
    muster_command.test_main()
