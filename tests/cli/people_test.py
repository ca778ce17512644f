"""Tests clients that hold several records: the outputs, epsilon, and the plans that are refused.

    python3 tests/cli/people_test.py --command build/release/muster
"""

import json
import re
import unittest

import muster_command
import run_files
from report_page import Page
from small_runs import SmallRuns

ALL = "epsilon is for one client, all its records"


class PeopleTest(SmallRuns):
    def setUp(self):
        super().setUp()
        plan = (self.folder / "small.toml").read_text()
        self.write(plan.replace("clients = 1000\nshare = true", "clients = 10\nrecords = 4"))

    def write(self, plan):
        (self.folder / "small.toml").write_text(plan)

    def refused(self, *flags):
        error = self.refusal("train", "small.toml", "--out", "none", *flags, status=2)
        self.assertFalse((self.folder / "none").exists())
        return error

    def test_every_output_says_whose_records_epsilon_is_for(self):
        done = self.train("--out", "run", "--partition", "dirichlet:0.3")
        said = "each client holds 4 records, dealt dirichlet:0.3: " + ALL
        self.assertIn("muster: " + said, done.stderr)
        self.assertIn("records 4 a client, dealt dirichlet:0.3: " + ALL, " ".join(done.stdout.split()))
        words = Page(self.report("run")[0]).words
        self.assertIn(said, words)
        self.assertIn("Two data sets differ in one client, all its records (replace-one)", words)
        alone = self.train("--out", "alone", "--records", 1)
        self.assertNotIn("records", alone.stdout + alone.stderr)
        self.assertIn("Two data sets differ in one client's record (replace-one)", Page(self.report("alone")[0]).words)

    def test_answers_about_a_plan_say_whose_records_epsilon_is_for(self):
        said = "each client holds 4 records, dealt shuffled: " + ALL
        own = (self.folder / "small.toml").read_text()
        (self.folder / "one.toml").write_text(own.replace("records = 4", ""))
        alone = {}
        for plan in ("small.toml", "one.toml"):
            answers = alone.setdefault(plan, [])
            for command in (("account", plan), ("account", plan, "--curve"), ("account", plan, plan),
                            ("calibrate", plan, "--for", "rounds", "--epsilon", "1"),
                            ("compare", plan, "--epsilon", "1", "--protocol", "shuffled-check-in", "--randomizer", "l1")):
                done = self.run_command(*command)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(" ".join(done.stdout.split()).count(said), plan == "small.toml", (command, done.stdout))
                self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
                if "--curve" not in command:
                    answer = self.run_command(*command, "--json").stdout.replace(plan, "")
                    answers.append(re.sub(r'"seconds":[0-9.e-]+', "", answer))
        self.assertEqual(alone["small.toml"], alone["one.toml"])
        self.write("\n".join(line for line in own.splitlines() if not line.startswith("data"))
                   .replace("records = 4", 'records = "user"\ndata = "csv:rows.csv"'))
        self.assertIn("each client holds the records of one user: " + ALL,
                      " ".join(self.run_command("account", "small.toml").stdout.split()))

    def test_accuracy_by_client(self):
        flags = ("--partition", "by-label:1", "--local-steps", 2, "--local-rate", 0.1)
        lines = self.json_lines("--out", "run", *flags)
        final = lines[-1]
        for line in lines:
            self.assertTrue(0 <= line["worst_decile"] <= line["client_accuracy"] <= 1, line)
        # Half of the records and half of the test examples have each of two labels, and each client holds
        # only one label. So the mean over clients is the accuracy on the whole test set, and the mean over
        # the worst tenth is the accuracy on the label with the lower accuracy.
        self.assertAlmostEqual(final["client_accuracy"], final["accuracy"], delta=1e-12)
        self.assertLessEqual(final["worst_decile"], final["accuracy"])
        text, _ = self.report("run")
        words = Page(text).words
        self.assertIn(f"{final['client_accuracy']:.4f} on average and {final['worst_decile']:.4f} over the worst tenth", words)
        self.assertIn("no epsilon covers it", words)
        shown = self.train("--out", "run", "--resume", *flags)
        self.assertIn(f"clients   {final['client_accuracy']:.4f} by client, {final['worst_decile']:.4f} for the worst",
                      shown.stdout)
        self.assertIn("no epsilon covers it", shown.stderr)
        for line in self.json_lines("--out", "one", "--records", 1):
            self.assertNotIn("worst_decile", line)

    def test_epsilon_does_not_depend_on_what_a_client_holds(self):
        local = ("--local-steps", 3, "--local-rate", 0.1)
        runs = {name: self.json_lines("--out", name, *flags)[-1]
                for name, flags in (("one", ("--records", 1)), ("four", ()), ("local", local))}
        self.assertEqual(len({result["epsilon"] for result in runs.values()}), 1)
        statement = json.loads(self.run_command("account", "small.toml", "--json").stdout)
        self.assertEqual(statement["epsilon"]["upper"], runs["four"]["epsilon"])
        self.assertEqual(len({(self.folder / name / "model.safetensors").read_bytes()[-8:] for name in runs}), 3)

    def test_threads_and_interruptions_change_nothing(self):
        flags = ("--partition", "by-label:2", "--local-steps", 3, "--local-rate", 0.1, "--local-batch", 1, "--rounds", 600)
        self.json_lines("--out", "whole", *flags)
        self.json_lines("--out", "threads", "--threads", 3, *flags)
        self.stop_after(1, "--out", "part", *flags)
        self.json_lines("--out", "part", "--resume", *flags)
        for run in ("threads", "part"):
            self.assertEqual(run_files.files_of(self.folder / run), run_files.files_of(self.folder / "whole"))

    def test_more_records_than_there_are(self):
        error = self.refused("--clients", 11)
        self.assertEqual((error["kind"], error["key"], error["value"]), ("plan", "population.clients", "11"))
        self.assertIn("population.records = 4", error["message"])
        self.assertIn("integer 1..10, or population.share = true", error["allowed"])
        error = self.refused("--records", 1_000_000)
        self.assertEqual((error["key"], error["value"]), ("population.records", "1000000"))
        self.assertIn("population.clients = 10", error["message"])
        done = self.train("--out", "shared", "--clients", 20, "--share", "true", "--partition", "by-label:1")
        self.assertIn("20 clients share 40 records, 2 a record on average", done.stderr)

    def test_one_client_with_every_record(self):
        result = self.json_lines("--out", "run", "--clients", 1, "--records", 40, "--rate", 1)[-1]
        self.assertEqual((result["rounds"], result["neutral"]), (24, 0))

    def test_values_out_of_range(self):
        for flags, key in ((("--records", 0), "population.records"), (("--records", "1e7"), "population.records"),
                           (("--partition", "dirichlet:0"), "population.partition"),
                           (("--partition", "dirichlet:-1"), "population.partition"),
                           (("--partition", "by-label:0"), "population.partition"),
                           (("--partition", "random"), "population.partition"),
                           (("--local-steps", 2), "rounds.local_rate"), (("--local-rate", 0.1), "rounds.local_rate"),
                           (("--local-batch", 2), "rounds.local_batch"),
                           (("--local-steps", 2, "--local-rate", 0), "rounds.local_rate"),
                           # In single precision, this local rate is 0, so that local steps would change nothing.
                           (("--local-steps", 2, "--local-rate", 1e-46), "rounds.local_rate"),
                           (("--local-steps", 2, "--local-rate", 1e39), "rounds.local_rate")):
            error = self.refused(*flags)
            self.assertEqual(error["key"], key)
            self.assertTrue(error["allowed"], error)
        self.write((self.folder / "small.toml").read_text().replace('"ldp-sgd"', '"k-rr"\nk = 10')
                   .replace("clip = 1.0\n", "").replace("learning_rate = 0.2\n", "").replace("logistic", "histogram"))
        self.assertEqual(self.refused()["key"], "population.records")

    def write_owned_data(self, rows=60):
        """Writes rows of two features, of which 48 are training examples, whose owners are u0 (half of all), u1, ..."""
        lines = ["user,part,x,y,kind"]
        for i in range(rows):
            owner = "u0" if i % 2 else f"u{1 + i % 9}"
            lines.append(f"{owner},{'test' if i % 5 == 4 else 'train'},{i % 2},{i % 3 / 2},{i % 2}")
        (self.folder / "owned.csv").write_text("\n".join(lines) + "\n")
        self.write((self.folder / "small.toml").read_text().replace('"idx:data"', '"csv:owned.csv"\nsplit = "part"')
                   .replace("records = 4", 'records = "user"').replace("clients = 10", "clients = 20"))

    def test_a_column_names_the_owners(self):
        self.write_owned_data()
        done = self.train("--out", "run")
        said = "each client holds the records of one user: " + ALL
        self.assertIn("muster: " + said, done.stderr)
        self.assertIn("records   of one user a client: " + ALL, done.stdout)
        self.assertIn(said, Page(self.report("run")[0]).words)
        self.assertIn("population.records = user\n", (self.folder / "run" / "plan.txt").read_text())
        flags = ("--local-steps", 2, "--local-rate", 0.1, "--local-batch", 3)
        whole = self.json_lines("--out", "whole", *flags)
        self.assertIn("worst_decile", whole[-1])
        self.json_lines("--out", "threads", "--threads", 3, *flags)
        self.assertEqual(run_files.files_of(self.folder / "threads"), run_files.files_of(self.folder / "whole"))
        model = self.folder / "run" / "model.safetensors"
        scored = self.run_command("evaluate", model, "--data", "csv:owned.csv", "--split", "part", "--records", "user", "--json")
        self.assertEqual(json.loads(scored.stdout)["accuracy"], self.json_lines("--out", "run", "--resume")[-1]["accuracy"])

    def test_clients_without_records_answer_as_for_the_zero_vector(self):
        """Such a client's answer is not counted as neutral, because the zero vector is finite."""
        self.write_owned_data()
        final = self.json_lines("--out", "run", "--clients", 400, "--rate", 0.5)[-1]
        self.assertEqual((final["rounds"], final["neutral"]), (24, 0))

    def test_owners_that_are_refused(self):
        self.write_owned_data()
        for flags, key in ((("--clients", 3), "population.clients"), (("--records", "part"), "population.records"),
                           (("--records", " user"), "population.records"),
                           (("--partition", "shuffled"), "population.partition"), (("--share", "true"), "population.share"),
                           (("--data", "digits"), "population.records"),
                           (("--records", ""), "population.records"), (("--records", "-1"), "population.records")):
            error = self.refused(*flags)
            self.assertEqual(error["key"], key, flags)
            self.assertTrue(error["allowed"], error)
        self.assertIn("owners that population.data names", self.refused("--clients", 3)["message"])
        for column, allowed in (("person", "one column person"), ("kind", "the class")):
            error = self.refusal("train", "small.toml", "--out", "none", "--records", column, status=3)
            self.assertIn(allowed, error["allowed"])
        rows = (self.folder / "owned.csv").read_text().replace("u3,", ",", 1)
        (self.folder / "owned.csv").write_text(rows)
        error = self.refusal("train", "small.toml", "--out", "none", status=3)
        self.assertIn("column 1 (user): a missing value is no owner", error["message"])

    def test_statistics_are_means_over_records(self):
        self.write((self.folder / "small.toml").read_text().replace('"ldp-sgd"', '"laplace"')
                   .replace("learning_rate = 0.2\n", "").replace("logistic", "mean"))
        final = self.json_lines("--out", "run")[-1]
        self.assertEqual(final["neutral"], 0)
        self.assertNotIn("worst_decile", final)


if __name__ == "__main__":
    muster_command.test_main()
