"""What `muster client --devices N` says if its process gets too little memory for N devices.

    python3 tests/cli/crowded_test.py --command build/release/muster
"""

import subprocess

import muster_command
import role_processes
from deployed_tasks import DeployedTasks

ADDRESS_SPACE = 150_000_000  # bytes: enough for some devices, too little for some hundreds
FEW, MANY = 12, 300


class Crowded(DeployedTasks):
    def start(self, name, devices):
        """Starts a client with the memory for a few devices. Nobody answers at the addresses of its servers."""
        arguments = ["client", f"{name}.toml", "--devices", str(devices)]
        return subprocess.Popen(["prlimit", f"--as={ADDRESS_SPACE}", muster_command.COMMAND, *arguments],
                                cwd=self.folder, stderr=subprocess.PIPE, text=True)

    def test_more_devices_than_the_memory_allows_are_refused_by_name(self):
        deployment = self.deployment(devices=(FEW, MANY))
        for name in ("client0", "client1"):
            deployment.write(name, shuffler="http://127.0.0.1:9", issuer="http://127.0.0.1:9", data="digits", record=0,
                             policy=role_processes.POLICY)
        with self.start("client0", FEW) as few:
            self.assertIn(f"{FEW} devices take part", few.stderr.readline())
            few.terminate()
            few.communicate(timeout=role_processes.PATIENCE)
            self.assertEqual(few.returncode, 0)
        with self.start("client1", MANY) as many:
            said = many.communicate(timeout=role_processes.PATIENCE)[1].splitlines()[-1]
            self.assertEqual(many.returncode, 3, said)
        for words in (f"--devices asks for more devices than this process gets memory or mappings for; found: {MANY}",
                      "vm.max_map_count"):
            self.assertIn(words, said)


if __name__ == "__main__":
    muster_command.test_main()
