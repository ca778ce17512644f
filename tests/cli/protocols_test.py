"""Tests every protocol with the command: training is charged what `muster account` says; wrong plans are refused.

    python3 tests/cli/protocols_test.py --command build/release/muster
"""

import json
import pathlib

import muster_command
from small_runs import SmallRuns

PLAN = """
[population]
clients = {clients}
share = true
data = "idx:data"
[participation]
{participation}
[randomizer]
kind = "{randomizer}"
clip = 1.0
{noise}
[rounds]
count = {rounds}
learning_rate = {learning_rate}
[model]
kind = "logistic"
[privacy]
delta = 1e-4
"""

LDP = ("ldp-sgd", "epsilon0 = 1.0")
GAUSSIAN = ("gaussian", "sigma = 3.0")
# Participation, randomizer, rounds, and a condition on a step's number of messages with twenty clients.
PROTOCOLS = (
    ('protocol = "shuffle"', LDP, 2, lambda n: n == 20),
    ('protocol = "subset"\nsubset = 6', LDP, 2, lambda n: n == 6),
    ('protocol = "shuffled-check-in"\nrate = 0.5\ndropout = [[1, 0.0], [2, 0.5]]', LDP, 2, lambda n: 0 < n < 20),
    ('protocol = "shuffled-check-in"\nrate = [0.2, 0.6]', GAUSSIAN, 1, lambda n: 0 < n < 20),
    ('protocol = "random-check-in-fixed"\nrate = 0.4\nslots = 8', LDP, 2, lambda n: n == 1),
    ('protocol = "random-check-in-averaged"\nrate = 0.8\nslots = 4', LDP, 2, lambda n: 0 < n < 20),
    ('protocol = "random-check-in-sliding"\nrate = 1\nslots = 15', LDP, 2, lambda n: n == 1),
    ('protocol = "aggregated-check-in"\nrate = 0.5\nminimum = 4', GAUSSIAN, 2, lambda n: 0 < n < 20),
)
SLOTS = {"random-check-in-fixed": 8, "random-check-in-averaged": 4, "random-check-in-sliding": 6}


class Protocols(SmallRuns):
    def write(self, participation, randomizer=LDP, rounds=2, learning_rate="0.2", clients=20):
        text = PLAN.format(participation=participation, randomizer=randomizer[0], noise=randomizer[1], rounds=rounds,
                           learning_rate=learning_rate, clients=clients)
        (pathlib.Path(self.folder) / "small.toml").write_text(text)

    def test_what_is_trained_costs_what_account_says(self):
        for number, (participation, randomizer, rounds, right) in enumerate(PROTOCOLS):
            self.write(participation, randomizer, rounds)
            lines = self.json_lines("--out", f"run{number}", "--log-every", "1")
            result = lines[-1]
            said = json.loads(self.run_command("account", "small.toml", "--json").stdout)
            self.assertEqual(result["epsilon"], said["epsilon"]["upper"], participation)
            self.assertEqual((result["rounds"], said["rounds"]), (rounds, rounds), participation)
            self.assertEqual(lines[-2]["round"], rounds)
            self.assertTrue(all(right(line["check_ins"]) for line in lines[:-1]), (participation, lines))
            protocol = participation.split('"')[1]
            self.assertEqual("slot" in lines[0], protocol in SLOTS)
            if protocol in SLOTS:
                self.assertEqual([line["slot"] for line in lines[:-1]], list(range(1, rounds * SLOTS[protocol] + 1)))
                self.assertEqual(result["slots"], rounds * SLOTS[protocol])
                self.assertEqual(lines[0]["epsilon"],
                                 json.loads(self.run_command("account", "small.toml", "--rounds", "1", "--json").stdout)
                                 ["epsilon"]["upper"])

    def test_threads_and_resume(self):
        self.write('protocol = "random-check-in-averaged"\nrate = 0.8\nslots = 12', rounds=2, learning_rate='"inverse-sqrt:1"',
                   clients=100)
        self.train("--out", "one", "--threads", "1")
        self.train("--out", "three", "--threads", "3")

        def without_time(run):
            lines = (pathlib.Path(self.folder) / run / "metrics.jsonl").read_text().splitlines()
            return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]
        self.assertEqual(without_time("one"), without_time("three"))

    def test_refusals(self):
        fixed = 'protocol = "random-check-in-fixed"\nrate = 0.4\nslots = 8'
        for participation, flags, key in (
                (fixed, ["--batch", "3"], "rounds.batch"),
                (fixed, ["--slots", "3000000000"], "participation.slots"),
                (fixed, ["--rounds", "1000000000000"], "rounds.count"),
                ('protocol = "random-check-in-averaged"\nrate = 0.4\nslots = 8', ["--batch", "2"], "rounds.batch"),
                ('protocol = "random-check-in-sliding"\nrate = 0.4\nslots = 101', [], "participation.slots"),
                ('protocol = "subset"\nsubset = 101', [], "participation.subset"),
                ('protocol = "shuffle"', ["--dropout", "0.1"], "participation.dropout"),
                ('protocol = "shuffled-check-in"\nrate = 0.4', ["--dropout", "[[2, 0.1]]"], "participation.dropout"),
                ('protocol = "aggregated-check-in"\nrate = 0.4', ["--minimum", "101"], "participation.minimum")):
            self.write(participation)
            done = self.run_command("train", "small.toml", "--out", "never", "--json", *flags, status=2)
            error = json.loads(done.stdout)["error"]
            self.assertEqual(error["key"], key, error)
            self.assertNotEqual(error["allowed"], "", error)
            self.assertFalse((pathlib.Path(self.folder) / "never").exists())

    def test_a_schedule_that_calibrate_cannot_answer(self):
        self.write('protocol = "shuffled-check-in"\nrate = 0.5\ndropout = [[1, 0.0], [2, 0.5]]')
        done = self.run_command("calibrate", "small.toml", "--epsilon", "1", "--for", "epsilon0", "--json", status=2)
        self.assertEqual(json.loads(done.stdout)["error"]["key"], "participation.dropout")


if __name__ == "__main__":
    muster_command.test_main()
