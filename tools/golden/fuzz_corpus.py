#!/usr/bin/env python3
"""Writes the seed corpus of the fuzz targets: tests/fuzz/corpus/NAME/good_* and bad_*.

    python3 tools/golden/fuzz_corpus.py [FOLDER]

The reader NAME must accept a good_ file and refuse a bad_ file; tests/fuzz/NAME_target.cc describes how an input
encodes the files of its reader. If a fuzzer finds an input that fails, add it to the lists here, under a name that
describes its defect. The text files of a run's folder are in fuzz_run_files.py, the messages of the wire in
fuzz_wire.py, and what the roles of a deployment read in fuzz_service.py.
"""

import gzip
import hashlib
import json
import pathlib
import struct
import sys

from fuzz_run_files import metrics, result, run_plan
from fuzz_service import enrolment, ledger, model_blob, open_request, task
from fuzz_wire import issuer_key, wire_document, wire_payload, wire_token, wire_upload

IMAGE_SIDE, CIFAR_PIXELS = 28, 3072


def counted(first, rest):
    """Returns two files as one input: the length of the first one in two little-endian bytes, then both files."""
    return struct.pack("<H", len(first)) + first + rest


def packed(data):
    return gzip.compress(data, mtime=0)


def idx_images(count, rows=IMAGE_SIDE, columns=IMAGE_SIDE, magic=0x803, pixels=None):
    size = count * rows * columns if pixels is None else pixels
    return struct.pack(">IIII", magic, count, rows, columns) + bytes(p % 256 for p in range(size))


def idx_labels(count, magic=0x801, claimed=None):
    return struct.pack(">II", magic, count if claimed is None else claimed) + bytes(i % 10 for i in range(count))


def idx():
    images, labels = idx_images(2), idx_labels(2)
    gz = packed(images)
    yield "good_plain", counted(labels, images)
    yield "good_gzip", counted(packed(labels), gz)
    yield "bad_empty", b""
    yield "bad_no_images", counted(labels, b"")
    yield "bad_swapped", counted(images[:99], labels)
    yield "bad_text", counted(b"hello, this is no idx file", b"hello, this is no idx file")
    yield "bad_header_cut", counted(labels, images[:13])
    yield "bad_pixels_cut", counted(labels, images[:-1])
    yield "bad_labels_cut", counted(labels[:-1], images)
    yield "bad_trailing_pixel", counted(labels, images + b"x")
    yield "bad_trailing_label", counted(labels + b"\0", images)
    yield "bad_counts_differ", counted(idx_labels(3), images)
    for name, count in (("none", 0), ("too_many", 1_000_001), ("wraps", 0xFFFFFFFF)):
        yield f"bad_count_{name}", counted(idx_labels(0, claimed=count), idx_images(count, pixels=6))
    yield "bad_count_without_pixels", counted(packed(idx_labels(1_000_000)), idx_images(1_000_000, pixels=6))
    yield "bad_rows", counted(labels, idx_images(2, rows=32, pixels=64))
    yield "bad_columns_zero", counted(labels, idx_images(2, columns=0))
    yield "bad_label_ten", counted(labels[:-1] + b"\x0a", images)
    yield "bad_gzip_cut", counted(labels, gz[:-9])
    yield "bad_gzip_checksum", counted(labels, gz[:-6] + bytes([gz[-6] ^ 1]) + gz[-5:])


