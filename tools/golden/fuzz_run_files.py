"""The seed corpora of the text files in a run's folder: plan.txt, metrics.jsonl and result.json.

fuzz_corpus.py writes them. The files of metrics and result belong to the runs of tests/fuzz/stored_run.h.
"""

import json

IN_SLOTS = b"\1"  # stands before a file of the run in slots

RUN_PLAN = {
    "model.kind": "logistic", "name": "tiny", "participation.dropout": "[[1, 0.1], [9, 0.25]]",
    "participation.protocol": "shuffled-check-in", "participation.rate": "[0.1, 0.2]", "population.clients": "600",
    "population.data": "digits", "privacy.budget": "3.5", "privacy.delta": "1e-05", "randomizer.clip": "0.1",
    "randomizer.epsilon0": "2", "randomizer.kind": "ldp-sgd", "rounds.average": "0", "rounds.checkpoint_every": "3",
    "rounds.count": "68", "rounds.learning_rate": "[[1, 1], [20, 0.5]]", "rounds.log_every": "1",
    "rounds.momentum": "0.5", "rounds.weight_decay": "0", "seed": "18446744073709551615"}


def run_plan_of(changes=None, without=()):
    """Returns the canonical text of RUN_PLAN with the keys of `changes` changed or added, and without those of
    `without`."""
    keys = {key: value for key, value in (RUN_PLAN | (changes or {})).items() if key not in without}
    return "".join(f"{key} = {keys[key]}\n" for key in sorted(keys))


def good_run_plans():
    coins = ("participation.dropout", "participation.rate")
    statistic = {"model.kind": "mean", "rounds.momentum": "0"}
    yield "check_in", run_plan_of()
    yield "numbers_alone", run_plan_of({"participation.dropout": "0", "participation.rate": "1"})
    yield "shuffle", run_plan_of({"participation.protocol": "shuffle"}, coins)
    yield "subset", run_plan_of({"participation.protocol": "subset", "participation.subset": "60"}, coins)
    yield "slots", run_plan_of({"participation.protocol": "random-check-in-fixed", "participation.slots": "30",
                                "rounds.batch": "5"})
    yield "gaussian", run_plan_of({"participation.protocol": "aggregated-check-in", "participation.minimum": "5",
                                   "randomizer.kind": "gaussian", "randomizer.sigma": "1e+22"},
                                  ("randomizer.epsilon0",))
    yield "k_rr", run_plan_of(statistic | {"model.kind": "histogram", "randomizer.k": "10", "randomizer.kind": "k-rr"},
                              ("randomizer.clip", "rounds.learning_rate"))
    yield "laplace", run_plan_of(statistic | {"randomizer.kind": "laplace"}, ("rounds.learning_rate",))
    yield "features", run_plan_of({"model.activation": "tanh", "model.kind": "features+linear",
                                   "model.pretrain_epochs": "0", "model.public_data": "idx:public"})
    yield "csv", run_plan_of({"population.data": "csv:a = b/[\u00e9] c.csv", "population.label": "the label",
                              "population.records": "user", "population.split": "[part]"})
    yield "records", run_plan_of({"population.partition": "dirichlet:0.3", "population.records": "5",
                                  "population.share": "true", "rounds.local_batch": "2", "rounds.local_rate": "0.5",
                                  "rounds.local_steps": "7", "rounds.projection": "1e-300"})
    yield "inverse_sqrt", run_plan_of({"rounds.learning_rate": "inverse-sqrt:0.5"})
    # A flag can name a path that is not UTF-8.
    yield "path_of_bytes", run_plan_of({"population.data": "idx:?"}).encode().replace(b"?", b"\xff")


def bad_run_plan_texts():
    whole = run_plan_of()
    lines = whole.splitlines(keepends=True)
    yield "empty", ""
    yield "toml", 'name = "tiny"\nseed = 1\n'
    yield "line_without_end", whole[:-1]
    yield "line_empty", whole + "\n"
    yield "lines_many", "name = a\n" * 900
    yield "lines_reversed", "".join(reversed(lines))
    yield "lines_of_windows", whole.replace("\n", "\r\n")
    yield "equals_missing", whole + "seed\n"
    yield "blanks_missing", whole.replace(" = ", "=")
    yield "blanks_around", whole.replace(" = ", "  =  ")
    yield "byte_order_mark", "\ufeff" + whole
    yield "key_unknown", run_plan_of({"population.client": "3"})
    yield "key_twice", whole + lines[-1]
    yield "key_without_flag_twice", "name = b\n" + whole
    yield "key_bytes", b"\xff" + whole.encode()
    yield "name_bytes", whole.encode().replace(b"tiny", b"t\xffny")
    yield "array_bytes", whole.encode().replace(b"[[1, 1]", b'["\xff"')
    for key in ("model.kind", "name", "participation.protocol", "participation.rate", "population.clients",
                "population.data", "privacy.delta", "randomizer.clip", "randomizer.epsilon0", "randomizer.kind",
                "rounds.count", "rounds.learning_rate", "rounds.log_every", "seed"):
        yield f"without_{key.replace('.', '_')}", run_plan_of(without=(key,))


