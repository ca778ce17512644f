#!/usr/bin/env python3
"""Compares the speed of this checkout with that of another commit, on the same machine at the same time.

    bench/compare_speed.py BASE [--bench accountant_bench] [--filter REGEX] [--pairs 7] [--most 1.10]

Both commits are built with the preset `release`: BASE in a git worktree, build/compare/source, and this checkout in its
own build folder. Then the two programs run alternately, so that other work on the machine slows both; the program that
runs first changes from pair to pair. For each benchmark the table shows the median CPU time of both programs, and the
median, the smallest and the largest of the ratios (this checkout / BASE) of all pairs. The exit status is 1 if for a
benchmark the median ratio is above --most and even its smallest ratio is above 1. A benchmark that only one commit has
is named.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
COMPARED = ROOT / "build" / "compare"


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr, **options)


def built(source, bench):
    """Returns the path of the benchmark program `bench`, built from the folder `source`."""
    run("cmake", "--preset", "release", "--log-level=WARNING", cwd=source)
    run("cmake", "--build", "build/release", "--parallel", os.environ.get("JOBS", os.cpu_count()), "--target", bench,
        cwd=source)
    return source / "build" / "release" / "bench" / bench


def checked_out(commit):
    """Returns a folder with the sources of `commit`. A folder that an earlier comparison left is used again."""
    source = COMPARED / "source"
    if (source / ".git").exists():
        run("git", "checkout", "--quiet", "--detach", commit, cwd=source)
    else:
        run("git", "worktree", "prune", cwd=ROOT)
        run("git", "worktree", "add", "--quiet", "--detach", source, commit, cwd=ROOT)
    return source


def times(program, pattern):
    """Returns the CPU time in nanoseconds of each benchmark in one run of the program."""
    output = subprocess.run([program, f"--benchmark_filter={pattern}", "--benchmark_format=json"], check=True,
                            stdout=subprocess.PIPE, stderr=sys.stderr, text=True).stdout
    units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    return {each["name"]: each["cpu_time"] * units[each["time_unit"]]
            for each in json.loads(output)["benchmarks"] if each.get("run_type", "iteration") == "iteration"}


def compared(pairs, most):
    """Takes the times of each pair of runs, (BASE, this checkout). Returns the rows of the table, and the names of the
    benchmarks that have become slower."""
    rows, slower = [], []
    for name in pairs[0][0]:
        if name not in pairs[0][1]:
            rows.append((name, "only in BASE", "", "", ""))
            continue
        base, now = [pair[0][name] for pair in pairs], [pair[1][name] for pair in pairs]
        ratios = [mine / other for other, mine in zip(base, now)]
        rows.append((name, f"{statistics.median(base) / 1e3:.4g} us", f"{statistics.median(now) / 1e3:.4g} us",
                     f"{statistics.median(ratios):.3f}", f"{min(ratios):.3f}-{max(ratios):.3f}"))
        if statistics.median(ratios) > most and min(ratios) > 1:
            slower.append(name)
    rows += [(name, "only here", "", "", "") for name in pairs[0][1] if name not in pairs[0][0]]
    return rows, slower


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", metavar="BASE", help="a commit, for example HEAD~1")
    parser.add_argument("--bench", default="accountant_bench", help="a program of bench/ [%(default)s]")
    parser.add_argument("--filter", default=".", help="the benchmarks to run [all]")
    parser.add_argument("--pairs", type=int, default=7, help="pairs of runs, at least 1 [%(default)s]")
    parser.add_argument("--most", type=float, default=1.10, help="the largest median ratio allowed [%(default)s]")
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error("--pairs must be at least 1")
    programs = [built(checked_out(options.base), options.bench), built(ROOT, options.bench)]
    pairs = []
    for i in range(options.pairs):
        found = {}
        for which in ((0, 1) if i % 2 == 0 else (1, 0)):
            found[which] = times(programs[which], options.filter)
        pairs.append((found[0], found[1]))
        print(f"pair {i + 1} of {options.pairs}", file=sys.stderr)
    rows, slower = compared(pairs, options.most)
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    header = ("benchmark", "BASE", "here", "ratio", "of all pairs")
    for row in (header, *rows):
        print("  ".join(f"{cell:{max(width, len(title))}}" for cell, width, title in zip(row, widths, header)).rstrip())
    if slower:
        print(f"slower than {options.most} times BASE: {', '.join(slower)}")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
