"""Opens pages in a headless Chromium, over the WebDriver protocol of Debian's chromedriver."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference to an element


def missing():
    """Returns the names of the programs that are not installed, or empty text if all are."""
    return ", ".join(name for name in ("chromium", "chromedriver") if shutil.which(name) is None)


class Browser:
    """A browser with a fresh profile. Use it in a `with` statement."""

    def __init__(self, profile, dark=False):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
                     "--hide-scrollbars", f"--user-data-dir={profile}", *(["--force-dark-mode"] if dark else [])]
        options = {"args": arguments, "binary": shutil.which("chromium")}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.session = ""
        for _ in range(200):
            try:
                self.session = f"/session/{self.ask('POST', '/session', wanted)['sessionId']}"
                break
            except urllib.error.URLError as error:
                if isinstance(error, urllib.error.HTTPError):
                    raise RuntimeError(error.read().decode()) from error
                time.sleep(0.05)  # the driver does not listen yet
        else:
            raise RuntimeError("chromedriver does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(20)

    def ask(self, method, path, body=None):
        data = None if method == "GET" or method == "DELETE" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, url):
        self.ask("POST", f"{self.session}/url", {"url": url})

    def run(self, script):
        """Returns the value of a JavaScript expression, which the driver evaluates, not the page."""
        return self.ask("POST", f"{self.session}/execute/sync", {"script": f"return {script}", "args": []})

    def click(self, css):
        found = self.ask("POST", f"{self.session}/element", {"using": "css selector", "value": css})
        self.ask("POST", f"{self.session}/element/{found[ELEMENT]}/click")

    def resize(self, width, height):
        """Gives the page this size, whatever the window around it needs."""
        self.ask("POST", f"{self.session}/goog/cdp/execute", {
            "cmd": "Emulation.setDeviceMetricsOverride",
            "params": {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})

    def prefer(self, scheme):
        self.ask("POST", f"{self.session}/goog/cdp/execute", {
            "cmd": "Emulation.setEmulatedMedia",
            "params": {"features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def complaints(self):
        """Returns what the browser wrote to its console, such as what the page's policy forbade."""
        return [entry["message"] for entry in self.ask("POST", f"{self.session}/se/log", {"type": "browser"})]

    def picture(self, path):
        """Writes the whole page as a PNG file."""
        height = self.run("document.documentElement.scrollHeight")
        self.resize(self.run("window.innerWidth"), height)
        path.write_bytes(base64.b64decode(self.ask("GET", f"{self.session}/screenshot")))
