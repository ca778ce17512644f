"""The seed corpus of the fuzz targets of the wire, for fuzz_corpus.py: the messages of wire.py, and others made from
them that a reader must refuse."""
import base64
import re

from curve25519 import hpke_seal, public_key
from wire import DEVICE, KEYS, SEEDS, Issuer, challenge_digest, fixed, messages, packed, signed, stored_vectors, token, u64

LOW_ORDER = {"zero": bytes(32), "one": b"\1" + bytes(31), "p": bytes.fromhex("ed" + "ff" * 30 + "7f"),
             "eight": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")}


def changed(data, at, xor=1):
    return data[:at] + bytes([data[at] ^ xor]) + data[at + 1:]


def sealed(kind=b"\1", round_number=7, version=b"\1", info=b"muster v1 shuffler", descriptor=bytes(32), inner=bytes(65)):
    header = version + u64(round_number)
    return header + hpke_seal(b"\x66" * 32, public_key(KEYS["shuffler"]), info, header + descriptor,
                              kind + messages()["token"] + inner)


def wire_upload():
    report = sealed()
    yield "good_report", report
    yield "good_dummy", sealed(kind=b"\0")
    for size in (0, 1, 8, 9, 41, len(report) - 1):
        yield f"bad_length_{size}", report[:size]
    yield "bad_one_byte_more", report + b"\0"
    yield "bad_version_0", sealed(version=b"\0")
    yield "bad_version_2", sealed(version=b"\2")
    yield "bad_other_round", sealed(round_number=8)
    yield "bad_round_changed_on_the_way", changed(sealed(round_number=8), 1, 15)
    yield "bad_other_descriptor", sealed(descriptor=b"\1" * 32)
    yield "bad_layers_swapped", sealed(info=b"muster v1 aggregator")
    yield "bad_kind_2", sealed(kind=b"\2")
    yield "bad_kind_255", sealed(kind=b"\xff")
    yield "bad_tag", changed(report, len(report) - 1)
    for name, point in LOW_ORDER.items():
        yield f"bad_enc_{name}", report[:9] + point + report[41:]


def wire_payload():
    rows = messages()
    formats = {"direction": 0, "index": 1, "answer": 3, "number": 4, "grid": 5}
    for name, number in formats.items():
        payload = rows[f"payload {name}"]
        yield f"good_{name}", bytes([number]) + payload
        yield f"bad_{name}_short", bytes([number]) + payload[:-1]
        yield f"bad_{name}_long", bytes([number]) + payload + b"\0"
    yield "bad_empty", b""
    yield "bad_format", b"\6" + rows["payload direction"]
    yield "bad_direction_sign_2", b"\0" + bytes(16) + b"\2"
    yield "bad_index_sign_255", b"\1" + bytes(4) + b"\xff"
    yield "bad_index_20000", b"\1" + (20_000).to_bytes(4, "little") + b"\0"
    yield "good_hadamard_index_15", b"\2" + (15).to_bytes(4, "little") + b"\0"
    yield "bad_hadamard_index_16", b"\2" + (16).to_bytes(4, "little") + b"\0"
    yield "bad_answer_k", b"\3" + (10).to_bytes(4, "little")
    yield "bad_answer_most", b"\3" + b"\xff" * 4
    yield "good_number_lowest", b"\4" + packed([-2**31 + 1], 32)
    yield "bad_number_below_lowest", b"\4" + packed([-2**31], 32)
    yield "bad_grid_below_lowest", b"\5" + packed([0] * 8 + [-1024], 11)
    yield "bad_grid_unused_bit", b"\5" + changed(rows["payload grid"], 12, 0x80)


def wire_document():
    rows = messages()
    documents = {"descriptor": 0, "manifest": 2, "destroyed": 2, "receipt": 3, "directory": 4, "block": 5, "close": 6,
                 "offer": 7, "release": 8, "over": 9}
    for name, number in documents.items():
        document = rows[name]
        yield f"good_{name}", bytes([number]) + document
        yield f"bad_{name}_short", bytes([number]) + document[:-1]
        yield f"bad_{name}_long", bytes([number]) + document + b"\0"
        yield f"bad_{name}_version", bytes([number]) + changed(document, 0)
        yield f"bad_{name}_signature", bytes([number]) + changed(document, len(document) - 40)
        yield f"bad_{name}_body", bytes([number]) + changed(document, 40)
    yield "good_offered_descriptor", b"\1" + rows["descriptor"][:-64]
    yield "bad_empty", b""
    yield "bad_kind", b"\x0a" + rows["receipt"]
    yield "bad_receipt_as_manifest", b"\2" + rows["receipt"]
    body = rows["manifest"][:-64]
    again = lambda body: b"\2" + signed("manifest", body, SEEDS["shuffler"])
    yield "bad_manifest_outcome_2", again(changed(body, 73, 3))
    yield "bad_manifest_more_reports_than_devices", again(body[:82] + u64(2065) + body[90:])
    yield "bad_manifest_without_width", again(body[:90] + bytes(4) + body[94:])
    yield "bad_manifest_destroyed_with_batch", again(changed(body, 73))
    yield "bad_manifest_signed_as_receipt", b"\2" + signed("receipt", body, SEEDS["shuffler"])
    yield "bad_manifest_of_the_aggregator", b"\2" + signed("manifest", body, SEEDS["aggregator"])
    body = rows["directory"][:-64]
    again = lambda body: b"\4" + signed("key directory", body, SEEDS["issuer"])
    yield "bad_directory_count_3", again(changed(body, 57))
    yield "bad_directory_count_most", again(body[:57] + b"\xff" * 4 + body[61:])
    yield "bad_directory_round_twice", again(body[:61 + 272] + u64(7) + body[61 + 280:])
    yield "bad_directory_even_modulus", again(changed(body, 61 + 8 + 255))
    yield "bad_directory_short_modulus", again(changed(body, 61 + 8, 0x80))
    body = rows["block"][:-64]
    again = lambda body, seed=DEVICE: b"\5" + signed("token block", body, seed)
    entries = lambda count: (body[:65] + count.to_bytes(2, "little") +
                             b"".join(u64(i) + body[75:67 + 267] for i in range(count)))
    yield "good_block_of_1", again(entries(1))
    yield "good_block_of_64", again(entries(64))
    yield "bad_block_of_65", again(entries(65))
    yield "bad_block_of_none", again(entries(0))
    yield "bad_block_count_2", again(changed(body, 65))
    yield "bad_block_count_most", again(body[:65] + b"\xff" * 2 + body[67:])
    yield "bad_block_round_twice", again(body[:67 + 267] + u64(7) + body[75 + 267:])
    yield "bad_block_rounds_not_in_order", again(body[:67 + 267] + u64(12) + body[75 + 267:])
    yield "bad_block_of_another_device", again(body, SEEDS["issuer"])
    yield "bad_block_signed_as_close", b"\5" + signed("close issuance", body, DEVICE)
    body = rows["close"][:-64]
    yield "bad_close_of_the_aggregator", b"\6" + signed("close issuance", body, SEEDS["aggregator"])
    yield "bad_close_signed_as_offer", b"\6" + signed("offer", body, SEEDS["shuffler"])
    yield "bad_offer_as_close", b"\6" + rows["offer"]
    yield "bad_release_as_close", b"\6" + rows["release"]
    yield "bad_close_as_release", b"\x08" + rows["close"]
    yield "bad_release_as_over", b"\x09" + rows["release"]
    yield "bad_over_of_the_shuffler", b"\x09" + signed("task over", body, SEEDS["shuffler"])
    body = rows["offer"][:-64]
    yield "bad_offer_of_the_aggregator", b"\7" + signed("offer", body, SEEDS["aggregator"])
    yield "bad_offer_waits_4", b"\7" + signed("offer", changed(body, 113, 7), SEEDS["shuffler"])
    yield "bad_offer_signed_as_manifest", b"\7" + signed("manifest", body, SEEDS["shuffler"])
    yield "good_offer_of_nothing", b"\7" + signed("offer", body[:33] + bytes(89), SEEDS["shuffler"])


def counted(first, rest):
    return len(first).to_bytes(2, "little") + first + rest


def wire_token():
    issuer = Issuer(stored_vectors("rfc9578-type2.txt", "skS")[0])
    good = token(issuer, fixed("nonce"), challenge_digest(bytes(32), 0), fixed("salt", 48))
    yield "good_token", counted(issuer.spki, good)
    yield "bad_empty", b""
    yield "bad_no_token", counted(issuer.spki, b"")
    yield "bad_short", counted(issuer.spki, good[:-1])
    yield "bad_long", counted(issuer.spki, good + b"\0")
    yield "bad_type", counted(issuer.spki, changed(good, 1))
    yield "bad_nonce", counted(issuer.spki, changed(good, 2))
    yield "bad_challenge", counted(issuer.spki, changed(good, 34))
    yield "bad_key_id", counted(issuer.spki, changed(good, 66))
    yield "bad_signature", counted(issuer.spki, changed(good, 353))
    yield "bad_signature_zero", counted(issuer.spki, good[:98] + bytes(256))
    yield "bad_signature_most", counted(issuer.spki, good[:98] + b"\xff" * 256)
    yield "bad_other_round", counted(issuer.spki, messages()["token"])
    yield "bad_key_short", counted(issuer.spki[:-1], good)
    yield "bad_key_algorithm", counted(changed(issuer.spki, 16, 11), good)  # rsaEncryption in place of RSASSA-PSS
    yield "bad_key_exponent", counted(changed(issuer.spki, 341, 2), good)
    yield "bad_key_even", counted(changed(issuer.spki, 336), good)


def issuer_key():
    pem = stored_vectors("rfc9578-type2.txt", "skS")[0]["skS"].decode()
    der = base64.b64decode(re.search(r"-----\n(.*?)-----END", pem, re.S)[1])
    yield "good_published", der
    yield "good_other", stored_vectors("issuer-key.txt", "key")[0]["key"]
    yield "bad_empty", b""
    yield "bad_text", pem.encode()
    yield "bad_short", der[:-1]
    yield "bad_long", der + b"\0"
    yield "bad_modulus", changed(der, 60)
    modulus = der.index(bytes.fromhex("0282010100")) + 5
    yield "bad_exponent", changed(der, modulus + 256 + 4, 2)
    # libcrypto signs with the primes, and with the secret exponent if that fails; so one of the two may be wrong.
    exponent, prime = modulus + 256 + 5 + 4 + 128, modulus + 256 + 5 + 4 + 256 + 4 + 64
    yield "good_exponent_changed", changed(der, exponent)
    yield "bad_exponent_and_prime_changed", changed(changed(der, exponent), prime)
