"""X25519 (RFC 7748), Ed25519 (RFC 8032), ChaCha20-Poly1305 (RFC 8439), and the public-key encryption of RFC 9180 that is
composed from them, written from their definitions with Python's integers. The functions are slow and not constant in
time, and are meant only for golden values.
"""
import hashlib
import hmac

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def x25519(secret, point):
    """Computes the Diffie-Hellman function of RFC 7748, section 5, on 32 bytes each, by the Montgomery ladder."""
    k = bytearray(secret)
    k[0] &= 248
    k[31] = k[31] & 127 | 64
    k = int.from_bytes(k, "little")
    x1 = int.from_bytes(point, "little") % 2**255 % P
    x2, z2, x3, z3, swapped = 1, 0, x1, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swapped ^ bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swapped = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, e = d * a, c * b, a * a - b * b
        x3, z3 = (da + cb)**2 % P, x1 * (da - cb)**2 % P
        x2, z2 = a * a * b * b % P, e * (a * a + 121665 * e) % P
    if swapped:
        x2, z2 = x3, z3
    return (x2 * pow(z2, P - 2, P) % P).to_bytes(32, "little")


def public_key(secret):
    return x25519(secret, (9).to_bytes(32, "little"))


def edwards_sum(a, b):
    """Returns the sum of two points (x, y) of the twisted Edwards curve."""
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2 % P
    return ((x1 * y2 + x2 * y1) * pow(1 + t, P - 2, P) % P, (y1 * y2 + x1 * x2) * pow(1 - t, P - 2, P) % P)


def base_point():
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (P - x if x % 2 else x), y


def multiple(scalar, point):
    total = (0, 1)
    while scalar:
        total = edwards_sum(total, point) if scalar & 1 else total
        point, scalar = edwards_sum(point, point), scalar >> 1
    return total


def encoded(point):
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def ed25519_expanded(seed):
    h = bytearray(hashlib.sha512(seed).digest())
    h[0] &= 248
    h[31] = h[31] & 127 | 64
    return int.from_bytes(h[:32], "little"), bytes(h[32:])


def ed25519_public(seed):
    return encoded(multiple(ed25519_expanded(seed)[0], base_point()))


def ed25519_sign(seed, message):
    """Returns the signature of RFC 8032, section 5.1.6."""
    scalar, prefix = ed25519_expanded(seed)
    number = lambda *parts: int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER
    r = number(prefix, message)
    first = encoded(multiple(r, base_point()))
    s = (r + number(first, ed25519_public(seed), message) * scalar) % ORDER
    return first + s.to_bytes(32, "little")


def chacha20_block(key, counter, nonce):
    """Returns a block of key stream, by RFC 8439, section 2.3."""
    words = lambda b: [int.from_bytes(b[i:i + 4], "little") for i in range(0, len(b), 4)]
    start = words(b"expand 32-byte k") + words(key) + [counter] + words(nonce)
    s = list(start)

    def quarter(a, b, c, d):
        for x, y, z, left in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            s[z] ^= s[x]
            s[z] = (s[z] << left | s[z] >> (32 - left)) & 0xFFFFFFFF

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return b"".join(((a + b) & 0xFFFFFFFF).to_bytes(4, "little") for a, b in zip(s, start))


def chacha20_poly1305(key, nonce, aad, plain):
    """Encrypts by RFC 8439, section 2.8. Returns the cipher text and its tag."""
    cipher = b""
    for i in range(0, len(plain), 64):
        stream = chacha20_block(key, 1 + i // 64, nonce)
        cipher += bytes(a ^ b for a, b in zip(plain[i:i + 64], stream))
    one_time = chacha20_block(key, 0, nonce)[:32]
    r = int.from_bytes(one_time[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    padded = lambda b: b + bytes(-len(b) % 16)
    text = padded(aad) + padded(cipher) + len(aad).to_bytes(8, "little") + len(cipher).to_bytes(8, "little")
    total = 0
    for i in range(0, len(text), 16):
        total = (total + int.from_bytes(text[i:i + 16] + b"\1", "little")) * r % (2**130 - 5)
    tag = (total + int.from_bytes(one_time[16:], "little")) % 2**128
    return cipher + tag.to_bytes(16, "little")


def hpke_seal(ephemeral, receiver, info, aad, plain):
    """Encrypts message 0 by RFC 9180, base mode with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256 and ChaCha20-Poly1305.
    Returns enc and the cipher text. `ephemeral` is a secret key and `receiver` a public one."""
    kem, suite = b"KEM\0\x20", b"HPKE\0\x20\0\1\0\3"
    mac = lambda key, *parts: hmac.new(key, b"".join(parts), hashlib.sha256).digest()
    extract = lambda name, salt, label, key: mac(salt, b"HPKE-v1", name, label, key)
    expand = lambda name, prk, label, about, size: mac(prk, size.to_bytes(2, "big"), b"HPKE-v1", name, label, about,
                                                       b"\1")[:size]
    enc = public_key(ephemeral)
    prk = extract(kem, b"", b"eae_prk", x25519(ephemeral, receiver))
    shared = expand(kem, prk, b"shared_secret", enc + receiver, 32)
    context = b"\0" + extract(suite, b"", b"psk_id_hash", b"") + extract(suite, b"", b"info_hash", info)
    secret = extract(suite, shared, b"secret", b"")
    key, nonce = expand(suite, secret, b"key", context, 32), expand(suite, secret, b"base_nonce", context, 12)
    return enc + chacha20_poly1305(key, nonce, aad, plain)
