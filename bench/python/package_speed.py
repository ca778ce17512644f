"""Measures the overhead of the Python package, as ratios of its times to those of the same work in C++ in one run.

    PYTHONPATH=build/release/python python3 bench/python/package_speed.py --build build/release [--pairs 3] [--only REGEX]

    account/0, /1            `muster.account` against the C++ call: the questions of bench/statement_bench.cc
    send in_cache            a round of 6,000 vectors of 26,010 numbers, sent eight at a time from the same eight rows
    send from_memory         the same, from 6,500 rows of main memory that are sent at once
    threads                  how many times faster `send from_memory` is with two threads; it needs two idle cores
    memory                   the megabytes by which the process grows in the first round from memory, besides the rows

The floor of `send` is the CPU time of making and adding the same messages in C++ alone, which open_rounds_bench measures
in the same run, before and after; both use one thread. Each figure is the median of the pairs, with the smallest and the
largest in parentheses.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import time

import numpy as np

import muster

DIMENSION, CLIENTS, ROWS = 26_010, 60_000, 6_500
QUESTIONS = [muster.plan(protocol="shuffle", clients=1000, randomizer="pure", epsilon0=1.0, rounds=1, delta=1e-5),
             muster.plan(protocol="shuffled-check-in", clients=60_000, rate=0.1, randomizer="ldp-sgd", epsilon0=2.0,
                         rounds=6800, delta=1e-5)]
RANDOMIZERS = [{"randomizer": "gaussian", "sigma": 5.0, "clip": 0.01},
               {"randomizer": "ldp-sgd", "epsilon0": 2.0, "clip": 0.1}]


def benchmarked(program, pattern):
    """Returns what a Google Benchmark program measures for the benchmarks whose names match the pattern."""
    done = subprocess.run([program, f"--benchmark_filter={pattern}", "--benchmark_format=json"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["benchmarks"]


def line(name, values, text):
    middle, least, most = statistics.median(values), min(values), max(values)
    print(f"{name:<28}{middle:9.3f} ({least:.3f}-{most:.3f})  {text}", flush=True)


def account(build, pairs):
    for i, plan in enumerate(QUESTIONS):
        ratios, extra = [], []
        for _ in range(pairs):
            floor = benchmarked(build / "bench/statement_bench", f"statement/{i}$")[0]["cpu_time"]
            count = max(3, int(3e5 / floor))
            start = time.process_time()
            for _ in range(count):
                muster.account(plan)
            spent = 1e6 * (time.process_time() - start) / count
            ratios.append(spent / floor)
            extra.append(spent - floor)
        line(f"account/{i}", ratios, f"x the C++ call; {statistics.median(extra):.0f} microseconds more")


def crowd(kind, threads):
    plan = muster.plan(protocol="shuffled-check-in", clients=CLIENTS, rate=0.1, rounds=1000, **RANDOMIZERS[kind])
    return muster.Population(plan, dimension=DIMENSION, threads=threads)


def rows_of(count):
    numbers = (1e-3 * (np.arange(count * DIMENSION, dtype=np.int64) % 1013) - 0.5).astype(np.float32)
    return numbers.reshape(count, DIMENSION)


def send_round(population, rows, piece):
    """Sends one round's vectors, and returns how many there were."""
    with population.round() as r:
        for clients in r.batches(piece):
            r.send(clients, rows[:len(clients)])
    return r.count


def send(build, pairs, name, rows, piece):
    for kind, words in enumerate(RANDOMIZERS):
        population, ratios = crowd(kind, 1), []
        send_round(population, rows, piece)
        for _ in range(pairs):
            floors = [benchmarked(build / "bench/open_rounds_bench", f"^{name}/ldp-sgd:{kind}/")[0]]
            rows.max()  # brings back pages that the system took while the other program ran
            start = time.process_time()
            sent = send_round(population, rows, piece)
            spent = 1e6 * (time.process_time() - start) / sent
            floors += benchmarked(build / "bench/open_rounds_bench", f"^{name}/ldp-sgd:{kind}/")
            ratios.append(spent / statistics.mean(each["us_each"] / each["x_floor"] for each in floors))
        line(f"send {name} {words['randomizer']}", ratios, f"x making and adding in C++; {spent:.0f} microseconds each")


def threads(pairs, rows):
    for kind, words in enumerate(RANDOMIZERS):
        one, two, ratios = crowd(kind, 1), crowd(kind, 2), []
        for _ in range(pairs):
            times = []
            for population in (one, two):
                start = time.perf_counter()
                send_round(population, rows, ROWS)
                times.append(time.perf_counter() - start)
            ratios.append(times[0] / times[1])
        line(f"threads {words['randomizer']}", ratios, "x as fast with two threads as with one")


def megabytes():
    """Returns the largest size of the process in memory since memory() began, in megabytes."""
    text = pathlib.Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) / 1e3


def memory(rows):
    pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets sizes before now
    before = megabytes()
    send_round(crowd(0, None), rows, ROWS)
    line("memory", [megabytes() - before], "MB besides the rows of a round")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    rows = rows_of(ROWS)
    measured = {
        "memory": lambda: memory(rows),
        "account": lambda: account(arguments.build, arguments.pairs),
        "in_cache": lambda: send(arguments.build, arguments.pairs, "in_cache", rows[:8], 8),
        "from_memory": lambda: send(arguments.build, arguments.pairs, "from_memory", rows, ROWS),
        "threads": lambda: threads(arguments.pairs, rows),
    }
    for name, measure in measured.items():
        if re.fullmatch(arguments.only or ".*", name):
            measure()


if __name__ == "__main__":
    main()
