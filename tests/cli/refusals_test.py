"""Tests the errors of the command: exit status, key, value, allowed values, and place."""

import os
import pathlib
import subprocess
import tempfile

import muster_command
from muster_command import CommandTest, flags, run

GOOD = pathlib.Path("plans/mnist-ldp-sgd.toml")
# The digits have ten classes, not nine.
ANSWERS = """[population]
clients = 100
data = "digits"
[participation]
protocol = "shuffled-check-in"
rate = 0.5
[randomizer]
kind = "k-rr"
epsilon0 = 2
k = 9
[rounds]
count = 2
[model]
kind = "histogram"
[privacy]
delta = 1e-3
"""


class Refusals(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.plan = pathlib.Path(folder.name) / "plan.toml"

    def refused_plan(self, text, status=2):
        self.plan.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.refused("account", str(self.plan), status=status)

    def test_flags(self):
        for changes, key in (({"rate": "0"}, "participation.rate"), ({"rate": "nan"}, "participation.rate"),
                             ({"rate": "1e400"}, "participation.rate"), ({"rate": "-0.1"}, "participation.rate"),
                             ({"rate": "1.1"}, "participation.rate"), ({"rate": "0.2:0.1"}, "participation.rate"),
                             ({"rate": "0:0.1"}, "participation.rate"), ({"rate": "0.1:nan"}, "participation.rate"),
                             ({"rate": ""}, "participation.rate"), ({"clients": "0"}, "population.clients"),
                             ({"clients": "1.5"}, "population.clients"), ({"clients": "-3"}, "population.clients"),
                             ({"clients": "1e13"}, "population.clients"), ({"rounds": "-1"}, "rounds.count"),
                             ({"rounds": "abc"}, "rounds.count"), ({"epsilon0": "0"}, "randomizer.epsilon0"),
                             ({"epsilon0": "inf"}, "randomizer.epsilon0"), ({"delta": "0"}, "privacy.delta"),
                             ({"delta": "1"}, "privacy.delta"), ({"sigma": "5"}, "randomizer.sigma"),
                             ({"subset": "5"}, "participation.subset"), ({"minimum": "5"}, "participation.minimum"),
                             ({"slots": "5"}, "participation.slots"), ({"k": "5"}, "randomizer.k"),
                             ({"randomizer": "laplas"}, "randomizer.kind"),
                             ({"protocol": "subsets"}, "participation.protocol"),
                             ({"seed": "5"}, "seed"), ({"momentum": "0.5"}, "rounds.momentum"),
                             ({"budget": "3"}, "privacy.budget"), ({"data": "digits"}, "population.data")):
            error = self.refused("account", *flags(**changes))
            name, value = list(changes.items())[0]
            self.assertEqual((error["kind"], error["key"], error["value"]), ("plan", key, value), error)
            self.assertNotEqual(error["allowed"], "", error)
            self.assertIn("--" + name, error["message"])

    def test_a_flag_that_changes_the_protocol_or_the_randomizer_drops_keys_of_the_file(self):
        for flags_given, dropped in ((["--protocol", "shuffle"], ["participation.rate"]),
                                     (["--randomizer", "gaussian", "--sigma", "5"], ["randomizer.epsilon0"]),
                                     (["--randomizer", "pure"], ["randomizer.clip"]),
                                     (["--protocol", "subset", "--subset", "100", "--randomizer", "k-rr", "--k", "4"],
                                      ["participation.rate", "randomizer.clip"])):
            done = run("account", str(GOOD), *flags_given, "--rounds", "1", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            notes = done.stderr.splitlines()
            self.assertEqual([note.split(" = ")[0] for note in notes], ["muster: " + key for key in dropped])
            for note in notes:
                self.assertIn(f"({GOOD}, line ", note)
        # A key that does not apply is refused if a flag gives it, even beside a flag that changes the
        # protocol. It is also refused if the file gives it and no flag changes the protocol.
        self.assertEqual(self.refused("account", str(GOOD), "--protocol", "shuffle", "--rate", "0.1")["key"],
                         "participation.rate")
        wrong = GOOD.read_text().replace("[randomizer]", "subset = 5\n[randomizer]")
        self.assertEqual(self.refused_plan(wrong)["key"], "participation.subset")
        self.plan.write_text(wrong)
        self.assertEqual(self.refused("account", str(self.plan), "--protocol", "shuffled-check-in")["key"],
                         "participation.subset")

    def test_missing_keys(self):
        for name, key in (("rate", "participation.rate"), ("clients", "population.clients"),
                          ("protocol", "participation.protocol"), ("randomizer", "randomizer.kind"),
                          ("epsilon0", "randomizer.epsilon0"), ("rounds", "rounds.count"),
                          ("delta", "privacy.delta")):
            error = self.refused("account", *flags(**{name: None}))
            self.assertEqual((error["kind"], error["key"]), ("plan", key))

    def test_train(self):
        self.assertEqual(self.refused("train")["kind"], "usage")
        self.assertEqual(self.refused("train", "no/such/plan.toml", status=3)["kind"], "file")
        for arguments, key in ((["--epsilon0", "0"], "randomizer.epsilon0"), (["--randomizer", "pure"], "randomizer.kind"),
                               (["--randomizer", "laplace"], "randomizer.kind"), (["--protocol", "shuffel"], "participation.protocol"),
                               (["--rate", "0.2:0.1"], "participation.rate"),
                               (["--model", "resnet"], "model.kind"), (["--learning-rate", "0"], "rounds.learning_rate"),
                               (["--learning-rate", "[[2, 1.0]]"], "rounds.learning_rate"),
                               (["--batch", "2"], "rounds.batch"), (["--data", "csv:"], "population.data"), (["--activation", "sigmoid"], "model.activation"),
                               (["--public-data", "digits"], "model.public_data"),
                               (["--log-every", "0"], "rounds.log_every"), (["--budget", "0"], "privacy.budget"),
                               (["--sigma", "3"], "randomizer.sigma")):
            error = self.refused("train", str(GOOD), *arguments)
            self.assertEqual((error["kind"], error["key"], error["value"]), ("plan", key, arguments[1]))
        # For values beyond a sampler's range, the error shows the number as it was typed, not rounded to six digits.
        for flag, value, key in (("--epsilon0", "1e-10", "randomizer.epsilon0"), ("--clip", "1e-30", "randomizer.clip"),
                                 ("--clip", "1e+300", "randomizer.clip")):
            error = self.refused("train", str(GOOD), flag, value, "--data", "digits", "--clients", "10", "--out", str(self.plan) + ".run")
            self.assertEqual((error["kind"], error["key"], error["value"]), ("plan", key, value))
        for flag, most in (("--threads", 1024), ("--seeds", 1000)):
            for value in ("0", "-1", str(most + 1), "nan", "inf", "1e2", "2.0", "0x10", "010", "", "1e400", "99999999999999999999"):
                error = self.refused("train", str(GOOD), flag, value)
                self.assertEqual((error["kind"], error["key"], error["value"], error["allowed"]),
                                 ("usage", flag, value, f"integer 1..{most}"))
        # What does not fit the data, the machine or a sampler is refused with its place, too.
        out = str(self.plan) + ".run"
        for flag, value in (("--clients", "60001"), ("--rounds", "1000000000000"), ("--epsilon0", "701")):
            error = self.refused("train", str(GOOD), "--data", "digits", flag, value, "--out", out)
            self.assertEqual(error["kind"], "plan")
            self.assertIn(f" = {value} ({flag}) ", error["message"])
        self.plan.write_text(ANSWERS)
        self.assertIn(f" = 9 ({self.plan}, line 10, column 5) ",
                      self.refused("train", str(self.plan), "--out", out)["message"])
        self.assertIn(" = 0 (--rounds) ", run("account", str(self.plan), "--curve", "--rounds", "0").stderr)
        for flag in ("--epsilon", "--nonsense", "--all"):
            self.assertEqual(self.refused("train", str(GOOD), flag)["kind"], "usage")

    def test_usage(self):
        for arguments in (["account", "--nonsense"], ["account", "--nonsense=3", "a"], ["account", "a", "b", "--all"],
                          ["acount"], ["--nonsense"], ["account", *flags(), "--rate", "0.2"],
                          ["account", *flags(), "--epsilon", "1"],
                          ["account", *flags(), "--curve=png"], ["calibrate", *flags()],
                          ["calibrate", *flags(), "--for", "epsilon0"]):
            self.assertEqual(self.refused(*arguments)["kind"], "usage", arguments)
        self.assertEqual(run("account", "--rate").stderr, "muster: --rate needs a value\n")
        self.assertEqual(run("account", *flags(), "--rate", "0.2").stderr, "muster: --rate is given more than once\n")
        # A flag with an empty value is refused with an error that names it, even if another flag follows:
        # that flag is not the value.
        error = self.refused("account", *flags(delta=None), "--delta=")
        self.assertEqual((error["kind"], error["key"]), ("usage", "--delta"))
        # An empty path does not count as none given.
        for arguments, flag in ((["train", str(GOOD), "--out", ""], "--out"), (["report", "x", "--out", ""], "--out"),
                                (["report", ""], "RUN_DIR"), (["keygen", "issuer", "--out", ""], "--out"),
                                (["reproduce", "000-table-2", "--out", ""], "--out"),
                                (["account", "", *flags()], "PLAN")):
            error = self.refused(*arguments)
            self.assertEqual((error["kind"], error["key"]), ("usage", flag))
            self.assertIn("is empty", error["message"])
        nothing = run()
        self.assertEqual((nothing.returncode, nothing.stdout), (2, ""))
        self.assertIn("no command given", nothing.stderr)

    def test_unknown_commands(self):
        for name, close in (("acount", "account"), ("mixer", None), ("repot", "report")):
            error = self.refused(name, "plans/x.toml")
            self.assertEqual((error["kind"], error["key"]), ("usage", name))
            self.assertIn(f"did you mean {close}?" if close else "unknown command", error["message"])
            help_of = run("help", name)
            self.assertEqual((help_of.returncode, help_of.stdout), (2, ""))
            self.assertEqual(help_of.stderr, f"muster: {error['message']}\n")

    def test_suggestions(self):
        self.assertIn("did you mean --learning-rate?", self.refused("train", "--lr", "1")["message"])
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder) / "rows.csv"
            rows.write_text("1,2\n", encoding="utf-8")
            error = self.refused("train", "plans/quickstart.toml", "--data", str(rows), "--out", folder + "/run")
            self.assertEqual(error["key"], "population.data")
            self.assertIn(f"did you mean csv:{rows}?", error["message"])

    def test_plans_that_are_no_files(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = folder + "/pipe"
            os.mkfifo(pipe)
            for path in (pipe, "/dev/zero", "/dev/null"):
                error = self.refused("account", path, status=3)
                self.assertEqual((error["kind"], error["key"], error["allowed"]), ("file", path, "a regular file"))

    def test_help_that_cannot_be_written(self):
        for arguments in (["--help"], ["account", "--help"], ["help"], ["help", "train"], ["--version"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([muster_command.COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE,
                                      text=True, check=False)
            self.assertEqual((done.returncode, "could not be written" in done.stderr), (3, True), arguments)

    def test_a_launcher_that_counts_no_ranks(self):
        launched = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_SIZE": "0"}
        self.assertEqual(run("train", "--help", env=launched).returncode, 0)

    def test_help_by_name(self):
        self.assertEqual(run("help").stdout, run("--help").stdout)
        for name in ("account", "calibrate", "compare", "train", "report"):
            self.assertEqual(run("help", name).stdout, run(name, "--help").stdout)
        self.assertEqual(run("-V").stdout, run("--version").stdout)

    def test_epsilon_and_view(self):
        for value in ("nan", "-1", "inf", "", "x"):
            self.assertEqual(self.refused("account", *flags(delta=None), "--epsilon", value)["key"], "--epsilon")
        for value in ("nobody", "", "Shuffler-honest"):
            self.assertEqual(self.refused("account", *flags(), "--view", value)["key"], "--view")
        summed = flags(protocol="aggregated-check-in", rounds="1")
        for view in ("shuffler-honest",):
            error = self.refused("account", *summed, "--view", view)
            self.assertEqual((error["kind"], error["key"], error["value"]), ("uncovered", "view", view))
            self.assertIn("no theorem covers", error["message"])

    def test_protocols(self):
        for protocol, changes, key in (("subset", {"rate": None}, "participation.subset"),
                                       ("subset", {"rate": None, "subset": "60001"}, "participation.subset"),
                                       ("subset", {"subset": "5"}, "participation.rate"),
                                       ("shuffle", {}, "participation.rate"),
                                       ("random-check-in-fixed", {}, "participation.slots"),
                                       ("random-check-in-sliding", {"slots": "0"}, "participation.slots"),
                                       ("aggregated-check-in", {"minimum": "60001"}, "participation.minimum"),
                                       ("aggregated-check-in", {"minimum": "0"}, "participation.minimum")):
            error = self.refused("account", *flags(protocol=protocol, **changes))
            self.assertEqual((error["kind"], error["key"]), ("plan", key), protocol)
        self.assertEqual(self.refused("account", *flags(randomizer="k-rr"))["key"], "randomizer.k")
        self.assertEqual(self.refused("account", *flags(randomizer="k-rr", k="1"))["key"], "randomizer.k")

    def test_plan_files(self):
        good = GOOD.read_text()
        clip = "clip     = 0.1"
        line = good[:good.index(clip)].count("\n") + 1
        for text, where in ((good.replace(clip, "clip = = 1"), line), (good.replace(clip, "clip = 1e400"), line),
                            (good + "delta = 1e-6\n", good.count("\n") + 1), (b"name = \"\xff\"\n", 1)):
            error = self.refused_plan(text)
            self.assertEqual((error["kind"], error["key"]), ("plan", str(self.plan)))
            self.assertRegex(error["message"], f"line {where}, column [0-9]+: ")
        error = self.refused_plan(good.replace(clip, "clip     = -1"))
        self.assertEqual((error["key"], error["value"], error["allowed"]), ("randomizer.clip", "-1", "number > 0"))
        self.assertIn(f"{self.plan}, line {line}, column 12", error["message"])
        error = self.refused_plan(good.replace(clip, "clop     = 0.1"))
        self.assertEqual((error["key"], error["value"]), ("randomizer.clop", "0.1"))
        self.assertIn("did you mean randomizer.clip?", error["message"])

    def test_what_is_refused_is_said_in_a_sentence_that_names_the_file(self):
        good = GOOD.read_text()
        self.plan.write_text(good.replace("clip     = 0.1", "clip     = -1"))
        line = good[:good.index("clip     = 0.1")].count("\n") + 1
        self.assertEqual(self.refused("account", str(self.plan))["message"],
                         f"randomizer.clip = -1 ({self.plan}, line {line}, column 12) is out of range; allowed: number > 0")
        self.assertEqual(self.refused("account", str(GOOD), "--epsilon0", "0")["message"],
                         "randomizer.epsilon0 = 0 (--epsilon0) is out of range; allowed: number >= 1e-100")
        self.plan.write_text("")
        message = self.refused("account", str(self.plan))["message"]
        self.assertTrue(message.startswith(f"participation.protocol is missing: account needs it; set it in {self.plan} "
                                           "or with --protocol; allowed: shuffle | "), message)
        self.plan.write_text("\n".join(row for row in good.splitlines() if not row.startswith("delta")))
        self.assertTrue(self.refused("calibrate", str(self.plan), "--for", "rounds", "--epsilon", "1")["message"].startswith(
            f"privacy.delta is missing: calibrate needs it; set it in {self.plan} or with --delta"))
        self.plan.write_text("# é\nseed = é\n")
        self.assertIn(f"{self.plan}, line 2, column 8: only a string", self.refused("account", str(self.plan))["message"])
        for text in ("[[1, 0.1]]\x1b[31m", "[0.1, 0.2]\nx = 3", "[[1, 0.1]] é"):
            message = self.refused("account", str(GOOD), "--dropout", text)["message"]
            self.assertFalse(any(character < " " for character in message), message)
        launched = {**os.environ, "OMPI_COMM_WORLD_SIZE": "2"}
        swept = run("train", str(GOOD), "--sweep", "participation.rate=0.1,0.2", env=launched)
        self.assertEqual(swept.stderr, "muster: --sweep does not run under mpirun, whose ranks share one run; allowed: one "
                                       "process\n")

    def test_a_plan_that_is_elsewhere_is_suggested(self):
        self.assertEqual(self.refused("account", "quickstart", status=3)["message"],
                         "quickstart cannot be opened: No such file or directory; did you mean plans/quickstart.toml?")
        self.assertIn("did you mean plans/quickstart.toml?", self.refused("account", "quickstart.toml", status=3)["message"])
        self.assertNotIn("did you mean", self.refused("account", "no/such/thing", status=3)["message"])
        self.assertEqual(self.refused("account", "plans", status=3)["message"],
                         "plans is a folder, and no plan; expected: a file")

    def test_files(self):
        for name in ("no/such/plan.toml", "/", "/proc/self/mem"):
            self.assertEqual(self.refused("account", name, status=3)["kind"], "file")

    def test_paths_that_cannot_be_examined(self):
        """The standard library refuses a path before muster does, for example if its name is too long."""
        path = "x" * 5000
        task = ("--malicious", "0", "--seconds", "60", "--out", path)
        for arguments in (["verify", path], ["status", path], ["keygen", "task", "plans/deploy-digits.toml", *task],
                          ["report", path], ["evaluate", path, "--data", "digits"], ["train", "plans/quickstart.toml", "--out", path]):
            error = self.refused(*arguments, status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", path), arguments)
            self.assertIn("File name too long", error["message"], arguments)

    def test_bytes_that_are_no_text_stay_json(self):
        done = run("account", b"\xff\xfe", "--json", text=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("\\ufffd" if b"\\ufffd" in done.stdout else "\ufffd", done.stdout.decode("utf-8"))

    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = muster_command.subprocess.run([muster_command.COMMAND, "account", *flags(rounds="0")], stdout=full,
                                                 stderr=muster_command.subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("could not be written", done.stderr)


if __name__ == "__main__":
    muster_command.test_main()
