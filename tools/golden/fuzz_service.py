"""The seed corpus of the fuzz targets of the service, for fuzz_corpus.py: task documents, enrolment files, ledgers, the
blobs of models and requests to open a round, and others made from them that a reader must refuse."""
import hashlib
import struct

from fuzz_wire import changed
from wire import messages, u64

TASK = """model.kind = features+linear
model.pretrain_epochs = 3
model.public_data = digits
name = deploy-digits
participation.dropout = 0
participation.protocol = shuffled-check-in
participation.rate = 0.5
population.clients = 2048
population.data = digits
privacy.delta = 1e-05
randomizer.clip = 0.5
randomizer.epsilon0 = 2
randomizer.kind = ldp-sgd
rounds.average = 0.1
rounds.checkpoint_every = 1
rounds.count = 20
rounds.learning_rate = inverse-sqrt:10
rounds.log_every = 1
rounds.momentum = 0
rounds.weight_decay = 0
seed = 1
task.aggregator = {aggregator}
task.issuer = {issuer}
task.malicious = 16
task.most_rounds = 22
task.randomness = os
task.seconds = 6
task.shuffler = {shuffler}
task.wire = 1
""".format(aggregator="a1" * 32, issuer="15" * 32, shuffler="5f" * 32)


def with_value(key, value):
    return "".join(f"{key} = {value}\n" if line.startswith(key + " ") else line for line in TASK.splitlines(True))


def task():
    yield "good_images", TASK
    yield "good_seeded", with_value("task.randomness", "seeded")
    yield "good_nobody_hostile", with_value("task.malicious", "0")
    records = TASK.replace("task.issuer", "task.classes = 3\ntask.features = 4\ntask.issuer")
    records = records.replace("population.data = digits", "population.data = csv:records.csv")
    records = records.replace("kind = features+linear\nmodel.pretrain_epochs = 3\nmodel.public_data = digits",
                              "kind = logistic")
    yield "good_records", records
    yield "bad_records_without_shape", records.replace("task.classes = 3\ntask.features = 4\n", "")
    yield "bad_images_with_shape", TASK.replace("task.issuer", "task.classes = 3\ntask.features = 4\ntask.issuer")
    yield "bad_empty", ""
    yield "bad_no_end_of_line", TASK[:-1]
    yield "bad_blank_line", TASK + "\n"
    yield "bad_twice", TASK + "task.wire = 1\n"
    yield "bad_order", "task.wire = 1\n" + TASK.replace("task.wire = 1\n", "")
    yield "bad_windows_lines", TASK.replace("\n", "\r\n")
    yield "bad_byte_order_mark", "\ufeff" + TASK
    yield "bad_no_equals", TASK.replace("task.wire = 1", "task.wire: 1")
    yield "bad_key", TASK.replace("task.wire", "task.word")
    yield "bad_control_character", with_value("name", "a\x1b[2J")
    yield "bad_control_character_in_key", TASK.replace("seed", "s\x07ed")
    yield "bad_nul", with_value("seed", "1\0")
    yield "bad_bytes", TASK.encode() + b"task.x\xff = 1\n"
    for key in ("rounds.momentum", "task.aggregator", "task.malicious", "task.randomness", "task.wire"):
        yield f"bad_without_{key}", "".join(l for l in TASK.splitlines(True) if not l.startswith(key))
    wrong = {"task.malicious": ("-1", "016", "16 ", "2049", "18446744073709551616", "0x10", ""),
             "task.most_rounds": ("19", "9223372036854775808"), "task.seconds": ("0", "604801", "1e3"),
             "task.randomness": ("OS", "none", ""), "task.wire": ("0", "2", "1.0"),
             "task.aggregator": ("A1" * 32, "a1" * 31, "15" * 32, ""),
             "participation.protocol": ("subset", "random-check-in"), "participation.rate": ("0", "1.5", "nan", "0.50"),
             "randomizer.kind": ("profile",), "privacy.delta": ("0.00001", "1"), "population.clients": ("0",)}
    for key, values in wrong.items():
        for number, value in enumerate(values):
            yield f"bad_{key}_{number}", with_value(key, value)


