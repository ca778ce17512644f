"""A network delays the upload of a device past the end of its round: it is refused, and is in no later batch.

    python3 tests/cli/late_test.py --command build/release/muster
"""

import json
import threading

import muster_command
import role_processes
from deployed_tasks import DeployedTasks
from unreliable_proxy import UnreliableProxy

ROUNDS, SECONDS, DEVICES = 2, 4, (12, 1)


class LateProxy(UnreliableProxy):
    """Holds the first upload back until it may pass, and notes the answer to it."""

    def __init__(self, port):
        self.answer, self.may_pass = None, threading.Event()
        super().__init__(port)

    def carry(self, head, body, fault, delay):
        is_first = head.startswith(b"POST /v1/upload ") and not self.sent
        if is_first:
            self.note_upload(self.sent, head, body)
            self.may_pass.wait(role_processes.PATIENCE)
        answer = super().carry(head, body, fault, delay)
        if is_first:
            self.answer = answer.split(b"\r\n")[0]
        return answer


class Late(DeployedTasks):
    def test_an_upload_after_the_end_of_its_round_is_in_no_batch(self):
        deployment = self.deployment(devices=DEVICES, seconds=SECONDS, text=role_processes.plan(rounds=ROUNDS))
        deployment.start_servers()
        uploads, late = self.proxy(deployment, "client0", "shuffler"), LateProxy(deployment.port_of("client1", "shuffler"))
        self.addCleanup(late.close)
        deployment.redirect("client1", "shuffler", late.port)
        for i in (1, 0):  # a device that came later than a tenth of a round after the twelfth one would get no token
            deployment.start_client(i).until("devices take part")
        deployment.until_issued(sum(DEVICES))
        aggregator, _ = deployment.start_aggregator()
        deployment.running["shuffler"].until("round 2 is open")
        late.may_pass.set()
        deployment.running["client1"].until("0 uploads are acknowledged, 1 were late, 0 refused")
        self.assertEqual(late.answer, b"HTTP/1.1 410 Gone")
        status, output = aggregator.result()
        self.assertEqual(status, 0, aggregator.said())
        self.assertEqual([len(noted[1]) for noted in (late.sent, late.acknowledged)], [1, 0])
        for number in range(1, ROUNDS + 1):
            uploads.sent[number] |= late.sent[number]
            uploads.acknowledged[number] |= late.acknowledged[number]
        verified = self.expect_done(output, uploads, sum(DEVICES), ROUNDS)
        self.assertEqual([each["heard"] for each in verified["rounds"]],
                         [len(uploads.acknowledged[number]) for number in range(1, ROUNDS + 1)])
        self.assertEqual(verified["rounds"][0]["heard"], 12)
        self.assertEqual(self.status("aggregator")["rejected"]["uploads"]["late"], 1)
        print(json.dumps([{key: each[key] for key in ("outcome", "heard", "reports")} for each in verified["rounds"]]))


if __name__ == "__main__":
    muster_command.test_main()
