"""A proxy between devices and a server, which records the requests that pass and may add to them."""

import contextlib
import socket
import threading
import time


def read(connection):
    try:
        return connection.recv(1 << 16)
    except OSError:
        return b""


def messages(connection):
    """Yields each whole HTTP message that arrives: its head, without the empty line that ends it, and its body."""
    received = b""
    while more := read(connection):
        received += more
        while b"\r\n\r\n" in received:
            head, _, rest = received.partition(b"\r\n\r\n")
            lines = head.decode().lower().split("\r\n")
            length = sum(int(line.split(":")[1]) for line in lines if line.startswith("content-length:"))
            if len(rest) < length:
                break
            received = rest[length:]
            yield head, rest[:length]


class Proxy:
    """Carries whole requests to a server on this machine, from the address `source`, with `headers` added to each. The
    list `requests` has, of each request, its time, the number of its connection, its first line and its length."""

    def __init__(self, port, source="127.0.0.1", headers=""):
        self.upstream, self.source, self.headers = port, source, headers
        self.requests, self.lock = [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        number = 0
        while True:
            try:
                device, _ = self.listener.accept()
            except OSError:
                return
            number += 1
            threading.Thread(target=self.serve, args=(number, device), daemon=True).start()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.upstream), source_address=(self.source, 0))

    def serve(self, number, device):
        """Serves one connection until it ends, or at once ends that of a server that is away."""
        try:
            server = self.connect()
        except OSError:
            device.close()
            return
        threading.Thread(target=self.answers_of, args=(server, device), daemon=True).start()
        with server:
            for head, body in messages(device):
                line = head.decode().split("\r\n")[0]
                with self.lock:
                    self.requests.append((time.monotonic(), number, line, len(head) + len(body)))
                try:
                    server.sendall(head + b"\r\n" + self.headers.encode() + b"\r\n" + body)
                except OSError:
                    return

    @staticmethod
    def answers_of(server, device):
        """Passes answers on until the server ends the connection, which then ends for the device, too."""
        with contextlib.suppress(OSError):
            while more := read(server):
                device.sendall(more)
        with device, contextlib.suppress(OSError):
            device.shutdown(socket.SHUT_RDWR)  # a thread that waits for a request must not keep it open