ARRAYS = {
    "open": "[[1, 1], [20, 0.5]", "closed_twice": "[[1, 1], [20, 0.5]]]", "comment": "[[1, 1], [20, 0.5]] # half",
    "blanks_missing": "[[1,1],[20,0.5]]", "one_step": "[[1, 1]]", "empty": "[]", "late": "[[2, 1], [20, 0.5]]",
    "same_round": "[[1, 1], [1, 0.5]]", "rounds_decreasing": "[[1, 1], [20, 0.5], [9, 1]]", "zero": "[[1, 1], [9, 0]]",
    "text": '[[1, 1], [9, "a"]]', "nan": "[[1, 1], [9, nan]]", "infinite": "[[1, 1], [9, inf]]",
    "beyond_double": "[[1, 1], [9, 1e400]]", "round_negative": "[[-1, 1], [9, 1]]",
    "round_beyond_integer": "[[1, 1], [9223372036854775808, 1]]", "letter": "[1, \u00e9]", "brackets": "[" * 30_000,
    "brackets_closed": "[" * 2_000 + "]" * 2_000, "tables": "[" + "{a = [" * 600,
    "dots": "[{a" + ".a" * 20_000 + " = 1}]"}

VALUES = {
    "participation.rate": {"zero": "0", "above_one": "1.0000000000000002", "negative": "-0.1", "nan": "nan",
                           "infinite": "inf", "beyond_double": "1e400", "digit_more": "0.10", "blank_after": "0.1 ",
                           "plus": "+0.1", "backwards": "[0.2, 0.1]", "in_words": "0.1:0.2", "no_range": "[0.1, 0.1]"},
    "participation.dropout": {"negative_zero": "-0", "negative_zero_of_step": "[[1, -0.0], [9, 0.25]]", "one": "1",
                              "one_later": "[[1, 0.1], [9, 1]]"},
    "participation.protocol": {"unknown": "poisson", "without_coins": "shuffle"},
    "participation.subset": {"inapplicable": "10"},
    "population.clients": {"zero": "0", "exponent": "6e2", "too_many": "1000000000001", "negative": "-1",
                           "wraps": "18446744073709551617", "hexadecimal": "0x10"},
    "population.data": {"empty": "", "no_path": "idx:", "tab": "idx:a\tb", "escape": "idx:\x1b[2J",
                        "no_format": "folder"},
    "population.partition": {"no_labels": "by-label:0", "unknown": "random"},
    "population.share": {"yes": "yes", "default": "false"},
    "rounds.count": {"fraction": "1.5", "too_many": "1000000000000001", "unit": "68 rounds"},
    "rounds.batch": {"inapplicable": "1"},
    "rounds.local_rate": {"without_steps": "0.5"},
    "randomizer.epsilon0": {"too_small": "1e-101", "digit_more": "2.0", "empty": ""},
    "privacy.delta": {"zero": "0", "one": "1", "other_text": "1e-5"},
    "model.kind": {"unknown": "resnet", "statistic": "mean", "array": "[logistic]"},
    "name": {"parent": "..", "empty": "", "escape": "\x1b[2J", "nul": "a\0b"},
    "seed": {"wraps": "18446744073709551616", "zero_before": "01"}}


def run_plan():
    for name, text in good_run_plans():
        yield f"good_{name}", text
    for name, text in bad_run_plan_texts():
        yield f"bad_{name}", text
    for name, array in ARRAYS.items():
        yield f"bad_array_{name}", run_plan_of({"rounds.learning_rate": array})
    for key, wrong in VALUES.items():
        for name, value in wrong.items():
            yield f"bad_{key.replace('.', '_')}_{name}", run_plan_of({key: value})


def with_fields(line, **changes):
    """Returns a JSON line with these fields changed or added; a field whose value is ... is left out."""
    fields = {key: value for key, value in (line | changes).items() if value is not ...}
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False) + "\n"


def with_text(line, **changes):
    """Does what with_fields does, but each change is the text of a JSON value."""
    text = with_fields(line, **{key: f"@{key}@" for key in changes})
    for key, value in changes.items():
        text = text.replace(f'"@{key}@"', value)
    return text


