#!/usr/bin/env python3
"""Values of class C at four and five clients, for class_c_test.cc, class_c_pool_test.cc and stated_figures_test.cc.

The truth over all data sets of half-sets is computed from the definition. Each client's message is one of K equal
cells, or silence. The law of the multiset of all messages is built up client by client, for every data set of the
others.

The values of Theorems 4 and 17 are divergences of the mechanisms that their proofs construct
(docs/theory/swap-theorem.md and class-c-pool.md, "A stronger view"), for randomized response with i of the others at x'
and the rest at x. Every coin, every message and every choice of the client J is enumerated, and the two laws of the
published view are compared. The weights h and the terms of the theorems' sums are not used. The last term of Theorem 4,
for the case that all report, is g^n times the smallest of three values: the divergence of a flagged message, the value
of Theorem 17 at rate 1, and the bound for any epsilon0-LDP randomizer (docs/theory/blanket.md, (1) and (2)). That bound
is a sum over all 3^n outcomes of n clients.

All values are sums of positive doubles, with errors below 1e-14. The program uses only the standard library, and
compares the values with those stored in the tests.

    python3 tools/golden/class_c.py    # prints computed and stored values, ten seconds
"""
import itertools
import math

import stored

CHECK_IN_TEST = "src/muster/theorems/swap/class_c_test.cc"
POOL_TEST = "src/muster/theorems/everyone/class_c_pool_test.cc"
STATED_TEST = "tests/oracle/stated_figures_test.cc"


def hockey_stick(p, q, epsilon):
    e = math.exp(epsilon)
    return math.fsum(max(0.0, mass - e * q.get(view, 0.0)) for view, mass in p.items())


def with_another(multisets, law):
    """Returns the law of the multiset after one more message. The
    message -1 is silence, which does not enter the multiset."""
    found = {}
    for multiset, mass in multisets.items():
        for message, share in law.items():
            after = multiset if message < 0 else tuple(sorted(multiset + (message,)))
            found[after] = found.get(after, 0.0) + mass * share
    return found


