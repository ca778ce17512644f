#!/usr/bin/env python3
"""Counts with valgrind the instructions that each kernel executes. The counts are right even on a busy machine.

A kernel runs twice with different numbers of repetitions. The count for one repetition is the difference of the two
counts divided by the difference of the repetitions. valgrind does not support AVX-512, so the counts are those of the
AVX2 kernels, which are compiled from the same source. For the accountant, one round and one composition are counted.
Theorems for the Gaussian are left out: under valgrind, whose long doubles have 64 bits, they take minutes. The exit
status is 1 if a count is more than 5 % above the stored one. Counts are compared only for the compiler, build and
vector unit with which the stored ones were made. With others, or without valgrind, the exit status is 77, and the
reason is printed.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

BASELINE = pathlib.Path(__file__).with_name("instructions.txt")
ALLOWED = 1.05
# The two numbers of repetitions of each kernel. For messages both are multiples of 8, the number that an aggregator
# takes at once. The number of instructions at startup varies by some 50,000, which is below 0.5 % of the difference
# between the two counts.
KERNELS = {"gradient": (8, 72), "predict": (8, 136), "ldp-sgd": (8, 72), "gaussian": (8, 72), "gaussian-sum": (8, 520),
           "coins-of-100000": (8, 40), "account-one-round": (2, 6), "compose-1000-rounds": (1, 2)}
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
        skip("no valgrind (package `valgrind`, group check)")
    build = build_of(arguments.probe)
    if not arguments.update:
        expected_build, expected = stored()
        for key, value in expected_build.items():
            if build[key] != value:
                skip(f"{key} {build[key]}, but the stored counts are those of {value}")
    counts = {}
    for kernel, (few, many) in KERNELS.items():
        more = instructions(arguments.probe, kernel, many) - instructions(arguments.probe, kernel, few)
        counts[kernel] = round(more / (many - few))
    if arguments.update:
        BASELINE.write_text(HEADER + "".join(f"{key} {value}\n" for key, value in [*build.items(), *counts.items()]))
        print(f"wrote {BASELINE}")
        return
    worse = []
    for kernel, count in counts.items():
        change = count / expected[kernel]
        print(f"{kernel:20} {count:10} instructions, {100 * (change - 1):+.1f} % of {expected[kernel]}")
        if change > ALLOWED:
            worse.append(kernel)
    if worse:
        sys.exit(f"more than {100 * (ALLOWED - 1):.0f} % above {BASELINE.name}: {', '.join(worse)}. "
                 "If it is wanted, store the new counts with --update.")


main()