def hostile_json(line):
    """Yields texts that are no JSON object, or one beyond the limits of json_object.h, each made from a good line."""
    good = with_fields(line)
    texts = {"word": "round\n", "null": "null\n", "array": f"[{good.strip()}]\n", "cut": good[:-9] + "\n",
             "two_objects": good.strip() + good, "comma": good.replace("}", ",}"),
             "comment": good.replace("{", "{/**/"), "quotes": good.replace('"', "'"),
             "nan": with_text(line, accuracy="NaN"), "zero_before": with_text(line, accuracy="00.5")}
    for name, text in texts.items():
        yield f"bad_json_{name}", text
    yield "bad_nested_lists", with_text(line, new="[" * 100_000 + "]" * 100_000)
    yield "bad_nested_objects", with_text(line, new='{"a":' * 2_000 + "0" + "}" * 2_000)
    yield "bad_nested_open", good[:-2] + ',"new":' + "[" * 2_000 + "\n"
    yield "bad_fields_many", with_fields(line, **{f"f{i}": 0 for i in range(1_100)})
    yield "bad_text_bytes", with_fields(line, new="?").encode().replace(b"?", b"\xff")
    yield "bad_text_overlong", with_fields(line, new="?").encode().replace(b"?", b"\xc0\xaf")
    yield "bad_text_half_surrogate", with_text(line, new='"\\ud800"')
    yield "bad_text_control_character", with_text(line, new='"\x1b"')
    yield "bad_nul", good.replace(",", ",\0", 1)


ROUND = {"round": 1, "accuracy": 0.30000000000000004, "epsilon": 0.1, "check_ins": 7, "neutral": 1, "loss": 2.5,
         "client_accuracy": 0.5, "worst_decile": 0.25, "messages": 10, "seconds": 0.5}
ROUND_IN_SLOTS = ROUND | {"slot": 7}
LAST_ROUND = ROUND | {"round": 24, "messages": 240, "seconds": 16.75}

ROUND_VALUES = {
    "round": {"zero": "0", "beyond_plan": "25", "negative": "-1", "number": "1.0", "text": '"1"', "null": "null",
              "wraps": "18446744073709551617"},
    "accuracy": {"above_one": "1.0000000000000002", "negative": "-1e-300", "beyond_double": "1e400", "null": "null",
                 "true": "true", "text": '"0.5"'},
    "epsilon": {"negative": "-1", "huge": "1e301", "false": "false"},
    "check_ins": {"negative": "-7", "exponent": "7e0", "list": "[7]", "more_than_messages": "11"},
    "neutral": {"null": "null", "fraction": "0.5", "more_than_messages": "11"},
    "loss": {"negative": "-1", "text": '"high"'},
    "client_accuracy": {"null": "null", "above_one": "2"},
    "worst_decile": {"negative": "-1", "object": "{}"},
    "messages": {"none": "0", "exponent": "1e3"},
    "seconds": {"negative": "-1", "huge": "1e301", "null": "null"}}


def good_metrics():
    first, last = with_fields(ROUND), with_fields(LAST_ROUND)
    most = 2**64 - 1
    yield "check_in", first + last
    yield "slots", IN_SLOTS + (with_fields(ROUND_IN_SLOTS) + with_fields(LAST_ROUND, slot=240)).encode()
    yield "nothing_logged", ""
    yield "null", with_fields(ROUND, epsilon=None, loss=None)
    yield "earlier_version", with_fields(ROUND, neutral=..., loss=..., client_accuracy=..., worst_decile=...)
    yield "integers_for_numbers", with_fields(ROUND, accuracy=1, epsilon=0, seconds=0)
    yield "smallest_and_largest_numbers", with_text(ROUND, accuracy="5e-324", epsilon="1e300", seconds="-0.0")
    yield "largest_counts", with_fields(ROUND, check_ins=most, messages=most, neutral=most)
    yield "blanks", first.replace(":", " : ").replace(",", ",\t")
    yield "unknown_fields", first + with_fields(LAST_ROUND, new='a, "b"\n', other={"a": ['=1,"2"', None]}, third=True)
    yield "nested", with_text(ROUND, new="[" * 90 + "]" * 90)


