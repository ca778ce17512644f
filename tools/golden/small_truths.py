#!/usr/bin/env python3
"""Exact divergences of small populations, for known_false_test.cc, stated_figures_test.cc and blanket_test.cc.

Most values are hockey-stick divergences of two laws of multisets of messages, which are built up client by client from
the definition (class_c.py, with_another). For a value of a claim, the two laws are those that the claim itself states.
In the blanket of k-ary randomized response, each other client sends a uniform symbol with the probability of the
blanket, and otherwise reveals herself and her message. Renyi divergences of discrete messages are sums over the same
laws, and those of Gaussian messages are integrals by the trapezoidal rule over the messages. The papers' printed
formulas are evaluated as printed; the divergences of Gaussian messages that they need are those of their Theorem 1, by
its own formula. The first eight rows are the false claims of docs/theory/false-claims.md, and the next six those of
docs/theory/as-published.md about Renyi divergences. The other values are figures that these pages derive. The sources
of tests/oracle, in contrast, count coins, symbols and moments in closed form; with them, this program shares the
printed formulas. The program uses only the standard library.

    python3 tools/golden/small_truths.py    # prints computed and stored values, a second
"""
import math
import re

import stored
from class_c import hockey_stick, with_another
from fourier import normal_density, upper_normal

FALSE_TEST = "tests/oracle/known_false_test.cc"
STATED_TEST = "tests/oracle/stated_figures_test.cc"
BLANKET_TEST = "src/muster/theorems/everyone/blanket_test.cc"
CLAIMS = "docs/theory/false-claims.md"


def response(k, epsilon0, record):
    other = 1 / (math.exp(epsilon0) + k - 1)
    return {message: other * (math.exp(epsilon0) if message == record else 1) for message in range(k)}


def reporting(law, rate):
    return {-1: 1 - rate} | {message: rate * mass for message, mass in law.items()}


def law_of(clients):
    multisets = {(): 1.0}
    for law in clients:
        multisets = with_another(multisets, law)
    return multisets


def pair(others, a, b, rates):
    """Returns the laws of the view if the victim's law is a, and
    if it is b; `rates` are the victim's, then the others'."""
    shown = [reporting(law, rate) for law, rate in zip(others, rates[1:])]
    return law_of([*shown, reporting(a, rates[0])]), law_of([*shown, reporting(b, rates[0])])


def worse(p, q, epsilon):
    return max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon))


def binary(n, with_alternative, epsilon0, rate):
    x, y = response(2, epsilon0, 0), response(2, epsilon0, 1)
    return pair([y] * with_alternative + [x] * (n - 1 - with_alternative), x, y, [rate] * n)


def two_cells(n, victim_rate, others_rate, own):
    """Returns the laws of the view if the others report as clones with the rate `others_rate`, and a clone's message is
    a fair coin. If the victim reports, her message is her own record with probability `own`."""
    coin = {0: 0.5, 1: 0.5}
    return pair([coin] * (n - 1), {0: own, 1: 1 - own}, {0: 1 - own, 1: own}, [victim_rate] + [others_rate] * (n - 1))


def two_shuffled_gaussians():
    """Returns log E_Q (P/Q)^2, where the victim's message has
    the mean 1 or 0, and the other message has the mean -1."""
    h, total = 0.05, 0.0
    grid = [i * h for i in range(-240, 281)]
    laws = {mean: [normal_density(x - mean) for x in grid] for mean in (-1, 0, 1)}
    for i in range(len(grid)):
        for j in range(len(grid)):
            p = laws[1][i] * laws[-1][j] + laws[1][j] * laws[-1][i]
            q = laws[0][i] * laws[-1][j] + laws[0][j] * laws[-1][i]
            total += p * p / q / 2
    return math.log(total * h * h)


def moment_of_means(k, order):
    """Returns E_Q (P/Q)^order for P = N(0, 1/k) and Q = N(1/(k+1), 1/(k+1))."""
    h = 1 / (200 * math.sqrt(k))
    points = [i * h for i in range(-12_000, 12_001)]
    exponents = [-order * k * x * x / 2 - (1 - order) * (k + 1) * (x - 1 / (k + 1)) ** 2 / 2 for x in points]
    factor = h * math.sqrt(k ** order * (k + 1) ** (1 - order) / (2 * math.pi))
    return factor * math.fsum(map(math.exp, exponents))


