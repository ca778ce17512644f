"""Every house rule must complain about trees that break it, and not about a good tree."""

import pathlib
import tempfile
import unittest

import house_rules
import long_functions

# A function body of the greatest length that is allowed, and one that is a line longer.
SHORT_BODY = "  f();\n" * (long_functions.MAX_FUNCTION_LINES - 2)
LONG_BODY = SHORT_BODY + "  f();\n"

GOOD_FIGURES = """// Tests sums.
#include <a>

// See tools/golden/sums.py.
TEST(A, Named) {
  EXPECT_NEAR(sum(2), 0.0273715, 1e-9);
}

TEST(A, NamedInside) {
  const double x = 0.1234567;
  EXPECT_LE(sum(x), 12'345.678);  // docs/theory/net.md
}

TEST(A, NoFigures) {
  EXPECT_NEAR(sum(0.1234567), std::log(2.3456789), 1.5e-12);
  EXPECT_GT(sum(1), 0.9999995);
  EXPECT_LT(sum(1), 1.000001) << "0.1234567";
  EXPECT_EQ(count(1), 1234567);
}
"""

GOOD = {
    "src/muster/core/CMakeLists.txt": "muster_room(core SOURCES error.cc)\nmuster_test(core error_test.cc)\n",
    "src/muster/core/error.h": "// The error of everything, which may cross threads.\n#pragma once\n",
    "src/muster/core/error.cc": '#include "muster/core/error.h"\n#include <string>\n',
    "src/muster/core/error_test.cc": '#include "muster/core/error.h"\n#include "tests/support/statistics.h"\n',
    "src/muster/learning/CMakeLists.txt":
        "muster_room(learning  # comment DEPENDS nothing\n  SOURCES models/net.cc\n  DEPENDS core\n  LIBRARIES fmt::fmt)\n",
    "src/muster/learning/models/net.h": '// A network, immutable; derivation: docs/theory/net.md.\n#pragma once\n',
    "src/muster/learning/models/net.cc": '#include "muster/learning/models/net.h"\n  #  include "muster/core/error.h"\n',
    "src/muster/random/os_source.cc":
        'class OsSource final : public random::BitSource {\n};\nenum class Kind : int { a };\n',
    "src/muster/random/bit_source_contract_test.cc": 'Contract all[] = {{.type = "OsSource"}};\n',
    "src/muster/random/CMakeLists.txt":
        "muster_room(random SOURCES os_source.cc)\nmuster_test(random bit_source_contract_test.cc)\n",
    "docs/theory/net.md": "# Net\n",
    "tests/oracle/CMakeLists.txt": "add_executable(sum_test sum_test.cc)\n",
    "tests/oracle/sum_test.cc": GOOD_FIGURES,
    "tools/golden/sums.py": "import math\nfrom stored import rows\n",
    "tools/golden/stored.py": '"""Rows from\nfiles."""\n',
    "bench/peers/round.py": "import torch\n",
    "CMakeLists.txt": "find_package(fmt REQUIRED)\npkg_check_modules(SODIUM REQUIRED IMPORTED_TARGET libsodium)\n",
    "packages.txt": "# group demo\ndemo g++\ndemo libfmt-dev\ndemo libsodium-dev\n",
    "docs/decisions/0010-text.md": "libfmt-dev and libsodium-dev\n",
}

