#!/usr/bin/env python3
"""Keeps a deployment under load for a long time, and shows what grows: memory, files or waiting times.

    bench/steady_load.py --build build/release [--devices 60000] [--seconds 60] [--rounds 60]

Issuer, shuffler and aggregator run as processes on this machine, and the devices of bench/steady_load.cc fetch a token
and send an upload in every round: 60,000 devices and rounds of 60 s make 1,000 uploads each second. A line for each
round says how many uploads were acknowledged, how long they waited, the resident memory and the processor time of each
role, and the size of its files. The summary compares the medians of the first and the last third of the rounds.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import muster_command  # noqa: E402
import role_processes  # noqa: E402

ROLES = ("issuer", "shuffler", "aggregator")


def measured(deployment):
    """Returns the resident megabytes and the processor seconds of each role, and the megabytes of its files."""
    figures = {}
    for role in ROLES:
        process = deployment.running[role].process
        pages = int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        files = sum(path.stat().st_size for path in (deployment.folder / role).rglob("*") if path.is_file())
        figures[role] = {"memory": pages * os.sysconf("SC_PAGE_SIZE") / 1e6, "files": files / 1e6,
                         "seconds": role_processes.processor_seconds(process)[0]}
    return figures


def third(rounds, of, last):
    """Returns the median of a figure over the first or the last third of the rounds."""
    count = max(1, len(rounds) // 3)
    return statistics.median(of(each) for each in (rounds[-count:] if last else rounds[:count]))


def show(line, before, now):
    roles = "  ".join(f"{role} {now[role]['memory']:.0f} MB {now[role]['seconds'] - before[role]['seconds']:.1f} s "
                      f"{now[role]['files']:.1f} MB of files" for role in ROLES)
    print(f"round {line['round']}: {line['acknowledged']} acknowledged, {line['refused']} refused, "
          f"{line['unanswered']} unanswered, {line['without_token']} without a token; waited {line['median_ms']} ms, "
          f"99 % {line['p99_ms']} ms, at most {line['max_ms']} ms; {roles}", flush=True)


def summary(rounds):
    for what, of in [("median wait (ms)", lambda each: each["median_ms"]), ("99 % wait (ms)", lambda each: each["p99_ms"]),
                     ("acknowledged", lambda each: each["acknowledged"])]:
        print(f"{what:28} first third {third(rounds, of, False):10.2f}   last third {third(rounds, of, True):10.2f}")
    for role in ROLES:
        for what in ("memory", "files"):
            def of(each, role=role, what=what):
                return each["roles"][role][what]
            print(f"{role + ', ' + what + ' (MB)':28} first third {third(rounds, of, False):10.2f}   "
                  f"last third {third(rounds, of, True):10.2f}")


def run(options, folder):
    load = options.build.resolve() / "bench" / "steady_load"
    # A tenth of the devices may be late before a round is void.
    plan = role_processes.plan(clients=options.devices * 9 // 10, rounds=options.rounds)
    deployment = role_processes.Deployment(folder, devices=(), seconds=options.seconds, text=plan,
                                           most=2 * options.rounds, rounds_ahead=8)
    keys = subprocess.run([load, "keys", str(options.devices)], check=True, capture_output=True, text=True).stdout
    (folder / "devices.txt").write_text(keys)
    rounds = []
    try:
        deployment.start_servers()
        _, url = deployment.start_aggregator("--stay")
        settings = tomllib.loads((folder / "shuffler.toml").read_text())
        roles = [f"http://{settings['listen']}", settings["issuer"]]
        before = measured(deployment)
        with subprocess.Popen([load, "run", folder / "task.txt", *roles, str(options.devices)], stdout=subprocess.PIPE,
                              text=True) as crowd:
            for text in crowd.stdout:
                line = json.loads(text)
                now = measured(deployment)
                show(line, before, now)
                rounds.append({**line, "roles": now})
                before = now
        if crowd.returncode != 0:
            sys.exit(f"steady_load: the devices ended with {crowd.returncode}")
        summary(rounds)
        print(muster_command.run("status", url).stdout)
    finally:
        deployment.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build folder with command and benchmarks")
    parser.add_argument("--devices", type=int, default=60_000, help="devices, each with one upload a round [60000]")
    parser.add_argument("--seconds", type=int, default=60, help="seconds of a round [60]")
    parser.add_argument("--rounds", type=int, default=60, help="rounds [60]")
    options = parser.parse_args()
    muster_command.COMMAND = options.build.resolve() / "muster"
    with tempfile.TemporaryDirectory() as name:
        run(options, pathlib.Path(name))


if __name__ == "__main__":
    main()