def false_claims():
    """Yields (truth, value of the claim) for the first eight claims."""
    low = 1 / (math.e + 1)
    for epsilon in (0.7, 0.95):
        yield (hockey_stick(*binary(12, 0, 1, 0.5), epsilon),
               hockey_stick(*two_cells(12, 0.5, 0.5 * 2 * low, 1 - low), epsilon))
    rare = 1 / (math.exp(2) + 3)
    own = rare * math.exp(2)
    others = [response(4, 2, 2)] * 11
    yield (hockey_stick(*pair(others, response(4, 2, 0), response(4, 2, 1), [1.0] * 12), 1),
           hockey_stick(*two_cells(12, own + rare, 2 * rare, own / (own + rare)), 1))
    yield worse(*binary(3, 1, 1, 1.0), 0), max(worse(*binary(3, i, 1, 1.0), 0) for i in (0, 2))
    yield two_shuffled_gaussians(), math.log1p(math.expm1(1) / 2)
    yield moment_of_means(9, 3), math.sqrt(10 ** 3 / (12 * 9 ** 2)) * math.exp(-4 / 10)

    def with_rates(victim, of_others):
        x, y = response(2, 2, 0), response(2, 2, 1)
        return max(worse(*pair([y] * i + [x] * (4 - i), x, y, [victim] + [of_others] * 4), 1.8) for i in range(5))

    yield with_rates(0.631, 0.631), with_rates(0.631, 0.375)

    def given_reports(record):
        """The claim puts the victim among k reports with probability 1/2, where k has the law Bin(2, 1/2).

        There is only one other client. For k = 2, the case without the victim therefore has no messages, and the two
        records do not differ in it.
        """
        other, x, y = response(2, 1, record), response(2, 1, 0), response(2, 1, 1)
        alone = hockey_stick(*[{(m,): 0.5 * law[m] + 0.5 * other[m] for m in law} for law in (x, y)], 0.3)
        both = hockey_stick(law_of([other, x]), law_of([other, y]), 0.3)
        return alone / 2 + both / 2 / 4

    yield (max(hockey_stick(*pair([response(2, 1, record)], response(2, 1, 0), response(2, 1, 1), [0.5] * 2), 0.3)
               for record in (0, 1)),
           max(map(given_reports, (0, 1))))


def renyi(p, q, order):
    return math.log(math.fsum(mass * (p[view] / mass) ** order for view, mass in q.items())) / (order - 1)


def two_gaussian_check_ins(rate, order):
    """Returns the Renyi divergence of two clients that report N(., 1) with probability `rate`: the victim holds 1 or 0,
    and the other client holds 0. The number of reports and the shuffled messages are seen."""
    h = 0.25
    points = [i * h for i in range(-48, 49 + 4 * order)]
    zero, one = ([normal_density(x - mean) for x in points] for mean in (0, 1))

    def moment(p, q):
        return q * (p / q) ** order

    nobody = (1 - rate) ** 2
    single = h * math.fsum(moment(rate * (1 - rate) * (a + b), 2 * rate * (1 - rate) * b) for a, b in zip(one, zero))
    both = h * h * math.fsum(moment(rate * rate * (a * d + c * b) / 2, rate * rate * b * d)
                             for a, b in zip(one, zero) for c, d in zip(one, zero))
    return math.log(nobody + single + both) / (order - 1)


def liew_theorem_2(n, rate, epsilon0, slack, order, scale):
    """Returns the bound of Liew, Hasegawa, Takahashi (2022), Theorem 2, where `scale` is epsilon0 as printed, or
    e^epsilon0 as corrected."""
    ratio = math.exp(epsilon0) - math.exp(-epsilon0)
    few = math.exp(-slack ** 2 * n * rate / 2)
    last = math.floor((1 - slack) * n * rate)
    crowd = math.floor(last / (2 * scale)) + 1
    second = 4 * math.comb(order, 2) * rate ** 2 * math.expm1(epsilon0) ** 2 / math.exp(epsilon0) * (few + 1 / crowd)
    higher = math.fsum(math.comb(order, j) * rate ** j * j * math.gamma(j / 2) * (2 * ratio ** 2) ** (j / 2)
                       * (few + crowd ** (-j / 2)) for j in range(3, order + 1))
    rest = ((1 + rate * ratio) ** order - 1 - order * rate * ratio) * (few + math.exp(-last / (8 * scale)))
    return math.log(1 + second + higher + rest) / (order - 1)


def equation_16(m, rate, order):
    """Returns e^((order - 1) D) by Liew, Takahashi (2022), equation (16), for m messages of deviation 1. The
    divergences of m shuffled messages are those of its Theorem 1, for m = 1 or 2."""
    def moment(j):
        if m == 1:
            return math.exp((j * j - j) / 2)
        return math.fsum(math.comb(j, k) * math.exp((k * k + (j - k) ** 2 - j) / 2) for k in range(j + 1)) / 2 ** j

    second = math.comb(order, 2) * rate ** 2 * min(4 * (moment(2) - 1), 2 * moment(2))
    return 1 + second + math.fsum(2 * rate ** j * math.comb(order, j) * moment(j) for j in range(3, order + 1))


