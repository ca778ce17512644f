"""What devices keep in their stores while they take part: the layouts of src/muster/service/client/device_state.h."""

import contextlib
import dataclasses
import pathlib
import shutil
import sqlite3
import tempfile

ROUND = slice(0, 8)  # of a coin, and of a token that is held
HELD, NONCE, SIGNATURE = 8 + 354, slice(8 + 2, 8 + 34), slice(-256, None)  # of a token on a device
# The end of the descriptor's hash, the coin itself, and the time of sending: what tells how the coin fell.
TOSSED = slice(-17, None)


@dataclasses.dataclass
class DeviceBlobs:
    coin: bytes = b""
    upload: bytes = b""
    tokens: bytes = b""

    def held(self):
        """Returns the tokens that are held, each with its round before it."""
        return [self.tokens[i:i + HELD] for i in range(0, len(self.tokens), HELD)]


def blobs_in(folder):
    """Returns what each device has whose store is below this folder. No process may use the stores."""
    found = []
    for path in sorted(folder.rglob("store.db")):
        with contextlib.closing(sqlite3.connect(path)) as store:
            rows = store.execute("SELECT CAST(name AS TEXT), content FROM blobs").fetchall()
        found.append(DeviceBlobs(**{name: blob for name, blob in rows if name in DeviceBlobs.__dataclass_fields__}))
    return found


def copied_blobs_in(folder):
    """Returns the same of stores that a process uses, from a copy of them. A store that changed while it was copied
    may be left out."""
    with tempfile.TemporaryDirectory(prefix="muster-cli-") as copy:
        shutil.copytree(folder, pathlib.Path(copy) / "devices")
        found = []
        for device in sorted((pathlib.Path(copy) / "devices").iterdir()):
            if device.is_dir():
                with contextlib.suppress(sqlite3.DatabaseError):
                    found += blobs_in(device)
        return found
