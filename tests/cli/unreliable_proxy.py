"""A proxy that loses, repeats and delays requests at random, and counts what devices were told by the shuffler."""

import collections
import random
import time

from recording_proxy import Proxy, messages

FAULTS = ("lost request", "lost answer", "twice", "late")
LONGEST_DELAY = 0.4  # seconds
# The bytes of an upload that have its round, after its version (docs/wire.md).
ROUND = slice(1, 9)


class UnreliableProxy(Proxy):
    """Carries one request of a connection at a time, each with one of FAULTS at this probability. Without faults it
    only counts. A connection whose request or answer is lost ends, and so does one whose server is away.

    `faults` has how often each fault was made, `sent` the different uploads of each round, `acknowledged` those of them
    that the server answered with 201, and `downloads` how often each blob arrived at a device as a whole."""

    def __init__(self, port, seed=0, probability=0.0):
        self.draws, self.probability = random.Random(seed), probability
        self.faults, self.downloads = collections.Counter(), collections.Counter()
        self.sent, self.acknowledged = collections.defaultdict(set), collections.defaultdict(set)
        super().__init__(port)

    def serve(self, number, device):
        with device:
            for head, body in messages(device):
                fault, delay = self.draw()
                answer = self.carry(head, body, fault, delay)
                if answer is None or fault == "lost answer":
                    return
                try:
                    device.sendall(answer)
                except OSError:
                    return
                self.note_download(head, answer)

    def draw(self):
        with self.lock:
            fault = self.draws.choice(FAULTS) if self.draws.random() < self.probability else None
            if fault:
                self.faults[fault] += 1
            return fault, self.draws.uniform(0, LONGEST_DELAY)

    def carry(self, head, body, fault, delay):
        """Returns the answer that is passed on, or None if the server did not get the request or did not answer."""
        self.note_upload(self.sent, head, body)
        if fault == "lost request":
            return None
        if fault == "late":
            time.sleep(delay)
        answer = None
        for _ in range(2 if fault == "twice" else 1):
            answer = self.ask(head + b"\r\n\r\n" + body)
            if answer is not None and answer.startswith(b"HTTP/1.1 201 "):
                self.note_upload(self.acknowledged, head, body)
        return answer

    def ask(self, request):
        """Returns the server's answer, or None if it has not answered."""
        try:
            with self.connect() as server:
                server.sendall(request)
                head, body = next(messages(server), (None, None))
        except OSError:
            return None
        return None if head is None else head + b"\r\n\r\n" + body

    def note_upload(self, noted, head, body):
        if head.startswith(b"POST /v1/upload "):
            with self.lock:
                noted[int.from_bytes(body[ROUND], "little")].add(body)

    def note_download(self, head, answer):
        if head.startswith(b"GET /v1/blob/") and answer.startswith(b"HTTP/1.1 200 "):
            with self.lock:
                self.downloads[head.split()[1]] += 1