# Each entry is a change to the good tree (None removes the file), the rule that must notice the change, and a
# part of the complaint.
BROKEN = [
    ({"src/muster/core/error.cc": '#include "muster/learning/models/net.h"\n'},
     house_rules.includes_point_left, "src/muster/core/error.cc:1: room core includes"),
    ({"src/muster/core/error_test.cc": '\n#include <muster/learning/models/net.h>\n'},
     house_rules.includes_point_left, "error_test.cc:2: room core includes"),
    ({"src/muster/core/error.cc": '#include "apps/muster/table.h"\n'},
     house_rules.includes_point_left, "of the command"),
    ({"src/muster/core/error.h": '// E.\n#pragma once\n#include "tests/support/statistics.h"\n'},
     house_rules.includes_point_left, "not a test"),
    ({"src/muster/core/error.cc": '#include "muster/kitchen/stove.h"\n'},
     house_rules.includes_point_left, "names no room"),
    ({"src/muster/kitchen/stove.h": "// A stove.\n#pragma once\n"},
     house_rules.includes_point_left, "is not a room"),
    ({"src/muster/learning/models/net.cc": '#include "../../core/error.h"\n'},
     house_rules.includes_point_left, "is relative"),
    ({"src/muster/learning/CMakeLists.txt": "muster_room(learning SOURCES models/net.cc)\n"},
     house_rules.depends_agree_with_includes, "includes from core"),
    ({"src/muster/learning/CMakeLists.txt": "muster_room(learning SOURCES models/net.cc DEPENDS core random)\n"},
     house_rules.depends_agree_with_includes, "DEPENDS names random"),
    ({"src/muster/learning/CMakeLists.txt": "# muster_room(learning SOURCES models/net.cc DEPENDS core)\n"},
     house_rules.depends_agree_with_includes, "no muster_room(learning"),
    ({"src/muster/core/lost_test.cc": "int x;\n"},
     house_rules.every_source_is_built, "lost_test.cc:1: in no CMakeLists.txt"),
    ({"src/muster/core/CMakeLists.txt": "muster_room(core SOURCES error.cc)\n# error_test.cc\n"},
     house_rules.every_source_is_built, "error_test.cc:1: in no CMakeLists.txt"),
    ({"src/muster/core/CMakeLists.txt": "muster_room(core\n  SOURCES\n    binary_test.cc\n  DEPENDS)\nmuster_test(core a_test.cc)\n"},
     house_rules.sources_are_no_tests, "CMakeLists.txt:1: binary_test.cc is listed as a source"),
    ({"src/muster/core/error.h": "#pragma once\n// The error.\n"},
     house_rules.headers_open_with_what_they_are, "does not open with a comment"),
    ({"src/muster/core/error.h": "// The error.\n#pragma once\n\n// The functions are pure.\n"},
     house_rules.headers_say_what_may_run_concurrently, "error.h:1: the opening comment does not say which calls"),
    ({"src/muster/core/error.h": "// The error, the same for any number of threads.\n// One thread writes it.\n#pragma once\n"},
     house_rules.headers_say_what_may_run_concurrently, "error.h:1: the opening comment does not say which calls"),
    ({"src/muster/core/error.cc": 'void f() {\n  throw Error(ErrorCode::plan, "a", "", "", "is no a");\n}\n'},
     house_rules.refusals_state_their_reason, "error.cc:2: an Error of kind plan or usage states no Reason"),
    ({"src/muster/core/error.cc": 'void f() {\n  throw Error::in_words(\n      ErrorCode::usage, "a", "", "", "b");\n}\n'},
     house_rules.refusals_state_their_reason, "error.cc:2: an Error of kind plan or usage states no Reason"),
    ({"src/muster/core/error.h": "// The error.\n#pragma once\n#include <string>\nstd::size_t f(std::string, std::span<int>);\n"},
     house_rules.headers_include_what_they_name, "error.h:4: std::span without <span>"),
    ({"src/muster/core/error.h": "// The error.\n#pragma once\nstd::size_t f();  // no std::string\n"},
     house_rules.headers_include_what_they_name, "error.h:3: std::size_t without <cstddef>"),
    ({"src/muster/core/error.cc": 'void f() {\n  fmt::print(stderr, "x");\n}\n'},
     house_rules.library_neither_prints_nor_exits, "error.cc:2: fmt::print( prints or ends"),
    ({"src/muster/core/error.cc": "void f() { std::cerr << 1; }\n"},
     house_rules.library_neither_prints_nor_exits, "error.cc:1: std::cerr"),
    ({"src/muster/core/error.cc": "void f() { std::exit(2); }\n"},
     house_rules.library_neither_prints_nor_exits, "error.cc:1: std::exit("),
    ({"src/muster/core/error.cc": "void f() { abort(); }\n"},
     house_rules.library_neither_prints_nor_exits, "error.cc:1: abort("),
    ({"src/muster/core/error.h": "// error.h\n#pragma once\n"},
     house_rules.headers_open_with_what_they_are, "repeats the file's name"),
    ({"src/muster/core/error.h": "// The error.\n"},
     house_rules.headers_open_with_what_they_are, "no #pragma once"),
    ({"src/muster/core/error-inl.h": "// The error, once an instruction set.\n#pragma once\n"},
     house_rules.headers_open_with_what_they_are, "no HWY_TARGET_TOGGLE"),
    ({"src/muster/core/error.cc": "const char* t = \"" + 120 * "x" + "\";\n  // " + 106 * "x" + "\n"},
     house_rules.lines_fit, "error.cc:2: a comment of 111 columns"),
    ({"docs/page.md": "```\n" + 60 * "x " + "\n```\n\n    " + 60 * "x " + "\n\n`" + 60 * "x " + "`\n" + 60 * "x " + "\n"},
     house_rules.lines_fit, "page.md:8: prose of 120 columns"),
    ({"src/muster/core/error.cc": "//\n" * (house_rules.MAX_LINES + 1)},
     house_rules.files_stay_small, "more than 500"),
    ({"src/muster/core/error.cc": "namespace muster {\nint long_one(int x) {\n" + LONG_BODY + "}\n}\n"},
     house_rules.functions_stay_short, "error.cc:2: long_one has 61 lines"),
    ({"src/muster/core/error_test.cc": "TEST(Error, IsLong) {\n" + LONG_BODY + "}\n"},
     house_rules.functions_stay_short, "error_test.cc:1: Error.IsLong has 61 lines"),
    ({"src/muster/core/CMakeLists.txt": "muster_room(core SOURCES error.cc digit_skeletons.cc error_test.cc)",
      "src/muster/core/digit_skeletons.cc": "Table write() {\n}\n"},
     house_rules.functions_stay_short, "digit_skeletons.cc: write is not longer"),
    ({"src/muster/numerics/sum.h": "// A sum.\n#pragma once\ndouble top(double x) { return std::max(0.0, x); }\n"},
     house_rules.comparisons_see_nan, "sum.h:3: a NaN passes std::max"),
    ({"src/muster/accounting/bound.cc": "double low(double x) { return std::min<double>(1, x); }\n"},
     house_rules.comparisons_see_nan, "bound.cc:1: a NaN passes std::min"),
    ({"src/muster/papers/renyi/bound.cc": "double low(double x) { return std::fmax(1, x); }\n"},
     house_rules.comparisons_see_nan, "bound.cc:1: a NaN passes std::fmax"),
    ({"src/muster/accounting/bound.cc": "double up(double x) { return x * (1 + 1e-12); }  // not 1 - 1e-9\n"},
     house_rules.slack_has_a_name, "bound.cc:1: a bare factor"),
    ({"src/muster/papers/bound.cc": "constexpr long double kDown = 1.0L - 2.3e-16L;\n"},
     house_rules.slack_has_a_name, "bound.cc:1: a bare factor"),
    ({"src/muster/randomizers/coin.cc": "constexpr double kOne = 0x1p-50;\ndouble q = odds * (1.0 - 0x1.8p-50L);\n"},
     house_rules.slack_has_a_name, "coin.cc:2: a bare factor"),
    ({"src/muster/accounting/sum_test.cc": "TEST(A, B) {\n  EXPECT_NEAR(sum(2, 0.1234567), 0.0273715, 1e-9);\n}\n"},
     house_rules.figures_name_their_source, "sum_test.cc:2: 0.0273715 names no generator"),
    # The comment above another function is not enough.
    ({"tests/oracle/sum_test.cc": "#include <a>\n\n// See tools/golden/sums.py.\nTEST(A, B) {\n}\n\n"
                                  "TEST(A, C) {\n  EXPECT_GE(sum({2, 1}),\n            -2.73715e-5L);\n}\n"},
     house_rules.figures_name_their_source, "sum_test.cc:9: -2.73715e-5L names no generator"),
    ({"src/muster/core/error.cc": "// tools/golden/lost.py\n"},
     house_rules.cited_pages_exist, "error.cc:1: tools/golden/lost.py does not exist"),
    ({"src/muster/numerics/sum.cc": "constexpr double kSlack = 2 * 1e-12;  // 1e-12 * x\nx += 4e-15 * std::abs(x);\n"},
     house_rules.slack_has_a_name, "sum.cc:2: a bare small number"),
    ({"src/muster/describe/law.cc": "put(0, mass * 1e-15L);\nconst double c[] = {-2.5e-10, 1e-140 * x, 1.5e-3 * y};\n"},
     house_rules.slack_has_a_name, "law.cc:1: a bare small number"),
    ({"src/muster/numerics/sum.cc": "x *= 0x1p-256;\n"
                                    "static const auto parts = {set(d, 0x1.13198a2e03707p-65), 0x1.62e4p-1 * x};\n"
                                    "const double shift = 0x1p-61L * size;  // not 0x1p-61 * x\n"},
     house_rules.slack_has_a_name, "sum.cc:3: a bare small number"),
    ({"src/muster/composition/law.cc": "law.shift = x + 0x1p-52 * y;\n"},
     house_rules.slack_has_a_name, "law.cc:1: a bare small number"),
    # A number at the start of a line belongs to the operator at the end of the line before.
    ({"src/muster/composition/law.cc": "law.shift = std::abs(x) *  // outward\n            0x1p-52;\n"},
     house_rules.slack_has_a_name, "law.cc:2: a bare small number"),
    ({"src/muster/gate/floor.cc": "if (log_p(x) + 1e-12 < y) return;\n"},
     house_rules.slack_has_a_name, "floor.cc:1: a bare small number"),
    ({"src/muster/composition/curve.cc": "while (high - low > 1e-13 * high) {\n"},
     house_rules.slack_has_a_name, "curve.cc:1: a bare small number"),
    ({"src/muster/papers/law.cc": "// Two products.\ndouble f() {\n  f();\n  g(4 * kUnit);\n  g(4 * kUnit);\n}\n"},
     house_rules.slack_has_a_name, "law.cc:5: a multiple of a unit round-off"),
    ({"src/muster/numerics/sum.cc": "g(2 * kUnitRoundoff);  // a sum\n\n\n\n"
                                    "g(x * (1 + std::numeric_limits<long double>::epsilon() * (n + 1)));\n"},
     house_rules.slack_has_a_name, "sum.cc:5: a multiple of a unit round-off"),
    ({"src/muster/composition/sum.cc": "// One product.\ng(x - numerics::kUlpAbove * x);\n\n\n"
                                       "error += (terms + 8) * kUlp;\n"},
     house_rules.slack_has_a_name, "sum.cc:5: a multiple of a unit round-off"),
    ({"src/muster/numerics/sum.cc": "slope_(numerics::kUlpAbove *\n       mean) {}\n"},
     house_rules.slack_has_a_name, "sum.cc:1: a multiple of a unit round-off"),
    ({"docs/theory/net.md": None},
     house_rules.cited_pages_exist, "net.h:1: docs/theory/net.md does not exist"),
    ({"src/muster/core/error.cc": "int x;  // TO" "DO: y\n"},
     house_rules.nothing_is_left_for_later, "error.cc:1: TO" "DO"),
    ({"src/muster/core/CMakeLists.txt": "find_package(libsodium)\nmuster_room(core SOURCES error.cc)\n",
      "packages.txt": "demo g++\ndemo libfmt-dev\ncheck libsodium-dev\n"},
     house_rules.libraries_are_declared, "libsodium-dev is built into the command and not in group demo"),
    ({"packages.txt": "demo libfmt-dev\n"},
     house_rules.libraries_are_declared, "libsodium-dev is needed and not listed"),
    ({"CMakeLists.txt": "find_package(fmt REQUIRED)\n# find_package(libsodium)\n"},
     house_rules.libraries_are_declared, "libsodium-dev is listed and not needed"),
    ({"src/muster/core/error.cc": "#include <boost/math/tools/roots.hpp>\n"},
     house_rules.libraries_are_declared, "libboost-dev is needed and not listed"),
    ({"docs/decisions/0010-text.md": "libfmt-dev\n"},
     house_rules.libraries_are_declared, "libsodium-dev has no page"),
    ({"src/muster/learning/CMakeLists.txt": "find_package(GSL)\nmuster_room(learning SOURCES models/net.cc DEPENDS core)\n"},
     house_rules.libraries_are_declared, "GSL is no library of this project"),
    ({"tools/golden/sum.py": "import math\nimport numpy as np\n"},
     house_rules.python_needs_no_package, "tools/golden/sum.py:2: numpy is not in Python's standard library"),
    ({"tests/cli/run_test.py": "def f():\n    from scipy.stats import norm\n"},
     house_rules.python_needs_no_package, "run_test.py:2: scipy is not"),
    ({"python/muster/plans.py": "import numpy as np\n\"\"\"\nimport torch\n\"\"\"\nimport torch\n"},
     house_rules.package_needs_numpy_alone, "python/muster/plans.py:5: torch is neither"),
    ({"python/muster/torch.py": "import torch\n", "python/muster/pfl/data.py": "import pfl\nimport torch\n"},
     house_rules.package_needs_numpy_alone, "python/muster/pfl/data.py:2: torch is neither"),
    ({"src/muster/core/error.cc": "class OsSource;\n// class Odd : public BitSource {\nclass Other final\n    : public A<int>, public random::BitSource {};\n"},
     house_rules.implementations_are_in_their_suite, "error.cc:3: Other implements BitSource and is not in the list"),
    ({"src/muster/core/error.cc": "class Half : public random::BitSource {};\nnamespace {\nstruct Whole final : Half {};\n}\n"},
     house_rules.implementations_are_in_their_suite, "error.cc:3: Whole implements BitSource"),
    ({"src/muster/core/error.cc": "class Odd : public learning::Evaluator {};\n"},
     house_rules.implementations_are_in_their_suite, "Odd implements Evaluator"),
    ({"src/muster/random/bit_source_contract_test.cc": "Contract all[] = {};  // OsSource\n"},
     house_rules.implementations_are_in_their_suite, "os_source.cc:1: OsSource implements BitSource"),
    ({"src/muster/random/os_source.cc": "class OsSource final : public random::Bits {\n};\n"},
     house_rules.implementations_are_in_their_suite, "no class is derived from BitSource"),
]


