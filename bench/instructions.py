#!/usr/bin/env python3
"""Counts with valgrind the instructions that each kernel executes for one client, even on a busy machine.

A kernel runs twice with different numbers of repetitions. The count for one repetition is the difference of the two
counts divided by the difference of the repetitions. valgrind does not support AVX-512, so the counts are those of the
AVX2 kernels, which are compiled from the same source. Of the accountant, one round and one composition are counted.
Theorems for the Gaussian are left out: valgrind computes long doubles in 64 bits, with which they take many times their
work. A count more than 5 % above the stored one fails. Counts are compared only for the compiler, build and vector unit
with which the stored ones were made. With others, or without valgrind, the exit status is 77, and the reason is printed.

    bench/instructions.py --probe build/release/bench/instruction_probe            compare
    bench/instructions.py --probe build/release/bench/instruction_probe --update   store
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("instructions.txt")
ALLOWED = 1.05
# The smaller number of repetitions. Like the larger ones below, it is a multiple of 8, the number of
# messages that an aggregator takes at once.
FEW = 8
# The number of instructions at startup varies by about 50,000. With these numbers of repetitions, that is
# below 0.5 % of the count.
KERNELS = {"gradient": 72, "predict": 136, "ldp-sgd": 72, "gaussian": 72, "gaussian-sum": 520, "coins-of-100000": 40,
           "account-one-round": 10, "compose-1000-rounds": 10}
HEADER = """# Instructions a client of each kernel, by bench/instructions.py --update; coins for 100,000 clients together; those of
# the accountant for one answer.
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def under_valgrind(*command):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"valgrind failed on {' '.join(command)}:\n{done.stderr}")
    return done


def instructions(probe, kernel, times):
    log = under_valgrind(probe, kernel, str(times)).stderr
    return int(re.search(r"Collected : (\d+)", log).group(1))


def build_of(probe):
    return dict(line.split(" ", 1) for line in under_valgrind(probe).stdout.splitlines())


def stored():
    lines = [line for line in BASELINE.read_text().splitlines() if line and not line.startswith("#")]
    values = dict(line.split(" ", 1) for line in lines)
    build = {key: values.pop(key) for key in ("compiler", "build", "target")}
    return build, {kernel: int(count) for kernel, count in values.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--probe", required=True)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        skip("no valgrind (package `valgrind`, group extra)")
    build = build_of(arguments.probe)
    if not arguments.update:
        expected_build, expected = stored()
        for key, value in expected_build.items():
            if build[key] != value:
                skip(f"{key} {build[key]}, but the stored counts are those of {value}")
    counts = {}
    for kernel, times in KERNELS.items():
        more = instructions(arguments.probe, kernel, times) - instructions(arguments.probe, kernel, FEW)
        counts[kernel] = round(more / (times - FEW))
    if arguments.update:
        BASELINE.write_text(HEADER + "".join(f"{key} {value}\n" for key, value in [*build.items(), *counts.items()]))
        print(f"wrote {BASELINE}")
        return
    worse = []
    for kernel, count in counts.items():
        change = count / expected[kernel]
        print(f"{kernel:16} {count:10} instructions, {100 * (change - 1):+.1f} % of {expected[kernel]}")
        if change > ALLOWED:
            worse.append(kernel)
    if worse:
        sys.exit(f"more than {100 * (ALLOWED - 1):.0f} % above {BASELINE.name}: {', '.join(worse)}. "
                 "If it is wanted, store the new counts with --update.")


main()
