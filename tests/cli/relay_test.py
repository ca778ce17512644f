"""The relay of deploy/relay.conf, in nginx, passes on the body of a request and nothing else."""

import http.client
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
SKIPPED = 77  # the exit status of a test that cannot be run
CANARY = "a-name-that-nobody-may-see"
PATIENCE = 30  # seconds that a busy machine may take for one step


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Upstream(threading.Thread):
    """Stands for a server of muster: records each request byte by byte, and answers with 201."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.requests = self.listener.getsockname()[1], []
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            received = b""
            while True:
                while b"\r\n\r\n" not in received:
                    more = connection.recv(1 << 16)
                    if not more:
                        return
                    received += more
                head, _, body = received.partition(b"\r\n\r\n")
                lines = head.decode().split("\r\n")
                length = sum(int(line.split(":")[1]) for line in lines if line.lower().startswith("content-length:"))
                while len(body) < length:
                    body += connection.recv(1 << 16)
                received = body[length:]
                self.requests.append((lines, body[:length]))
                connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")


class RelayTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName = IP:127.0.0.1", "-keyout",
                        cls.folder / "relay.key", "-out", cls.folder / "relay.crt"], check=True, capture_output=True)
        cls.upstreams = {"shuffler": Upstream(), "issuer": Upstream()}
        cls.ports = {"shuffler": free_port(), "issuer": free_port()}
        text = (ROOT / "deploy/relay.conf").read_text()
        for sample, port in (("127.0.0.1:8444", cls.upstreams["shuffler"].port),
                             ("127.0.0.1:8443", cls.upstreams["issuer"].port),
                             ("127.0.0.1:9444", cls.ports["shuffler"]), ("127.0.0.1:9443", cls.ports["issuer"])):
            assert text.count(sample) == 1, sample
            text = text.replace(sample, f"127.0.0.1:{port}")
        (cls.folder / "relay.conf").write_text(text)
        cls.log = (cls.folder / "log").open("wb")
        cls.nginx = subprocess.Popen([NGINX, "-p", cls.folder, "-c", cls.folder / "relay.conf"], stderr=cls.log)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", cls.ports["issuer"])).close()
                return
            except OSError:
                if cls.nginx.poll() is not None or time.monotonic() > end:
                    raise AssertionError((cls.folder / "log").read_text()) from None
                time.sleep(0.02)

    @classmethod
    def tearDownClass(cls):
        cls.nginx.terminate()
        cls.nginx.wait(PATIENCE)
        cls.log.close()
        for upstream in cls.upstreams.values():
            upstream.listener.close()
        cls.temporary.cleanup()

    def asked(self, server, method, path, body=None, headers=None, tls=None):
        """Asks the relay with names in every place that has one, and returns the answer's status and headers."""
        context = ssl.create_default_context(cafile=self.folder / "relay.crt")
        if tls is not None:
            context.maximum_version = tls
        connection = http.client.HTTPSConnection("127.0.0.1", self.ports[server], context=context, timeout=PATIENCE)
        try:
            connection.request(method, path, body,
                               {"User-Agent": CANARY, "Cookie": CANARY, "X-Forwarded-For": CANARY, "Referer": CANARY,
                                "Authorization": CANARY, "Accept-Language": CANARY, **(headers or {})})
            answer = connection.getresponse()
            answer.read()
            return answer.status, dict(answer.getheaders())
        finally:
            connection.close()

    def test_nothing_but_the_body_and_its_length_is_passed_on(self):
        upload = bytes(range(256)) * 3
        for server, path in (("shuffler", "/v1/upload"), ("issuer", "/v1/tokens")):
            self.assertEqual(self.asked(server, "POST", path, upload)[0], 201)
            lines, body = self.upstreams[server].requests[-1]
            self.assertEqual(body, upload)
            self.assertEqual(lines, [f"POST {path} HTTP/1.1", f"Content-Length: {len(upload)}"])
        for server, path in (("shuffler", "/v1/round"), ("shuffler", "/v1/blob/00ff"), ("issuer", "/v1/keys")):
            self.assertEqual(self.asked(server, "GET", path)[0], 201)
            self.assertEqual(self.upstreams[server].requests[-1], ([f"GET {path} HTTP/1.1"], b""))

    def test_a_query_is_a_name_too(self):
        before = len(self.upstreams["shuffler"].requests)
        self.assertEqual(self.asked("shuffler", "GET", f"/v1/round?{CANARY}")[0], 404)
        self.assertEqual(len(self.upstreams["shuffler"].requests), before)

    def test_a_spelling_of_a_path_is_not_passed_on(self):
        for path in ("/v1/blob/", f"/v1/blob/{CANARY}", "/v1/blob/00ff/", "/V1/round", "/v1/round/"):
            self.assertEqual(self.asked("shuffler", "GET", path)[0], 404, path)
        for path in (f"/{CANARY}/../v1/round", "//v1//round", "/v1/./round", "/v1/%72ound"):
            self.assertEqual(self.asked("shuffler", "GET", path)[0], 201, path)
            self.assertEqual(self.upstreams["shuffler"].requests[-1], (["GET /v1/round HTTP/1.1"], b""))

    def test_only_what_devices_ask_is_passed_on(self):
        before = [len(upstream.requests) for upstream in self.upstreams.values()]
        for server, path in (("shuffler", "/"), ("shuffler", "/v1/offer"), ("shuffler", "/v1/batch"),
                             ("shuffler", "/v1/keys"), ("shuffler", "/healthz"), ("shuffler", "/metrics"),
                             ("issuer", "/"), ("issuer", "/v1/close"), ("issuer", "/v1/round"), ("issuer", "/healthz")):
            for method in ("GET", "POST"):
                self.assertEqual(self.asked(server, method, path)[0], 404, path)
        self.assertEqual([len(upstream.requests) for upstream in self.upstreams.values()], before)

    def test_a_body_beyond_the_limit_is_refused(self):
        before = len(self.upstreams["shuffler"].requests)
        self.assertEqual(self.asked("shuffler", "POST", "/v1/upload", bytes((1 << 20) + 1))[0], 413)
        self.assertEqual(len(self.upstreams["shuffler"].requests), before)
        self.assertEqual(self.asked("shuffler", "POST", "/v1/upload", bytes(1 << 20))[0], 201)

    def test_older_versions_of_tls_are_refused(self):
        with self.assertRaises(ssl.SSLError):
            self.asked("shuffler", "GET", "/v1/round", tls=ssl.TLSVersion.TLSv1_2)

    def test_nothing_is_kept(self):
        self.assertEqual(self.asked("shuffler", "POST", "/v1/upload", CANARY.encode() * 10_000)[0], 201)
        self.log.flush()
        for path in self.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(CANARY.encode(), path.read_bytes(), path)
                if path.name not in ("relay.conf", "relay.crt", "relay.key"):
                    self.assertNotIn(b"127.0.0.1", path.read_bytes(), path)


if __name__ == "__main__":
    if NGINX is None or shutil.which("openssl") is None:
        print("skipped: nginx or openssl is not installed; packages.txt names nginx-light and openssl", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]])