# Sources with one function, whose declaration begins on the line before BODY, and the function's name.
SHAPES = [
    ("int f() {\nBODY}\n", "f"),
    ("#define A {\n// {\nchar c = '{'; int n = 10'000;\nconst char* t = \"{\";\nint f() {\nBODY}\n", "f"),
    ("auto text = R\"x({ \" {)x\";\nnamespace a::b {\nint A::f(int x) const noexcept {\nBODY}\n}\n", "A::f"),
    ("struct A final : B<int> {\n public:\n  bool operator==(const A& x) const {\nBODY}\n int x = 0;\n};\n", "operator=="),
    ("template <class D, class V = Vec<D>>\nclass A {\n  int x{0};\n  auto f() const -> std::vector<int> {\nBODY}\n};\n", "f"),
    ("extern \"C\" {\nvoid f(void (*g)(int)) {\nBODY}\n}\n", "f"),
    ("std::vector<int> a = {1, 2}, b{3};\nconst auto f = [](int x) {\nBODY};\n", "f"),
    ("template <int N = 3> static void f(int x = N) {\nBODY}\n", "f"),
    ("TEST_F(Case, Name) {\nBODY}\n", "Case.Name"),
    ("A::A(int x) : x_(x), y_{x} {\nBODY}\n", "A::A"),
]
NO_FUNCTIONS = [
    "int x[] = {\n" + LONG_BODY + "};\n",
    "enum class A {\n" + LONG_BODY + "};\n",
    "namespace a {\n" + LONG_BODY + "}\n",
    "// int f() {\n" + LONG_BODY + "// }\n",
    "std::map<int, int> x{{1, g(2)},\n" + LONG_BODY + "};\n",
]


