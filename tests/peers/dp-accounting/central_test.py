"""Compares the references `central` of `muster compare` with dp_accounting, which composes privacy loss distributions of
the Poisson-sampled Gaussian.

    tools/check-peers dp-accounting

dp_accounting is asked for the epsilon of exactly the sigma, sampling probability and rounds that muster answers with.
This epsilon must be within a relative 1e-4 of muster's upper value and not below muster's lower value, both for a
replaced record and for a client who is added or removed.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import dp_accounting
from dp_accounting import pld

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--command", type=pathlib.Path, required=True)
COMMAND = parser.parse_args().command.resolve()
ROOT = pathlib.Path(__file__).resolve().parents[3]
TOLERANCE = 1e-4
# Flags of the comparison: the target, the rate and the rounds.
QUESTIONS = [("1", "0.1", "1000"), ("0.5", "0.01", "300"), ("3", "0.5", "50"), ("1", "1", "20")]


def central(epsilon, rate, rounds):
    """Returns the rows of the reference, by neighbouring relation."""
    done = subprocess.run([COMMAND, "compare", "plans/mnist-ldp-sgd.toml", "--protocol", "shuffled-check-in",
                           "--randomizer", "ldp-sgd", "--epsilon", epsilon, "--rate", rate, "--rounds", rounds, "--json"],
                          cwd=ROOT, capture_output=True, text=True, check=True)
    rows = json.loads(done.stdout)["references"]
    return {row["neighbouring"]: row for row in rows if row["protocol"] == "central"}


def peer(relation):
    # The interval is the spacing of dp_accounting's lattice of losses. A coarser one makes its upper bounds looser.
    return pld.PLDAccountant(relation, value_discretization_interval=1e-4)


def event(row, rounds):
    sampled = dp_accounting.PoissonSampledDpEvent(row["rate"], dp_accounting.GaussianDpEvent(row["value"]))
    return dp_accounting.SelfComposedDpEvent(sampled, rounds)


RELATIONS = {"replace-one": dp_accounting.NeighboringRelation.REPLACE_ONE,
             "add-remove": dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE}
for question in QUESTIONS:
    rows = central(*question)
    for name, relation in RELATIONS.items():
        row = rows[name]
        theirs = peer(relation).compose(event(row, int(question[2]))).get_epsilon(1e-5)
        ours = row["epsilon"]["upper"]
        print(f"{name}, sigma {row['value']}, rate {row['rate']}, {question[2]} rounds: muster {ours:.9f}, "
              f"dp_accounting {theirs:.9f}")
        if abs(ours - theirs) > TOLERANCE * ours:
            sys.exit(f"they differ by more than {TOLERANCE:g} of the value")
        if theirs < row["epsilon"]["lower"]:
            sys.exit("dp_accounting is below muster's lower value")
