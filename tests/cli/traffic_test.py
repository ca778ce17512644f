"""What an observer of the traffic between devices and shuffler sees does not depend on the coins.

Two deployments of the same devices run behind a proxy that records every request: in one, all devices check in in every
round (rate 1), and in the other no device does (rate 1e-9). The uploads of a round have to be as many and as long in
both, and so do the downloads; the times within a round and the numbers of polls must have the same law.

    python3 tests/cli/traffic_test.py --command build/release/muster
"""

import json
import math
import pathlib
import tempfile
import unittest

import muster_command
import role_processes
from recording_proxy import Proxy

ROUNDS, DEVICES = 20, 12
SECONDS = (3, 6, 12)  # of a round; the longer ones are tried if devices were too slow for the shorter ones
FALSE_ALARM = 1e-6  # of each comparison of two laws


def watched(rate, seconds):
    """Runs a deployment with this rate and rounds of `seconds` seconds. Returns what was seen of each device in each of
    its rounds, or None if a device was not heard in one of them because the machine was too busy."""
    # Delta is so small that even rounds whose coins all say no have an epsilon above 0.
    text = role_processes.plan(rate=rate, rounds=ROUNDS, delta="1e-10")
    with tempfile.TemporaryDirectory() as name:
        deployment = role_processes.Deployment(pathlib.Path(name), devices=(DEVICES,), seconds=seconds, text=text,
                                               most=2 * ROUNDS)
        try:
            deployment.start_servers()
            proxy = Proxy(deployment.port_of("client0", "shuffler"))
            deployment.redirect("client0", "shuffler", proxy.port)
            aggregator, _ = deployment.start_aggregator()
            deployment.start_client(0)
            output = aggregator.process.communicate(timeout=20 * ROUNDS * seconds)[0]
            assert aggregator.process.returncode == 0, aggregator.said()
        finally:
            deployment.close()
    result = json.loads(output)
    assert result["rounds"]["released"] == ROUNDS, result
    if result["rounds"]["void"]:
        print(f"rate {rate}, rounds of {seconds} s: {result['rounds']['void']} of them void")
        return None
    rounds = rounds_of(proxy.requests)
    assert len(rounds) == ROUNDS * DEVICES, (len(rounds), result)
    return rounds


def rounds_of(requests):
    """Cuts the requests of each connection after each upload. Returns for each piece the number of polls, the sizes of
    all requests, and the seconds from the last download to the upload."""
    devices, rounds = {}, []
    for at, connection, line, size in requests:
        seen = devices.setdefault(connection, {"polls": 0, "sizes": []})
        seen["sizes"].append((line.split("/blob/")[0], size))
        if line.startswith("GET /v1/round "):
            seen["polls"] += 1
            seen["sizes"].pop()
        elif line.startswith("GET /v1/blob/"):
            seen["downloaded"] = at
        elif line.startswith("POST /v1/upload "):
            # A device that was kept waiting until its send time sends without having downloaded.
            rounds.append({**seen, "delay": at - seen.get("downloaded", at)})
            devices[connection] = {"polls": 0, "sizes": []}
        else:
            raise AssertionError(line)
    return rounds


def distance(first, second):
    """Returns the largest distance of the two empirical distribution functions."""
    steps = sorted([(value, 1 / len(first)) for value in first] + [(value, -1 / len(second)) for value in second])
    level = largest = 0
    for i, (value, step) in enumerate(steps):
        level += step
        if i + 1 == len(steps) or steps[i + 1][0] != value:
            largest = max(largest, abs(level))
    return largest


def threshold(first, second):
    """Returns the distance that two samples of one law exceed with probability at most FALSE_ALARM. Each sample is
    farther from the law than its summand with probability at most FALSE_ALARM / 2, by the inequality of Dvoretzky,
    Kiefer and Wolfowitz with Massart's constant, which holds for laws with atoms, too."""
    return sum(math.sqrt(math.log(4 / FALSE_ALARM) / (2 * count)) for count in (first, second))


def differences(heads, tails):
    """Returns in what the rounds of heads and tails differ, as a list of sentences."""
    found = []
    if len(heads) != len(tails):
        found.append(f"{len(heads)} uploads of heads, {len(tails)} of tails")
    # The first round of a device also downloads what never changes.
    kinds = [sorted({tuple(each["sizes"]) for each in rounds}) for rounds in (heads, tails)]
    if kinds[0] != kinds[1]:
        found.append(f"heads ask {kinds[0]}, tails ask {kinds[1]}")
    limit = threshold(len(heads), len(tails))
    for what in ("delay", "polls"):
        far = distance([each[what] for each in heads], [each[what] for each in tails])
        print(f"{what}: {len(heads)} and {len(tails)} rounds, distance {far:.3f}, at most {limit:.3f}")
        if far > limit:
            found.append(f"{what} has another law")
    return found


class Traffic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # All devices are heard in every round. Every coin is heads in one deployment, and tails in the other.
        for seconds in SECONDS:
            cls.heads, cls.tails = watched(1, seconds), watched(1e-9, seconds)
            if cls.heads and cls.tails:
                return
        raise AssertionError(f"devices were not heard even in rounds of {seconds} s")

    def test_heads_and_tails_look_alike(self):
        self.assertEqual(differences(self.heads, self.tails), [])

    def test_what_breaks_the_rule_is_noticed(self):
        silent = self.tails[:len(self.tails) // 2]
        self.assertNotEqual(differences(self.heads, silent), [])
        at_once = [{**each, "delay": each["delay"] / 4} for each in self.heads]
        self.assertEqual(differences(at_once, self.tails), ["delay has another law"])
        longer = [{**each, "sizes": [(line, size + 1) for line, size in each["sizes"]]} for each in self.heads]
        self.assertIn("heads ask", differences(longer, self.tails)[0])
        lazy = [{**each, "sizes": each["sizes"][-1:]} for each in self.tails]
        self.assertIn("heads ask", differences(self.heads, lazy)[0])
        restless = [{**each, "polls": 2 * each["polls"] + 1} for each in self.heads]
        self.assertEqual(differences(restless, self.tails), ["polls has another law"])


if __name__ == "__main__":
    muster_command.test_main()