def published_claims():
    """Yields (truth, value of the claim) for the six claims about Renyi divergences."""
    two = binary(2, 0, 1, 0.05)
    truth = max(renyi(*two, 20), renyi(*two[::-1], 20))
    yield truth, liew_theorem_2(2, 0.05, 1, 0.5, 20, math.e)
    yield truth, liew_theorem_2(2, 0.05, 1, 0.5, 20, 1)
    # With s = r - delta, the moment of Lemma 3 at epsilon = 0 and order 2 is 1 + delta^2/s + delta^2/(1 - s), which is
    # smallest at s = 1/2.
    delta, rare = 1e-5, 1e-100
    yield renyi({0: delta, 1: 1 - delta}, {0: rare, 1: 1 - rare}, 2), math.log1p(4 * delta ** 2)
    # The number of non-empty sets of two clients, and the right side of Lemma 4 for f = 1 and Delta = 1/2.
    yield math.comb(2, 1) + math.comb(2, 2), math.exp(-0.5 ** 2 * 2 * 0.5 / 2) + 1
    weighted = (2 * 0.05 * 0.95 * equation_16(1, 0.05, 2), 0.05 ** 2 * equation_16(2, 0.05, 2))
    yield two_gaussian_check_ins(0.05, 2), math.log(math.fsum(weighted))
    yield (two_gaussian_check_ins(0.05, 6),
           math.log(equation_16(1, 0.05, 6) * (math.exp(-0.5 ** 2 * 2 * 0.05 / 2) + 1)) / 5)


def six_cells(mean):
    """Returns the law of N(mean, 1), rounded to cells between -2, -1, 0, 1 and 2."""
    below = [0.0, *(upper_normal(mean - edge) for edge in range(-2, 3)), 1.0]
    return dict(enumerate(b - a for a, b in zip(below, below[1:])))


def shuffled_total_variation():
    """Returns the total variation of two shuffled N(., 1) messages, where
    the victim holds 1 or 0, and the other client holds 0."""
    h, total = 0.01, []
    for x in (i * h for i in range(-1200, 1401)):
        lacking = 2 - math.exp(x - 0.5)  # the second message's ratio e^(y - 1/2) at which the mean of both ratios is 1
        least = math.log(lacking) + 0.5 if lacking > 0 else -math.inf
        total.append(h * normal_density(x) * (upper_normal(least - 1) - lacking * upper_normal(least)) / 2)
    return math.fsum(total)


def binned_claim():
    """Returns the truth and the claim's value in the row of docs/theory/false-claims.md with six cells."""
    truth = max(hockey_stick(*pair([six_cells(other)], six_cells(victim), six_cells(victim + step), [1.0] * 2), 0)
                for other in (-1, 0, 1) for victim in (-1, 0, 1) for step in (-1, 1) if abs(victim + step) <= 1)
    return truth, shuffled_total_variation()


def k_rr_blanket(n, k, epsilon0, epsilon):
    """Returns the blanket's bound: k symbols that have the least probability each are the common part of all laws."""
    common = k / (math.exp(epsilon0) + k - 1)
    uniform = {symbol: 1 / k for symbol in range(k)}
    laws = pair([uniform] * (n - 1), response(k, epsilon0, 0), response(k, epsilon0, 1), [1.0] + [common] * (n - 1))
    return hockey_stick(*laws, epsilon)


def main():
    compare = stored.Comparison()
    figures = re.findall(r"\{([0-9.e-]+), (-?[0-9.e-]+)\}", stored.part(FALSE_TEST, "figures = {"))
    for number, (values, texts) in enumerate(zip([*false_claims(), *published_claims()], figures, strict=True), 1):
        for name, value, text in zip(("truth", "the claim gives"), values, texts):
            compare.near(f"false claim {number}, {name}", value, stored.Figure(text))
    for n, k, epsilon0, epsilon, delta in stored.rows(FALSE_TEST, "{Case{6", "Case"):
        n, k = int(n), int(k)
        laws = pair([response(k, epsilon0, 2)] * (n - 1), response(k, epsilon0, 0), response(k, epsilon0, 1), [1.0] * n)
        compare.near(f"{n} clients, {k} symbols, epsilon0 = {epsilon0:g}, epsilon = {epsilon}",
                     hockey_stick(*laws, epsilon), delta, 2e-10)
    text = (stored.ROOT / CLAIMS).read_text(encoding="utf-8")
    row = re.search(r"\| binned to six cells, eps=0 \| (\S+) \| (\S+) \|", text).groups()
    for name, value, figure in zip(("truth", "the claim gives"), binned_claim(), row):
        compare.near(f"two messages of six cells, epsilon = 0, {name}", value, stored.Figure(figure))
    blanket = k_rr_blanket(12, 4, 2, 1)
    stated = re.search(r"The privacy blanket of k-RR gives (\.\d+)", " ".join(text.split()))[1]
    tested, = stored.expected(BLANKET_TEST, "TEST(Blanket, SmallTruthsAreNotPassedFromBelow)")
    for name, figure in ((CLAIMS, stored.Figure(stated)), (BLANKET_TEST, tested)):
        compare.near(f"blanket of 12 clients, 4 symbols, epsilon0 = 2, epsilon = 1, {name}", blanket, figure)
    start = "TEST(KaryResponse, ThirdSymbolIsNotAlwaysTheWorst)"
    for record, delta in zip((0, 2), stored.expected(STATED_TEST, start)):
        laws = pair([response(3, 1, record)] * 3, response(3, 1, 0), response(3, 1, 1), [1.0] * 4)
        compare.near(f"4 clients, 3 symbols, the others hold {record}, epsilon = 0.8", worse(*laws, 0.8), delta)
    compare.leave()


if __name__ == "__main__":
    main()
