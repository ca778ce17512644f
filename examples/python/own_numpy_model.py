"""Trains a numpy model of one's own, privately: logistic regression on records that 20,000 clients keep.

    PYTHONPATH=build/release/python python3 examples/python/own_numpy_model.py

Each client has one record of ten features and a label. The noise is chosen for epsilon = 1, the population decides who
sends in a round, and the program computes a gradient for each of them.
"""

import numpy as np

import muster

CLIENTS, FEATURES, ROUNDS = 20_000, 10, 100


def make_records():
    """Returns features [clients, features] and labels [clients] in {0, 1}, which a logistic model explains."""
    random = np.random.default_rng(7)
    features = random.normal(size=(CLIENTS, FEATURES)).astype(np.float32)
    truth = random.normal(size=FEATURES).astype(np.float32)
    labels = random.random(CLIENTS) < 1 / (1 + np.exp(-2 * features @ truth))
    return features, labels.astype(np.float32)


def gradients(theta, features, labels):
    """Returns the gradient [k, features] of each record's logistic loss."""
    errors = 1 / (1 + np.exp(-features @ theta)) - labels
    return errors[:, None] * features


def accuracy(theta, features, labels):
    return np.mean((features @ theta > 0) == (labels > 0.5))


def main():
    open_plan = muster.plan(protocol="shuffled-check-in", clients=CLIENTS, rate=0.2, randomizer="gaussian", clip=1.0,
                            rounds=ROUNDS, delta=1e-6)
    found = muster.calibrate(open_plan, "sigma", epsilon=1.0)
    print(f"plan      {found}")

    features, labels = make_records()
    theta = np.zeros(FEATURES, dtype=np.float32)
    crowd = muster.Population(found.plan, dimension=theta.size)
    for t in range(crowd.rounds):
        with crowd.round() as r:
            for clients in r.batches(1024):
                r.send(clients, gradients(theta, features[clients], labels[clients]))
        theta -= r.mean
        if (t + 1) % 25 == 0:
            print(f"round {t + 1:<4}{r.count} clients sent, accuracy {accuracy(theta, features, labels):.3f}")

    statement = crowd.epsilon
    print(f"epsilon   at most {float(statement):.4f} and at least {statement.lower:.4f} at delta {statement.at:g}")


if __name__ == "__main__":
    main()
