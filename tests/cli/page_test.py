"""The status page, /metrics and /status of real roles: they tell the same figures, and name nobody.

    python3 tests/cli/page_test.py --command build/release/muster
"""

import json
import pathlib
import re
import shutil
import tempfile
import time
import unittest
import urllib.request

import exposition
import muster_command
from role_processes import Deployment
from standing_page import Page, check_same, check_whole

ROUND, MOST = 4, 12  # seconds of a round, and how many may be opened
OUTCOMES = ("released", "spent", "void")


def fetch(url, path):
    with urllib.request.urlopen(url + path, timeout=20) as answer:
        return answer.headers, answer.read().decode()


class PageTest(unittest.TestCase):
    """One deployment, whose first round is void, and which then learns from all of its devices."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-page-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.deployment = Deployment(cls.folder, devices=(6, 6), seconds=ROUND, most=MOST)
        cls.addClassCleanup(cls.deployment.close)
        cls.deployment.start_servers()
        cls.deployment.write("aggregator", shuffler=cls.shuffler_url(), listen="127.0.0.1:0",
                             population="population.db", population_budget=[30, 1e-3])
        cls.aggregator, cls.url = cls.deployment.start_aggregator("--stay")
        cls.issuer_url = "http://" + cls.listening("issuer", "listen")

    @classmethod
    def listening(cls, role, key):
        text = (cls.folder / f"{role}.toml").read_text()
        return re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)

    @classmethod
    def shuffler_url(cls):
        return "http://" + cls.listening("shuffler", "listen_aggregator")

    def told(self):
        """Returns the page, its headers, the metrics and the status of one moment."""
        for _ in range(50):
            before = json.loads(fetch(self.url, "/status")[1])
            headers, text = fetch(self.url, "/")
            metrics = exposition.read(fetch(self.url, "/metrics")[1])
            if json.loads(fetch(self.url, "/status")[1]) == before:
                return before, headers, text, metrics
        raise AssertionError("the status never stands still")

    def check_metrics(self, metrics, status):
        by_reason = {kind: {f'reason="{reason}"': count for reason, count in status["rejected"][kind].items()}
                     for kind in ("uploads", "reports")}
        expected = {
            "rounds_total": {f'outcome="{outcome}"': status["rounds"][outcome] for outcome in OUTCOMES},
            "rounds_opened_total": {"": status["rounds"]["opened"]},
            "rounds_planned": {"": status["rounds"]["planned"]},
            "rounds_most": {"": status["rounds"]["most"]},
            "uploads_rejected_total": by_reason["uploads"],
            "reports_rejected_total": by_reason["reports"],
            "alarm": {"": 0},
        }
        if status["last"]:
            expected["last_heard_devices"] = {"": status["last"]["heard"]}
            expected["needed_devices"] = {"": status["last"]["needed"]}
            expected["enrolled_devices"] = {"": status["last"]["enrolled"]}
        if status["accuracy"] is not None:
            self.assertAlmostEqual(metrics["muster_aggregator_accuracy_ratio"][1][""], status["accuracy"], 12)
            expected["last_check_ins"] = {"": status["last"]["check_ins"]}
        for name, samples in expected.items():
            self.assertEqual(metrics[f"muster_aggregator_{name}"][1], samples, name)
        states = metrics["muster_aggregator_state"][1]
        self.assertEqual([label for label, value in states.items() if value], [f'state="{status["state"]}"'])
        for name, value in (("epsilon_upper", status["epsilon"]["upper"]), ("delta", status["delta"]),
                            ("epsilon_planned", status["epsilon_planned"]),
                            ("local_epsilon_upper", status["local"]["epsilon"])):
            shown = metrics[f"muster_aggregator_{name}"][1][""]
            self.assertGreaterEqual(shown, value)
            self.assertLessEqual(shown, value * (1 + 2e-15))

    def check_told(self):
        status, headers, text, metrics = self.told()
        page = Page(text)
        check_whole(self, page, headers)
        check_same(self, page, status)
        self.check_metrics(metrics, status)
        self.assertIn("This task protects nobody", page.words)
        self.assertEqual(('http-equiv', 'refresh') in page.attributes, status["state"] != "done")
        return status, page

    def until(self, what, holds):
        end = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), end, f"{what}\n{self.deployment.logs()}")
            time.sleep(0.05)

    def check_shuffler(self, released, destroyed, stored):
        """Checks that the shuffler tells counts of closed rounds, and nothing of the open one."""
        metrics = exposition.read(fetch(self.shuffler_url(), "/metrics")[1])
        self.assertEqual(metrics["muster_shuffler_rounds_total"],
                         ("counter", {'outcome="released"': released, 'outcome="destroyed"': destroyed}))
        answers = metrics["muster_shuffler_uploads_total"][1]
        self.assertEqual(list(answers), [f'answer="{status}"' for status in (201, 400, 410, 503)])
        self.assertEqual(answers['answer="201"'], stored)
        self.assertEqual(set(metrics["muster_shuffler_uploads_rejected_total"][1]),
                         {f'reason="{reason}"' for reason in ("length", "version", "layer", "token", "repeated", "late")})
        return metrics

    def check_issuer(self):
        metrics = exposition.read(fetch(self.issuer_url, "/metrics")[1])
        self.assertEqual(metrics["muster_issuer_enrolled_devices"], ("gauge", {"": 12}))
        self.assertLessEqual(metrics["muster_issuer_keys_ahead"][1][""], 3)
        self.assertLessEqual(metrics["muster_issuer_tokens_issued"][1]['round="closed"'], 12)
        return metrics["muster_issuer_rounds_closed_total"][1][""]

    def check_nobody_named(self):
        """Checks that labels are plain words or status codes, and that no name of a device is told anywhere."""
        told = [fetch(url, "/metrics")[1] for url in (self.url, self.shuffler_url(), self.issuer_url)]
        for text in told:
            for label in re.findall(r'="([^"]*)"', text):
                self.assertRegex(label, r"^[a-z]+$|^\d\d\d$")
        told.append(fetch(self.url, "/")[1])
        for i in range(2):
            for line in (self.folder / f"client{i}/devices.txt").read_text().splitlines()[1:]:
                for word in line.replace("#", "").split():
                    self.assertFalse([text for text in told if word in text], word)

    def check_history(self, page):
        """Checks that the table of rounds says what `muster verify` says."""
        self.deployment.running["aggregator"].kill()
        verified = json.loads(muster_command.run("verify", str(self.folder / "aggregator"), "--json").stdout)
        shown = page.tables["past"][1:]
        self.assertEqual(len(shown), len(verified["rounds"]))
        for row, round_ in zip(reversed(shown), verified["rounds"]):
            self.assertEqual((int(row[0]), row[1], int(row[2])), (round_["round"], round_["outcome"], round_["heard"]))
            self.assertEqual(row[3], "-" if round_["outcome"] == "void" else str(round_["reports"]))
            self.assertGreaterEqual(float(row[6]), round_["epsilon"])
            self.assertLessEqual(float(row[6]), round_["epsilon"] + 1e-4)

    def test_page_metrics_and_status_tell_the_same(self):
        status, page = self.check_told()
        self.assertEqual((status["last"], status["rounds"]["opened"]), (None, 0))
        self.assertIn("Nothing yet: no round has ended.", page.words)
        self.check_shuffler(0, 0, 0)
        self.assertEqual(self.check_issuer(), 0)
        # With one client alone, too few devices are heard. (Its devices have tokens, and so does the other client's.)
        _, second = (self.deployment.start_client(i) for i in range(2))
        self.deployment.running["shuffler"].until("round 1 is open")
        second.kill()
        self.until("round 1 is void", lambda: json.loads(fetch(self.url, "/status")[1])["rounds"]["void"] == 1)
        status, page = self.check_told()
        self.assertEqual((page.tables["past"][1][1], page.tables["past"][1][3]), ("void", "-"))
        void = status["last"]["heard"]
        self.assertLess(void, 12)
        self.check_shuffler(0, 1, void)
        self.deployment.start_client(1)
        self.until("the task is done", lambda: json.loads(fetch(self.url, "/status")[1])["state"] == "done")
        status, page = self.check_told()
        # On a busy machine, more rounds than the first may be void.
        rounds = status["rounds"]
        self.assertEqual((rounds["released"], rounds["spent"], rounds["planned"], rounds["most"]), (3, 0, 3, MOST))
        self.assertEqual(rounds["opened"], 3 + rounds["void"])
        self.assertGreater(status["accuracy"], 0)
        self.check_shuffler(3, rounds["void"], sum(int(row[2]) for row in page.tables["past"][1:]))
        self.assertIn(self.check_issuer() - rounds["opened"], (0, 1))  # the shuffler may be about to offer another
        self.check_nobody_named()
        self.check_history(page)


if __name__ == "__main__":
    muster_command.test_main()