def csv():
    header, rows = "width,height,kind\n", "1,2,0\n3,4,1\n5,6,2\n7,8,0\n9,10,1\n11,12,2\n13,14,1\n"
    yield "good_plain", header + rows
    yield "good_gzip", packed((header + rows).encode())
    yield "good_as_people_write", "\ufeffa , b,c\r\n-1.5e-3 ,\t2 , 0\r\n.5,-0,255\r\n1,1,0\r\n1,1,0\r\n1,1,0\r\n1,1,0"
    yield "good_near_zero", "f,label\n1e-50,0\n-1e-400,1\n1.4e-45,0\n3.4028234e38,1\n1e-39,0\n0,0\n"
    yield "good_many_columns", ",".join(["c"] * 300) + "\n" + (",".join(["1"] * 299) + ",3\n") * 6
    values = {"nan": "nan", "infinite": "inf", "negative_infinite": "-inf", "beyond_double": "1e400",
              "beyond_float": "111111e39", "hexadecimal": "0x10", "two": "1 2", "semicolon": "1;2", "signs": "--1",
              "no_exponent": "1e", "text": "two", "missing": ""}
    for name, value in values.items():
        yield f"bad_value_{name}", f"{header}{rows}{value},2,0\n"
    yield "bad_value_byte", (header + rows).encode() + b"\xff,2,0\n"
    yield "bad_value_nul", (header + rows).encode() + b"1\x00,2,0\n"
    labels = {"fraction": "1.0", "negative": "-1", "large": "256", "missing": "", "text": "x", "exponent": "1e1",
              "wraps": "99999999999999999999"}
    for name, label in labels.items():
        yield f"bad_label_{name}", f"{header}{rows}1,2,{label}\n"
    yield "bad_columns_few", header + "1,2\n" + rows
    yield "bad_columns_many", header + "1,2,3,0\n" + rows
    yield "bad_line_empty", header + rows + "\n"
    yield "bad_empty", ""
    yield "bad_header_missing", rows
    yield "bad_header_alone", header
    yield "bad_column_alone", "label\n1\n"
    yield "bad_examples_few", header + "1,2,0\n1,2,1\n"
    yield "bad_gzip_cut", packed((header + rows).encode())[:-9]
    text = "1,2,dog\n3,4,cat\n5,6,dog\n7,8,cat\n9,10,dog\n11,12,cat\n"
    yield "good_quotes", '"wi""dth", "a, b" ,kind\r\n' + '"1","-2.5","0"\r\n' * 6
    yield "good_label_text", header + text + '5,6,"\u00e9mu, ""big"""\n'
    yield "bad_quote_open", header + rows + '1,"2,0\n1,2,0\n'
    yield "bad_quote_cut", header + rows + '1,2,"0'
    yield "bad_quote_newline", '"wid\nth",height,kind\n' + rows
    yield "bad_quote_inside", header + rows + '1,2"",0\n'
    yield "bad_quote_then_text", header + rows + '1,"2"3,0\n'
    yield "bad_quote_then_blanks", header + rows + '1," 2 ",0\n'
    for name, label in {"number": "1", "long": "x" * 101, "nul": "a\0b", "escape": "\x1b[2J", "na": "NA"}.items():
        yield f"bad_text_label_{name}", f"{header}{text}1,2,{label}\n"
    yield "bad_text_label_latin", (header + text).encode() + b"1,2,caf\xe9\n"
    yield "bad_text_label_alone", header + "1,2,dog\n" * 6
    yield "bad_text_label_untrained", header + text.replace("11,12,cat", "11,12,emu")
    yield "bad_text_header_missing", text + text
    yield "bad_text_labels_many", header + "".join(f"1,2,c{i}\n" for i in range(300))
    yield "bad_columns_too_many", "a" + ",a" * 65_536 + "\n"
    yield "bad_value_na", header + rows + "1,NA,0\n"
    split = "part,kind,f\ntrain,b,1\ntest,a,2\ntrain,a,3\n"
    yield "good_split", "\1kind\npart\n0\n" + split
    yield "bad_split_word", "\1kind\npart\n0\n" + split + "Train,a,1\n"
    yield "bad_split_missing", "\1kind\npart\n0\n" + split + ",a,1\n"
    yield "bad_split_one_part", "\1kind\npart\n0\n" + split.replace("test", "train")
    yield "bad_split_is_label", "\1kind\nkind\n0\n" + split
    yield "bad_split_unknown", "\1kind\nparts\n0\n" + split
    yield "bad_label_unknown", "\1king\n\n0\n" + header + rows
    yield "bad_label_twice", "\1a\n\n0\na,a,b\n1,1,1\n"
    for name, test in {"good_test_file": header + "1,2,2\n", "bad_test_file_class": header + "1,2,3\n",
                       "bad_test_file_text": header + "1,2,dog\n", "bad_test_file_header": rows,
                       "bad_test_file_columns": "height,width,kind\n1,2,0\n", "bad_test_file_none": header,
                       "bad_test_file_fewer": "width,height\n1,0\n"}.items():
        yield name, f"\1\n\n{len(test)}\n" + test + header + rows


