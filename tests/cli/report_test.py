"""Tests the command `muster report`: the pages and pictures that it writes, that they load nothing, and errors.

    python3 tests/cli/report_test.py --command build/release/muster
"""

import json
import os
import pathlib
import re
import shutil
import tempfile
import xml.etree.ElementTree

import muster_command
from report_page import Page
from small_runs import SmallRuns, write_data


class ReportTest(SmallRuns):
    def test_the_page_shows_the_runs_own_figures(self):
        self.with_clients(20)
        final = self.json_lines("--out", "run")[-1]
        text, said = self.report("run")
        self.assertEqual(said, "")
        self.assertTrue((self.folder / "run" / "report.html").is_file())
        page = Page(text)
        rounds = next(table for table in page.tables if table[0][:2] == ["round", "accuracy"])
        shown = [[float(row[i]) if row[i] != "none" else None for i in (0, 1, 2, 3, 5, 6, 7)] for row in rounds[1:]]
        self.assertEqual(shown, [[line[key] for key in ("round", "accuracy", "epsilon", "check_ins", "messages",
                                                        "seconds", "loss")] for line in self.metrics("run")])
        plan = "".join(f"{key} = {value}\n" for key, value in page.tables[-1])
        self.assertEqual(plan, (self.folder / "run" / "plan.txt").read_text())
        self.assertIn(f'value="{final["accuracy"]:.17g}"', text)
        self.assertIn(f'<b><data value="{final["loss"]:.17g}">{final["loss"]:.4f}</data></b><span>loss on the test set', text)
        hash_ = re.search(r'id="hash">([0-9a-f]{64})<', text).group(1)
        self.assertIn(hash_.encode(), (self.folder / "run" / "checkpoint").read_bytes())
        statement = json.loads(self.run_command("account", "small.toml", "--json").stdout)
        best = next(table for table in page.tables if table[0][0] == "bound")[1]
        self.assertEqual((best[0], float(best[1]), float(best[2])),
                         (statement["bound"], statement["epsilon"]["upper"], statement["epsilon"]["lower"]))
        self.assertEqual(float(best[1]), final["epsilon"])
        self.assertIn(f'value="{statement["local"]["epsilon"]:.17g}"', text)
        for assumption in statement["assumptions"]:
            self.assertIn(assumption, page.words)

    def test_the_page_loads_nothing(self):
        self.with_clients(20)
        self.json_lines("--out", "run")
        text, _ = self.report("run")
        page = Page(text)
        self.assertEqual({"script", "img", "link", "iframe", "object"} & set(page.tags), set())
        self.assertEqual({"src", "href", "xlink:href", "action"} & {name for name, _ in page.attributes}, set())
        self.assertNotIn("url(", page.styles)
        self.assertNotIn("@import", page.styles)
        self.assertNotIn("http", text)

    def test_pictures_are_whole_and_hold_every_round(self):
        self.with_clients(20)
        self.json_lines("--out", "run")
        text, _ = self.report("run")
        pictures = [xml.etree.ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.S)]
        self.assertEqual(len(pictures), 3)
        self.assertNotIn("nan", "".join(re.findall(r"<svg.*?</svg>", text, re.S)))
        # The picture of check-ins has a dot in its legend, and one per logged round. Its x is a linear function of
        # the round's number, and its y of the count of check-ins.
        dots = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in pictures[1].iter("circle")][1:]
        logged = self.metrics("run")
        self.assertEqual(len(dots), len(logged))
        counts = [line["check_ins"] for line in logged]
        self.assertGreater(max(counts), min(counts))
        low, high = counts.index(min(counts)), counts.index(max(counts))
        scale = (dots[high][1] - dots[low][1]) / (counts[high] - counts[low])
        for dot, line in zip(dots, logged):
            self.assertAlmostEqual(dot[1], dots[low][1] + scale * (line["check_ins"] - counts[low]), delta=0.3)
            self.assertAlmostEqual((dot[0] - dots[0][0]) * (24 - 6), (dots[-1][0] - dots[0][0]) * (line["round"] - 6),
                                   delta=3)

    def test_an_unfinished_run_says_so(self):
        self.with_clients(20)
        status, _ = self.stop_after(2, "--out", "run", "--rounds", 100_000)
        self.assertEqual(status, 130)
        text, said = self.report("run", "--out", "page.html")
        self.assertIn("not finished", text)
        self.assertIn("not finished", said)
        self.assertFalse((self.folder / "run" / "report.html").exists())
        # An incomplete last line is left out, because the run may still be writing it.
        with open(self.folder / "run" / "metrics.jsonl", "a") as metrics:
            metrics.write('{"round":')
        self.assertEqual(self.report("run")[0].count("<svg"), 3)

    def test_a_run_that_has_logged_nothing(self):
        self.with_clients(20)
        self.train("--out", "none", "--rounds", 0)
        text, _ = self.report("none")
        self.assertIn("no round is done", Page(text).words)

    def test_check_ins_as_declared_and_not(self):
        first = self.train("--out", "run", "--json")
        self.assertNotIn("check-ins:", first.stderr)
        text, _ = self.report("run")
        self.assertIn("No alarm: 24 rounds fit the declared rate 0.1", Page(text).words)
        self.assertEqual(json.loads(self.run_command("report", "run", "--json").stdout),
                         {"out": "run/report.html", "finished": True, "logged": 4, "check_ins": "as declared", "restated": 0})

        def a_fifth_less(lines):
            for line in lines:
                line["check_ins"] = line["check_ins"] * 4 // 5
                line["messages"] = line["messages"] * 4 // 5

        self.edited("run", a_fifth_less)
        text, said = self.report("run")
        self.assertIn("Alarm: too few check-ins", Page(text).words)
        self.assertIn("too few", said)
        again = self.train("--out", "run", "--resume", "--json")
        self.assertEqual(again.stdout, first.stdout.splitlines(keepends=True)[-1])
        self.assertIn("muster: too few check-ins: ", again.stderr)
        self.assertIn("declared rate is what is charged", again.stderr)

    def test_without_coins_nothing_is_watched(self):
        self.with_clients(20)
        plan = (self.folder / "small.toml").read_text()
        plan = plan.replace('"shuffled-check-in"', '"subset"').replace("rate = 0.1", "subset = 5")
        (self.folder / "small.toml").write_text(plan)
        self.train("--out", "run")
        text, _ = self.report("run")
        self.assertIn("Not watched: a fixed number of clients is drawn", Page(text).words)

    def test_slots_of_averaged_check_ins_are_watched(self):
        self.with_clients(20)
        self.plan_in_slots()
        self.train("--out", "run")
        words = Page(self.report("run")[0]).words
        self.assertRegex(words, "No alarm: [0-9]+ slots fit the declared rate 0.1")

    def test_text_from_outside_is_escaped(self):
        self.with_clients(20)
        hostile = "<img src=x onerror=alert(1)> & \"quoted\" 'too'"
        self.json_lines("--out", hostile)
        text, _ = self.report(hostile)
        page = Page(text)
        self.assertEqual({"img", "script"} & set(page.tags), set())
        self.assertIn(hostile, page.words)
        # A result says with one of three words how the run ended; no other text reaches the page.
        result = self.folder / hostile / "result.json"
        result.write_text(result.read_text().replace('"done"', '"<script>alert(2)"'))
        self.assertEqual(self.refusal("report", hostile, status=3)["key"], f"{hostile}/result.json")

    def test_what_is_damaged_is_named(self):
        self.with_clients(20)
        self.json_lines("--out", "run")
        metrics = self.folder / "run" / "metrics.jsonl"
        good = metrics.read_text().splitlines(keepends=True)
        for line, wrong in ((3, "not json\n"), (3, '{"round":9}\n'), (3, good[1]),
                            (4, good[3].replace('"accuracy":', '"accuracy":1')),
                            (4, good[3].rstrip("\n")), (2, good[1].replace('"check_ins":', '"check_ins":-'))):
            metrics.write_text("".join(good[:line - 1] + [wrong] + good[line:]))
            error = self.refusal("report", "run", "--out", "page.html", status=3)
            self.assertEqual(error["key"], "run/metrics.jsonl")
            self.assertIn(f"line {line}: ", error["message"])
        metrics.write_text("".join(good))
        for name, damage in (("plan.txt", lambda text: text.replace("epsilon0 = 0.5", "epsilon0 = 1")),
                             ("plan.txt", lambda text: text + "more = 1\n"), ("plan.txt", lambda text: "nothing"),
                             ("result.json", lambda text: text[:-10]), ("result.json", lambda text: "[]")):
            path = self.folder / "run" / name
            whole = path.read_text()
            path.write_text(damage(whole))
            error = self.refusal("report", "run", "--out", "page.html", status=3)
            self.assertIn(error["key"], (f"run/{name}", "run/checkpoint"))
            path.write_text(whole)
        result = self.folder / "run" / "result.json"
        whole = result.read_text()
        for blank in ("", " \n\t\n"):  # the contents that a full disk or a power cut may leave
            result.write_text(blank)
            for command in (["report", "run", "--out", "page.html"], ["train", "small.toml", "--out", "run", "--resume"]):
                error = self.refusal(*command, status=3)
                self.assertEqual(error["message"], "run/result.json is empty: remove it, and muster train with --resume "
                                                   "writes the result again")
        result.unlink()
        self.json_lines("--out", "run", "--resume")
        again = json.loads(result.read_text())
        self.assertEqual({**json.loads(whole), "seconds": 0, "examples_per_second": 0},
                         {**again, "seconds": 0, "examples_per_second": 0})
        whole = metrics.read_text()
        for kept in ("", "".join(good[:-1])):  # only whole lines, but the last lines are missing
            metrics.write_text(kept)
            error = self.refusal("report", "run", "--out", "page.html", status=3)
            self.assertEqual((error["key"], error["allowed"]), ("run/metrics.jsonl", "24, as in result.json"))
        metrics.write_text(whole)
        for name in ("metrics.jsonl", "checkpoint", "plan.txt", "result.json"):
            path = self.folder / "run" / name
            path.rename(self.folder / "aside")
            path.mkdir()
            error = self.refusal("report", "run", "--out", "page.html", status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", f"run/{name}"))
            path.rmdir()
            (self.folder / "aside").rename(path)
        self.assertFalse((self.folder / "page.html").exists())

    def test_a_page_takes_the_place_of_a_page_alone(self):
        self.with_clients(20)
        self.json_lines("--out", "run")
        text, _ = self.report("run")
        self.assertEqual(self.report("run")[0], text)  # the run's own page is replaced
        (self.folder / "letter.html").write_text("<!DOCTYPE html>\n<html><body>dear</body></html>\n")
        (self.folder / "empty").write_text("")
        for name in ("run/metrics.jsonl", "run/plan.txt", "run/result.json", "run/checkpoint", "small.toml",
                     "letter.html", "empty", "data/train-images-idx3-ubyte"):
            path = self.folder / name
            before = path.read_bytes()
            error = self.refusal("report", "run", "--out", name, status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", name))
            self.assertEqual(path.read_bytes(), before)
        # A page may not have a name that a run uses for its own files.
        self.assertEqual(self.stop_after(1, "--out", "part", "--rounds", 100_000)[0], 130)
        for name in ("part/result.json", "part/checkpoint.12-3.tmp"):
            self.assertEqual(self.refusal("report", "part", "--out", name, status=3)["key"], name)
            self.assertFalse((self.folder / name).exists())
        # Pages of earlier versions lack the `generator` element and are recognised only by their title.
        page = self.folder / "run" / "report.html"
        page.write_text(text.replace('<meta name="generator" content="muster report">\n', ""))
        self.assertNotEqual(page.read_text(), text)
        self.assertEqual(self.report("run")[0], text)

    def test_clients_that_share_records_are_said_to(self):
        sentence = "1000 clients share 40 records, 25 a record on average: epsilon is for one client's copy"
        done = self.train("--out", "run", "--json")
        self.assertIn(sentence, done.stderr)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["clients_per_record"], 25)
        text, _ = self.report("run")
        self.assertIn(sentence, Page(text).words.replace("&#39;", "'"))
        words = self.train("--out", "other", "--seed", 2).stdout
        self.assertIn("records   25 clients hold each, on average: epsilon is for one client's copy", words)
        done = self.train("--out", "few", "--clients", 40, "--share", "false")
        self.assertEqual(self.refusal("train", "small.toml", "--share", "false", status=2)["key"], "population.clients")
        self.assertNotIn("share", done.stderr)
        self.assertNotIn("records", done.stdout)
        self.assertNotIn("share", self.report("few")[0])
        status, _ = self.stop_after(1, "--out", "part", "--rounds", 100_000)
        self.assertEqual(status, 130)
        self.assertIn(sentence, self.report("part")[0].replace("&#39;", "'"))

    def test_folders_that_hold_no_run(self):
        self.with_clients(20)
        (self.folder / "empty").mkdir()
        for folder in ("missing", "empty", "small.toml"):
            self.assertEqual(self.refusal("report", folder, status=3)["key"], folder)
        self.assertEqual(self.refusal("report", status=2)["key"], "RUN_DIR")
        self.json_lines("--out", "run")
        self.assertEqual(self.refusal("report", "run", "--out", "no/such/folder.html", status=3)["kind"], "file")


class SeveralRunsTest(SmallRuns):
    """Runs side by side: `muster report A B ...`, and the picture that `--svg` writes."""

    trained = None  # the folder of the runs that two_people_runs() trained

    def setUp(self):
        super().setUp()
        plan = (self.folder / "small.toml").read_text()
        (self.folder / "small.toml").write_text(plan.replace("clients = 1000\nshare = true", "clients = 10\nrecords = 4"))

    def two_people_runs(self):
        """Makes runs/one-gradient and runs/local, and returns their results. They are trained once for all tests."""
        if self.trained is None:
            self.train("--out", "runs/one-gradient")
            self.train("--out", "runs/local", "--local-steps", 2, "--local-rate", 0.1)
            type(self).trained = pathlib.Path(tempfile.mkdtemp(prefix="muster-cli-")) / "runs"
            self.addClassCleanup(shutil.rmtree, self.trained.parent, ignore_errors=True)
            shutil.copytree(self.folder / "runs", self.trained)
        else:
            shutil.copytree(self.trained, self.folder / "runs")
        return [json.loads((self.folder / "runs" / name / "result.json").read_text()) for name in ("one-gradient", "local")]

    def compared(self, *arguments):
        """Returns the page pages.html of several runs, and the output on stderr."""
        done = self.run_command("report", *arguments, "--out", "pages.html")
        self.assertEqual(done.stdout.splitlines()[0], "pages.html")
        return Page((self.folder / "pages.html").read_text(encoding="utf-8")), done.stderr

    def table(self, page, head):
        return next(table for table in page.tables if table[0][0] == head)

    def test_the_page_shows_each_runs_own_figures(self):
        finals = self.two_people_runs()
        page, said = self.compared("runs/one-gradient", "runs/local")
        self.assertEqual(said, "")
        self.assertIn("each client holds 4 records, dealt shuffled: epsilon is for one client, all its records", page.words)
        results = self.table(page, "run")
        self.assertEqual([row[0] for row in results[1:]], ["one-gradient", "local"])
        for row, final in zip(results[1:], finals):
            shown = dict(zip(results[0], row))
            self.assertEqual((shown["protocol"], shown["randomizer"], shown["state"]), ("shuffled-check-in", "ldp-sgd", "done"))
            for column, key in (("rounds", "rounds"), ("epsilon", "epsilon"), ("delta", "delta"), ("accuracy", "accuracy"),
                                ("client mean", "client_accuracy"), ("worst tenth", "worst_decile"), ("time", "seconds")):
                self.assertEqual(float(shown[column]), final[key], column)
        self.assertEqual(self.table(page, "key")[1:], [["rounds.local_rate", "-", "0.1"], ["rounds.local_steps", "-", "2"]])
        text = (self.folder / "pages.html").read_text(encoding="utf-8")
        pictures = [xml.etree.ElementTree.fromstring(svg) for svg in re.findall(r"<svg width.*?</svg>", text, re.S)]
        self.assertEqual([picture.find("title").text for picture in pictures],
                         ["small: accuracy on the test set"] * 2 + ["small: accuracy by client"] * 2)
        for picture, lines in zip(pictures, (2, 2, 4, 4)):
            self.assertEqual(len([path for path in picture.iter("path") if path.get("stroke-linejoin")]), lines)
        self.assertEqual({"script", "img", "link", "iframe", "object"} & set(page.tags), set())
        self.assertNotIn("http", text)
        self.assertNotIn("warn", page.words)
        self.assertNotIn("do not compare", page.words)

    def test_one_line_for_each_run(self):
        self.two_people_runs()
        done = self.run_command("report", "runs/one-gradient", "runs/local/", "--out", "pages.html", "--svg", "a.svg", "--json")
        common = {"out": "pages.html", "svg": "a.svg", "finished": True, "logged": 4, "check_ins": "as declared", "restated": 0}
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()],
                         [{"run": "runs/one-gradient", **common}, {"run": "runs/local/", **common}])
        self.assertEqual(json.loads(self.run_command("report", "runs/local", "--svg", "a.svg", "--json").stdout),
                         {key: value for key, value in common.items() if key != "out"})
        self.assertFalse((self.folder / "runs/local/report.html").exists())

    def test_the_picture_alone(self):
        self.two_people_runs()
        done = self.run_command("report", "runs/one-gradient", "runs/local", "--svg", "people.svg")
        self.assertEqual(done.stdout, "people.svg\n")
        words = "".join(xml.etree.ElementTree.parse(self.folder / "people.svg").getroot().itertext())
        for expected in ("one-gradient, mean 0.", "local, worst tenth 0.", "for one client, all its records",
                         "no epsilon covers it"):
            self.assertIn(expected, words)
        self.train("--out", "alone", "--records", 1, "--clients", 20)
        done = self.run_command("report", "alone", "--svg", "alone.svg", "--out", "alone.html")
        self.assertEqual(done.stdout, "alone.html\nalone.svg\n")
        words = "".join(xml.etree.ElementTree.parse(self.folder / "alone.svg").getroot().itertext())
        self.assertIn("accuracy on the test set", words)
        self.assertNotIn("client", words)

    def test_a_picture_takes_the_place_of_a_picture_alone(self):
        self.two_people_runs()
        (self.folder / "runs/local").rename(self.folder / "run")
        self.run_command("report", "run", "--svg", "a.svg")
        before = (self.folder / "a.svg").read_bytes()
        self.run_command("report", "run", "--svg", "a.svg")
        self.assertEqual((self.folder / "a.svg").read_bytes(), before)
        self.report("run", "--out", "page.html")
        (self.folder / "drawn.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"></svg>\n')
        for name in ("drawn.svg", "page.html", "small.toml", "run/result.json"):
            before = (self.folder / name).read_bytes()
            error = self.refusal("report", "run", "--svg", name, "--out", "new.html", status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", name))
            self.assertEqual((self.folder / name).read_bytes(), before)
        self.assertEqual(self.refusal("report", "run", "--out", "a.svg", status=3)["key"], "a.svg")
        self.assertFalse((self.folder / "new.html").exists())  # nothing is written unless all can be
        error = self.refusal("report", "run", "--svg", "new.html", "--out", "run/../new.html", status=2)
        self.assertEqual((error["kind"], error["key"]), ("usage", "--svg"))

    def test_folders_that_cannot_be_compared(self):
        self.two_people_runs()
        (self.folder / "runs/local").rename(self.folder / "run")
        (self.folder / "runs/one-gradient").rename(self.folder / "other")
        (self.folder / "link").symlink_to("run")
        for twice in ("run", "run/", "link", "./run"):
            error = self.refusal("report", "run", twice, "--out", "pages.html", status=2)
            self.assertEqual((error["key"], error["value"]), ("RUN_DIR", twice))
        error = self.refusal("report", *(f"run{i}" for i in range(9)), "--out", "pages.html", status=2)
        self.assertEqual((error["key"], error["value"], error["allowed"]), ("RUN_DIR", "run8", "1 to 8 folders"))
        (self.folder / "empty").mkdir()
        for folder in ("missing", "empty", "small.toml"):
            self.assertEqual(self.refusal("report", "run", folder, "--out", "pages.html", status=3)["key"], folder)
        self.assertEqual(self.refusal("report", "run", "other", status=2)["key"], "--out")
        result = self.folder / "other" / "result.json"
        result.write_text(re.sub(r'"epsilon":[^,]+', '"epsilon":0.001', result.read_text()))
        self.assertEqual(self.refusal("report", "run", "other", "--out", "pages.html", status=3)["key"], "other/result.json")
        self.assertFalse((self.folder / "pages.html").exists())

    def test_an_unfinished_run_among_them(self):
        self.two_people_runs()
        (self.folder / "runs/local").rename(self.folder / "run")
        self.assertEqual(self.stop_after(2, "--out", "part", "--rounds", 100_000)[0], 130)
        self.train("--out", "none", "--rounds", 0)
        page, said = self.compared("run", "part", "none")
        self.assertEqual(said, "muster: part: this run is not finished; the report says how far it had got\n")
        self.assertIn("part: unfinished", page.words)
        rows = self.table(page, "run")
        self.assertEqual([row[4] for row in rows[1:]], ["done", "unfinished", "done"])
        self.assertRegex(rows[2][3], "^[0-9]+ of 100000$")

    def test_data_and_deltas_that_differ(self):
        self.two_people_runs()
        (self.folder / "runs/one-gradient").rename(self.folder / "run")
        write_data(self.folder / "more", seed=2)
        self.train("--out", "other", "--data", "idx:more", "--delta", 1e-6)
        words = self.compared("run", "other")[0].words
        self.assertIn("the accuracies may be of different test sets, and do not compare: run; other", words)
        self.assertIn("the epsilons are at different deltas: 0.0001 in run; 1e-06 in other", words)
        # The same examples under another name are the same test set.
        (self.folder / "data").rename(self.folder / "moved")
        self.train("--out", "same", "--data", "idx:moved")
        self.assertNotIn("test sets", self.compared("run", "same")[0].words)

    def test_names_from_outside(self):
        hostile = "<img src=x onerror=alert(1)> & \"quoted\" 'too'"
        self.two_people_runs()
        for old, new in (("one-gradient", "a"), ("local", "b")):
            (self.folder / new).mkdir()
            (self.folder / "runs" / old).rename(self.folder / new / hostile)
        page, _ = self.compared(f"a/{hostile}", f"b/{hostile}", "--svg", "a.svg")
        self.assertEqual({"img", "script"} & set(page.tags), set())
        self.assertEqual([row[0] for row in self.table(page, "run")[1:]], [f"a/{hostile}", f"b/{hostile}"])
        xml.etree.ElementTree.parse(self.folder / "a.svg")
        # A folder's name may be any bytes, but a picture must be valid UTF-8.
        odd = os.fsdecode(b"odd\xff\x01")
        (self.folder / "a").rename(self.folder / odd)
        self.compared(f"{odd}/{hostile}", f"b/{hostile}", "--svg", "a.svg")
        self.assertIn("odd\ufffd", (self.folder / "a.svg").read_text(encoding="utf-8"))
        xml.etree.ElementTree.parse(self.folder / "a.svg")


if __name__ == "__main__":
    muster_command.test_main()
