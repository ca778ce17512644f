#!/usr/bin/env python3
"""Reference epsilons of the profile-only swap bound, by a method that shares no code or formula with the accountant.

The accountant inverts a tilted Laplace transform at the saddle point, once for one-round values and again for
T rounds. Here both computations are discrete Fourier transforms on grids. One round is the n-fold convolution
of the law of a term, whose masses are second differences of the stop-loss transform of X*
(docs/theory/profile-only.md). Only the first frequencies of its transform matter, and these are summed
directly. T rounds are the T-fold convolution of a law of the privacy loss, by FFT. The curve of this law
connects the computed points of the one-round curve by chords. The errors of the two grids are upward and
O(h^2) in their steps h; together they are below a relative 5e-4 of epsilon. The curve's rounding errors grow
with the rounds and limit this method to about 10^4 rounds. The program uses only the standard library.

    python3 tools/golden/check_in_profile.py > testdata/check_in_profile.txt    # two minutes
"""
import cmath
import math

from fourier import SMALLEST, log_of_one_plus, transform, turns_of, upper_normal

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
    """Returns the privacy profile f as a function of alpha, and the largest alpha that matters."""
    if kind == "pure":
        q = 1 / (math.exp(parameter) + 1)
        return lambda a: max(1 - q - a * q, 1 - a, 0.0), math.exp(parameter)
    mu = 2 / parameter
    top = math.exp(7.5 * mu + mu * mu / 2)
    return lambda a: upper_normal(math.log(a) / mu - mu / 2) - a * upper_normal(math.log(a) / mu + mu / 2), top


def coefficients(n, masses, size):
    """Returns the characteristic function of the sum of n variables at the frequencies
    1, 2, ... of a period of `size` cells, until it is negligible. A variable equals i cells with probability masses[i],
    and otherwise 0. Its characteristic function minus 1 is computed, because n times the rounding error of 1 would
    exceed the tail."""
    found = [1.0]
    while abs(found[-1]) > SMALLEST:
        w = 2 * math.pi * len(found) / size
        lack = math.fsum(mass * -2 * math.sin(w * i / 2) ** 2 for i, mass in masses.items())
        turn = math.fsum(mass * -math.sin(w * i) for i, mass in masses.items())
        found.append(cmath.exp(n * log_of_one_plus(complex(lack, turn))))
    return found[1:]


def excess_of_sum(n, masses, threshold, size):
    """Returns E(S - threshold)_+ for the sum S of n variables, in cells; S is taken to lie below size / 2.

    Frequency k gives the sum over s of (s - threshold) z^s, for z = e^(2 pi i k / size) and s from the first whole
    number above the threshold to size / 2. It has a closed form, written without differences of nearly equal numbers.
    """
    first = math.floor(threshold) + 1
    last = size // 2 - first  # s is first + j for j from 0 to `last`
    gain = first - threshold
    total = [gain * (last + 1) + last * (last + 1) / 2]
    for k, coefficient in enumerate(coefficients(n, masses, size), 1):
        half = math.pi * k / size
        one_minus_z = -2j * math.sin(half) * cmath.exp(1j * half)
        z_to_last = cmath.exp(2j * math.pi * (k * last % size) / size)
        powers = (1 - z_to_last) / one_minus_z + z_to_last
        moments = ((1 - z_to_last) / one_minus_z - last * z_to_last) / one_minus_z * cmath.exp(2j * half)
        z_to_first = cmath.exp(2j * math.pi * (k * first % size) / size)
        total.append(2 * (coefficient * z_to_first * (gain * powers + moments)).real)
    return math.fsum(total) / size


def one_round(n, rate, f, top, epsilon, cell):
    """Returns delta at epsilon, and the standard deviation of the sum divided by n.

    delta is 1/n times the mean of (X_1 + ... + X_n)_+: X is X* with probability `rate` and otherwise 1 - e^epsilon. The
    grid of X + (e^epsilon - 1) has the spacing `cell`.
    """
    e = math.exp(epsilon)
    reach = int(math.ceil(e * (top - 1) / cell)) + 2

    def excess(i):
        """Returns the mean excess of X* over c = i cell + 1 - e. Its second differences are the masses."""
        c = i * cell + (1 - e)
        return f(max(e + c, 1e-12)) if c >= 0 else (1 - c) * f(e / (1 - c))

    excesses = [excess(i) for i in range(-reach - 1, reach + 2)]
    differences = [(a - b) - (b - c) for a, b, c in zip(excesses, excesses[1:], excesses[2:])]
    masses = {i: rate * change / cell for i, change in zip(range(-reach, reach + 1), differences) if change > 0}
    deviation = math.sqrt(n * math.fsum(mass * (i * cell) ** 2 for i, mass in masses.items()))
    size = 2 * math.ceil(13 * deviation / cell + reach)
    return cell * excess_of_sum(n, masses, n * math.expm1(epsilon) / cell, size) / n, deviation / n


def epsilon_of(n, rate, kind, parameter, rounds, delta):
    f, top = profile(kind, parameter)
    cell = (0.04 if kind == "pure" else 0.012) * (top - 1 if kind == "pure" else 2 / parameter)
    _, deviation = one_round(n, rate, f, top, 0.0, cell)
    h = deviation / 40
    points = int(7.2 * 40)
    curve = [one_round(n, rate, f, top, i * h, cell)[0] for i in range(points)]
    alpha = [math.exp(i * h) for i in range(points)]
    # For alpha >= 1, chords connect the points of the curve, and `above` has their slopes. For alpha < 1, chords
    # connect the points of the curve's excess over 1 - alpha, which is curve / a at alpha = 1 / a, and `below`
    # has their slopes.
    excess = [value / a for value, a in zip(curve, alpha)]
    above = [(curve[i + 1] - curve[i]) / (alpha[i + 1] - alpha[i]) for i in range(points - 1)] + [0.0]
    below = [(excess[i + 1] - excess[i]) / (1 / alpha[i + 1] - 1 / alpha[i]) for i in range(points - 1)] + [0.0]
    size = 1 << 19
    law = [0.0] * size
    for i in range(1, points):
        law[i] = alpha[i] * max(above[i] - above[i - 1], 0.0)
        law[-i] = max(below[i - 1] - below[i], 0.0) / alpha[i]
    infinity = rounds * curve[-1]
    lack = math.fsum(law)  # `law` leaves out the mass at loss 0, which is 1 - lack
    powers = [cmath.exp(rounds * log_of_one_plus(x - lack)) for x in transform(law, -1, turns_of(size, -1))]
    sums = transform(powers, 1, turns_of(size, 1))
    losses = [((i if i <= size // 2 else i - size) * h, x.real / size) for i, x in enumerate(sums)]

    def delta_at(epsilon):
        return math.fsum(mass * -math.expm1(epsilon - loss) for loss, mass in losses if loss > epsilon) + infinity

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
    return high


def main():
    print("# clients rate kind parameter rounds delta epsilon")
    print("# Written by tools/golden/check_in_profile.py: sums on grids, upper values, relative error below 5e-4.")
    for n, rate, kind, parameter, rounds, delta in ROWS:
        value = epsilon_of(n, rate, kind, parameter, rounds, delta)
        print(f"{n} {rate!r} {kind} {parameter!r} {rounds} {delta!r} {value:.8g}", flush=True)


if __name__ == "__main__":
    main()
