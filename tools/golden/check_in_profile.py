#!/usr/bin/env python3
"""Reference epsilons of the profile-only swap bound, by a method that shares no code or formula with the accountant.

The accountant inverts a tilted Laplace transform at the saddle point, once for one-round values and again for T rounds.
Here both computations are plain FFTs on grids. One round is the n-fold convolution of the law of a term, whose masses
are second differences of the stop-loss transform of X* (docs/theory/profile-only.md). T rounds are the T-fold
convolution of a law of the privacy loss. The curve of this law connects the computed points of the one-round curve by
chords. The errors of the two grids are upward and O(h^2) in their steps h; together they are below a relative 5e-4 of
epsilon. The curve's rounding errors grow with the rounds and limit this method to about 10^4 rounds.

Writes testdata/check_in_profile.txt; needs numpy and scipy. Run from the root: python3 tools/golden/check_in_profile.py
"""
import math
import numpy as np
from scipy.stats import norm

ROWS = [  # clients, rate, kind, parameter (epsilon0 | sigma), rounds, delta
    (60000, 0.1, "pure", 2.0, 6800, 1e-5),
    (1000000, 0.001, "pure", 2.0, 100, 1e-8),
    (60000, 1 / 6, "pure", 1.5, 1200, 1e-5),
    (1000000, 0.01, "pure", 2.0, 1000, 1e-8),
    (60000, 0.1, "pure", 2.0, 1, 1e-6),
    (60000, 0.1, "gaussian", 5.0, 1, 1e-6),
    (60000, 0.1, "gaussian", 5.0, 5540, 1e-5),
]


def profile(kind, parameter):
    """The privacy profile f as a function of alpha, and the largest alpha that matters."""
    if kind == "pure":
        q = 1 / (math.exp(parameter) + 1)
        return lambda a: np.maximum.reduce([1 - q - a * q, 1 - a, 0 * a]), math.exp(parameter)
    mu = 2 / parameter
    top = math.exp(7.5 * mu + mu * mu / 2)
    return lambda a: norm.cdf(-np.log(a) / mu + mu / 2) - a * norm.cdf(-np.log(a) / mu - mu / 2), top


def one_round(n, rate, f, top, epsilon, cell):
    """delta at epsilon, and the standard deviation of the sum divided by n.

    delta is 1/n times the mean of (X_1 + ... + X_n)_+, by FFT: X is X* with probability `rate` and otherwise
    1 - e^epsilon. The grid of X + (e^epsilon - 1) has the spacing `cell`.
    """
    e = math.exp(epsilon)
    reach = int(math.ceil(e * (top - 1) / cell)) + 2
    grid = cell * np.arange(-reach - 1, reach + 2)      # the grid of Y = X - (1 - E)
    c = grid + (1 - e)                                  # the same points as values of X
    # The expected excess of X* over every c; its second differences are the masses.
    excess = np.where(c >= 0, f(np.maximum(e + c, 1e-12)), 0)
    neg = c < 0
    excess[neg] = (1 - c[neg]) * f(e / (1 - c[neg]))
    mass = rate * np.maximum(np.diff(excess, 2) / cell, 0)
    y = grid[1:-1]
    deviation = math.sqrt(n * np.sum(mass * y * y))
    size = 1 << max(12, math.ceil(math.log2(26 * deviation / cell + 2 * reach)))
    pmf = np.zeros(size)
    np.add.at(pmf, np.rint(y / cell).astype(int) % size, mass)
    # The characteristic function minus 1 is computed: n times the rounding error of 1 would exceed the tail.
    total = np.fft.irfft(np.exp(n * np.log1p(np.fft.rfft(pmf) - pmf.sum())), size)
    s = np.arange(size)
    s = np.where(s > size // 2, s - size, s) * cell
    gain = s - n * math.expm1(epsilon)
    return float(np.sum(total[gain > 0] * gain[gain > 0])) / n, deviation / n


def epsilon_of(n, rate, kind, parameter, rounds, delta):
    f, top = profile(kind, parameter)
    cell = (0.04 if kind == "pure" else 0.012) * (top - 1 if kind == "pure" else 2 / parameter)
    _, deviation = one_round(n, rate, f, top, 0.0, cell)
    h = deviation / 40
    points = int(7.2 * 40)
    curve = np.array([one_round(n, rate, f, top, i * h, cell)[0] for i in range(points)])
    alpha = np.exp(h * np.arange(points))
    # For alpha >= 1, connects the points of the curve. For alpha < 1, connects the points of its excess over 1 - alpha.
    above = np.append(np.diff(curve) / np.diff(alpha), 0)
    excess = curve / alpha
    below = np.append(np.diff(excess) / np.diff(1 / alpha), 0)
    up = alpha[1:] * np.maximum(np.diff(above), 0)
    down = np.maximum(below[:-1] - below[1:], 0) / alpha[1:]
    size = 1 << 19
    pmf = np.zeros(size)
    pmf[1:points] = up
    pmf[-np.arange(1, points)] = down
    infinity = rounds * curve[-1]
    total = np.fft.irfft(np.exp(rounds * np.log1p(np.fft.rfft(pmf) - pmf.sum())), size)
    loss = np.arange(size)
    loss = np.where(loss > size // 2, loss - size, loss) * h

    def delta_at(epsilon):
        keep = loss > epsilon
        return float(np.sum(total[keep] * -np.expm1(epsilon - loss[keep]))) + infinity

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
    return high


def main():
    lines = ["# clients rate kind parameter rounds delta epsilon",
             "# Written by tools/golden/check_in_profile.py: grid FFTs, upper values, relative error below 5e-4 upward."]
    for n, rate, kind, parameter, rounds, delta in ROWS:
        value = epsilon_of(n, rate, kind, parameter, rounds, delta)
        lines.append(f"{n} {rate!r} {kind} {parameter!r} {rounds} {delta!r} {value:.8g}")
        print(lines[-1], flush=True)
    with open("testdata/check_in_profile.txt", "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
