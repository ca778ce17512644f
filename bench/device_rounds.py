#!/usr/bin/env python3
"""Measures the processor time that a device spends on a round: all of `muster client`, over HTTP on this machine.

    bench/device_rounds.py --command build/release/muster [--first 3] [--last 28] [--seconds 2]

The processor time that the client processes have used is read after --first rounds and again before the last one, and
the difference is divided by rounds and devices, so that starting, which a device does once, is not part of it.
Everything that recurs in each round is part of it: about four requests, which ask for tokens, rounds and the model and
send the message, their cryptography, and the writes to the disk. It is measured for 34 devices in one process, with the
gradient of one image of `digits` for the 330 parameters of `logistic`, and for 12 devices that have a process
each. With a process each, every gradient is computed by a further process, whose time is stated separately.
"""

import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

import muster_command  # noqa: E402
import role_processes  # noqa: E402


def used_by(processes):
    """Returns the processor seconds of running processes, and those of the children that they have waited for."""
    used = [role_processes.processor_seconds(process) for process in processes]
    return sum(own for own, _ in used), sum(children for _, children in used)


def device_round(devices, first, last, seconds):
    """Returns the processor seconds of a device in a round, and those of its children, after round `first`."""
    plan = role_processes.plan(clients=sum(devices), rounds=last, delta="1e-4")
    with tempfile.TemporaryDirectory() as name:
        deployment = role_processes.Deployment(pathlib.Path(name), devices=devices, seconds=seconds, text=plan,
                                               most=2 * last, rounds_ahead=8)
        try:
            deployment.start_servers()
            aggregator, _ = deployment.start_aggregator("--stay")
            clients = [deployment.start_client(i).process for i in range(len(devices))]
            for number in range(1, last):
                aggregator.until(f"round {number} is ")
                if number == first:
                    before = used_by(clients)
            device_rounds = (last - 1 - first) * sum(devices)
            return [(now - then) / device_rounds for now, then in zip(used_by(clients), before)]
        finally:
            deployment.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, type=pathlib.Path, help="the built command")
    parser.add_argument("--first", type=int, default=3, help="the round after which the time is read first [3]")
    parser.add_argument("--last", type=int, default=28, help="rounds of the deployment [28]")
    parser.add_argument("--seconds", type=int, default=2, help="seconds of a round [2]")
    options = parser.parse_args()
    if not 0 < options.first < options.last - 1:
        parser.error("--first must be at least 1 and below --last by two or more")
    muster_command.COMMAND = options.command.resolve()
    for name, devices in (("34 devices in one process", (34,)), ("12 devices with a process each", (1,) * 12)):
        own, children = device_round(devices, options.first, options.last, options.seconds)
        print(f"{name}: a round of a device takes {1e3 * own:.2f} ms of processor time, and {1e3 * children:.2f} ms in "
              "other processes", flush=True)


if __name__ == "__main__":
    main()
