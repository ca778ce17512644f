"""A Flower app of 50 nodes in one process: its nodes, its grid, and the same rounds by a population of muster.

The strategy loop, ClientApp, mods and records are Flower's; only the transport is left out.
"""

import argparse
import copy
import functools
import json
import pathlib
import subprocess
import sys
import unittest

import numpy as np
from flwr.app import Array, ArrayRecord, Context, Error, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.common.constant import ErrorCode
from flwr.serverapp import Grid
from flwr.serverapp.strategy import FedAvg
from flwr.supercore.task_identity import TaskIdentity

import muster
import muster.flower

ROOT = pathlib.Path(__file__).resolve().parents[3]
NODES, ROUNDS = 50, 5
STATED = {"protocol": "shuffled-check-in", "clients": NODES, "rate": 0.5, "randomizer": "gaussian", "sigma": 3.0,
          "clip": 1.0, "rounds": ROUNDS}
PLAN = muster.plan(**STATED)
# With a delta, every round also computes its epsilon, which most tests do not look at.
CHARGED = muster.plan(**STATED, delta=1e-5)
SHAPES = {"weight": (2, 3), "bias": (4,)}

TaskIdentity.run_id, TaskIdentity.node_id, TaskIdentity.task_id = 1, 1, 1


def initial():
    """Returns the first model."""
    return ArrayRecord({name: Array(np.zeros(shape, np.float32)) for name, shape in SHAPES.items()})


def learned(record):
    """Returns the learned arrays in a row."""
    return np.concatenate([record[name].numpy().ravel() for name in SHAPES])


def local_model(row, number):
    """Returns what node `number` learns from a model, float32. Nodes differ, and the vectors of some are clipped."""
    target = np.random.default_rng(number).normal(size=row.size).astype(np.float32)
    return row - np.float32(0.4) * (row - target)


def train(msg, context):
    """Returns the reply of the app of all tests, which also has what must not leave a node: a metric and a count."""
    name, record = next(iter(msg.content.array_records.items()))
    row, at, after = local_model(learned(record), context.node_config["partition-id"]), 0, ArrayRecord()
    for key, array in record.items():
        size = array.numpy().size if key in SHAPES else 0
        after[key] = Array(row[at:at + size].reshape(SHAPES[key])) if key in SHAPES else Array(array.numpy() + 1)
        at += size
    metrics = MetricRecord({"num-examples": 10 + context.node_config["partition-id"], "loss": 0.25})
    return Message(RecordDict({name: after, "metrics": metrics}), reply_to=msg)


def app_of(mods, behaviour=train):
    """Returns a ClientApp with these mods."""
    app = ClientApp(mods=mods)
    app.train()(behaviour)
    return app


class InProcessGrid(Grid):
    """Carries messages to the nodes of one process, each of which has a context of its own."""

    def __init__(self, app, nodes=NODES):
        self.app = app
        self.contexts = {1000 + number: Context(run_id=1, node_id=1000 + number, node_config={"partition-id": number},
                                                state=RecordDict(), run_config={}) for number in range(nodes)}
        self.replies = []

    def set_run(self, run):
        raise NotImplementedError

    run = property(set_run)
    create_message = pull_messages = push_messages = set_run

    def get_node_ids(self):
        return list(self.contexts)

    def deliver(self, message):
        """Returns the node's replies to a message: one here, and other numbers in subclasses."""
        message = copy.deepcopy(message)
        try:
            return [self.app(message, self.contexts[message.metadata.dst_node_id])]
        except Exception as error:  # what a SuperNode tells of an app that raises
            return [Message(Error(ErrorCode.CLIENT_APP_RAISED_EXCEPTION, str(error)), reply_to=message)]

    def send_and_receive(self, messages, *, timeout=None):
        self.replies.append([reply for message in messages for reply in self.deliver(message)])
        return self.replies[-1]


def right(plan=PLAN, **options):
    """Returns an adapter: the mods of the nodes and a strategy."""
    return ([muster.flower.CheckIn(plan, key="plan")],
            muster.flower.Strategy(FedAvg(fraction_evaluate=0.0), plan, **options))


@functools.cache
def by_population(plan=PLAN, vector_of=None, dropped=frozenset()):
    """Returns the model after each round of the population with the plan's key, and the numbers of messages.

    vector_of(round, client, row) replaces the change that a client learned; rounds in `dropped` are not decoded.
    """
    crowd = muster.Population(plan, dimension=sum(int(np.prod(shape)) for shape in SHAPES.values()))
    row, models, counts = learned(initial()), [], []
    for t in range(1, crowd.rounds + 1):
        with crowd.round() as r:
            for clients in r.batches(7):
                changes = [local_model(row, int(client)) - row for client in clients]
                if vector_of is not None:
                    changes = [vector_of(t, int(client), change)
                               for client, change in zip(clients, changes, strict=True)]
                r.send(clients, np.array(changes))
        row = row if t in dropped else row + r.mean
        models.append(row)
        counts.append(r.count)
    return models, counts


def run(adapter, grid_class=InProcessGrid, behaviour=train, rounds=ROUNDS, first=None):
    """Runs Flower's loop. Returns its result, the strategy, the grid, and the model after each round."""
    mods, strategy = adapter
    grid, models = grid_class(app_of(mods, behaviour)), []
    result = strategy.start(grid, first or initial(), rounds,
                            evaluate_fn=lambda t, arrays: models.append(learned(arrays)))
    return result, strategy, grid, models[1:]


@functools.cache
def account(rounds):
    """Returns the epsilon that the command prints for `rounds` rounds of CHARGED."""
    stated = {**STATED, "rounds": rounds, "delta": 1e-5}
    flags = [word for key, value in stated.items() for word in ("--" + key, str(value))]
    done = subprocess.run([COMMAND, "account", *flags, "--json"], capture_output=True, text=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)["epsilon"]["upper"]


COMMAND = None


def main():
    """Runs the tests of the file that calls it."""
    global COMMAND
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    COMMAND = options.command.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
