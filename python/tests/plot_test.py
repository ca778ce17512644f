"""Tests Curve.plot with Debian's matplotlib; without it, the exit status is 77."""

import importlib.util
import sys
import unittest

import muster_command
from command_line import keywords, plan

import muster

if importlib.util.find_spec("matplotlib") is None:
    print("skipped: matplotlib is not installed")
    sys.exit(77)

import matplotlib

matplotlib.use("Agg")


class Plot(unittest.TestCase):
    def test_lines_are_the_curve(self):
        curve = muster.curve(plan(keywords("shuffle", "pure", rounds=20)), over="rounds")
        axes = curve.plot()
        upper, lower = axes.get_lines()
        self.assertEqual(list(upper.get_xdata()), list(curve.at))
        self.assertEqual((list(upper.get_ydata()), list(lower.get_ydata())), (list(curve.upper), list(curve.lower)))
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel()), ("rounds", "epsilon"))
        self.assertIn("proven; replace-one; shuffler-honest", upper.get_label())
        self.assertIs(curve.plot(axes), axes)


if __name__ == "__main__":
    muster_command.test_main()
