"""The epsilon that a run's files state is never trusted: `report` and `--resume` compute every epsilon again.

    python3 tests/cli/stated_test.py --command build/release/muster
"""

import json
import re

import muster_command
import run_files
from report_page import Page
from small_runs import SmallRuns


class StatedTest(SmallRuns):
    def setUp(self):
        super().setUp()
        self.with_clients(20)  # these tests do not depend on the number of clients

    def stated(self, name, line, value):
        """Replaces the epsilon in a line of a file by `value`, and returns the old epsilon."""
        path = self.folder / "run" / name
        lines = path.read_text().splitlines(keepends=True)
        said = json.loads(lines[line - 1])["epsilon"]
        lines[line - 1] = lines[line - 1].replace(f'"epsilon":{json.dumps(said)}', f'"epsilon":{json.dumps(value)}')
        path.write_text("".join(lines))
        return said

    def test_an_epsilon_that_states_less_is_refused(self):
        self.json_lines("--out", "run")
        text, _ = self.report("run")
        for name, line, part in (("result.json", 1, 0), ("result.json", 1, 1 - 1e-3), ("metrics.jsonl", 1, 1 - 1e-3),
                                 ("metrics.jsonl", 4, 0)):
            truth = self.stated(name, line, None)
            self.stated(name, line, part * truth)
            for command in (("report", "run"), ("train", "small.toml", "--out", "run", "--resume")):
                error = self.refusal(*command, status=3)
                self.assertEqual((error["kind"], error["key"]), ("file", f"run/{name}"))
                self.assertAlmostEqual(float(error["value"]), part * truth, delta=1e-15)
                self.assertAlmostEqual(float(error["allowed"].removeprefix("at least ")), truth, places=7)
                self.assertIn('"epsilon" is less than', error["message"])
                self.assertEqual(f"line {line}: " in error["message"], name == "metrics.jsonl")
            self.stated(name, line, truth)
        self.assertEqual(self.report("run")[0], text)

    def test_an_epsilon_that_states_more_is_of_an_older_version(self):
        final = self.json_lines("--out", "run")[-1]
        text, _ = self.report("run")
        for more in (None, 1.01 * final["epsilon"]):  # None becomes null, which says that no epsilon was proven
            self.stated("result.json", 1, more)
            self.stated("metrics.jsonl", 4, more)
            again, said = self.report("run")
            self.assertIn("2 stated epsilons are larger than what the accountant proves today", said)
            self.assertIn("2 stated epsilons are larger", Page(again).words)
            # Every epsilon on the page is computed by this version.
            self.assertEqual(re.sub(r'<p class="flag bad">.*</p>\n', "", again), text)
            self.assertEqual(json.loads(self.run_command("report", "run", "--json").stdout)["restated"], 2)
            shown = self.train("--out", "run", "--resume", "--json")
            self.assertEqual(json.loads(shown.stdout), final)
            self.assertIn("2 stated epsilons are larger", shown.stderr)
            self.stated("result.json", 1, final["epsilon"])
            self.stated("metrics.jsonl", 4, final["epsilon"])
        # A stated value that differs only by the numerical error or by rounding counts as the same.
        for same in (final["epsilon"] * (1 + 1e-10), final["epsilon"] * (1 - 1e-10)):
            self.stated("result.json", 1, same)
            self.assertEqual(self.report("run"), (text, ""))

    def test_a_result_of_other_rounds_or_another_delta_is_refused(self):
        self.json_lines("--out", "run")
        result = self.folder / "run" / "result.json"
        good, metrics = result.read_text(), (self.folder / "run" / "metrics.jsonl").read_text()
        for old, new, truth in (('"rounds":24', '"rounds":18', "24, as in the checkpoint"),
                                ('"delta":0.0001', '"delta":1e-09', "0.0001, as in plan.txt"),
                                ('"message"', '"sum"', "message, as in the checkpoint")):
            result.write_text(good.replace(old, new))
            if "rounds" in new:  # cut off the metrics after the stated rounds, so that both files agree
                (self.folder / "run" / "metrics.jsonl").write_text("".join(metrics.splitlines(keepends=True)[:3]))
            for command in (("report", "run"), ("train", "small.toml", "--out", "run", "--resume")):
                error = self.refusal(*command, status=3)
                self.assertEqual((error["key"], error["allowed"]), ("run/result.json", truth))
            result.write_text(good)
            (self.folder / "run" / "metrics.jsonl").write_text(metrics)

    def test_an_unfinished_run_that_states_less_does_not_go_on(self):
        status, _ = self.stop_after(3, "--out", "run", "--rounds", 100_000)
        self.assertEqual(status, 130)
        before = (self.folder / "run" / "checkpoint").read_bytes()
        truth = self.stated("metrics.jsonl", 2, 1e-3)
        for command in (("report", "run"), ("train", "small.toml", "--out", "run", "--rounds", 100_000, "--resume"),
                        ("train", "small.toml", "--out", "run", "--rounds", 100_000, "--resume", "--threads", 1)):
            error = self.refusal(*command, status=3)
            self.assertEqual((error["key"], error["value"]), ("run/metrics.jsonl", "0.001"))
        self.assertEqual((self.folder / "run" / "checkpoint").read_bytes(), before)
        self.stated("metrics.jsonl", 2, truth)
        self.report("run")

    def test_rounds_that_the_plan_does_not_have(self):
        self.plan_in_slots()
        self.json_lines("--out", "run")
        metrics = self.folder / "run" / "metrics.jsonl"
        good = metrics.read_text()
        self.assertEqual(json.loads(good.splitlines()[-1])["slot"], 20)
        for old, new in (('"round":2', '"round":1'), ('"slot":20', '"slot":21'), ('"slot":20', '"slat":20')):
            metrics.write_text(good.replace(old, new))
            self.assertEqual(self.refusal("report", "run", status=3)["key"], "run/metrics.jsonl")
        metrics.write_text(good)
        self.report("run")

    def test_a_run_of_a_version_before_is_reported(self):
        final = self.json_lines("--out", "run")[-1]
        self.edited("run", lambda lines: [line.pop("neutral") for line in lines])
        for key in ("neutral", "clients_per_record"):
            del final[key]
        (self.folder / "run" / "result.json").write_text(json.dumps(final) + "\n")
        run_files.to_version_2(self.folder / "run" / "checkpoint")
        text, said = self.report("run")
        self.assertEqual(said, "")
        self.assertIn(f'value="{final["epsilon"]:.17g}"', text)
        self.assertNotIn("neutral", Page(text).words)
        self.assertEqual(json.loads(self.train("--out", "run", "--resume", "--json").stdout), final)


if __name__ == "__main__":
    muster_command.test_main()
