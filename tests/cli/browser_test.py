"""Opens the status page of a real deployment in Debian's Chromium: it shows what `muster status --json` says, in dark
and light, and is readable at 400 pixels. The test keeps pictures in a folder.

    python3 tests/cli/browser_test.py --command build/release/muster --out build/release/status-page
"""

import json
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

import muster_command
import webdriver
from role_processes import Deployment, plan
from standing_page import Page, check_same

SKIPPED = 77
OUT = None
ROUNDS = 6


class BrowserTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="muster-browser-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def status(self, url):
        return json.loads(muster_command.run("status", url, "--json").stdout)

    def running(self):
        """Returns the URL of the status of a deployment that is under way, and when it has to be done."""
        text = plan(rounds=ROUNDS)
        deployment = Deployment(self.folder, devices=(6, 6), seconds=4, text=text, most=3 * ROUNDS)
        self.addCleanup(deployment.close)
        deployment.start_servers()
        _, url = deployment.start_aggregator("--stay")
        for i in range(2):
            deployment.start_client(i)
        end = time.monotonic() + 240
        while self.status(url)["rounds"]["released"] < 2:
            self.assertLess(time.monotonic(), end, deployment.logs())
            time.sleep(0.1)
        self.logs = deployment.logs
        return url, end

    def check_shown(self, browser, status):
        check_same(self, Page(browser.run("document.documentElement.outerHTML")), status)
        self.assertEqual(browser.complaints(), [])
        # The policy allows the style sheet, and the drawings have a size.
        self.assertEqual(browser.run("getComputedStyle(document.querySelector('.cards')).display"), "grid")
        self.assertEqual(browser.run("document.querySelectorAll('svg').length"), 4)
        self.assertTrue(browser.run("[...document.querySelectorAll('svg')].every(e => e.clientWidth > 300)"))
        # Nothing but the page itself was loaded.
        self.assertEqual(browser.run("performance.getEntriesByType('resource').length"), 0)

    def check_sizes(self, browser):
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            light = browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
            self.assertEqual(light, scheme == "light")
            for width in (1000, 400):
                browser.resize(width, 800)
                self.assertLessEqual(browser.run("document.documentElement.scrollWidth"), width, (scheme, width))
                browser.picture(OUT / f"{scheme}-{width}.png")

    def test_the_page_in_a_browser(self):
        url, end = self.running()
        with webdriver.Browser(self.folder / "profile") as browser:
            browser.open(url)
            released = browser.run("document.getElementById('rounds.released').textContent")
            # The page loads itself again while the task runs.
            while browser.run("document.getElementById('state').textContent") != "done":
                self.assertLess(time.monotonic(), end, self.logs())
                time.sleep(0.2)
            self.assertNotEqual(browser.run("document.getElementById('rounds.released').textContent"), released)
            status = self.status(url)
            self.assertEqual(status["rounds"]["released"], ROUNDS)
            self.check_shown(browser, status)
            self.check_sizes(browser)
            browser.click("a[href='/status']")
            self.assertEqual(json.loads(browser.run("document.body.innerText")), status)


if __name__ == "__main__":
    if webdriver.missing():
        print(f"skipped: {webdriver.missing()} is not installed (packages chromium and chromium-driver, group extra)")
        sys.exit(SKIPPED)
    at = sys.argv.index("--out")
    OUT = pathlib.Path(sys.argv[at + 1])
    OUT.mkdir(parents=True, exist_ok=True)
    del sys.argv[at:at + 2]
    muster_command.test_main()
