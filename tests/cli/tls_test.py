"""A server's certificate is believed if the authority of `ca` signed it, for this host, and if it is valid now.

    python3 tests/cli/tls_test.py --command build/release/muster
"""

import shutil
import ssl
import subprocess
import sys
import time

import muster_command
from deployed_tasks import DeployedTasks
from recording_proxy import Proxy

AUTHORITY = """
[ca]
default_ca = all
[all]
database = index.txt
serial = serial
new_certs_dir = .
policy = any
default_md = sha256
unique_subject = no
[any]
commonName = supplied
"""
DAY = 24 * 3600
EXPIRED = "SSL certificate problem: certificate has expired"
# For each certificate: who signed it, for which host, and from when to when it is valid, in days from now. Beside it
# are words of the error, if it is one.
CERTIFICATES = {
    "good": ("ours", "IP:127.0.0.1", -1, 1, None),
    "of another authority": ("theirs", "IP:127.0.0.1", -1, 1, "certificate"),
    "of another host": ("ours", "IP:127.0.0.2, DNS:localhost", -1, 1, "127.0.0.1"),
    "expired": ("ours", "IP:127.0.0.1", -2, -1, "expired"),
    "not yet valid": ("ours", "IP:127.0.0.1", 1, 2, "not yet valid"),
}


class TlsProxy(Proxy):
    """Ends TLS in front of a server, with this certificate. A handshake that the other side breaks off is the end of
    its connection."""

    def __init__(self, port, certificate, key):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        super().__init__(port)

    def serve(self, number, device):
        try:
            secured = self.context.wrap_socket(device, server_side=True)
        except OSError:
            device.close()
            return
        super().serve(number, secured)


class Tls(DeployedTasks):
    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def make_authority(self, name):
        (self.folder / "authority.cnf").write_text(AUTHORITY)
        (self.folder / "index.txt").write_text("")
        (self.folder / "serial").write_text("01\n")
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "9",
                     "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.crt")

    def proxy_with(self, name, port):
        """Starts a proxy in front of this port, with this certificate, and returns its URL."""
        authority, host, begins, ends, _ = CERTIFICATES[name]
        file = name.replace(" ", "-")
        times = [time.strftime("%y%m%d%H%M%SZ", time.gmtime(time.time() + days * DAY)) for days in (begins, ends)]
        if not (self.folder / f"{file}.pem").exists():
            self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                         "/CN=server", "-keyout", f"{file}.key", "-out", f"{file}.csr")
            (self.folder / f"{file}.ext").write_text(f"subjectAltName = {host}\n")
            self.openssl("ca", "-batch", "-notext", "-config", "authority.cnf", "-cert", f"{authority}.crt", "-keyfile",
                         f"{authority}.key", "-startdate", times[0], "-enddate", times[1], "-extfile", f"{file}.ext",
                         "-in", f"{file}.csr", "-out", f"{file}.pem")
        proxy = TlsProxy(port, self.folder / f"{file}.pem", self.folder / f"{file}.key")
        self.addCleanup(proxy.close)
        return f"https://127.0.0.1:{proxy.port}"

    def test_only_a_valid_certificate_is_believed(self):
        self.make_authority("ours")
        self.make_authority("theirs")
        deployment = self.deployment(devices=(1, 1, 10), seconds=60)
        deployment.start_servers()
        aggregator, status = deployment.start_aggregator()
        plain = self.status(status)
        for name, (*_, words) in CERTIFICATES.items():
            with self.subTest(certificate=name):
                url = self.proxy_with(name, int(status.rpartition(":")[2]))
                if words is None:
                    over_tls = self.run_command("status", url, "--ca", "ours.crt", "--json").stdout
                    self.assertIn(plain["task"], over_tls)
                    url_without = self.refusal("status", url, status=3)  # the system's authorities do not know ours
                    self.assertIn("certificate", url_without["message"])
                    continue
                error = self.refusal("status", url, "--ca", "ours.crt", status=3)
                self.assertEqual(error["key"], url)
                self.assertRegex(error["message"], f"^{url} cannot be reached: .*{words}")
                print(f"{name}: {error['message']}")
        self.check_client(deployment)

    def check_client(self, deployment):
        """Checks that a device gets tokens from an issuer with a valid certificate, and none from one without."""
        servers = {key: deployment.port_of("client0", key) for key in ("shuffler", "issuer")}
        for i, name in enumerate(("good", "expired")):
            urls = {key: self.proxy_with(name, port) for key, port in servers.items()}
            policy = (self.folder / f"client{i}.toml").read_text().partition("[policy]")[2]
            deployment.write(f"client{i}", data="digits", record=i, ca="ours.crt", policy=f"[policy]{policy}", **urls)
            client = deployment.start_client(i)
            if name == "good":
                deployment.until_issued(1)
            else:
                client.until(f"1 of 1 devices cannot reach the shuffler at {urls['shuffler']} ({EXPIRED}); they try again")
                client.until(f"1 of 1 devices get no tokens from the issuer at {urls['issuer']} ({EXPIRED}); they try again")
                deployment.until_issued(1)
            self.assertEqual(client.stop(), 0)


if __name__ == "__main__":
    if shutil.which("openssl") is None:
        print("skipped: openssl is not installed; packages.txt names it", file=sys.stderr)
        sys.exit(77)
    muster_command.test_main()
