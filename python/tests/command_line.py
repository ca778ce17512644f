"""Asks the command and the package the same, for the tests of this folder."""

import json

import muster_command

import muster

# What every protocol and every randomizer needs besides `clients`, `rounds` and `delta`.
PROTOCOLS = {
    "shuffle": {},
    "subset": {"subset": 10},
    "shuffled-check-in": {"rate": 0.1},
    "random-check-in-fixed": {"rate": 0.5, "slots": 10},
    "random-check-in-averaged": {"rate": 0.5, "slots": 10},
    "random-check-in-sliding": {"rate": 1.0, "slots": 10},
    "aggregated-check-in": {"rate": 0.1, "minimum": 2},
}
RANDOMIZERS = {
    "pure": {"epsilon0": 1.0},
    "ldp-sgd": {"epsilon0": 1.0},
    "gaussian": {"sigma": 1.0},
    "l1": {"epsilon0": 1.0},
    "l2": {"epsilon0": 1.0},
    "linf": {"epsilon0": 1.0},
    "k-rr": {"epsilon0": 1.0, "k": 4},
    "laplace": {"epsilon0": 1.0},
}
# One round of few clients takes milliseconds; two rounds, which are composed, take a second.
BASE = {"clients": 20, "rounds": 1, "delta": 1e-5}


def keywords(protocol, randomizer, **changes):
    """Returns the keywords of a plan; those that `changes` sets to None are left out."""
    stated = {"protocol": protocol, **PROTOCOLS[protocol], "randomizer": randomizer, **RANDOMIZERS[randomizer], **BASE,
              **changes}
    return {name: value for name, value in stated.items() if value is not None}


def flags(stated):
    """Returns the command's flags for the keywords of a plan."""
    words = []
    for name, value in stated.items():
        text = f"[{value[0]}, {value[1]}]" if isinstance(value, tuple) else str(value)
        words += ["--" + name.replace("_", "-"), text]
    return words


def said(*arguments):
    """Returns the JSON that the command prints, and checks that it succeeds."""
    done = muster_command.run(*arguments, "--json")
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def refused(*arguments):
    """Returns the error that the command prints, and checks that it fails."""
    done = muster_command.run(*arguments, "--json")
    assert done.returncode != 0, (arguments, done.stdout)
    return json.loads(done.stdout)["error"]


def timeless(answer):
    """Returns an answer without the seconds that its bounds took, which differ from run to run."""
    if isinstance(answer, dict):
        return {key: timeless(value) for key, value in answer.items() if key != "seconds"}
    return [timeless(each) for each in answer] if isinstance(answer, list) else answer


def plan(stated):
    return muster.plan(**stated)