def truth_over_half_sets(cells, n, epsilon0, rate, epsilon):
    """Returns the largest divergence over all data sets of
    half-sets and all pairs of the victim's records, in both orders.

    The second result is the largest divergence if all others hold the victim's record or all hold her alternative.
    """
    low = 1 / (math.exp(epsilon0) + 1)
    sets = list(itertools.combinations(range(cells), cells // 2))
    silence = {-1: 1 - rate} if rate < 1 else {}
    laws = [silence | {w: rate * 2 * (1 - low if w in half else low) / cells for w in range(cells)} for half in sets]
    # Cells may be renamed, so only the size of the overlap of the victim's two sets matters.
    by_overlap = {len(set(half) & set(sets[0])): index for index, half in enumerate(sets)}
    seconds = [index for overlap, index in by_overlap.items() if overlap < cells // 2]
    worst = homogeneous = 0.0
    for others in itertools.combinations_with_replacement(range(len(sets)), n - 1):
        multisets = {(): 1.0}
        for index in others:
            multisets = with_another(multisets, laws[index])
        a = with_another(multisets, laws[0])
        for second in seconds:
            b = with_another(multisets, laws[second])
            found = max(hockey_stick(a, b, epsilon), hockey_stick(b, a, epsilon))
            worst = max(worst, found)
            if set(others) in ({0}, {second}):
                homogeneous = max(homogeneous, found)
    return worst, homogeneous


def add(views, view, mass):
    views[view] = views.get(view, 0.0) + mass


def views_of_displaced(others, victim, epsilon0):
    """Returns the law of the published view if everybody reports. Messages and records are 0 and 1.

    With probability 2 q, where q = 1 / (e^epsilon0 + 1), another client's message is a fair coin, and she may be
    displaced. Otherwise it is her record.
    """
    low = 1 / (math.exp(epsilon0) + 1)
    views = {}
    for displaceable in itertools.product((False, True), repeat=len(others)):
        free = [j for j, is_free in enumerate(displaceable) if is_free]
        coins = math.prod(2 * low if is_free else 1 - 2 * low for is_free in displaceable)
        for sent in itertools.product((0, 1), repeat=len(free)):
            messages = list(others)
            for j, message in zip(free, sent):
                messages[j] = message
            for message in (0, 1):
                mass = coins * 0.5 ** len(free) * (1 - low if message == victim else low)
                if not free:
                    add(views, ("flag", message, tuple(messages)), mass)
                for j in free:
                    shown = messages[:j] + [message] + messages[j + 1:]
                    add(views, ("list", messages[j], tuple(shown)), mass / len(free))
    return views


def views_of_swapped(others, victim, epsilon0, rate):
    """Returns the law of the published view under check-ins,
    without the case that all report. Silence is the message -1."""
    low = 1 / (math.exp(epsilon0) + 1)

    def law(record):
        return {-1: 1 - rate, record: rate * (1 - low), 1 - record: rate * low}

    views = {}
    for messages in itertools.product((-1, 0, 1), repeat=len(others)):
        mass = math.prod(law(record)[message] for record, message in zip(others, messages))
        absent = [j for j, message in enumerate(messages) if message < 0]
        for message, share in law(victim).items():
            if not absent and message < 0:
                add(views, messages, mass * share)
            for j in absent:
                add(views, messages[:j] + (message,) + messages[j + 1:], mass * share / len(absent))
    return views


def largest_over_types(n, epsilon, views_of):
    """Returns the largest divergence at epsilon if any number of the others hold 1 and the rest hold 0.

    The victim's records are x = 0 and x' = 1. views_of(others, victim) is the law of the view.
    """
    types = [[1] * i + [0] * (n - 1 - i) for i in range(n)]
    return max(hockey_stick(views_of(others, 0), views_of(others, 1), epsilon) for others in types)


def pool(n, epsilon0, epsilon):
    return largest_over_types(n, epsilon, lambda others, victim: views_of_displaced(others, victim, epsilon0))


def any_randomizer(n, epsilon0, epsilon):
    e, top = math.exp(epsilon), math.exp(epsilon0)
    low = 1 / (top + 1)
    atoms = [(top - e, low), (1 - e * top, low), (0.0, 1 - 2 * low)]
    return math.fsum(math.prod(mass for _, mass in terms) * max(0.0, math.fsum(point for point, _ in terms)) / n
                     for terms in itertools.product(atoms, repeat=n))


def check_in(n, epsilon0, rate, epsilon):
    low = 1 / (math.exp(epsilon0) + 1)
    flagged = 1 - low - math.exp(epsilon) * low
    all_report = min(flagged, pool(n, epsilon0, epsilon), any_randomizer(n, epsilon0, epsilon))
    some_absent = largest_over_types(n, epsilon,
                                     lambda others, victim: views_of_swapped(others, victim, epsilon0, rate))
    return some_absent + rate ** n * all_report


def main():
    compare = stored.Comparison()
    near = compare.near
    for epsilon, truth, of_pool, generic in stored.rows(POOL_TEST, "TEST(ClassCPool, FiguresAtFiveClients)"):
        where = f"class C, 5 clients, epsilon0 = 1, rate 1, epsilon = {epsilon}"
        near(f"{where}, truth", truth_over_half_sets(4, 5, 1, 1, epsilon)[0], truth)
        near(f"{where}, Theorem 17", pool(5, 1, epsilon), of_pool)
        near(f"{where}, any randomizer", any_randomizer(5, 1, epsilon), generic)
    for cells, n, epsilon0, rate, epsilon, delta in stored.rows(STATED_TEST, "All, EveryHalfSet", "HalfSets"):
        cells, n = int(cells), int(n)
        where = f"half-sets of {cells} cells, {n} clients, epsilon0 = {epsilon0}, rate {rate}, epsilon = {epsilon}"
        near(where, truth_over_half_sets(cells, n, epsilon0, rate, epsilon)[0], delta)
    four, homogeneous, above_four, six, above_six = stored.expected(
        CHECK_IN_TEST, "TEST(ClassC, FiguresOfHeterogeneousWorstCases)")
    found = truth_over_half_sets(4, 5, 2, 0.3, 1.2)
    where = "class C, 5 clients, epsilon0 = 2, rate 0.3, epsilon = 1.2"
    near(f"{where}, truth on 4 cells", found[0], four)
    near(f"{where}, homogeneous data sets", found[1], homogeneous)
    near(f"{where}, Theorem 4", check_in(5, 2, 0.3, 1.2), above_four)
    where = "class C, 4 clients, epsilon0 = 1, rate 0.3, epsilon = 0.7"
    near(f"{where}, truth on 6 cells", truth_over_half_sets(6, 4, 1, 0.3, 0.7)[0], six)
    near(f"{where}, Theorem 4", check_in(4, 1, 0.3, 0.7), above_six)
    compare.leave()


if __name__ == "__main__":
    main()
