"""Tests `muster keygen`: the files of keys, the task document, and what is refused.

    python3 tests/cli/keygen_test.py --command build/release/muster

The task's name and the plan's hash are computed here anew, from the document alone.
"""

import hashlib
import json
import stat

import muster_command
import role_processes
from small_runs import SmallRuns

PLAN = role_processes.plan(clients=40, rounds=25)


def hash_of(text):
    return hashlib.blake2b(text, digest_size=32).hexdigest()


class Keygen(SmallRuns):
    def keygen(self, *arguments):
        return json.loads(self.run_command("keygen", *arguments, "--json").stdout)

    def make_roles(self):
        return {role: self.keygen(role, "--out", "keys")["key"] for role in ("issuer", "shuffler", "aggregator")}

    def task(self, *arguments, plan=PLAN, **keys):
        """Returns the arguments for a task; `issuer="PATH"` names another key file than keys/issuer.pub."""
        (self.folder / "plan.toml").write_text(plan)
        roles = [word for role in ("aggregator", "issuer", "shuffler")
                 for word in (f"--{role}", keys.get(role, f"keys/{role}.pub"))]
        return ["task", "plan.toml", *roles, *arguments]

    def test_a_role_has_a_secret_key_that_others_cannot_read(self):
        said = self.keygen("issuer", "--out", "a/b")
        secret, public = self.folder / said["secret"], self.folder / said["public"]
        self.assertEqual(stat.S_IMODE(secret.stat().st_mode), 0o600)
        self.assertRegex(secret.read_text(), r"\Amuster secret key 1 issuer [0-9a-f]{64}\n\Z")
        self.assertEqual(public.read_text(), f"muster public key 1 issuer {said['key']}\n")
        self.assertNotEqual(secret.read_text().split()[-1], said["key"])
        before = secret.read_bytes()
        error = self.refusal("keygen", "issuer", "--out", "a/b", status=3)
        self.assertIn("exists already", error["message"])
        self.assertEqual(secret.read_bytes(), before)

    def test_devices_have_different_keys_and_a_list(self):
        said = self.keygen("devices", "--count", "12", "--out", "devices")
        lines = (self.folder / said["enrolment"]).read_text().splitlines()[1:]
        keys = [line.split()[0] for line in lines]
        self.assertEqual(len(set(keys)), 12)
        for number, key in enumerate(keys, 1):
            self.assertEqual((self.folder / f"devices/device-{number:02}.pub").read_text(),
                             f"muster public key 1 device {key}\n")
        secrets = {path.read_text().split()[-1] for path in (self.folder / "devices").glob("*.key")}
        self.assertEqual(len(secrets), 12)
        error = self.refusal("keygen", "devices", "--count", "3", "--out", "devices", status=3)
        self.assertIn("exists already", error["message"])

    def test_a_task_has_the_plan_the_settings_and_the_keys(self):
        keys = self.make_roles()
        arguments = self.task("--malicious", "3", "--seconds", "60", "--out", "task.txt")
        said = self.keygen(*arguments)
        text = (self.folder / "task.txt").read_bytes()
        self.assertEqual(said["task"], hash_of(text))
        values = dict(line.split(" = ", 1) for line in text.decode().splitlines())
        self.assertEqual(list(values), sorted(values))
        self.assertEqual({role: values[f"task.{role}"] for role in keys}, keys)
        settings = ("malicious", "most_rounds", "randomness", "seconds", "wire")
        self.assertEqual([values[f"task.{key}"] for key in settings], ["3", "28", "os", "60", "1"])
        plan = "".join(f"{key} = {value}\n" for key, value in values.items() if not key.startswith("task."))
        self.assertEqual(said["plan"], hash_of(plan.encode()))
        self.assertEqual((said["needed"], said["rounds"], said["most_rounds"]), (43, 25, 28))
        account = json.loads(self.run_command("account", "plan.toml", "--json").stdout)
        self.assertEqual((said["epsilon"], said["delta"]), (account["epsilon"]["upper"], 1e-4))
        same = ("validity", "neighbouring", "view")
        self.assertEqual([said[key] for key in same], [account[key] for key in same])
        self.assertIn("exists already", self.refusal("keygen", *arguments, status=3)["message"])
        self.assertEqual((self.folder / "task.txt").read_bytes(), text)

    def test_a_task_on_csv_data_states_the_shape_of_a_record(self):
        self.make_roles()
        rows = [f"{i},{i * i},{i % 7},{'abc'[i % 3]},{'test' if i > 50 else 'train'}\n" for i in range(60)]
        # The class d is in the training part alone, and devices may hold it.
        rows[5] = "1,2,3,d,train\n"
        (self.folder / "table.csv").write_text("x,y,z,class,part\n" + "".join(rows))
        plan = PLAN.replace('data = "digits"', 'data = "csv:table.csv"\nlabel = "class"\nsplit = "part"')
        self.keygen(*self.task("--malicious", "0", "--seconds", "60", "--out", "task.txt", plan=plan))
        text = (self.folder / "task.txt").read_text()
        self.assertIn("task.classes = 4\n", text)
        self.assertIn("task.features = 3\n", text)
        (self.folder / "task.txt").unlink()
        self.check_refused(3, "none.csv", self.task("--malicious", "0", "--seconds", "60", "--out", "x",
                                                    plan=plan.replace("table.csv", "none.csv")))

    def test_words_say_what_a_task_needs(self):
        self.make_roles()
        words = self.run_command("keygen", *self.task("--malicious", "0", "--seconds", "9", "--randomness", "seeded",
                                                      "--most-rounds", "25", "--out", "task.txt")).stdout
        self.assertIn("40 devices heard in every round", words)
        self.assertIn("nobody is protected", words)

    def test_what_is_refused_leaves_no_file(self):
        self.make_roles()
        whole = ["--malicious", "3", "--seconds", "60", "--out", "task.txt"]
        dropout = PLAN.replace("rate = 0.5", "rate = 0.5\ndropout = 0.1")
        shuffle = PLAN.replace('"shuffled-check-in"\nrate = 0.5', '"shuffle"')
        for status, words, arguments in [
                (2, "did you mean issuer?", ["isuer", "--out", "x"]),
                (2, "WHAT is missing", []),
                (2, "--out is missing", ["issuer"]),
                (2, "--count is missing", ["devices", "--out", "x"]),
                (2, "integer 1..", ["devices", "--count", "0", "--out", "x"]),
                (2, "integer 1..", ["devices", "--count", "1e3", "--out", "x"]),
                (2, "applies to muster keygen devices alone", ["issuer", "--count", "3", "--out", "x"]),
                (2, "applies to muster keygen task alone", ["issuer", "--seconds", "3", "--out", "x"]),
                (2, "PLAN is missing", ["task", *whole]),
                (2, "--malicious is missing", self.task("--seconds", "60", "--out", "task.txt")),
                (2, "--seconds is missing", self.task("--malicious", "3", "--out", "task.txt")),
                (2, "--randomness", self.task(*whole, "--randomness", "none")),
        ]:
            self.check_refused(status, words, arguments)
        for status, words, plan, arguments in [
                (2, "task.malicious = 41 (--malicious) is out of range; allowed: integer 0..40", PLAN,
                 ["--malicious", "41", "--seconds", "60", "--out", "task.txt"]),
                (2, "task.seconds = 0 (--seconds) is out of range; allowed: integer 1..604800", PLAN,
                 ["--malicious", "3", "--seconds", "0", "--out", "task.txt"]),
                (2, "task.most_rounds = 24 (--most-rounds) is out of range", PLAN, [*whole, "--most-rounds", "24"]),
                (2, "participation.protocol = shuffle (plan.toml, line", shuffle, whole),
                (2, "participation.dropout = 0.1 (plan.toml, line", dropout, whole),
                (4, "budget", PLAN + "budget = 1e-3\n", whole),
        ]:
            self.check_refused(status, words, self.task(*arguments, plan=plan))
        for words, path in [("is not the key", "keys/issuer.key"), ("cannot be opened", "keys/none.pub"),
                            ("is not the key", "keys/shuffler.pub")]:
            self.check_refused(3, words, self.task(*whole, issuer=path))

    def test_numbers_that_no_task_can_have(self):
        self.make_roles()
        whole = {"malicious": "3", "seconds": "60", "most-rounds": "28"}
        for flag in whole:
            for value in ("-1", "nan", "inf", "1e400", "1e3", "99999999999999999999"):
                flags = [f"--{name}={number}" for name, number in {**whole, flag: value}.items()]
                in_digits = value.lstrip("-").isdigit()
                what = "is out of range" if in_digits else "is not an integer written in digits"
                allowed = {"malicious": "integer 0..population.clients", "seconds": "integer 1..604800",
                           "most-rounds": "integer >= rounds.count"}[flag]
                self.check_refused(2, f"--{flag} {value} {what}; allowed: {allowed}",
                                   self.task(*flags, "--out", "task.txt"))
        plan = role_processes.plan(clients=40, rounds=2)
        flags = [*(f"--{name}={number}" for name, number in whole.items()), "--out", "task.txt"]
        for status, words, line, other in [
                *[(2, f"{key} = {value}", line, f"{line.split()[0]} = {value}") for key, line in (
                    ("privacy.delta", "delta = 1e-4"), ("randomizer.epsilon0", "epsilon0 = 2"),
                    ("participation.rate", "rate = 0.5")) for value in ("0", "nan", "inf", "-1")],
                *[(2, "line", line, f"{line.split()[0]} = 1e400") for line in ("delta = 1e-4", "epsilon0 = 2",
                                                                           "rate = 0.5", "count = 2")],
                *[(2, "privacy.budget", "delta = 1e-4", f"delta = 1e-4\nbudget = {value}") for value in ("0", "nan", "inf")],
                (2, "rounds.count = 0 (plan.toml, line 15, column 9) is not deployed", "count = 2", "count = 0"),
                # A ledger cannot charge an epsilon of 0 or an infinite one.
                (4, "privacy.delta = 0.999999", "delta = 1e-4", "delta = 0.999999"),
                # Some plans can be accounted for, but their randomizer cannot be sampled.
                (2, "outside the range of the sampler", "epsilon0 = 2", "epsilon0 = 701"),
                (2, "noise outside the message format", 'kind = "ldp-sgd"\nepsilon0 = 2',
                 'kind = "gaussian"\nsigma = 1e-4'),
        ]:
            self.assertIn(line, plan)
            self.check_refused(status, words, self.task(*flags, plan=plan.replace(line, other, 1)))

    def test_places_that_cannot_be_written(self):
        self.make_roles()
        whole = ["--malicious", "3", "--seconds", "60", "--out"]
        for words, arguments in [
                ("/proc/muster cannot be made", ["issuer", "--out", "/proc/muster"]),
                ("/proc/self/issuer.key cannot be made", ["issuer", "--out", "/proc/self"]),
                ("/proc/self/device-1.key cannot be made", ["devices", "--count", "2", "--out", "/proc/self"]),
                ("/proc/muster/x cannot be written", self.task(*whole, "/proc/muster/x")),
                ("keys exists already", self.task(*whole, "keys")),
        ]:
            self.check_refused(3, words, arguments)

    def check_refused(self, status, words, arguments):
        with self.subTest(arguments=arguments):
            self.assertIn(words, self.refusal("keygen", *arguments, status=status)["message"])
            self.assertFalse((self.folder / "task.txt").exists())
            self.assertFalse((self.folder / "x").exists())


if __name__ == "__main__":
    muster_command.test_main()
