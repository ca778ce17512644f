#!/usr/bin/env python3
"""Words of keyed streams for testdata/keyed_stream.txt, by AES-128 as FIPS 197 defines it and hashlib's BLAKE2b.

AES is written here byte by byte from its definition, and its substitution box is computed from inverses in GF(2^8). The
program checks it with the example of FIPS 197, appendix C.1. It uses only the standard library.

    python3 tools/golden/keyed_stream.py > testdata/keyed_stream.txt

Block b of a stream is AES-128(key, counter). The counter consists of b (4 bytes), client (6), round (5) and purpose (1),
each little-endian. Word w is the first (w even) or second (w odd) half of block w // 2, little-endian.
"""
import functools
import hashlib


def product(a, b):
    """Returns the product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2)."""
    total = 0
    while b:
        total ^= a if b & 1 else 0
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return total


def substitute(a):
    """Returns SubBytes (section 5.1.1) of a byte: the inverse in GF(2^8), or 0 for 0, and then an affine map of its
    bits."""
    inverse = next((b for b in range(256) if product(a, b) == 1), 0)
    rotated = [inverse << i | inverse >> (8 - i) for i in range(5)]
    return functools.reduce(int.__xor__, rotated) & 0xFF ^ 0x63


BOX = [substitute(a) for a in range(256)]
DOUBLE = [product(a, 2) for a in range(256)]


@functools.cache
def round_keys(key):
    """Returns the eleven round keys of a key of 16 bytes (section 5.2)."""
    words, constant = [key[i:i + 4] for i in range(0, 16, 4)], 1
    while len(words) < 44:
        last = words[-1]
        if len(words) % 4 == 0:
            last = bytes([BOX[last[1]] ^ constant, BOX[last[2]], BOX[last[3]], BOX[last[0]]])
            constant = DOUBLE[constant]
        words.append(bytes(a ^ b for a, b in zip(words[-4], last)))
    return [b"".join(words[i:i + 4]) for i in range(0, 44, 4)]


def mixed(column):
    """Returns MixColumns (section 5.1.3) of one column of four bytes."""
    pairs = zip(column, column[1:] + column[:1])
    total = functools.reduce(int.__xor__, column)
    return [a ^ total ^ DOUBLE[a ^ b] for a, b in pairs]


def encrypted(key, block):
    """Returns AES-128 of a block of 16 bytes (section 5.1). Byte 4c + r of the state is in column c and row r."""
    first, *middle, last = round_keys(key)
    state = [a ^ b for a, b in zip(block, first)]
    for round_key in [*middle, last]:
        state = [BOX[state[4 * ((c + r) % 4) + r]] for c in range(4) for r in range(4)]  # SubBytes and ShiftRows
        if round_key is not last:
            state = [a for c in range(0, 16, 4) for a in mixed(state[c:c + 4])]
        state = [a ^ b for a, b in zip(state, round_key)]
    return bytes(state)


def word(key, purpose, round_, client, w):
    counter = (w // 2).to_bytes(4, "little") + client.to_bytes(6, "little") + round_.to_bytes(5, "little")
    block = encrypted(key, counter + bytes([purpose]))
    return int.from_bytes(block[8 * (w % 2):8 * (w % 2) + 8], "little")


def main():
    print("# Words of keyed streams; generator tools/golden/keyed_stream.py (AES by FIPS 197, hashlib BLAKE2b).")
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
