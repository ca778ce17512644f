"""Tests figures of `muster reproduce` that need training: the figure `transfer` as a whole, and what is refused.

    python3 tests/cli/reproduce_training_test.py --command build/release/muster [--long]

With --long, the test trains Figure 6 of paper 003 on files of CIFAR's format, and checks that images which are not
MNIST's are noticed.
"""

import csv
import gzip
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

import muster_command
import run_files
from muster_command import CommandTest, run

LONG = "--long" in sys.argv
if LONG:
    sys.argv.remove("--long")

SHORT = ["--scale", "0.01", "--threads", "2", "--json"]  # four rounds of 400
SEEDS = 3


def write_cifar(folder, records):
    """Writes both data sets: `records` private training images in each of five files, and a few of the others. An
    image has one colour, and no colour is both private and public."""
    def images(labels, colours):
        return b"".join(bytes([*label, *[colour] * 3072]) for label, colour in zip(labels, colours))
    ten, hundred = folder / "cifar-10-batches-bin", folder / "cifar-100-binary"
    ten.mkdir()
    hundred.mkdir()
    batch = gzip.compress(images([[i % 10] for i in range(records)], [i % 10 for i in range(records)]), 1)
    for i in range(5):
        (ten / f"data_batch_{i + 1}.bin.gz").write_bytes(batch)
    (ten / "test_batch.bin").write_bytes(images([[i] for i in range(10)], range(10)))
    (hundred / "train.bin").write_bytes(images([[0, i] for i in range(100)], range(100, 200)))
    (hundred / "test.bin").write_bytes(images([[0, i] for i in range(10)], range(100, 110)))


class ReproduceTraining(CommandTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="muster-reproduce-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def reproduce(self, *arguments):
        """Returns the figure's JSON object, and what was printed on stderr."""
        done = run("reproduce", *arguments, "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.one_line(done), done.stderr

    def curves(self, name):
        """Returns the points of a figure's curves as (x, value), by kind."""
        points = {}
        for row in csv.DictReader((self.out / f"{name}.csv").read_text().splitlines()):
            points.setdefault(row["kind"], []).append((float(row["x"]), float(row["value"])))
        return points

    def refusal(self, *arguments, status):
        error = self.refused("reproduce", *arguments, "--scale", "0.01", "--out", str(self.out), status=status)
        self.assertFalse(self.out.exists(), "something was written before the refusal")
        return error

    @unittest.skipIf(LONG, "in check")
    def test_transfer_from_end_to_end(self):
        figure, _ = self.reproduce("transfer", *SHORT)
        self.assertIn("digits in place of CIFAR-10 and CIFAR-100", figure["differences"])
        self.assertIn("4 of 400 rounds (--scale 0.01)", figure["differences"])
        self.assertEqual([claim["id"] for claim in figure["claims"]], ["transfer-advantage"])
        self.assertIn(figure["claims"][0]["verdict"], ["holds with a note", "not reproduced"])
        self.assertIn("a fraction 0.01 of the rounds", figure["claims"][0]["found"])
        points = self.curves("transfer")
        self.assertEqual(set(points), {"published", "corrected", "proven", "lower"})
        for (lower, accuracy), (proven, same) in zip(points["lower"], points["proven"]):
            self.assertLessEqual(lower, proven)
            self.assertEqual(accuracy, same)
        self.assertEqual(len(list((self.out / "runs").iterdir())), SEEDS)
        self.check_resuming(figure)

    def check_resuming(self, whole):
        """Checks that a run that is gone, as after a kill, is trained again, and that the others are not."""
        runs = sorted((self.out / "runs").iterdir())
        before = {path: path.stat().st_mtime_ns for folder in runs[1:] for path in folder.iterdir()}
        shutil.rmtree(runs[0])
        error = self.refused("reproduce", "transfer", *SHORT[:-1], "--out", str(self.out), status=3)
        self.assertIn("--resume continues it", error["message"])
        self.assertEqual(self.reproduce("transfer", *SHORT, "--resume")[0], whole)
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)
        logs, self.out = self.out / "logs", self.folder / "drawn"
        self.assertEqual(self.reproduce("transfer", *SHORT, "--logs", str(logs))[0], whole)
        self.assertFalse((self.out / "runs").exists())

    @unittest.skipIf(LONG, "in check")
    def test_folders_without_the_images_are_refused(self):
        wanted = "cifar-10-batches-bin and cifar-100-binary"
        error = self.refusal("003-figure-6", status=2)
        self.assertEqual((error["key"], error["reason"]), ("--data", "missing"))
        self.assertIn(wanted, error["allowed"])
        (self.folder / "cifar-10-batches-bin").mkdir()
        error = self.refusal("003-figure-6", "--data", str(self.folder), status=3)
        self.assertIn("no folder cifar-100-binary", error["message"])
        (self.folder / "cifar-100-binary").mkdir()
        error = self.refusal("003-figure-6", "--data", str(self.folder), status=3)
        self.assertIn("holds no data set", error["message"])
        # In the folder of MNIST, a file is missing, and then one is cut off.
        error = self.refusal("transfer", "--data", str(self.folder), status=3)
        self.assertIn("train-images-idx3-ubyte", error["message"])
        mnist = self.folder / "mnist"
        run_files.write_idx(mnist, train=60000)
        images = mnist / "t10k-images-idx3-ubyte"
        images.write_bytes(images.read_bytes()[:-1])
        error = self.refusal("transfer", "--data", str(mnist), status=3)
        self.assertIn("t10k-images-idx3-ubyte", error["message"])
        self.assertIn("truncated", error["message"])
        # There are too few images, because every client needs its own.
        run_files.write_idx(mnist, train=100)
        self.assertEqual(self.refusal("transfer", "--data", str(mnist), status=2)["key"], "population.clients")

    @unittest.skipUnless(LONG, "with --long")
    def test_images_of_mnists_format_are_told_from_mnist(self):
        mnist = self.folder / "mnist"
        run_files.write_idx(mnist, train=60000)
        figure, _ = self.reproduce("transfer", *SHORT, "--data", str(mnist))
        self.assertIn("images of MNIST's format that are not MNIST's in place of its data", figure["differences"])

    @unittest.skipUnless(LONG, "with --long")
    def test_figure_6_on_files_of_cifars_format(self):
        write_cifar(self.folder, 10000)
        figure, _ = self.reproduce("003-figure-6", "--scale", "0.002", "--json", "--data", str(self.folder))
        self.assertEqual(figure["differences"], ["2 of 1,000 rounds (--scale 0.002)"])
        self.assertEqual([claim["id"] for claim in figure["claims"]], ["003-figure-6-advantage"])
        self.assertNotIn(figure["claims"][0]["verdict"], ["holds", "false"])
        self.assertEqual(len(self.curves("003-figure-6")["proven"]), 2)
        head = json.loads((self.out / "logs/003-cifar.jsonl").read_text().splitlines()[0])
        self.assertEqual((head["data"], len(head["digest"]), len(head["public_digest"])), ("cifar", 64, 64))


if __name__ == "__main__":
    muster_command.test_main()
