#!/usr/bin/env python3
"""Messages of version 1 of the wire, for testdata/wire-v1.txt: every document, token and upload, from fixed secrets.

Nothing is shared with src: elliptic curves and ciphers are those of curve25519.py, hashes are Python's, and RSA is
pow(). The program first checks itself with the vectors of RFC 9180 and RFC 9578 that the tests store. It uses only the
standard library.

    python3 tools/golden/wire.py > testdata/wire-v1.txt
"""
import base64
import functools
import hashlib
import pathlib
import re

from curve25519 import ed25519_public, ed25519_sign, hpke_seal, public_key

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stored_vectors(name, first):
    """Returns the vectors of a file under testdata, each as a dictionary from names to bytes."""
    vectors, key = [], None
    for line in (ROOT / "testdata" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line:
            key = None
            continue
        if ":" in line:
            key, line = line.split(":", 1)
            if key == first or not vectors:
                vectors.append({})
        if key is not None:
            vectors[-1][key] = vectors[-1].get(key, "") + line.strip()
    return [{name: bytes.fromhex(text) for name, text in vector.items()} for vector in vectors]


def der_integers(der):
    """Returns all integers of a DER encoding in their order, those within octet strings included."""
    found, i = [], 0
    while i < len(der):
        tag, size = der[i], der[i + 1]
        i += 2
        if size & 0x80:
            count = size & 0x7F
            size, i = int.from_bytes(der[i:i + count], "big"), i + count
        body = der[i:i + size]
        found += [int.from_bytes(body, "big")] if tag == 2 else der_integers(body) if tag in (0x30, 4) else []
        i += size
    return found


class Issuer:
    """The RSA key of the vectors of RFC 9578."""

    def __init__(self, vector):
        text = re.search(r"-----\n(.*?)-----END", vector["skS"].decode(), re.S)[1]
        _, _, self.n, self.e, self.d, *_ = der_integers(base64.b64decode(text))
        self.spki = vector["pkS"]
        self.id = hashlib.sha256(self.spki).digest()

    def power(self, number, exponent):
        return pow(int.from_bytes(number, "big"), exponent, self.n).to_bytes(256, "big")


def pss(message, salt):
    """Returns EMSA-PSS-ENCODE of RFC 8017 for 2047 bits, with SHA-384 and MGF1."""
    sha = lambda *parts: hashlib.sha384(b"".join(parts)).digest()
    digest = sha(bytes(8), sha(message), salt)
    block = bytes(158) + b"\1" + salt
    mask = b"".join(sha(digest, counter.to_bytes(4, "big")) for counter in range(5))
    masked = bytearray(a ^ b for a, b in zip(block, mask))
    masked[0] &= 0x7F
    return bytes(masked) + digest + b"\xbc"


def token(issuer, nonce, challenge_digest, salt):
    signed = b"\0\2" + nonce + challenge_digest + issuer.id
    return signed + issuer.power(pss(signed, salt), issuer.d)


def request(issuer, signed, salt, factor):
    """Returns a token request, whose blinded message is the padded one times the factor to the power e."""
    blinded = int.from_bytes(pss(signed, salt), "big") * pow(int.from_bytes(factor, "big"), issuer.e, issuer.n)
    return b"\0\2" + issuer.id[-1:] + (blinded % issuer.n).to_bytes(256, "big")


def challenge_digest(task, round_number):
    """Returns SHA-256 of the TokenChallenge of one round, whose issuer is "muster" and which has no origin."""
    context = hash_of(b"muster round", task, u64(round_number))
    return hashlib.sha256(b"\0\2" + b"\0\6muster" + b"\x20" + context + b"\0\0").digest()


def u64(value):
    return value.to_bytes(8, "little")


def hash_of(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=32).digest()


def fixed(name, size=32):
    """Returns bytes that stand for a secret or a hash, derived from its name."""
    return hashlib.shake_256(b"muster wire test " + name.encode()).digest(size)


def signed(kind, body, seed):
    return body + ed25519_sign(seed, b"muster v1 " + kind.encode() + b"\0" + body)


def packed(steps, bits):
    """Returns numbers packed into `bits` bits each, in two's complement, with the first one in the lowest bits."""
    total = sum((step & (1 << bits) - 1) << i * bits for i, step in enumerate(steps))
    return total.to_bytes((len(steps) * bits + 7) // 8, "little")


# Each secret repeats one byte, so that the fuzz targets can easily have the same secrets.
SEEDS = {"aggregator": b"\x33" * 32, "shuffler": b"\x44" * 32, "issuer": b"\x55" * 32}
DEVICE = b"\x77" * 32  # the seed of a device's identity
KEYS = {"aggregator": b"\x22" * 32, "shuffler": b"\x11" * 32}


def check_published():
    (v,) = stored_vectors("rfc9180-a2-base.txt", "info")
    assert hpke_seal(v["skEm"], v["pkRm"], v["info"], v["aad"], v["pt"]) == v["enc"] + v["ct"]
    for v in stored_vectors("rfc9578-type2.txt", "skS"):
        digest = hashlib.sha256(v["token_challenge"]).digest()
        assert token(Issuer(v), v["nonce"], digest, v["salt"]) == v["token"]


@functools.cache
def messages():
    """Returns every message of the file, by its name."""
    issuer = Issuer(stored_vectors("rfc9578-type2.txt", "skS")[0])
    seeds, keys = SEEDS, KEYS
    task, round_number, version = fixed("task"), 7, b"\1"
    rows = [(role + " seed", seed) for role, seed in seeds.items()] + [(role + " key", key) for role, key in keys.items()]
    rows += [(role + " identity", ed25519_public(seed)) for role, seed in seeds.items()]

    body = (version + task + u64(round_number) + u64(5) + fixed("model") + fixed("frozen") + public_key(keys["shuffler"]) +
            public_key(keys["aggregator"]) + issuer.id + fixed("head"))
    offered = signed("descriptor", body, seeds["aggregator"])
    descriptor = hash_of(b"muster descriptor", body)
    rows += [("descriptor", signed("countersigned descriptor", offered, seeds["shuffler"])), ("descriptor hash", descriptor)]

    challenge = challenge_digest(task, round_number)
    admission = token(issuer, fixed("nonce"), challenge, fixed("salt", 48))
    rows += [("challenge", challenge), ("token", admission)]

    payload = fixed("direction", 16) + b"\1"
    header = version + u64(round_number)
    for name, kind in (("report", b"\1"), ("dummy", b"\0")):
        inner = hpke_seal(fixed("inner ephemeral"), public_key(keys["aggregator"]), b"muster v1 aggregator", descriptor, payload)
        if name == "dummy":
            inner = fixed("dummy", len(inner))
        outer = hpke_seal(fixed(name + " ephemeral"), public_key(keys["shuffler"]), b"muster v1 shuffler",
                          header + descriptor, kind + admission + inner)
        rows.append((name, header + outer))

    batch = hash_of(fixed("batch"))
    manifest = signed("manifest", version + task + u64(round_number) + descriptor + b"\1" + u64(2064) + u64(1031) +
                      (65).to_bytes(4, "little") + batch + b"".join(u64(i) for i in range(6)), seeds["shuffler"])
    destroyed = signed("manifest", version + task + u64(round_number) + descriptor + b"\0" + u64(2063) + u64(0) +
                       bytes(4) + bytes(32) + b"".join(u64(0) for _ in range(6)), seeds["shuffler"])
    receipt = signed("receipt", version + task + u64(round_number) + hash_of(manifest) + b"\1" + fixed("next head"),
                     seeds["aggregator"])
    modulus = issuer.n.to_bytes(256, "big")
    directory = signed("key directory", version + task + u64(3) + u64(2176) + u64(6) + (2).to_bytes(4, "little") +
                       u64(7) + modulus + u64(2100) + u64(8) + modulus + u64(0), seeds["issuer"])
    rows += [("manifest", manifest), ("destroyed", destroyed), ("receipt", receipt), ("directory", directory)]

    rows += [("payload direction", payload), ("payload index", (12345).to_bytes(4, "little") + b"\0"),
             ("payload answer", (9).to_bytes(4, "little")), ("payload number", packed([-123456789], 32)),
             ("payload grid", packed([0, 1, -1, 1023, -1023, 512, -512, 77, -300], 11))]

    # The blinding factors have 255 bytes, so they are below every modulus.
    asked = b"".join(u64(i) + request(issuer, b"\0\2" + fixed(f"nonce {i}") + challenge_digest(task, i) + issuer.id,
                                      fixed(f"salt {i}", 48), fixed(f"factor {i}", 255)) for i in (7, 8, 11))
    block = signed("token block", version + task + ed25519_public(DEVICE) + (3).to_bytes(2, "little") + asked, DEVICE)
    close = signed("close issuance", version + task + u64(round_number), seeds["shuffler"])
    release = signed("release notice", version + task + u64(round_number), seeds["shuffler"])
    over = signed("task over", version + task + u64(round_number), seeds["aggregator"])
    offer = signed("offer", version + task + u64(6) + u64(13) + fixed("head") + public_key(keys["shuffler"]) + b"\3" +
                   u64(2100), seeds["shuffler"])
    rows += [("device seed", DEVICE), ("device identity", ed25519_public(DEVICE)), ("block", block), ("close", close),
             ("release", release), ("over", over), ("offer", offer)]

    return dict(rows)


def main():
    check_published()
    print("# Messages of version 1 of the wire; generator tools/golden/wire.py. Bytes are in hexadecimal. docs/wire.md says")
    print("# what each one is. Once muster is released, a change of any of them is a new version of the wire.")
    for name, value in messages().items():
        print(f"{name}:")
        for i in range(0, len(value), 48):
            print(value[i:i + 48].hex())


if __name__ == "__main__":
    main()