def enrolment():
    one, other = "a1" * 32, "0b" * 32
    yield "good_two", f"{one}\n{other}\n"
    yield "good_comments", f"# devices of site 3\n\n  {one}\t# the oven\r\n{other}"
    yield "good_capitals", one.upper()
    yield "good_empty", ""
    yield "bad_short", one[:-1] + "\n"
    yield "bad_long", one + "0\n"
    yield "bad_two_on_a_line", f"{one} {other}\n"
    yield "bad_twice", f"{one}\n{other}\n{one}\n"
    yield "bad_twice_in_capitals", f"{one}\n{one.upper()}\n"
    yield "bad_letter", "g" + one[1:]
    yield "bad_control_character", one + "\x1b[2J\n"
    yield "bad_nul", one + "\0\n"
    yield "bad_bytes", one.encode() + b"\n\xff\xfe\n"


# The kinds of the entries of a ledger.
TASK_ENTRY, OPEN, RELEASE, SPENT, VOID, END = range(6)


def f64(value):
    return struct.pack("<d", value)


def linked(*entries):
    """Returns the rows of a ledger: each entry and the hash that links it to the one before it."""
    before, rows = bytes(32), []
    for number, entry in enumerate(entries):
        before = hashlib.blake2b(b"muster ledger" + before + u64(number) + entry, digest_size=32).digest()
        rows.append(entry + before)
    return rows


def entry(kind, *fields):
    return bytes([kind]) + b"".join(fields)


def opened(round_number, update):
    return entry(OPEN, u64(round_number), u64(update), *(bytes([b]) * 32 for b in range(5)))


def counted_rows(rows):
    return b"".join(len(row).to_bytes(2, "little") + row for row in rows)


def ledger():
    manifest, of_task = messages()["manifest"], entry(TASK_ENTRY, b"\x07" * 32, f64(0.6), f64(1e-5))
    released = lambda number, epsilon: entry(RELEASE, u64(number), f64(epsilon), b"\x08" * 32, manifest)
    spent = lambda number, epsilon, why=0: entry(SPENT, u64(number), f64(epsilon), bytes([why]), manifest)
    void, end = lambda number: entry(VOID, u64(number), manifest), lambda why, epsilon: entry(END, bytes([why]), f64(epsilon))
    whole = [of_task, opened(1, 0), released(1, 0.1), opened(2, 1), void(2), opened(3, 1), spent(3, 0.2), opened(4, 1),
             released(4, 0.25), end(0, 0.25)]
    rows = linked(*whole)
    yield "good_whole", counted_rows(rows)
    yield "good_nothing", b""
    yield "good_open_round", counted_rows(rows[:4])
    yield "good_stopped_at_once", counted_rows(linked(of_task, end(3, 0.0)))
    for why in range(5):
        yield f"good_spent_{why}", counted_rows(linked(of_task, opened(1, 0), spent(1, 0.1, why), end(why, 0.1)))
    yield "bad_row_missing", counted_rows(rows[:2] + rows[3:])
    yield "bad_first_row_missing", counted_rows(rows[1:])
    yield "bad_rows_exchanged", counted_rows(rows[:1] + [rows[2], rows[1]] + rows[3:])
    yield "bad_row_cut", counted_rows(rows[:-1] + [rows[-1][:-1]])
    yield "bad_row_longer", counted_rows(rows[:-1] + [rows[-1] + b"\0"])
    yield "bad_empty_row", counted_rows([*rows[:3], b""])
    yield "bad_hash_alone", counted_rows([rows[0][-32:]])
    yield "bad_changed_epsilon", counted_rows([*rows[:2], changed(rows[2], 12)])
    wrong = {"kind": (entry(6, bytes(40)),), "task_twice": (of_task, of_task), "no_task": (opened(1, 0),),
             "open_twice": (of_task, opened(1, 0), opened(2, 0)), "round_0": (of_task, opened(0, 0)),
             "round_skipped": (of_task, opened(2, 0)), "update": (of_task, opened(1, 1)),
             "outcome_alone": (of_task, released(1, 0.1)), "outcome_of_another": (of_task, opened(1, 0), void(2)),
             "smaller_epsilon": (*whole[:3], opened(2, 1), spent(2, 0.05)), "after_the_end": (*whole, opened(5, 2)),
             "end_while_open": (of_task, opened(1, 0), end(0, 0.0)), "end_epsilon": (*whole[:-1], end(0, 0.3)),
             "spent_reason": (of_task, opened(1, 0), spent(1, 0.1, 5)), "end_reason": (of_task, end(5, 0.0)),
             "field_missing": (of_task[:-1],)}
    for name, entries in wrong.items():
        yield f"bad_{name}", counted_rows(linked(*entries))
    for name, amount in {"nan": float("nan"), "infinite": float("inf"), "negative": -0.1, "zero": 0.0, "minus_zero": -0.0,
                         "subnormal": 5e-324}.items():
        yield f"bad_release_{name}", counted_rows(linked(of_task, opened(1, 0), released(1, amount)))
        yield f"bad_task_{name}", counted_rows(linked(entry(TASK_ENTRY, b"\x07" * 32, f64(amount), f64(1e-5))))
    yield "bad_task_delta_one", counted_rows(linked(entry(TASK_ENTRY, b"\x07" * 32, f64(0.6), f64(1.0))))


