"""Compares docs/formats.md with files of real runs: every field, its place and type, and each byte of a checkpoint."""

import hashlib
import json
import math
import pathlib
import re
import struct

import muster_command
import small_runs

DOCS = pathlib.Path(__file__).resolve().parent.parent.parent / "docs"
PAGE = (DOCS / "formats.md").read_text(encoding="utf-8")
TYPES = {"integer": lambda value: type(value) is int and 0 <= value < 2**64,
         "number": lambda value: type(value) in (int, float),
         "number or null": lambda value: value is None or type(value) in (int, float),
         "text": lambda value: type(value) is str}


def table(heading):
    """Returns the rows of the first table below the line `heading` of
    the page, as lists of cells; the first cell loses its backquotes."""
    rows = re.search(r"(?:^\|.*\n)+", PAGE[PAGE.index(heading):], re.M).group(0).splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [[row[0].strip("`"), *row[1:]] for row in cells]


def taken_apart(content):
    """Returns the fields of a checkpoint, read only with the help of the page's table."""
    fields, at = {}, 0
    for name, kind, _ in table("<!-- fields: checkpoint -->"):
        times, kind = (fields["dimension"], kind[2:]) if kind.startswith("d ") else (1, kind)
        code = {"u32": "<I", "u64": "<Q", "f64": "<d", "f32": f"<{times}f"}.get(kind) or f"<{int(kind.split()[0])}s"
        values = struct.unpack_from(code, content, at)
        fields[name] = values[0] if times == 1 else values
        at += struct.calcsize(code)
    return fields, at


class Formats(small_runs.SmallRuns):
    def objects(self, run, name):
        return [json.loads(line) for line in (self.folder / run / name).read_text(encoding="utf-8").splitlines()]

    def expect_fields(self, found, name, slots, several):
        absent = {there for there, kept in (("slot protocols", slots), ("several records", several)) if not kept}
        rows = [row for row in table(f"<!-- fields: {name} -->") if row[3] not in absent]
        self.assertEqual(list(found), [row[0] for row in rows])
        for field, kind, *_ in rows:
            self.assertTrue(TYPES[kind](found[field]), (field, kind, found[field]))

    def expect_files(self, run, slots, several=False):
        lines, results = self.objects(run, "metrics.jsonl"), self.objects(run, "result.json")
        self.assertGreater(len(lines), 1)
        self.assertEqual(len(results), 1)
        for line in lines:
            self.expect_fields(line, "metrics.jsonl", slots, several)
        self.expect_fields(results[0], "result.json", slots, several)

    def test_a_run_is_as_the_page_says(self):
        self.run_command("train", "small.toml", "--out", "run", "--json")
        self.assertEqual({path.name for path in (self.folder / "run").iterdir()},
                         {row[0] for row in table("## The folder of a run")})
        self.expect_files("run", slots=False)
        plan = (self.folder / "run/plan.txt").read_bytes()
        keys = [line.split(b" = ")[0] for line in plan.splitlines()]
        self.assertEqual((keys, plan[-1:]), (sorted(set(keys)), b"\n"))

        content = (self.folder / "run/checkpoint").read_bytes()
        state, size = taken_apart(content)
        last = self.objects("run", "metrics.jsonl")[-1]
        self.assertEqual(size, len(content))
        self.assertEqual((state["magic"], state["version"]), (b"musterck", 4))
        self.assertEqual(state["plan"].decode(), hashlib.blake2b(plan, digest_size=32).hexdigest())
        self.assertEqual(state["checksum"], hashlib.blake2b(content[:-32], digest_size=32).digest())
        self.assertEqual(state["metrics"], (self.folder / "run/metrics.jsonl").stat().st_size)
        self.assertEqual((state["round"], state["messages"], state["neutral"], state["seconds"] >= last["seconds"]),
                         (last["round"], last["messages"], last["neutral"], True))
        self.assertEqual((state["fidelity"], state["records"], state["dimension"]), (0, 40, 784 * 10 + 10))
        self.assertEqual(state["updates"], 24)

    def test_the_grammar_of_a_checkpoint_has_the_parts_of_the_table(self):
        rules = dict(re.findall(r"^    (\w+) += ([^;]*?) ;$", PAGE[PAGE.index("    checkpoint = "):], re.M))
        rows = table("<!-- fields: checkpoint -->")
        self.assertEqual(re.findall(r"\w+", rules["checkpoint"]), [row[0] for row in rows])
        written = {"8 bytes": '"musterck"', "64 bytes": "64 * digit", "32 bytes": "32 * byte", "d f32": "d * f32"}
        for name, kind, _ in rows:
            self.assertEqual(rules[name], written.get(kind, kind), name)

    def test_the_vectors_of_a_checkpoint_lie_where_the_page_says(self):
        self.run_command("train", "small.toml", "--rounds", "1", "--out", "run")
        state, _ = taken_apart((self.folder / "run/checkpoint").read_bytes())
        # Without averaging, `average` is the initial model, and one update leads from it to `parameters`.
        before = [value + 0.2 * direction for value, direction in zip(state["parameters"], state["momentum"])]
        self.assertGreater(math.dist(state["parameters"], state["average"]), 0)
        self.assertLess(math.dist(before, state["average"]), 1e-4 * math.hypot(*state["average"]))

    def test_a_run_in_slots_is_as_the_page_says(self):
        self.plan_in_slots()
        self.run_command("train", "small.toml", "--out", "run", "--json")
        self.expect_files("run", slots=True)

    def test_a_run_of_clients_with_several_records_is_as_the_page_says(self):
        self.with_clients(10)
        self.run_command("train", "small.toml", "--records", 4, "--out", "run", "--json")
        self.expect_files("run", slots=False, several=True)

    def test_what_is_not_known_is_ignored_or_refused_as_the_page_says(self):
        self.run_command("train", "small.toml", "--out", "run", "--json")
        for name in ("metrics.jsonl", "result.json"):
            path = self.folder / "run" / name
            path.write_text(path.read_text().replace("{", '{"tomorrow":1,'))
        checkpoint = (self.folder / "run/checkpoint").read_bytes()
        self.run_command("report", "run", "--json")
        state = checkpoint[:8] + struct.pack("<I", 5) + checkpoint[12:-32]
        (self.folder / "run/checkpoint").write_bytes(state + hashlib.blake2b(state, digest_size=32).digest())
        self.run_command("report", "run", status=3)
        (self.folder / "run/checkpoint").write_bytes(checkpoint)
        plan = self.folder / "run/plan.txt"
        plan.write_text(plan.read_text() + "tomorrow = 1\n")
        self.run_command("report", "run", status=3)

    def test_each_kind_of_message_is_on_the_page(self):
        kinds = re.findall(r"[\w-]+", " ".join(row[0] for row in table("## A client's message")).replace("`", ""))
        randomizers = (DOCS / "randomizers.md").read_text(encoding="utf-8")
        self.assertEqual(set(kinds), set(re.findall(r"^\| `([\w-]+)` \| ", randomizers, re.M)))


if __name__ == "__main__":
    muster_command.test_main()