def write_tree(root, files):
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class HouseRules(unittest.TestCase):
    def complaints(self, files):
        with tempfile.TemporaryDirectory() as folder:
            write_tree(folder, files)
            return {rule: rule(pathlib.Path(folder)) for rule in house_rules.RULES}

    def test_good_tree_passes_every_rule(self):
        for rule, complaints in self.complaints(GOOD).items():
            self.assertEqual(complaints, [], rule.__name__)

    def test_each_broken_tree_is_seen_by_its_rule(self):
        for change, rule, expected in BROKEN:
            files = {name: text for name, text in {**GOOD, **change}.items() if text is not None}
            with self.subTest(rule=rule.__name__, expected=expected):
                complaints = self.complaints(files)[rule]
                self.assertEqual(len(complaints), 1, complaints)
                self.assertIn(expected, complaints[0])

    def test_functions_are_found_whatever_their_shape(self):
        for text, name in SHAPES:
            with self.subTest(name=name):
                self.assertEqual(long_functions.functions(text.replace("BODY", LONG_BODY)),
                                 [(name, text.split("BODY")[0].count("\n"), 61)], text)
                self.assertEqual([count for _, _, count in long_functions.functions(text.replace("BODY", SHORT_BODY))], [60])

    def test_what_is_no_function_is_not_found(self):
        for text in NO_FUNCTIONS:
            self.assertEqual(long_functions.functions(text), [], text)

    def test_every_rule_has_a_broken_tree(self):
        self.assertEqual({rule for _, rule, _ in BROKEN}, set(house_rules.RULES))


if __name__ == "__main__":
    unittest.main()
