"""Tests the model that a run leaves, and the command `muster evaluate`.

    python3 tests/cli/evaluate_test.py --command build/release/muster

The test has its own reader of the format, and computes the network with plain loops.
"""

import json
import math
import struct

import muster_command
from small_runs import SmallRuns


def read_model(path):
    """The metadata, and each tensor as (shape, values)."""
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
        self.assertEqual((score["accuracy"], score["examples"]), (final["accuracy"], 50))

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
            self.assertEqual(json.loads(done.stdout)["accuracy"], final["accuracy"])

    def test_a_resumed_run_leaves_the_same_model(self):
        self.train("--out", "whole")
        whole = (self.folder / "whole/model.safetensors").read_bytes()
        self.train("--out", "run", "--threads", "2")
        self.assertEqual((self.folder / "run/model.safetensors").read_bytes(), whole)
        # As if the run had been killed between its model and its result.
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

    def test_a_statistic_is_stored_and_is_no_network(self):
        path = self.folder / "small.toml"
        path.write_text(path.read_text().replace('"logistic"', '"mean"').replace("learning_rate = 0.2\n", "")
                        .replace('"ldp-sgd"', '"l2"'))
        self.train("--out", "run")
        about, tensors = read_model(self.folder / "run/model.safetensors")
        self.assertEqual((about["model"], tensors["mean"][0]), ("mean", [784]))
        error = self.refused("run/model.safetensors", "--data", "data", status=3)
        self.assertIn('"model"', error["message"])


if __name__ == "__main__":
    muster_command.test_main()
