#!/usr/bin/env python3
"""Measures the processor time that a round takes a device: all of `muster client`, over HTTP on this machine.

    bench/device_rounds.py --command build/release/muster [--short 5] [--long 25] [--seconds 2]

Two deployments of the same devices run one after the other, one with --short rounds and one with --long. The time of a
device-round is the difference of what their client processes used, divided by the rounds and devices by which they
differ, so that starting, which a device does once, is not part of it. It contains everything else: asking for tokens and
rounds, the download of the model, both messages, two writes to the disk, and the gradient of one image of `digits` for
the 330 parameters of `logistic`, which is a small part. It is measured for 34 devices in one process, and for 12 devices
that have a process each, in which every gradient is computed by a process of its own.
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import muster_command  # noqa: E402
import role_processes  # noqa: E402


def client_seconds(devices, rounds, seconds):
    """Runs a deployment to its end. Returns the processor seconds of its clients, and the rounds that were opened."""
    plan = role_processes.plan(clients=sum(devices), rounds=rounds, delta="1e-4")
    with tempfile.TemporaryDirectory() as name:
        deployment = role_processes.Deployment(pathlib.Path(name), devices=devices, seconds=seconds, text=plan,
                                               most=2 * rounds)
        try:
            deployment.start_servers()
            aggregator, _ = deployment.start_aggregator()
            clients = [deployment.start_client(i) for i in range(len(devices))]
            status, output = aggregator.process.wait(), aggregator.process.stdout.read()
            if status != 0:
                raise RuntimeError(aggregator.said())
            used = 0
            for client in clients:
                _, client.process.returncode, usage = os.wait4(client.process.pid, 0)
                used += usage.ru_utime + usage.ru_stime
            return used, json.loads(output.splitlines()[-1])["rounds"]["opened"]
        finally:
            deployment.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, type=pathlib.Path, help="the built command")
    parser.add_argument("--short", type=int, default=5, help="rounds of the shorter deployment [5]")
    parser.add_argument("--long", type=int, default=25, help="rounds of the longer deployment [25]")
    parser.add_argument("--seconds", type=int, default=2, help="seconds of a round [2]")
    options = parser.parse_args()
    if not 0 < options.short < options.long:
        parser.error("--short must be at least 1 and below --long")
    muster_command.COMMAND = options.command.resolve()
    for name, devices in (("34 devices in one process", (34,)), ("12 devices with a process each", (1,) * 12)):
        short, fewer = client_seconds(devices, options.short, options.seconds)
        long, more = client_seconds(devices, options.long, options.seconds)
        each = (long - short) / ((more - fewer) * sum(devices))
        print(f"{name}: {1e3 * each:.2f} ms of processor time for a round of a device", flush=True)


if __name__ == "__main__":
    main()
