"""Plans a launch before anything runs: how much noise, how many rounds, and what happens if assumptions fail.

    PYTHONPATH=build/release/python python3 examples/python/plan_a_launch.py

A team has 200,000 phones and wants to train for at most 2,000 rounds at epsilon 1. It decides how often a phone takes
part; noise and rounds follow.
"""

import numpy as np

import muster

TARGET, DELTA = 1.0, 1e-6
LAUNCH = muster.plan(protocol="shuffled-check-in", clients=200_000, rate=0.01, randomizer="gaussian", clip=1.0,
                     rounds=2000, delta=DELTA)


def noise_of_a_round(plan):
    """Returns the deviation of each coordinate of a round's mean, which decides how well a model learns."""
    messages = plan["population.clients"] * plan["participation.rate"]
    return plan["randomizer.sigma"] * plan["randomizer.clip"] / np.sqrt(messages)


def main():
    print(f"The least noise for epsilon {TARGET:g} at delta {DELTA:g}, over {LAUNCH['rounds.count']} rounds:")
    found = {}
    for rate in (0.01, 0.05):
        calibrated = muster.calibrate(LAUNCH.replace({"participation.rate": rate}), "sigma", epsilon=TARGET)
        found[rate] = calibrated.plan
        print(f"  rate {rate:<6} sigma {calibrated.value:<8g} {200_000 * rate:6.0f} messages a round, "
              f"noise of a mean {noise_of_a_round(calibrated.plan):.4f}")

    plan = found[0.01]
    print("Epsilon over the rounds, at rate 0.01:")
    curve = muster.curve(plan, over="rounds", at=[100, 1000, 2000])
    for rounds, upper, lower in zip(curve.at, curve.upper, curve.lower, strict=True):
        print(f"  {int(rounds):5} rounds: at most {upper:.4f}, at least {lower:.4f}")

    print("If something is not as planned, over all rounds:")
    fewer = plan.replace({"population.clients": 150_000})
    lost = plan.replace({"participation.dropout": 0.3})
    for what, statement in (("as planned", muster.account(plan)), ("a quarter of the phones is not honest",
                                                                   muster.account(fewer)),
                            ("three in ten messages are lost", muster.account(lost)),
                            ("the shuffler colludes", muster.account(plan, view="shuffler-colludes"))):
        print(f"  {what}: epsilon at most {float(statement):.4f}")

    second = muster.plan(protocol="shuffled-check-in", clients=200_000, rate=0.01, randomizer="k-rr", k=20, epsilon0=1.0)
    both = muster.RunningAccountant()
    both.charge(plan, 2000)
    both.charge(second, 30)
    print(f"With a survey of 30 rounds among the same phones: epsilon at most {float(both.epsilon(DELTA)):.4f}")


if __name__ == "__main__":
    main()