def metrics():
    for name, text in good_metrics():
        yield f"good_{name}", text
    yield from hostile_json(ROUND)
    first, last = with_fields(ROUND), with_fields(LAST_ROUND)
    yield "bad_line_without_end", first + last[:-1]
    yield "bad_line_begun", first + "{"
    yield "bad_line_empty", first + "\n" + last
    yield "bad_round_again", first + first
    yield "bad_round_back", with_fields(ROUND, round=2) + first
    yield "bad_messages_fewer", first + with_fields(LAST_ROUND, messages=16)
    yield "bad_messages_back", first + with_fields(LAST_ROUND, check_ins=0, messages=9)
    yield "bad_messages_wrap", first + with_fields(LAST_ROUND, check_ins=2**64 - 6)
    yield "bad_neutral_back", first + with_fields(LAST_ROUND, neutral=0)
    yield "bad_slot_of_check_ins", with_fields(ROUND_IN_SLOTS)
    yield "bad_slot_missing", IN_SLOTS + first.encode()
    for name, slot in {"zero": 0, "of_next_round": 11, "beyond_plan": 241, "huge": 2**64 - 1}.items():
        yield f"bad_slot_{name}", IN_SLOTS + with_fields(ROUND_IN_SLOTS, slot=slot).encode()
    for field in ("round", "accuracy", "epsilon", "check_ins", "messages", "seconds"):
        yield f"bad_without_{field}", with_fields(ROUND, **{field: ...})
    for field, wrong in ROUND_VALUES.items():
        for name, value in wrong.items():
            yield f"bad_{field}_{name}", with_text(ROUND, **{field: value})


RESULT = {"accuracy": 0.30000000000000004, "epsilon": 0.5, "delta": 1e-5, "rounds": 24, "seconds": 12.5,
          "examples_per_second": 80.0, "fidelity": "message", "stopped": "done", "out": "runs/tiny", "neutral": 3,
          "clients_per_record": 1.25, "validity": "proven", "neighbouring": "replace-one", "view": "shuffler-honest",
          "loss": 0.25, "client_accuracy": 0.75, "worst_decile": 0.5}
RESULT_IN_SLOTS = RESULT | {"slots": 240, "view": "server-trusted"}
LATER = {"neutral", "clients_per_record", "validity", "neighbouring", "view", "loss", "client_accuracy", "worst_decile"}

RESULT_VALUES = {
    "accuracy": {"above_one": "1.0000000000000002", "negative": "-1", "beyond_double": "1e400", "null": "null"},
    "epsilon": {"negative": "-1", "huge": "1e301", "text": '"none"'},
    "delta": {"other": "1e-9", "above_one": "2", "null": "null"},
    "rounds": {"fewer": "23", "more": "25", "negative": "-24", "number": "24.0", "wraps": "18446744073709551640"},
    "seconds": {"negative": "-1", "huge": "1e301", "null": "null"},
    "examples_per_second": {"negative": "-1", "list": "[]"},
    "fidelity": {"other": '"sum"', "unknown": '"none"', "number": "7"},
    "stopped": {"unknown": '"boredom"', "escape": '"\\u001b[2J"', "empty": '""', "null": "null"},
    "out": {"number": "7", "null": "null"},
    "neutral": {"negative": "-1", "fraction": "0.5"},
    "clients_per_record": {"below_one": "0.5", "huge": "1e301"},
    "validity": {"conditional": '"conditional"', "null": "null"},
    "neighbouring": {"other": '"add-remove"', "number": "1"},
    "view": {"other": '"sum-only"', "unknown": '"nobody"'},
    "loss": {"negative": "-1", "true": "true"},
    "client_accuracy": {"above_one": "2", "null": "null"},
    "worst_decile": {"negative": "-1", "text": '"1"'}}


def good_results():
    yield "check_in", with_fields(RESULT)
    yield "slots", IN_SLOTS + with_fields(RESULT_IN_SLOTS).encode()
    yield "null", with_fields(RESULT, epsilon=None, loss=None)
    yield "earlier_version", with_fields(RESULT, **{field: ... for field in LATER})
    yield "smallest_and_largest_numbers", with_text(RESULT, accuracy="1", epsilon="1e300", seconds="-0.0",
                                                    clients_per_record="1e300", neutral="18446744073709551615")
    yield "several_lines", json.dumps(RESULT, indent=2)
    yield "unknown_fields", with_fields(RESULT, new={"a": [None, True, "\u00e9"]})
    yield "nested", with_text(RESULT, new="[" * 90 + "]" * 90)
    yield "out_of_strange_letters", with_text(RESULT, out='"\\u001b[2J\\u0000\\ufffd\\ud834\\udd1e"')


def result():
    for name, text in good_results():
        yield f"good_{name}", text
    yield from hostile_json(RESULT)
    yield "bad_empty", ""
    yield "bad_blanks", " \n\t\r\n"
    yield "bad_slots_of_check_ins", with_fields(RESULT, slots=240)
    yield "bad_slots_missing", IN_SLOTS + with_fields(RESULT, view="server-trusted").encode()
    yield "bad_slots_other", IN_SLOTS + with_fields(RESULT_IN_SLOTS, slots=239).encode()
    for field in RESULT.keys() - LATER:
        yield f"bad_without_{field}", with_fields(RESULT, **{field: ...})
    for field, wrong in RESULT_VALUES.items():
        for name, value in wrong.items():
            yield f"bad_{field}_{name}", with_text(RESULT, **{field: value})
