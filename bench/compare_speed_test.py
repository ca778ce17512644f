"""Tests the verdict of bench/compare_speed.py on times that are given."""
import unittest

import compare_speed


def pairs(*ratios):
    """Returns pairs of runs in which `a` takes these ratios of its time in BASE, while other work slows each pair more."""
    return [({"a": 100.0 * (i + 1)}, {"a": 100.0 * (i + 1) * ratio}) for i, ratio in enumerate(ratios)]


class Verdict(unittest.TestCase):
    def slower(self, *ratios):
        return compare_speed.compared(pairs(*ratios), 1.1)[1]

    def test_a_slower_benchmark_is_named(self):
        self.assertEqual(self.slower(1.15, 1.2, 1.12), ["a"])

    def test_other_work_is_no_verdict(self):
        self.assertEqual(self.slower(1.0, 1.02, 0.99), [])
        self.assertEqual(self.slower(0.98, 1.2, 1.3), [], "one pair was not slower")
        self.assertEqual(self.slower(1.05, 1.06, 1.9), [], "the median is within the limit")

    def test_the_ratio_is_that_of_pairs(self):
        rows, _ = compare_speed.compared(pairs(1.0, 1.1, 1.5), 1.1)
        self.assertEqual(rows[0], ("a", "0.2 us", "0.22 us", "1.100", "1.000-1.500"))

    def test_benchmarks_of_one_commit_are_named(self):
        rows, slower = compare_speed.compared([({"a": 1.0}, {"b": 1.0})], 1.1)
        self.assertEqual([row[:2] for row in rows], [("a", "only in BASE"), ("b", "only here")])
        self.assertEqual(slower, [])


if __name__ == "__main__":
    unittest.main()
