"""A data set that is read in milliseconds, for the tests of this folder: 1000 records of 4 numbers in three classes."""

import os
import pathlib
import tempfile

import numpy as np

RECORDS, TESTS = 1000, 30
# A process that a test starts finds the data set of its parent, which removes it when it ends.
if "MUSTER_TEST_DATA" not in os.environ:
    FOLDER = tempfile.TemporaryDirectory()
    os.environ["MUSTER_TEST_DATA"] = f"{FOLDER.name}/data.csv"
    numbers = np.random.default_rng(1)
    rows = [[*(numbers.normal(size=4) + 2 * np.eye(4)[i % 3]).round(3), "abc"[i % 3], "train" if i < RECORDS else "test"]
            for i in range(RECORDS + TESTS)]
    rows.insert(0, ["one", "two", "three", "four", "label", "split"])
    pathlib.Path(os.environ["MUSTER_TEST_DATA"]).write_text("".join(",".join(map(str, row)) + "\n" for row in rows))

#: The keys of a plan that state the data set.
SMALL = {"data": f"csv:{os.environ['MUSTER_TEST_DATA']}", "label": "label", "split": "split"}
DIGITS = {"data": "digits", "label": None, "split": None}
