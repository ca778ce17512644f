"""Expected excesses of sums of independent variables by Fourier series, for the generators of this folder.

The density of the centred sum S is written as a Fourier series on an interval that contains all relevant mass. Each
coefficient is a value of the characteristic function, computed from quadratures or atoms of the terms' laws. The series
times (end - s)_+ is integrated term by term. No law is tilted or put on a lattice, and integrals stay on the real axis.
The accountant, in contrast, inverts Laplace transforms along contours. The module uses only the standard library.
"""
import cmath
import math

SMALLEST = 1e-22  # the series ends with the first coefficient of at most this modulus


def log_of_one_plus(x):
    if abs(x) > 1e-3:
        return cmath.log(1 + x)
    total, power = 0, x
    for k in range(1, 12):
        total += power / k if k % 2 else -power / k
        power *= x
    return total


def centred(atoms):
    """Returns the atoms (point, mass) minus their mean. The mass
    that is missing from 1 counts as another atom, at point 0."""
    rest = 1 - math.fsum(mass for _, mass in atoms)
    mean = math.fsum(point * mass for point, mass in atoms)
    return [(point - mean, mass) for point, mass in [*atoms, (0.0, rest)]]


class CentredSum:
    """A sum of independent terms of mean 0 and total mass 1, in groups of equal terms: (number, atoms of one term).

    Its density is represented on the interval [low, high]. If the terms are nearly on a lattice, coefficients of much
    higher frequency matter as well; all of them up to the frequency `least` are kept.
    """

    def __init__(self, groups, low, high, least=0.0):
        self.groups, self.low, self.length = groups, low, high - low
        self.coefficients = []
        frequency = 0.0
        while frequency < least or not self.coefficients or abs(self.coefficients[-1]) > SMALLEST:
            frequency = 2 * math.pi * (len(self.coefficients) + 1) / self.length
            self.coefficients.append(self.characteristic(frequency))

    def characteristic(self, frequency):
        """Returns the sum's characteristic function. For each term, the difference of its characteristic
        function from 1 is computed, so that powers lose no digits."""
        exponent = 0
        for number, atoms in self.groups:
            lack = math.fsum(mass * -2 * math.sin(frequency * x / 2) ** 2 for x, mass in atoms)
            turn = math.fsum(mass * (math.sin(frequency * x) - frequency * x) for x, mass in atoms)
            exponent += number * log_of_one_plus(complex(lack, turn))
        return cmath.exp(exponent)

    def shortfall(self, end):
        """Returns E(end - S)_+: the series times end - s, integrated from the left end of the interval."""
        total = [(end - self.low) ** 2 / 2]
        for k, coefficient in enumerate(self.coefficients, 1):
            i_w = 2j * math.pi * k / self.length
            # (end - s) e^{-iws} has the integral (end - s) e^{-iws}/(-iw) - e^{-iws}/w^2.
            at_end = cmath.exp(-i_w * end) / i_w ** 2
            at_low = cmath.exp(-i_w * self.low) * ((end - self.low) / -i_w + 1 / i_w ** 2)
            total.append(2 * (coefficient * (at_end - at_low)).real)
        return math.fsum(total) / self.length

    def excess(self, end):
        """Returns E(S - end)_+, since E S = 0."""
        return self.shortfall(end) - end


def transform(values, sign, turns):
    """Returns the discrete Fourier transform of `values`, whose
    number must be a power of two; `turns` is turns_of(number, sign).
    """
    size = len(values)
    if size == 1:
        return values
    even, odd = transform(values[0::2], sign, turns), transform(values[1::2], sign, turns)
    stride = 2 * len(turns) // size
    turned = [x * turn for x, turn in zip(odd, turns[::stride])]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def turns_of(size, sign):
    return [cmath.exp(sign * 2j * math.pi * i / size) for i in range(size // 2)]


def compose(masses, infinity, rounds, step, delta, size=1 << 15):
    """Returns the epsilon at delta after `rounds` rounds. In each round, the privacy loss is i * step with
    probability masses[i], and infinite with probability `infinity`."""
    law = [0.0] * size
    for i, mass in masses.items():
        law[i] = mass
    total = math.fsum(law)
    turns, back = turns_of(size, -1), turns_of(size, 1)
    powers = [cmath.exp(rounds * log_of_one_plus(x - total)) for x in transform(law, -1, turns)]
    sums = [x.real / size for x in transform(powers, 1, back)]
    tail = [(i * step, sums[i]) for i in range(size // 2)]
    low, high = 0.0, size // 2 * step
    for _ in range(45):
        middle = (low + high) / 2
        rest = math.fsum(-math.expm1(middle - loss) * mass for loss, mass in tail if loss > middle)
        low, high = (middle, high) if rest + rounds * infinity > delta else (low, middle)
    return high


def masses_of_pair(curve, step, points):
    """Connects the points of delta(epsilon), |epsilon| <= points * step, of one pair in one order.

    Returns the masses of the law of losses i * step that has this curve, and the mass of the infinite loss.
    """
    at = range(-points, points + 1)
    values, alphas = [curve(i * step) for i in at], [math.exp(i * step) for i in at]
    slopes = [-1.0] + [(b - a) / (v - u) for a, b, u, v in zip(values, values[1:], alphas, alphas[1:])] + [0.0]
    changes = zip(at, alphas, slopes, slopes[1:])
    return {i: alpha * max(0.0, right - left) for i, alpha, left, right in changes}, values[-1]


def masses_of_both(curve, step, points):
    """Does what masses_of_pair does, for a curve that bounds both orders and is given for epsilon >= 0."""
    whole = [curve(i * step) for i in range(points + 1)]

    def both(i):  # delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon)
        return whole[i] if i >= 0 else -math.expm1(i * step) + math.exp(i * step) * whole[-i]

    return masses_of_pair(lambda epsilon: both(round(epsilon / step)), step, points)


def gauss_legendre(count):
    """Returns Gauss-Legendre nodes on [-1, 1] with their weights, as (node, weight)."""
    rule = []
    for i in range(count):
        x = math.cos(math.pi * (i + 0.75) / (count + 0.5))
        for _ in range(100):
            before, value = 1.0, x
            for k in range(2, count + 1):
                before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
            slope = count * (x * value - before) / (x * x - 1)
            if abs(value / slope) < 1e-16:
                break
            x -= value / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


def panels(left, right, width, rule):
    """Returns the quadrature rule on panels of about the given width, as (point, weight)."""
    count = max(1, math.ceil((right - left) / width))
    half = (right - left) / count / 2
    return [(left + half * (2 * i + 1 + x), half * w) for i in range(count) for x, w in rule]


def normal_density(z):
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def upper_normal(z):
    return 0.5 * math.erfc(z / math.sqrt(2))
