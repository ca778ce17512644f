#!/usr/bin/env python3
"""Words of keyed streams, by OpenSSL's AES (Python `cryptography`) and hashlib's BLAKE2b, for testdata/keyed_stream.txt.

Run with Debian's python3-cryptography:  /usr/bin/python3 tools/golden/keyed_stream.py > testdata/keyed_stream.txt

Block b of a stream is AES-128(key, counter). The counter consists of b (4 bytes), client (6), round (5) and purpose (1),
each little-endian. Word w is the first (w even) or second (w odd) half of block w // 2, little-endian.
"""
import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def word(key, purpose, round_, client, w):
    counter = (w // 2).to_bytes(4, "little") + client.to_bytes(6, "little") + round_.to_bytes(5, "little")
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    block = encryptor.update(counter + bytes([purpose])) + encryptor.finalize()
    return int.from_bytes(block[8 * (w % 2):8 * (w % 2) + 8], "little")


def main():
    print("# Words of keyed streams; generator tools/golden/keyed_stream.py (OpenSSL AES, hashlib BLAKE2b).")
    print("# FIPS 197 appendix C.1 is the row of key 000102..0f whose counter bytes are 00 11 22 .. ff.")
    print("# key purpose round client word value")
    fips_key = bytes(range(16))
    counter = bytes(17 * i for i in range(16))
    fips = (counter[15], int.from_bytes(counter[10:15], "little"), int.from_bytes(counter[4:10], "little"))
    index = int.from_bytes(counter[:4], "little")
    expected = bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a")
    for half in (0, 1):
        value = word(fips_key, *fips, 2 * index + half)
        assert value == int.from_bytes(expected[8 * half:8 * half + 8], "little")
        print(fips_key.hex(), *fips, 2 * index + half, f"{value:016x}")
    keys = [bytes(16), hashlib.blake2b(b"a key of the table", digest_size=16).digest()]
    addresses = [(1, 0, 0), (3, 1, 1), (4, 0, 0), (8, 2**40 - 1, 2**48 - 1), (9, 12345678901, 2**32 - 1),
                 (2, 7, 2**32), (255, 2**39, 2**47)]
    words = list(range(0, 70, 3)) + [128, 129, 1023, 2**32, 2**33 - 2, 2**33 - 1]
    for key in keys:
        for address in addresses:
            for w in words:
                print(key.hex(), *address, w, f"{word(key, *address, w):016x}")
    print("# seed: first 8 bytes of the key's stream (purpose 1, round 0, client 0, word 0)")
    for seed in (0, 1, 42, 2**64 - 1):
        key = hashlib.blake2b(b"muster run key v1" + seed.to_bytes(8, "little"), digest_size=16).digest()
        print("seed", seed, f"{word(key, 1, 0, 0, 0):016x}")


if __name__ == "__main__":
    main()
