#!/usr/bin/env python3
"""Normals of keyed streams in double precision for testdata/normals.txt: keyed_stream.py's AES and Python's math.

    python3 tools/golden/normals.py > testdata/normals.txt

Words are mapped to normals as described at the beginning of src/muster/random/normals.h and at BoxMuller in
normals-inl.h.
"""
import math

from keyed_stream import word


def normal(key, purpose, round_, client, k):
    group, place = divmod(k, 32)
    pair = place % 16

    def half(h):
        return word(key, purpose, round_, client, 16 * group + h // 2) >> (32 * (h % 2)) & 0xFFFFFFFF

    radius_word, angle_word = half(pair), half(16 + pair)
    radius = math.sqrt(-2 * math.log(((radius_word & 0x7FFFFFFF) + 0.5) / 2**31))
    odd = angle_word | 1
    angle = math.pi / 4 * (odd - 2**32 if odd >= 2**31 else odd) / 2**31
    sine = radius * math.sin(angle)
    cosine = math.copysign(radius, -1.0 if radius_word >> 31 else 1.0) * math.cos(angle)
    first, second = (sine, cosine) if angle_word & 1 else (cosine, sine)
    return first if place < 16 else second


def main():
    print("# Normals of keyed streams; generator tools/golden/normals.py (AES by FIPS 197, double precision).")
    print("# key purpose round client number value")
    for key, address in ((bytes(16), (3, 1, 1)), (bytes(range(16)), (4, 0, 0)), (b"\xff" * 16, (3, 2**40 - 1, 77))):
        for k in list(range(0, 70)) + [1023, 1024, 26009, 1000003]:
            print(key.hex(), *address, k, f"{normal(key, *address, k):.12f}")


if __name__ == "__main__":
    main()
