"""Tests the command `muster account --curve`: its tables, CSV and pictures."""

import csv
import io
import re
import unittest
import xml.etree.ElementTree

import muster_command
from muster_command import CommandTest, flags, run

PLAN = flags(randomizer="pure", rounds="20", delta="1e-6")
ONE = flags(randomizer="pure", rounds="1", delta="1e-6")  # the answer takes milliseconds


class Curve(CommandTest):
    def printed(self, *arguments):
        done = run("account", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.printed(*arguments, "--curve=csv"))))

    def check_monotone(self, rows, x, y, falling):
        values = [(float(row[x]), float(row[y])) for row in rows if row[y]]
        self.assertEqual(values, sorted(values))
        for (_, before), (_, after) in zip(values, values[1:]):
            self.assertTrue(after <= before * 1.001 if falling else after >= before * 0.999, (before, after))

    def test_csv(self):
        rows = self.rows(*PLAN)
        self.assertEqual(list(rows[0]), ["curve", "rounds", "delta", "epsilon_upper", "epsilon_lower", "epsilon_local"])
        over_delta = [row for row in rows if row["curve"] == "delta"]
        over_rounds = [row for row in rows if row["curve"] == "rounds"]
        self.assertEqual(len(over_delta) + len(over_rounds), len(rows))
        self.assertIn(1e-6, [float(row["delta"]) for row in over_delta])
        self.assertEqual({row["rounds"] for row in over_delta}, {"20"})
        self.assertEqual((over_rounds[0]["rounds"], over_rounds[-1]["rounds"]), ("1", "20"))
        self.check_monotone(over_delta, "delta", "epsilon_upper", True)
        self.check_monotone(over_rounds, "rounds", "epsilon_upper", False)
        for row in rows:
            self.assertLessEqual(float(row["epsilon_lower"]), float(row["epsilon_upper"]))
            self.assertLessEqual(float(row["epsilon_upper"]), float(row["epsilon_local"]))

    def test_asked_for_delta_the_sides_move(self):
        rows = self.rows(*flags(randomizer="pure", rounds="1", delta=None), "--epsilon", "0.05")
        self.assertEqual(list(rows[0]), ["curve", "rounds", "epsilon", "delta_upper", "delta_lower", "delta_local"])
        self.check_monotone([row for row in rows if row["curve"] == "epsilon"], "epsilon", "delta_upper", True)

    def test_the_table_agrees_with_the_statement(self):
        upper = re.search(r"\nbound on epsilon .*\n\S+ +(\S+)", self.printed(*ONE)).group(1)
        table = self.printed(*ONE, "--curve")
        self.assertEqual(table, self.printed(*ONE, "--curve=table"))
        self.assertRegex(table, rf"\n1e-06 +{upper} ")
        self.assertRegex(table, rf"\n1 +{upper} ")

    def test_the_picture_is_xml_and_self_contained(self):
        for arguments in (ONE, flags(randomizer="pure", rounds="1", delta=None) + ["--epsilon", "0"]):
            text = self.printed(*arguments, "--curve=svg")
            root = xml.etree.ElementTree.fromstring(text)
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
            self.assertNotIn("href", text)
            self.assertNotIn("nan", text)
            self.assertIn("if nobody else is trusted", text)

    def test_refusals(self):
        self.assertEqual(self.refused("account", *ONE, "--curve=png")["key"], "--curve")
        self.assertEqual(run("account", *ONE, "--curve", "--json").returncode, 2)
        self.assertEqual(self.refused("account", *ONE, "--curve", "--all")["key"], "--curve")
        nothing = run("account", *flags(rounds="0"), "--curve")
        self.assertEqual((nothing.returncode, nothing.stdout), (2, ""))
        self.assertIn("rounds.count = 0", nothing.stderr)


if __name__ == "__main__":
    muster_command.test_main()