def cifar_records(count, labels, label=3):
    return b"".join(bytes([17] * (labels - 1) + [label]) + bytes((i + p) % 7 for p in range(CIFAR_PIXELS))
                    for i in range(count))


def cifar():
    ten, hundred = b"\1", b"\0"
    one_of_ten, one_of_hundred = cifar_records(1, 1), cifar_records(1, 2, 99)
    yield "good_hundred", hundred + counted(one_of_hundred, one_of_hundred)
    yield "good_ten", ten + counted(one_of_ten, one_of_ten)
    yield "good_gzip", ten + counted(packed(one_of_ten), packed(cifar_records(7, 1)))
    yield "bad_empty", b""
    yield "bad_no_training", hundred + counted(one_of_hundred, b"")
    yield "bad_no_test", hundred + counted(b"", packed(one_of_hundred))
    yield "bad_one_byte", ten + counted(b"\0", packed(one_of_ten))
    yield "bad_record_cut", ten + counted(b"", one_of_ten[:-1])
    yield "bad_record_and_a_byte", hundred + counted(b"", packed(one_of_hundred + b"x"))
    yield "bad_label_ten", ten + counted(b"", packed(cifar_records(1, 1, 10)))
    yield "bad_label_hundred", hundred + counted(b"", packed(cifar_records(1, 2, 100)))
    yield "bad_gzip_cut", hundred + counted(b"", packed(one_of_hundred)[:-9])


def checkpoint_of(version=4, plan=b"a" * 60 + b"0f19", fidelity=1, messages=3456, seconds=1.5, neutral=21, sampler=2,
                  dimension=3, floats=9):
    body = b"musterck" + struct.pack("<I", version) + plan + bytes(32)
    body += struct.pack("<QQQdQ", fidelity, 12, messages, seconds, 99)
    if version >= 3:
        body += struct.pack("<QQ", neutral, 60_000)
    if version >= 4:
        body += struct.pack("<Q", sampler)
    return body + struct.pack("<QQ", 11, dimension) + struct.pack(f"<{floats}f", *range(floats))


def checkpoint():
    """Yields checkpoints without their hash, which the fuzz target appends. Only good_sealed already has its hash."""
    whole = checkpoint_of()
    for version in (2, 3, 4):
        yield f"good_version_{version}", checkpoint_of(version)
    yield "good_sealed", whole + hashlib.blake2b(whole, digest_size=32).digest()
    yield "good_no_parameters", checkpoint_of(dimension=0, floats=0)
    yield "bad_empty", b""
    yield "bad_text", b"this is no checkpoint of muster"
    yield "bad_magic_alone", b"musterck"
    yield "bad_header_cut", whole[:100]
    yield "bad_floats_cut", whole[:-1]
    for version in (0, 1, 5, 0xFFFFFFFF):
        yield f"bad_version_{version}", checkpoint_of(version)
    yield "bad_hash_letters", checkpoint_of(plan=b"A" * 64)
    yield "bad_fidelity", checkpoint_of(fidelity=2)
    yield "bad_seconds_negative", checkpoint_of(seconds=-1.0)
    yield "bad_seconds_nan", checkpoint_of(seconds=float("nan"))
    yield "bad_seconds_infinite", checkpoint_of(seconds=float("inf"))
    yield "bad_neutral", checkpoint_of(neutral=3457)
    yield "bad_sampler", checkpoint_of(sampler=0)
    for name, dimension in (("small", 2), ("large", 4), ("zero", 0), ("wraps", 1 << 62 | 3)):
        yield f"bad_dimension_{name}", checkpoint_of(dimension=dimension)


def model_of(header, values=b""):
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return struct.pack("<Q", len(text)) + text + values


