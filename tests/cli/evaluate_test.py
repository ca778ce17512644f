"""Tests the model that a run leaves, and the command `muster evaluate`.

    python3 tests/cli/evaluate_test.py --command build/release/muster

The test has its own reader of the format, and computes the network with plain loops.
"""

import json
import math
import random
import struct

import muster_command
from small_runs import SmallRuns


def read_model(path):
    """Returns the metadata, and each tensor as (shape, values)."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    about = header.pop("__metadata__")
    tensors = {}
    for name, tensor in header.items():
        begin, end = tensor["data_offsets"]
        values = content[8 + length + begin:8 + length + end]
        tensors[name] = (tensor["shape"], struct.unpack(f"<{len(values) // 4}f", values))
    return about, tensors


class Evaluate(SmallRuns):
    def evaluated(self, *arguments):
        return json.loads(self.run_command("evaluate", "run/model.safetensors", *arguments, "--json").stdout)

    def refused(self, *arguments, status):
        done = self.run_command("evaluate", *arguments, "--json", status=status)
        return json.loads(done.stdout)["error"]

    def test_a_run_leaves_the_model_that_it_reports(self):
        final = json.loads(self.train("--out", "run", "--json").stdout.splitlines()[-1])
        about, tensors = read_model(self.folder / "run/model.safetensors")
        self.assertEqual((about["model"], about["input"], about["rounds"]), ("logistic", "28x28x1", "24"))
        self.assertEqual((float(about["epsilon"]), float(about["delta"])), (final["epsilon"], final["delta"]))
        self.assertEqual([about[key] for key in ("validity", "neighbouring", "view")],
                         [final[key] for key in ("validity", "neighbouring", "view")])
        self.assertEqual({name: shape for name, (shape, _) in tensors.items()},
                         {"fc1.weight": [10, 784], "fc1.bias": [10]})
        score = self.evaluated("--data", "data")
        self.assertEqual((score["accuracy"], score["loss"], score["examples"]), (final["accuracy"], final["loss"], 50))

        weight, bias = tensors["fc1.weight"][1], tensors["fc1.bias"][1]
        images = (self.folder / "data/t10k-images-idx3-ubyte").read_bytes()[16:]
        mean, deviation = float(about["mean"]), float(about["deviation"])
        right, loss = 0, 0.0
        for i in range(50):
            inputs = [(byte / 255 - mean) / deviation for byte in images[784 * i:784 * (i + 1)]]
            logits = [bias[c] + sum(w * x for w, x in zip(weight[784 * c:784 * (c + 1)], inputs)) for c in range(10)]
            right += logits.index(max(logits)) == i % 2
            top = max(logits)
            loss += top + math.log(sum(math.exp(logit - top) for logit in logits)) - logits[i % 2]
        self.assertEqual(right / 50, score["accuracy"])
        self.assertAlmostEqual(loss / 50, score["loss"], delta=1e-4 * (1 + score["loss"]))

    def test_networks_of_several_layers_are_stored_whole(self):
        path = self.folder / "small.toml"
        plan = path.read_text()
        for kind, tensors in ("cnn", 8), ("mlp", 4):
            path.write_text(plan.replace('"logistic"', f'"{kind}"\nactivation = "tanh"').replace("count = 24", "count = 3"))
            final = json.loads(self.train("--out", kind, "--json").stdout.splitlines()[-1])
            about, stored = read_model(self.folder / kind / "model.safetensors")
            self.assertEqual((about["model"], about["activation"], len(stored)), (kind, "tanh", tensors))
            done = self.run_command("evaluate", f"{kind}/model.safetensors", "--data", "data", "--json")
            score = json.loads(done.stdout)
            self.assertEqual((score["accuracy"], score["loss"]), (final["accuracy"], final["loss"]))

    def test_a_resumed_run_leaves_the_same_model(self):
        self.train("--out", "whole")
        whole = (self.folder / "whole/model.safetensors").read_bytes()
        self.train("--out", "run", "--threads", "2")
        self.assertEqual((self.folder / "run/model.safetensors").read_bytes(), whole)
        # The run lacks its result and has a damaged model, so that both have to be written again.
        (self.folder / "run/result.json").unlink()
        (self.folder / "run/model.safetensors").write_bytes(b"half a model")
        self.train("--out", "run", "--resume")
        self.assertEqual((self.folder / "run/model.safetensors").read_bytes(), whole)

    def test_what_is_refused(self):
        self.train("--out", "run")
        model = self.folder / "run/model.safetensors"
        self.assertEqual(self.refused(status=2)["key"], "MODEL")
        self.assertEqual(self.refused("run/model.safetensors", status=2)["key"], "--data")
        self.assertEqual(self.refused("run/model.safetensors", "--data", "tsv:x", status=2)["key"],
                         "population.data")
        for seed in "-3", "x", "1.5":
            self.assertEqual(self.refused("run/model.safetensors", "--data", "digits", f"--seed={seed}",
                                          status=2)["key"], "seed")
        self.assertEqual(self.refused("none", "--data", "data", status=3)["key"], "none")
        self.assertEqual(self.refused("run", "--data", "data", status=3)["key"], "run")
        self.assertEqual(self.refused("run/model.safetensors", "--data", "none", status=3)["kind"], "data")
        rows = "a,b,kind\n" + "1,2,0\n0,1,1\n" * 12
        (self.folder / "rows.csv").write_text(rows)
        error = self.refused("run/model.safetensors", "--data", "csv:rows.csv", status=3)
        self.assertEqual((error["kind"], error["value"], error["allowed"]), ("data", "1x1x2", "28x28x1"))
        whole = model.read_bytes()
        for damaged in (b"", whole[:100], whole[:-1], whole + b"x", whole.replace(b'"logistic"', b'"logistix"'),
                        whole.replace(b"[10,784]", b"[784,10]"), whole.replace(b'"F32"', b'"F16"')):
            model.write_bytes(damaged)
            error = self.refused("run/model.safetensors", "--data", "data", status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", "run/model.safetensors"))

    def with_rows(self):
        """Makes the plan learn three kinds of flowers from CSV rows, which are returned without header."""
        draw = random.Random(2)
        names = ["iris", 'rose, "old"', "\u00e9mu"]
        rows = []
        for i in range(60):
            kind = i % 3
            features = [draw.gauss(3 * (j == kind), 0.1) for j in range(3)]
            quoted = names[kind].replace('"', '""')
            rows.append(f'"{quoted}",{features[0]},{features[1]},{features[2]},{"test" if i >= 48 else "train"}')
        path = self.folder / "small.toml"
        path.write_text(path.read_text().replace('"idx:data"', '"csv:rows.csv"\nlabel = "kind"\nsplit = "part"')
                        .replace("epsilon0 = 0.5", "epsilon0 = 8").replace("learning_rate = 0.2", "learning_rate = 2"))
        (self.folder / "rows.csv").write_text("kind,a,b,c,part\n" + "\n".join(rows) + "\n", encoding="utf-8")
        return rows

    def test_classes_of_text_stay_with_the_model(self):
        rows = self.with_rows()
        done = self.train("--out", "run", "--json")
        self.assertIn('muster: the classes are 0 = iris, 1 = rose, "old", 2 = \u00e9mu\n', done.stderr)
        final = json.loads(done.stdout.splitlines()[-1])
        about, _ = read_model(self.folder / "run/model.safetensors")
        self.assertEqual((json.loads(about["labels"]), about["classes"]), (["iris", 'rose, "old"', "\u00e9mu"], "3"))
        self.assertGreater(final["accuracy"], 0.9)
        wanted = (final["accuracy"], final["loss"], 12)
        tested = [row.rsplit(",", 1)[0] for row in rows if row.endswith("test")]
        train = [row.rsplit(",", 1)[0] for row in rows if row.endswith("train")]
        header = "kind,a,b,c\n"
        (self.folder / "test.csv").write_text(header + "\n".join(tested) + "\n", encoding="utf-8")
        (self.folder / "train.csv").write_text(header + "\n".join(train), encoding="utf-8")
        for flags in (("--data", "csv:rows.csv", "--label", "kind", "--split", "part"),
                      ("--test-data", "csv:test.csv", "--label", "kind"),
                      ("--data", "csv:train.csv", "--test-data", "csv:test.csv", "--label", "kind")):
            score = self.evaluated(*flags)
            self.assertEqual((score["accuracy"], score["loss"], score["examples"]), wanted, flags)
        # A test set that lacks some of the classes is measured, too. A test set with an additional class is
        # refused.
        (self.folder / "test.csv").write_text(header + tested[0] + "\n", encoding="utf-8")
        self.assertEqual(self.evaluated("--test-data", "csv:test.csv", "--label", "kind")["examples"], 1)
        (self.folder / "test.csv").write_text(header + tested[0] + "\nlily,1,2,3\n", encoding="utf-8")
        error = self.refused("run/model.safetensors", "--test-data", "csv:test.csv", "--label", "kind", status=3)
        self.assertEqual((error["key"], error["value"]), ("test.csv", "lily"))
        self.assertIn("line 3, column 1 (kind)", error["message"])
        (self.folder / "other.csv").write_text((self.folder / "rows.csv").read_text().replace("iris", "lily"))
        error = self.refused("run/model.safetensors", "--data", "csv:other.csv", "--label", "kind", "--split", "part",
                             status=3)
        self.assertIn("set of class names", error["message"])

    def test_a_test_file_is_trained_with_as_the_split_column_is(self):
        rows = self.with_rows()
        split = json.loads(self.train("--out", "split", "--json").stdout.splitlines()[-1])
        for part in "train", "test":
            mine = [row.rsplit(",", 1)[0] for row in rows if row.endswith(part)]
            (self.folder / f"{part}.csv").write_text("kind,a,b,c\n" + "\n".join(mine) + "\n", encoding="utf-8")
        path = self.folder / "small.toml"
        path.write_text(path.read_text().replace('"csv:rows.csv"', '"csv:train.csv"')
                        .replace('split = "part"', 'test_data = "csv:test.csv"'))
        files = json.loads(self.train("--out", "files", "--json").stdout.splitlines()[-1])
        self.assertEqual((split["accuracy"], split["loss"]), (files["accuracy"], files["loss"]))
        # With another test file the data set is another one, so the run is not continued.
        (self.folder / "files/result.json").unlink()
        (self.folder / "test.csv").write_text("kind,a,b,c\niris,1,2,3\n")
        done = self.train("--out", "files", "--resume", "--json", status=3)
        self.assertIn("is not the data set with which the run began", done.stderr)

    def test_layouts_that_do_not_fit_are_refused(self):
        self.with_rows()
        self.train("--out", "run")
        model = "run/model.safetensors"
        for flags, key in ((("--data", "digits", "--label", "kind"), "population.label"),
                           (("--data", "idx:data", "--split", "part"), "population.split"),
                           (("--data", "data", "--test-data", "csv:rows.csv"), "population.test_data"),
                           (("--test-data", "rows.csv"), "population.test_data"),
                           (("--label", "kind", "--test-data", "csv:rows.csv", "--split", "part"), "population.split"),
                           (("--data", "csv:rows.csv", "--label", "part", "--split", "part"), "population.split"),
                           (("--data", "csv:rows.csv", "--label", ""), "population.label"),
                           (("--data", "csv:rows.csv", "--records", "2"), "population.records"),
                           (("--data", "csv:rows.csv", "--label", "kind", "--records", "kind"), "population.records"),
                           (("--label", "kind"), "--data")):
            self.assertEqual(self.refused(model, *flags, status=2)["key"], key, flags)
        for flags, key in ((("--label", "part"), "population.split"), (("--test-data", "csv:rows.csv"), "population.split"),
                           (("--test-data", "idx:data"), "population.test_data"), (("--label", ""), "population.label")):
            done = self.train("--out", "other", "--json", *flags, status=2)
            self.assertEqual(json.loads(done.stdout)["error"]["key"], key, flags)
        done = self.train("--out", "other", "--json", "--label", "king", status=3)
        error = json.loads(done.stdout)["error"]
        self.assertEqual((error["key"], error["allowed"]), ("rows.csv", "one column king"))
        self.assertFalse((self.folder / "other").exists())

    def test_names_of_classes_that_do_not_fit_are_refused(self):
        self.with_rows()
        self.train("--out", "run")
        model = self.folder / "run/model.safetensors"
        whole = model.read_bytes()
        for wrong in (b"[1]", b"{}", b"x"):
            start = whole.index(b'"labels":"') + len(b'"labels":"')
            end = whole.index(b']"', start) + 1
            model.write_bytes(whole[:start] + wrong.ljust(end - start) + whole[end:])
            error = self.refused("run/model.safetensors", "--data", "csv:rows.csv", status=3)
            self.assertEqual((error["kind"], error["key"]), ("file", "run/model.safetensors"))
            self.assertIn('"labels"', error["message"])

    def test_a_statistic_is_stored_and_is_no_network(self):
        path = self.folder / "small.toml"
        path.write_text(path.read_text().replace('"logistic"', '"mean"').replace("learning_rate = 0.2\n", "")
                        .replace('"ldp-sgd"', '"l2"'))
        self.train("--out", "run")
        about, tensors = read_model(self.folder / "run/model.safetensors")
        self.assertEqual((about["model"], tensors["mean"][0]), ("mean", [784]))
        # A statistic has no loss.
        for name in "metrics.jsonl", "metrics.csv", "result.json":
            self.assertNotIn("loss", (self.folder / "run" / name).read_text())
        error = self.refused("run/model.safetensors", "--data", "data", status=3)
        self.assertIn('"model"', error["message"])


if __name__ == "__main__":
    muster_command.test_main()
