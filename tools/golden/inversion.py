"""Finds the epsilon at which a decreasing curve delta(epsilon) has a given delta, for the generators of this folder."""
import math


def epsilon_of(curve, delta, high):
    """Returns the epsilon in [0, high] at which the curve decreases to delta. It is found by bisection to
    one per cent of `high`, and then by the secant method for the logarithm of the curve."""
    low = 0.0
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if curve(middle) > delta else (low, middle)
    xs, ys = [low, high], [math.log(curve(low) / delta), math.log(curve(high) / delta)]
    while abs(xs[-1] - xs[-2]) > 1e-12 * xs[-1] and ys[-1] != ys[-2]:
        x = xs[-1] - ys[-1] * (xs[-1] - xs[-2]) / (ys[-1] - ys[-2])
        xs.append(x)
        ys.append(math.log(curve(x) / delta))
    return xs[-1]
