"""Tests the documentation's checkers on correct pages and on wrong pages."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import decisions
import duties
import examples
import exit_status
import figures
import glossary
import inclusions
import links
import packages
import test_names


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_main(self, main, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = main(list(arguments))
        return status, said.getvalue()


class Examples(Tree):
    def examine(self, page, *flags):
        self.write("page.md", page)
        return self.run_main(examples.main, "--root", str(self.root), "--command", "/bin/echo", *flags, "page.md")

    def test_right_output_passes(self):
        status, said = self.examine("```console\n$ printf 'epsilon 1.26\\ndone in 3.2 s\\n'\n"
                                    "epsilon 1.26\ndone in 58 s\n$ true\n```\n")
        self.assertEqual((status, said), (0, "2 commands ran, 0 not as shown, 0 skipped\n"))

    def test_wrong_output_fails(self):
        for wrong in ("epsilon 1.25", "epsilon 1.26\nand more", "epsilon  1.26", "epsilon"):
            status, said = self.examine(f"```console\n$ echo epsilon 1.26\n{wrong}\n```\n")
            self.assertEqual(status, 1, wrong)
            self.assertIn("page.md:2", said)

    def test_failing_command_fails_even_when_its_output_is_right(self):
        self.assertEqual(self.examine("```console\n$ echo a; exit 3\na\n```\n")[0], 1)
        self.assertEqual(self.examine("```console\n$ false | cat\n```\n")[0], 1)
        self.assertEqual(self.examine("```console\n$ (exit 2) || echo \"exit status $?\"\nexit status 2\n```\n")[0], 0)

    def test_masks_hide_times_and_rates_and_nothing_else(self):
        shown = examples.masked(['{"accuracy":0.9,"seconds":1.5e2,"examples_per_second":7}', "12.5k messages/s",
                                 "epsilon 1.26 at delta 1e-05 after 6800 rounds", "took 12 s", "2 min 5 s, 9958 client messages a second", f"{self.root}/runs/x"],
                                self.root)
        self.assertEqual(shown, ['{"accuracy":0.9,"seconds":<masked>,"examples_per_second":<masked>}',
                                 "<rate> messages/s", "epsilon 1.26 at delta 1e-05 after 6800 rounds", "took <time>", "<time>, <rate> client messages a second",
                                 "./runs/x"])

    def test_accuracies_are_compared_within_the_tolerance_and_nothing_else_is(self):
        shown = ["  round  accuracy   epsilon", "     10    0.8712    0.4510", "", "accuracy  0.8712 (done)", "epsilon   0.4510"]
        near = [line.replace("0.8712", "0.8705") for line in shown]
        self.assertEqual(examples.same_text(shown, near, self.root), [])
        for old, new in (("0.8712", "0.8605"), ("0.4510", "0.4511"), ("     10", "     11"), ("(done)", "(budget)")):
            self.assertNotEqual(examples.same_text(shown, [line.replace(old, new) for line in shown], self.root), [], old)

    def test_the_accuracies_of_a_sweep_are_compared_within_the_tolerance_too(self):
        shown = ["epsilon0  accuracy  lowest  highest  epsilon", "       1    0.8712  0.8700   0.8724   0.4510"]
        near = [shown[0], shown[1].replace("0.8700", "0.8695").replace("0.8724", "0.8731")]
        self.assertEqual(examples.same_text(shown, near, self.root), [])
        for old, new in (("0.8700", "0.8590"), ("0.8724", "0.8830"), ("0.4510", "0.4511")):
            self.assertNotEqual(examples.same_text(shown, [shown[0], shown[1].replace(old, new)], self.root), [], old)

    def test_a_fresh_run_starts_from_its_beginning(self):
        self.write("runs/demo/done", "")
        page = "```console fresh=runs/demo\n$ ls runs\n$ test ! -e runs/demo\n```\n"
        self.assertEqual(self.examine(page)[0], 0)
        self.write("src/keep", "")
        for outside in ("src", "runs/../src", "/tmp"):
            self.assertEqual(self.examine(page.replace("fresh=runs/demo", f"fresh={outside}"))[0], 1, outside)
        self.assertTrue((self.root / "src/keep").exists())

    def test_commands_continue_and_name_the_binary(self):
        status, said = self.examine("```console\n$ build/release/muster account \\\n    --rounds 3\naccount --rounds 3\n"
                                    "```\n")
        self.assertEqual(status, 0, said)

    def test_an_example_is_that_of_this_build(self):
        binary = pathlib.Path("/b/muster")
        self.assertEqual(examples.with_binary("build/release/examples/1_account build/run", binary),
                         "/b/examples/1_account build/run")
        for other in ("other/build/release/examples/1_account", "build/release/example"):
            self.assertEqual(examples.with_binary(other, binary), other)

    def test_other_blocks_are_left_alone(self):
        self.assertEqual(self.examine("```sh\n$ exit 1\n```\n```\n$ exit 1\n```\n    $ exit 1\n"),
                         (0, "0 commands ran, 0 not as shown, 0 skipped\n"))

    def test_long_ones_run_alone_and_missing_data_is_said(self):
        page = "```console long needs=absent\n$ echo a\nb\n```\n```console\n$ echo c\n```\n"
        self.assertEqual(self.examine(page), (0, "1 commands ran, 0 not as shown, 0 skipped\n"))
        status, said = self.examine(page, "--long")
        self.assertEqual(status, examples.SKIPPED)
        self.assertIn("absent does not exist", said)

    def test_unknown_words_and_stray_output_are_refused(self):
        for page in ("```console soon\n$ true\n```\n", "```console\noutput\n```\n",
                     "```console\n$ true\n```\n```console\noutput\n```\n"):
            with self.assertRaises(ValueError):
                self.examine(page)

    def test_logs(self):
        stored = ['{"round":1,"accuracy":0.5,"epsilon":0.25,"check_ins":7}', '{"accuracy":0.9,"seconds":1}']
        self.assertEqual(examples.same_log(stored, [stored[0].replace("0.5", "0.505"), stored[1].replace("1}", "2}")]), [])
        added = [line[:-1] + ',"neutral":3}' for line in stored]
        self.assertEqual(examples.same_log(stored, added), [])
        self.assertEqual(len(examples.same_log(added, stored)), 2)
        for old, new in (("0.5", "0.52"), ("0.25", "0.2500001"), ("7", "8"), ('"check_ins":7', '"reports":7')):
            self.assertEqual(len(examples.same_log(stored, [stored[0].replace(old, new, 1), stored[1]])), 1, new)
        self.assertEqual(len(examples.same_log(stored, stored[:1])), 1)
        self.write("log.jsonl", "\n".join(stored) + "\n")
        page = "```console log=log.jsonl\n$ cat log.jsonl\n```\n"
        self.assertEqual(self.examine(page)[0], 0)
        self.assertEqual(self.examine(page.replace("cat", "head -1"))[0], 1)


class Figures(Tree):
    LOG = '{"round":1000,"accuracy":0.87345,"epsilon":0.450001}\n{"round":6800,"accuracy":0.9,"epsilon":1.2659}\n{"accuracy":1}\n'

    def examine(self, rows):
        self.write("log.jsonl", self.LOG)
        self.write("page.md", "<!-- figures: log.jsonl -->\n\n| round | accuracy | epsilon | note |\n|---|---|---|---|\n"
                   + "".join(row + "\n" for row in rows) + "\n| other |\n|---|\n| table |\n")
        return self.run_main(figures.main, "--root", str(self.root), "page.md")

    def test_figures_as_logged_pass(self):
        status, said = self.examine(["| 1000 | 0.873 | 0.4501 | x |", "| 6,800 | **90.0 %** | 1.266 | y |"])
        self.assertEqual((status, said), (0, "2 rows of figures, 0 not as logged\n"))

    def test_wrong_figures_fail(self):
        for row in ("| 1000 | 0.874 | 0.4501 | |", "| 1000 | 0.873 | 0.4500 | rounded down |",
                    "| 1000 | 0.873 | 0.4502 | |", "| 999 | 0.873 | 0.4501 | |", "| 1000 | good | 0.4501 | |"):
            self.assertEqual(self.examine([row])[0], 1, row)

    def matrix(self, cell, log='{"plan":"shuffle-l1","accuracy":0.8749,"epsilon":0.13596,"seconds":3.14}\n'):
        self.write("log.jsonl", log)
        self.write("page.md", f"<!-- matrix: log.jsonl -->\n| | `l1` |\n|---|---|\n| `shuffle` | {cell} |\n")
        return self.run_main(figures.main, "--root", str(self.root), "page.md")

    def test_a_matrix_as_logged_passes(self):
        status, said = self.matrix("0.875 / 0.136 / 3.1")
        self.assertEqual((status, said), (0, "1 rows of figures, 0 not as logged\n"))

    def test_a_wrong_matrix_fails(self):
        for cell in ("0.874 / 0.136 / 3.1", "0.875 / 0.135 / 3.1", "0.875 / 0.136 / 3.2", "0.875 / 0.136", "-"):
            self.assertEqual(self.matrix(cell)[0], 1, cell)
        both = '{"plan":"shuffle-l1","accuracy":0.5,"epsilon":1,"seconds":1}\n{"plan":"subset-l1"}\n'
        self.assertIn("subset-l1 of log.jsonl is not shown", self.matrix("0.5 / 1 / 1", both)[1])


class Glossary(Tree):
    def examine(self, name):
        self.write("src/muster/core/error.h", "struct Error { int code; };\n")
        self.write(glossary.PAGE, f"# Glossary\n\n| word | meaning | in the code |\n|---|---|---|\n| a | b | {name} |\n")
        return glossary.check(self.root)

    def test_names_of_the_sources_pass(self):
        for name in ("`Error`", "`Error::code`", "`error.h`", "`core/`", "`Error`, `error.h`"):
            self.assertEqual(self.examine(name), [], name)

    def test_names_that_no_source_has_are_told(self):
        for name in ("`Mistake`", "`Error::number`", "`mistake.h`", "`errors/`"):
            self.assertEqual(self.examine(name), [f"{glossary.PAGE}: no source has {name.strip('`')}"], name)
        self.assertEqual(len(self.examine("comments")), 1)


class Duties(Tree):
    KEPT = "Kept by `Coins.AreFair` and `run_test.py: test_it`.\n"

    def examine(self, page):
        self.write(duties.PAGE, page)
        self.write("src/muster/random/coins_test.cc", "TEST(Coins, AreFair) {}\nTEST_P(Other, Thing) {}\n")
        self.write("tests/cli/run_test.py", "class Run:\n    def test_it(self):\n        pass\n")
        return duties.check(self.root)

    def test_duties_that_name_their_tests_pass(self):
        self.assertEqual(self.examine(f"# Page\n## One\n**Asked.** That.\n\n*Proof.* Short.\n\n{self.KEPT}\n**Do.** This.\n\n"
                                      f"{self.KEPT}\n*More so.* That.\n\n{self.KEPT}\n## Two\n\n- **a**: b\n  c.\n"
                                      f"  {self.KEPT}- d\n  {self.KEPT}\n## {duties.LAST}\n\nIn places.\n"), [])

    def test_duties_without_a_test_are_named(self):
        kept = self.KEPT
        for page, line in ((f"## One\n**Asked.** That.\n", 1), ("## One\nIt is kept by `Coins.AreFair`.\n", 1),
                           (f"## One\nThis.\n\n{kept}\n**Do.** This.\n", 6),
                           (f"## One\nThis.\n\n{kept}\n*Fixed.* This.\n\n## {duties.LAST}\n", 6),
                           (f"## One\n- a\n  {kept}- b\n  `Coins.AreFair`\n", 4),
                           ("## One\nThis.\n\nKept by prayer.\n", 1)):
            self.assertEqual(self.examine(page), [f"{duties.PAGE}:{line}: names no test that keeps it"], page)
        self.assertEqual(len(self.examine("# Page\n")), 1)

    def test_tests_that_do_not_exist_are_named(self):
        page = f"## One\nThis.\n\n{self.KEPT}"
        self.assertEqual(self.examine(page), [])
        for old, new in (("Coins.AreFair", "Coins.AreNot"), ("run_test.py: test_it", "run_test.py: test_that")):
            self.assertEqual(self.examine(page.replace(old, new)), [f"{duties.PAGE}:4: no test {new}"])


class TestNames(Tree):
    TABLE = "| fault | test |\n|---|---|\n| a | `Coins.AreFair` |\n| b | `run_test.py: test_it` |\n"

    def examine(self, page, other=""):
        self.write(test_names.FAULTS, page)
        self.write("README.md", other)
        self.write("src/muster/random/coins_test.cc", "TEST(Coins, AreFair) {}\n")
        self.write("tests/cli/run_test.py", "def test_it():\n    pass\n")
        return test_names.check(self.root)

    def test_tests_that_exist_pass(self):
        self.assertEqual(self.examine(f"# Page\n\n{self.TABLE}\nWords.\n\n{self.TABLE}", "`Coins.AreFair`, `a.B`\n"), [])

    def test_tests_that_do_not_exist_are_named(self):
        self.assertEqual(self.examine(self.TABLE.replace("AreFair", "AreNot")),
                         [f"{test_names.FAULTS}:3: no test Coins.AreNot"])
        self.assertEqual(self.examine(self.TABLE, "# A\n`run_test.py: test_that`\n"),
                         ["README.md:2: no test run_test.py: test_that"])

    def test_rows_without_a_test_are_named(self):
        self.assertEqual(self.examine(self.TABLE + "| c | none |\n"), [f"{test_names.FAULTS}:5: names no test"])
        (self.root / test_names.FAULTS).unlink()
        self.assertEqual(test_names.check(self.root), [f"{test_names.FAULTS}: has the page moved?"])


class Inclusions(Tree):
    def examine(self, shown, *flags):
        self.write("examples/1_a.cc", "int a;\n")
        self.write("examples/2_b.cc", "int b;\n")
        self.write(inclusions.PAGE, f"# Page\n{shown}")
        return self.run_main(inclusions.main, "--root", str(self.root), *flags)

    RIGHT = "```cpp file=examples/1_a.cc\nint a;\n```\nThen\n```cpp file=examples/2_b.cc\nint b;\n```\n"

    def test_programs_as_in_their_files_pass(self):
        self.assertEqual(self.examine(self.RIGHT), (0, "2 programs as built\n"))

    def test_other_programs_are_told(self):
        for old, new in (("int a;", "int c;"), ("int a;\n", ""), ("int b;\n", "int b;\n\n"), ("2_b", "3_b"),
                         (self.RIGHT[self.RIGHT.index("Then"):], "")):
            self.assertEqual(self.examine(self.RIGHT.replace(old, new))[0], 1, (old, new))
        self.write("docs/other.md", "```cpp file=examples/1_a.cc\nint c;\n```\n")
        self.assertIn("docs/other.md:1: is not examples/1_a.cc", self.examine(self.RIGHT)[1])

    def test_an_update_copies_the_files(self):
        self.assertEqual(self.examine(self.RIGHT.replace("int a;\n", "").replace("int b", "int c"), "--update")[0], 0)
        self.assertEqual((self.root / inclusions.PAGE).read_text(), f"# Page\n{self.RIGHT}")


class ExitStatus(Tree):
    SOURCE = ("int exit_status(ErrorCode code) {\n  switch (code) {\n    case ErrorCode::usage:\n    case ErrorCode::plan:\n"
              "      return 2;\n    case ErrorCode::data:\n      return 3;\n  }\n  return 5;\n}\n"
              "const char* name_of(ErrorCode code) {\n  switch (code) {\n    case ErrorCode::usage:\n      return \"usage\";\n"
              "    case ErrorCode::plan:\n      return \"plan\";\n    case ErrorCode::data:\n      return \"data\";\n  }\n"
              "  return \"internal\";\n}\n")
    PAGE = "## Exit status\n\n| status | kind | meaning |\n|---|---|---|\n| 0 | | done |\n| 2 | `usage`, `plan` | refused |\n| 3 | `data` | no data |\n"
    MANUAL = "[EXIT STATUS]\n.TP\n0\ndone\n.TP\n2\nrefused\n.TP\n3\nno data\n\n[SEE ALSO]\n"

    def complaints(self, source=SOURCE, page=PAGE, manual=MANUAL):
        self.write("src/muster/core/error.cc", source)
        self.write("docs/plan.md", page)
        self.write("docs/man/sections.h2m", manual)
        return exit_status.check(self.root)

    def test_right_table_passes(self):
        self.assertEqual(self.complaints(), [])

    def test_wrong_tables_fail(self):
        for wrong in (self.PAGE.replace("| 3 |", "| 4 |"), self.PAGE.replace("`usage`, ", ""),
                      self.PAGE.replace("| 0 | | done |\n", ""), self.PAGE.replace("## Exit", "## Enter")):
            self.assertTrue(self.complaints(page=wrong), wrong)
        self.assertTrue(self.complaints(source=self.SOURCE.replace("return 3", "return 4")))
        self.assertTrue(self.complaints(source=self.SOURCE.replace("exit_status", "leave")))
        self.assertTrue(self.complaints(manual=self.MANUAL.replace("no data", "data")))


class Decisions(Tree):
    def examine(self, page):
        self.write("src/muster/core/error.h", "")
        self.write("tools/tidy", "")
        self.write("docs/decisions/0002-b.md", page)
        return decisions.check(self.root)

    def test_names_of_files_that_exist_pass(self):
        self.assertEqual(self.examine("`src/muster/core/error.h`, `core/error.h`, `error.h`, `tools/tidy`, `tools/`, `core/*.h`, "
                                      "`build/a.h`, `std::min`, `a * b + c`, `docs.manual`\n"), [])

    def test_names_of_files_that_do_not_exist_are_told(self):
        for name in ("core/errors.h", "numerics/error.h", "mistake.h", "tools/untidy", "mistakes/", "core/*.cc"):
            self.assertEqual(self.examine(f"`error.h`\n`{name}`\n"),
                             [f"docs/decisions/0002-b.md:2: {name} does not exist"], name)
        self.assertEqual(len(self.examine("no name\n")), 1)

    def test_superseded_pages_lead_to_a_later_page_and_may_name_what_is_gone(self):
        self.write("docs/decisions/0003-c.md", "`error.h`\n")
        for first, wrong in (("Superseded by [3](0003-c.md).", False), ("Superseded by 3", True),
                             ("Superseded by [4](0003-c.md).", True), ("Superseded by [1](0001-a.md).", True)):
            self.assertEqual(self.examine(f"{first}\n\n# 2. B\n\n`mistake.h`\n"),
                             ["docs/decisions/0002-b.md:1: does not name a later page"] if wrong else [], first)


class Packages(Tree):
    def examine(self, page):
        self.write("README.md", page)
        self.write("tools/packages", '#!/bin/bash\n[[ $1-$2 == list-demo ]] && printf "g++\\ncmake\\n"\n')
        (self.root / "tools/packages").chmod(0o755)
        return packages.check(self.root)

    def test_the_number_of_packages_passes(self):
        self.assertEqual(self.examine("packages  all 2 of group demo are installed\n"), [])

    def test_other_numbers_and_groups_fail(self):
        for line, count, group, listed in (("all 3 of group demo", 3, "demo", 2), ("all 2 of group none", 2, "none", None)):
            self.assertEqual(self.examine(f"# Page\n{line}\n"), [f"README.md:2: shows {count} packages of group {group}, "
                                                                f"tools/packages lists {listed}"])
        self.assertEqual(len(self.examine("# Page\n")), 1)


class Links(Tree):
    def test_links(self):
        self.write("README.md", "[a](docs/a.md#first-part) [web](https://example.org/x) `[no](nowhere.md)`\n"
                   "```\n[no](nowhere.md)\n```\n")
        self.write("docs/a.md", "# A\n## First part\n[up](../README.md)\n")
        self.assertEqual(links.check(self.root), [])
        self.write("docs/b.md", "[a](a.md#second-part) [c](c.md)\n")
        self.assertEqual(links.check(self.root), ["docs/b.md:1: a.md#second-part: no such heading",
                                                  "docs/b.md:1: c.md leads nowhere", "docs/b.md:1: no page links here"])


if __name__ == "__main__":
    unittest.main()