# Of the cnn of 14 x 14 pixels in one channel and two classes: two convolutions, and two dense layers.
SMALLEST_CNN = (16 * 64 + 16) + (32 * 16 * 16 + 32) + (32 * 32 + 32) + (2 * 32 + 2)


def model_blob():
    floats = lambda *values: struct.pack(f"<{len(values)}f", *values)
    model, frozen = lambda *values: b"\0" + floats(*values), lambda *header: b"\1" + struct.pack("<IIIIB", *header)
    parameters = floats(*(i / 64 for i in range(SMALLEST_CNN)))
    yield "good_model", model(0, 1, -1.5, 3.4028234e38)
    yield "good_model_of_none", model()
    yield "good_model_minus_zero_and_subnormal", model(-0.0, 1e-45)
    yield "bad_model_cut", model(1, 2)[:-1]
    yield "bad_model_nan", model(1, float("nan"))
    yield "bad_model_signalling_nan", b"\0" + bytes.fromhex("0100a07f")
    yield "bad_model_infinite", model(float("-inf"))
    yield "good_frozen_relu", frozen(14, 14, 1, 2, 0) + parameters
    yield "good_frozen_tanh", frozen(14, 14, 1, 2, 1) + parameters
    yield "bad_empty", b""
    yield "bad_kind", b"\2" + floats(1)
    yield "bad_frozen_empty", b"\1"
    yield "bad_frozen_header_cut", frozen(14, 14, 1, 2, 0)[:-1]
    yield "bad_frozen_header_alone", frozen(14, 14, 1, 2, 0)
    yield "bad_frozen_cut", frozen(14, 14, 1, 2, 0) + parameters[:-1]
    yield "bad_frozen_longer", frozen(14, 14, 1, 2, 0) + parameters + b"\0"
    yield "bad_frozen_infinite", frozen(14, 14, 1, 2, 0) + floats(float("inf")) + parameters[4:]
    headers = {"activation": (14, 14, 1, 2, 2), "height_small": (13, 14, 1, 2, 0), "width_none": (14, 0, 1, 2, 0),
               "height_most": (2**32 - 1, 14, 1, 2, 0), "channels_none": (14, 14, 0, 2, 0),
               "channels_most": (14, 14, 2**32 - 1, 2, 0), "classes_none": (14, 14, 1, 0, 0),
               "classes_most": (14, 14, 1, 2**32 - 1, 0), "all_large": (4096, 4096, 4096, 256, 0)}
    for name, header in headers.items():
        yield f"bad_frozen_{name}", frozen(*header) + parameters


def open_request():
    offered = messages()["descriptor"][:-64]
    rows = linked(entry(TASK_ENTRY, b"\x07" * 32, f64(0.6), f64(1e-5)), opened(1, 0))
    long = lambda content: struct.pack("<I", len(content)) + content
    yield "good_two_rows", u64(0) + offered + b"".join(map(long, rows))
    yield "good_later_row", u64(1) + offered + long(rows[1])
    yield "good_no_row", u64(0) + offered
    yield "good_shortest_row", u64(2**64 - 1) + offered + long(bytes(32))
    yield "bad_empty", b""
    yield "bad_first_alone", u64(0)
    yield "bad_descriptor_cut", u64(0) + offered[:-1]
    yield "bad_length_cut", u64(0) + offered + long(rows[0])[:3]
    yield "bad_row_cut", u64(0) + offered + long(rows[0])[:-1]
    yield "bad_row_of_nothing", u64(0) + offered + bytes(4)
    yield "bad_row_below_shortest", u64(0) + offered + long(bytes(31))
    yield "bad_length_most", u64(0) + offered + b"\xff" * 4 + rows[0]
    yield "bad_one_byte_more", u64(0) + offered + long(rows[0]) + b"\0"
