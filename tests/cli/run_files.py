"""Helpers for tests of training: small data sets in the idx format, and run folders without the measured times."""

import csv
import hashlib
import json
import pathlib
import random
import struct

# In a checkpoint (src/muster/simulation/runs/checkpoint.h) the seconds are followed by the length of
# metrics.jsonl, which depends on how many digits the seconds in that file have.
SECONDS_AT = 8 + 4 + 64 + 32 + 8 + 8 + 8
TIME_BYTES = 16
CHECKSUM = 32


def to_version_2(path):
    """Rewrites a checkpoint in format version 2, which lacks the neutral answers, records and sampler."""
    whole = path.read_bytes()[:-CHECKSUM]
    at = SECONDS_AT + TIME_BYTES
    whole = whole[:8] + struct.pack("<I", 2) + whole[12:at] + whole[at + 24:]
    path.write_bytes(whole + hashlib.blake2b(whole, digest_size=CHECKSUM).digest())


def write_idx(folder, train=100, test=50, seed=1):
    """Writes images of grey noise whose labels have no relation to them, so that nothing can be learned."""
    draw = random.Random(seed)
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for part, count in ("train", train), ("t10k", test):
        labels = bytes(i % 10 for i in range(count))
        (folder / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 0x801, count) + labels)
        (folder / f"{part}-images-idx3-ubyte").write_bytes(
            struct.pack(">IIII", 0x803, count, 28, 28) + draw.randbytes(count * 784))


def untimed(line):
    """Returns one JSON object without the fields that depend on the clock or on the folder's name."""
    return {key: value for key, value in json.loads(line).items()
            if key not in ("seconds", "examples_per_second", "out")}


def files_of(run):
    """Returns every file of a run folder by name, without measured times; equal runs give equal values."""
    run = pathlib.Path(run)
    files = {}
    for path in sorted(run.iterdir()):
        content = path.read_bytes()
        if path.name == "checkpoint":
            content = content[:SECONDS_AT] + content[SECONDS_AT + TIME_BYTES:-CHECKSUM]
        elif path.suffix in (".json", ".jsonl"):
            content = [untimed(line) for line in content.decode().splitlines()]
        elif path.suffix == ".csv":
            content = [{key: cell for key, cell in row.items() if key != "seconds"}
                       for row in csv.DictReader(content.decode().splitlines())]
        files[path.name] = content
    return files
