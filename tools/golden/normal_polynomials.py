#!/usr/bin/env python3
"""Computes the coefficients of the polynomials in src/muster/random/normals-inl.h.

Interpolates each function at Chebyshev nodes in exact rational arithmetic, with an error within a small
factor of the minimax error. Prints the coefficients, lowest degree first, and the maximum relative error of
the polynomial in doubles. The functions are
    -2 ln(1+t) / t          on t in [sqrt(1/2)-1, sqrt(2)-1]
    sin(pi/4 x) / x         in y = x^2 on [0, 1]
    cos(pi/4 x)             in y = x^2 on [0, 1]
"""
import math
from fractions import Fraction


def interpolate(function, low, high, degree):
    nodes = [
        Fraction((low + high) / 2 + (high - low) / 2 * math.cos(math.pi * (2 * k + 1) / (2 * degree + 2)))
        for k in range(degree + 1)
    ]
    divided = [Fraction(function(float(x))) for x in nodes]
    for level in range(1, degree + 1):
        for k in range(degree, level - 1, -1):
            divided[k] = (divided[k] - divided[k - 1]) / (nodes[k] - nodes[k - level])
    polynomial = [Fraction(0)] * (degree + 1)
    for k in range(degree, -1, -1):  # Horner's scheme for the Newton form
        shifted = [Fraction(0)] + polynomial[:-1]
        polynomial = [s - nodes[k] * p for s, p in zip(shifted, polynomial)]
        polynomial[0] += divided[k]
    return [float(c) for c in polynomial]


def report(name, function, low, high, degree):
    coefficients = interpolate(function, low, high, degree)
    worst = 0.0
    for k in range(1, 20001):
        x = low + (high - low) * k / 20001
        value = 0.0
        for c in reversed(coefficients):
            value = value * x + c
        worst = max(worst, abs(value / function(x) - 1))
    print(f"{name}: degree {degree}, max relative error {worst:.2e}")
    for c in coefficients:
        print(f"    {c:.9e}f,")


def main():
    log_quotient = lambda t: -2 * math.log1p(t) / t if t != 0 else -2.0
    report("log", log_quotient, math.sqrt(0.5) - 1, math.sqrt(2) - 1, 8)
    report("log", log_quotient, math.sqrt(0.5) - 1, math.sqrt(2) - 1, 7)
    report("sin", lambda y: math.sin(math.pi / 4 * math.sqrt(y)) / math.sqrt(y), 0.0, 1.0, 3)
    report("cos", lambda y: math.cos(math.pi / 4 * math.sqrt(y)), 0.0, 1.0, 4)
    report("cos", lambda y: math.cos(math.pi / 4 * math.sqrt(y)), 0.0, 1.0, 3)


if __name__ == "__main__":
    main()
