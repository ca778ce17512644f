"""Charges a local randomizer that muster does not know, from the probabilities of its messages.

    PYTHONPATH=build/release/python python3 examples/python/own_randomizer_profile.py

A device rates something from 1 to 10 and sends a rating near the true one: the farther away, the less likely. Nothing
in muster knows this randomizer, so its table of probabilities is written to a file, which is all that is charged.
"""

import pathlib
import tempfile

import numpy as np

import muster

RATINGS = 10


def channel(steepness):
    """Returns the probabilities [ratings, ratings] with which each true rating (row) is sent as each rating (column)."""
    true, sent = np.meshgrid(np.arange(RATINGS), np.arange(RATINGS), indexing="ij")
    weights = np.exp(-steepness * np.abs(true - sent))
    return weights / weights.sum(axis=1, keepdims=True)


def local_epsilon(probabilities):
    """Returns the largest log ratio of two rows: what one message costs by itself."""
    logs = np.log(probabilities)
    return float((logs[:, None, :] - logs[None, :, :]).max())


def main():
    crowd = {"protocol": "shuffled-check-in", "clients": 60_000, "rate": 0.1, "rounds": 500, "delta": 1e-6}
    with tempfile.TemporaryDirectory() as folder:
        print("steepness  local    profile  epsilon0 alone  average error of a rating")
        for steepness in (0.1, 0.2, 0.4):
            probabilities = channel(steepness)
            path = pathlib.Path(folder) / f"ratings-{steepness}.csv"
            np.savetxt(path, probabilities, delimiter=",")
            own = muster.account(muster.plan(randomizer="profile", profile=str(path), **crowd))
            epsilon0 = local_epsilon(probabilities)
            # What is charged if only epsilon0 is known: the worst randomizer with this epsilon0.
            worst = muster.account(muster.plan(randomizer="pure", epsilon0=epsilon0, **crowd))
            distances = np.abs(np.subtract.outer(np.arange(RATINGS), np.arange(RATINGS)))
            error = (probabilities * distances).sum() / RATINGS
            print(f"{steepness:<11}{epsilon0:<9.3f}{float(own):<9.4f}{float(worst):<16.4f}{error:.2f}")
            assert own.lower <= float(own) <= float(worst)
    print("each epsilon is proven: at most this much, for every data set of the other clients")


if __name__ == "__main__":
    main()