def model():
    about = {"model": "logistic", "input": "1x1x2", "classes": "3"}
    whole = {"__metadata__": about, "fc1.weight": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]},
             "fc1.bias": {"dtype": "F32", "shape": [3], "data_offsets": [24, 36]}}
    values = struct.pack("<9f", *range(9))
    yield "good_logistic", model_of(whole, values)
    yield "good_statistic", model_of({"mean": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}, values)
    yield "good_cnn_too_small", model_of({"__metadata__": about | {"model": "cnn"}})
    yield "good_many_inputs", model_of({"__metadata__": about | {"input": "65536x65536x65536"}})
    yield "good_empty", model_of({})
    yield "good_no_values", model_of({"a": {"dtype": "F32", "shape": [0, 1 << 62], "data_offsets": [0, 0]}})
    yield "bad_empty", b""
    yield "bad_length_alone", struct.pack("<Q", 2)
    yield "bad_length_huge", b"\xff" * 8 + b"{}"
    yield "bad_header", model_of("[]")
    yield "bad_brackets", model_of('{"a":' + "[" * 2000)
    yield "bad_metadata", model_of({"__metadata__": {"model": 1}})
    yield "bad_name_escape", model_of({"\x1b[2J": {}})
    yield "bad_values_cut", model_of(whole, values[:-1])
    yield "bad_values_left", model_of(whole, values + b"x")
    for key, wrong in {"dtype": "F16", "shape": [2, 2], "data_offsets": [4, 28]}.items():
        yield f"bad_{key}", model_of(whole | {"fc1.weight": whole["fc1.weight"] | {key: wrong}}, values)
    yield "bad_shape_wraps", model_of({"a": {"dtype": "F32", "shape": [1 << 32, 1 << 32], "data_offsets": [0, 0]}})
    yield "bad_shape_negative", model_of({"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 0]}})


ACCOUNT = """[population]
clients = 600
[participation]
protocol = "{protocol}"
{participation}
[randomizer]
{randomizer}
[rounds]
count = 68
[privacy]
delta = 1e-5
"""

TRAIN = """name = "tiny"
seed = 1
population = {clients = 600, data = "digits"}
participation.protocol = "shuffled-check-in"
participation.rate = [0.1, 0.2]
participation.dropout = [[1, 0.1], [9, 0.25]]
randomizer = {kind = "ldp-sgd", epsilon0 = 2.0, clip = 0.1}
rounds.count = 68
rounds.learning_rate = [[1, 1.0], [20, 0.5]]
rounds.momentum = 0.5
model.kind = "cnn"
privacy.delta = 1e-5
privacy.budget = 3.5
"""


def account(protocol="shuffle", participation="", randomizer='kind = "pure"\nepsilon0 = 2'):
    return ACCOUNT.format(protocol=protocol, participation=participation, randomizer=randomizer)


def with_line(key, literal):
    """Returns TRAIN with `literal` as the value of `key`, in a line at the end."""
    lines = [line for line in TRAIN.splitlines() if not line.startswith(key)]
    return "\n".join([*lines, f"{key} = {literal}", ""])


def plan():
    yield "good_train", TRAIN
    yield "good_shuffle", account()
    yield "good_subset", account("subset", "subset = 60")
    yield "good_slots", account("random-check-in-averaged", "rate = 0.5\nslots = 30")
    yield "good_gaussian", account("aggregated-check-in", "rate = 0.1\nminimum = 5", 'kind = "gaussian"\nsigma = 5')
    for name, path in {"missing": "/no/such/file.csv", "folder": "/", "device": "/dev/null", "empty": ""}.items():
        yield f"bad_profile_{name}", account("subset", "subset = 60", f'kind = "profile"\nprofile = "{path}"')
    yield "good_k_rr", account("shuffled-check-in", "rate = 1", 'kind = "k-rr"\nepsilon0 = 1.5\nk = 10')
    syntax = {"equals": "seed = = 3\n", "duplicate": "[rounds]\ncount = 1\ncount = 2\n",
              "section_twice": "[rounds]\n[rounds]\n", "beyond_double": "x = 1e400\n",
              "beyond_integer": "x = 9223372036854775808\n", "string_open": 'x = "open\n', "two": "x = 1 y = 2\n",
              "brackets": "x = " + "[" * 600 + "\n", "tables": "x = " + "{a = " * 600 + "\n",
              "control_character": 'name = "a\\u001b[2J"\n', "empty": "", "section_for_key": "privacy = 3\n",
              "date": "seed = 1979-05-27T07:32:00Z\n", "key_unknown": "population.client = 3\n",
              "dots": "a" + ".a" * 2000 + " = 1\n"}
    for name, text in syntax.items():
        yield f"bad_{name}", text
    yield "bad_bytes", b'x = "\xff"\n'
    yield "bad_letter_in_key", "na\u00efve = 1\n"
    yield "bad_letter_after_quote_in_word", 'seed = 1979-05-/word"\u00e9\n'
    yield "bad_letter_in_value", "seed = 1 \u00e9\n"
    yield "bad_byte_order_mark_cut", b"\xef\xbb"
    literals = {
        "participation.rate": {"zero": "0", "above_one": "1.0000000000000002", "backwards": "[0.2, 0.1]", "nan": "nan",
                               "three": "[0.1, 0.2, 0.3]", "in_words": '"0.1:0.2"', "table": "{a = 1}",
                               "table_of_small_numbers": "{a = {b = [[1, 0.1]]}}"},
        "participation.dropout": {"late": "[[2, 0.1]]", "twice": "[[1, 0.1], [1, 0.2]]", "alone": "[[1]]",
                                  "one": "1", "nested": "[[[[1]]]]"},
        "rounds.count": {"negative": "-1", "fraction": "1.5", "float": "1e6", "infinite": "inf", "text": '"many"'},
        "rounds.learning_rate": {"zero": "0", "square_root_of_zero": '"inverse-sqrt:0"', "late": "[[2, 1.0]]",
                                 "nan": "[[1, nan]]", "text": '[[1, "a"]]', "empty": "[]"},
        "name": {"parent": '".."', "slash": '"a/b"', "nul": '"a\\u0000b"', "empty": '""'},
        "privacy.delta": {"zero": "0", "one": "1", "true": "true"},
        "participation.protocol": {"unknown": '"poisson"'},
        "participation.subset": {"inapplicable": "10"},
        "model.kind": {"unknown": '"resnet"'}}
    for key, wrong in literals.items():
        for name, literal in wrong.items():
            yield f"bad_{key.replace('.', '_')}_{name}", with_line(key, literal)


TABLE = "alpha,divergence\n1,0.5\n1.5,0.4\n2,0.32\n4,0.1\n8,0\n"
CHANNEL = "0.5,0.25,0.25\n0.25,0.5,0.25\n0.25,0.25,0.5\n"


def profile():
    yield "good_table", TABLE
    yield "good_table_unbounded", "alpha,divergence\n1,0.5\n1.5,0.4\n2,0.32\ninf,0.1\n"
    yield "good_table_as_people_write", "\ufeff# mine\r\n\r\nalpha , divergence\r\n 1,\t.5 \r\n3,2E-1\r\n6.,-0"
    yield "good_table_extremes", "alpha,divergence\n1,1e-100\n1.0000000000000002,0.9e-100\n1e300,0\n"
    yield "good_table_all_revealed", "alpha,divergence\n1,1\n1e300,1\n"
    yield "good_channel", CHANNEL
    yield "good_channel_zero", "0.5,0.5,0\n0,0.5,0.5\n"
    yield "good_channel_identity", "1,0\n0,1\n"
    yield "good_channel_rare", "1,1e-300\n0.5,0.5\n"
    yield "good_channel_nearly_equal", "1,0e314\n01,1e-75\n"
    weights = [[1 + (7 * x + 3 * y) % 11 for y in range(30)] for x in range(20)]
    yield "good_channel_many_ratios", "".join(",".join(repr(w / sum(row)) for w in row) + "\n" for row in weights)
    yield "bad_empty", ""
    yield "bad_comments", "# nothing\n\n"
    yield "bad_header_alone", "alpha,divergence\n"
    yield "bad_header_unknown", "alpha,delta\n1,0.5\n2,0.3\n"
    yield "bad_header_missing", "1,0.5\n2,0.32\n"
    yield "bad_semicolons", "alpha;divergence\n1;0.5\n2;0.3\n"
    yield "bad_row_alone", "alpha,divergence\n1,0.5\n"
    yield "bad_rows_many", "alpha,divergence\n" + "".join(f"{1 + i / 1000},0.5\n" for i in range(4001))
    yield "bad_lines_many", "\n" * 10_001
    yield "bad_control_character", TABLE + "9,0\x1b[2J\n"
    yield "bad_bytes", TABLE.encode() + b"9,\xff\n"
    yield "bad_nul", TABLE + "9,0\0\n"
    rows = {"alpha_first": "1.1,0.5\n2,0.3", "alpha_below_one": "0.5,0.75\n1,0.5", "alpha_same": "1,0.5\n1,0.4",
            "alpha_falls": "1,0.5\n3,0.2\n2,0.3", "alpha_nan": "1,0.5\nnan,0.3", "alpha_beyond": "1,0.5\n2e300,0.3",
            "alpha_beyond_double": "1,0.5\n1e400,0.3", "alpha_negative": "1,0.5\n-2,0.3", "alpha_signed": "1,0.5\n+2,0.3",
            "alpha_hexadecimal": "1,0.5\n0x2,0.3", "alpha_missing": "1,0.5\n,0.3", "value_missing": "1,0.5\n2,",
            "value_nan": "1,0.5\n2,nan", "value_infinite": "1,0.5\n2,inf", "value_negative": "1,0.5\n2,-1e-9",
            "value_above_one": "1,1.0000000000000002\n2,0.3", "value_increases": "1,0.5\n2,0.3\n3,0.31",
            "value_concave": "1,0.5\n1.5,0.4\n2,0.35\n4,0.1", "value_steep": "1,0.5\n2,0.2",
            "value_zero_at_one": "1,0\n2,0", "value_tiny_at_one": "1,9e-101\n2,0", "columns_one": "1,0.5\n2",
            "columns_three": "1,0.5\n2,0.3,0", "infinity_above": "1,0.5\n2,0.3\ninf,0.31",
            "infinity_negative": "1,0.5\n2,0.3\ninf,-0.1", "infinity_first": "inf,0\n1,0.5\n2,0.3",
            "infinity_twice": "1,0.5\n2,0.3\ninf,0\ninf,0"}
    for name, text in rows.items():
        yield f"bad_{name}", f"alpha,divergence\n{text}\n"
    channels = {"row_alone": "0.5,0.5", "column_alone": "1\n1", "rows_equal": "0.5,0.5\n0.5,0.5",
                "ragged": "0.5,0.5\n0.2,0.3,0.5", "entry_negative": "0.5,0.5\n-0.5,1.5",
                "entry_nan": "0.5,0.5\nnan,0.5", "entry_missing": "0.5,0.5\n,1", "sum_low": "0.5,0.5\n0.4,0.59",
                "sum_high": "0.5,0.5\n0.4,0.61", "blanks": "0.5 0.5\n0.4 0.6"}
    for name, text in channels.items():
        yield f"bad_channel_{name}", text + "\n"
    yield "bad_channel_tall", "0.5,0.5\n0.25,0.75\n" * 129
    yield "bad_channel_wide", ",".join(["0"] * 4096 + ["1"]) + "\n"


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    corpus = pathlib.Path(arguments[1]) if len(arguments) > 1 else root / "tests/fuzz/corpus"
    for inputs in (idx, csv, cifar, checkpoint, model, plan, profile, run_plan, metrics, result, wire_upload,
                   wire_payload, wire_document, wire_token, issuer_key, task, enrolment, ledger, model_blob, open_request):
        folder = corpus / inputs.__name__
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in inputs():
            (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


main(sys.argv)
