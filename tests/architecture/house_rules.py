"""The project's rules that no compiler checks, applied to the text of the tree.

Each rule is a function from the root of a source tree to a list of complaints, "path:line: what is wrong".
Run as a program, this file applies every rule. The exit status is 1 if there is any complaint:

    python3 tests/architecture/house_rules.py [ROOT]

house_rules_test.py applies each rule to small trees that break it, so a rule that notices nothing fails that test.
"""

import itertools
import pathlib
import re
import sys

import bare_slack
import contract_suites
import line_lengths
import long_functions
import python_imports
import stored_figures

# The rooms (the folders of src/muster), in the order data flows, as the root's CMakeLists.txt lists them. A
# room includes from itself and from rooms before it in this list.
LISTS = pathlib.Path(__file__).resolve().parents[2] / "CMakeLists.txt"
ROOMS = re.search(r"^set\(MUSTER_ROOMS\s([^)]*)\)", LISTS.read_text(encoding="utf-8"), re.M).group(1).split()

MAX_LINES = 500

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def sources(root, *folders, suffixes=(".cc", ".h")):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes:
                yield path


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def room_of(root, path):
    return path.relative_to(root / "src" / "muster").parts[0]


def included_room(target):
    """Returns the room that an include names, for example "core"
    for "muster/core/error.h", or None for other includes."""
    parts = target.split("/")
    return parts[1] if parts[0] == "muster" and len(parts) > 2 else None


def includes_point_left(root):
    """A room includes from itself and from rooms before it, and nothing from apps/; only its tests include tests/."""
    complaints = []
    for path in sources(root, "src"):
        where = path.relative_to(root)
        room = room_of(root, path)
        if room not in ROOMS:
            complaints.append(f"{where}:1: folder {room} is not a room")
            continue
        for line, target in includes(path):
            other = included_room(target)
            if other is not None and other not in ROOMS:
                complaints.append(f"{where}:{line}: {target} names no room")
            elif other is not None and ROOMS.index(other) > ROOMS.index(room):
                complaints.append(f"{where}:{line}: room {room} includes {target}, of a room to its right")
            elif target.startswith("apps/"):
                complaints.append(f"{where}:{line}: the library includes {target}, of the command")
            elif target.startswith("tests/") and not path.stem.endswith("_test"):
                complaints.append(f"{where}:{line}: {target} is included by what is not a test")
            elif ".." in target.split("/"):
                complaints.append(f"{where}:{line}: {target} is relative; write the path from src")
    return complaints


ROOM_CALL = re.compile(r"muster_room\(\s*(\w+)(.*?)\)", re.S)


def declared_rooms(root):
    """Returns, for each room, the rooms that its muster_room(... DEPENDS ...) names."""
    declared = {}
    for lists in sorted((root / "src" / "muster").rglob("CMakeLists.txt")):
        for room, arguments in ROOM_CALL.findall(re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))):
            names = set()
            keyword = None
            for word in arguments.split():
                if word in ("SOURCES", "DEPENDS", "LIBRARIES"):
                    keyword = word
                elif keyword == "DEPENDS":
                    names.add(word)
            declared[room] = names
    return declared


def depends_agree_with_includes(root):
    """DEPENDS of a room's target names exactly the other rooms that its sources include from; tests do not count."""
    complaints = []
    declared = declared_rooms(root)
    used = {}
    for path in sources(root, "src"):
        if path.stem.endswith("_test"):
            continue
        room = room_of(root, path)
        rooms = {included_room(target) for _, target in includes(path)} - {None, room}
        used.setdefault(room, set()).update(rooms)
    for room in sorted(used):
        if room not in declared:
            complaints.append(f"src/muster/{room}/CMakeLists.txt:1: no muster_room({room} ...)")
            continue
        for other in sorted(used[room] - declared[room]):
            complaints.append(f"src/muster/{room}/CMakeLists.txt:1: includes from {other}, which DEPENDS does not name")
        for other in sorted(declared[room] - used[room]):
            complaints.append(f"src/muster/{room}/CMakeLists.txt:1: DEPENDS names {other}, which is not included")
    return complaints


def every_source_is_built(root):
    """Every .cc is named in the CMakeLists.txt of its folder or of a folder above it, other than the root.

    muster_bench(NAME ...) and muster_example(NAME ...) stand for NAME.cc.
    """
    complaints = []
    for path in sources(root, "src", "apps", "examples", "python", "tests", "bench", "tools", suffixes=(".cc",)):
        named = False
        for folder in path.parents:
            if folder == root:
                break
            lists = folder / "CMakeLists.txt"
            if lists.exists():
                text = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
                words = re.split(r"[\s()\"]+", re.sub(r"muster_(?:bench|example)\((\w+)", r"\1.cc", text))
                named = named or str(path.relative_to(folder)) in words
        if not named:
            complaints.append(f"{path.relative_to(root)}:1: in no CMakeLists.txt, so it is never built")
    return complaints


def sources_are_no_tests(root):
    """No room lists a _test.cc as a source, because the other rules ignore files with such names."""
    complaints = []
    for lists in sorted((root / "src" / "muster").glob("*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))
        for room in re.findall(r"muster_room\(([^)]*)\)", text):
            for source in re.findall(r"\S+_test\.cc", room):
                complaints.append(f"{lists.relative_to(root)}:1: {source} is listed as a source of the room")
    return complaints


def headers_open_with_what_they_are(root):
    """A header opens with a comment that says what it is, and has #pragma once.

    A -inl.h is included once for each instruction set, so it has Highway's HWY_TARGET_TOGGLE instead of #pragma once.
    """
    complaints = []
    for path in sources(root, "src", "apps", "python", "tests", "bench", suffixes=(".h",)):
        where = path.relative_to(root)
        lines = path.read_text(encoding="utf-8").splitlines()
        if not lines or not re.match(r"//\s*\w.{2,}", lines[0]):
            complaints.append(f"{where}:1: does not open with a comment that says what this is")
        elif path.name in lines[0]:
            complaints.append(f"{where}:1: the opening comment repeats the file's name")
        guard = "HWY_TARGET_TOGGLE" if path.name.endswith("-inl.h") else "#pragma once"
        if not any(guard in line for line in lines):
            complaints.append(f"{where}:1: no {guard}")
    return complaints


THREAD_RULE = re.compile(r"concurren|immutable|\bpure\b|nothing to call|thread-safe|one thread calls|threads may share|"
                         r"(?:any|no other|(?:from|to) (?:one|another|(?:the|its)(?: \w+'s)?)) thread\b|"
                         r"(?:several|many|between|cross) threads", re.I)


def headers_say_what_may_run_concurrently(root):
    """The opening comment of a header says which of its calls may run concurrently, as docs/library.md promises. The
    rule looks for the phrases with which headers say so; the word "thread" alone is not enough."""
    complaints = []
    for path in sources(root, "src", suffixes=(".h",)):
        opening = itertools.takewhile(lambda line: line.startswith("//"), path.read_text(encoding="utf-8").splitlines())
        if not THREAD_RULE.search(" ".join(line.lstrip("/ ") for line in opening)):
            complaints.append(f"{path.relative_to(root)}:1: the opening comment does not say which calls may run concurrently")
    return complaints


def refusals_state_their_reason(root):
    """An Error of the kinds plan and usage is thrown with its Reason, so that programs need not read the message."""
    complaints = []
    for path in sources(root, "src", "apps", "python"):
        if path.stem.endswith("_test"):
            continue
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r"\bError(?:::in_words)?\(\s*ErrorCode::(?:plan|usage),(?!\s*(?:Reason::|reason\b|\w+ \? Reason::))",
                                 text):
            line = text.count("\n", 0, found.start()) + 1
            complaints.append(f"{path.relative_to(root)}:{line}: an Error of kind plan or usage states no Reason")
    return complaints


def files_stay_small(root):
    """One concept per file: no source, script or page has more than MAX_LINES lines."""
    complaints = []
    suffixes = (".cc", ".h", ".py", ".cmake", ".txt", ".md")
    for path in sources(root, "src", "apps", "python", "tests", "bench", "cmake", "tools", "docs", suffixes=suffixes):
        count = len(path.read_text(encoding="utf-8").splitlines())
        if count > MAX_LINES:
            complaints.append(f"{path.relative_to(root)}:{count}: {count} lines, more than {MAX_LINES}")
    return complaints


def functions_stay_short(root):
    """Only functions that long_functions.LONGER names have more than long_functions.MAX_FUNCTION_LINES lines."""
    complaints, names, files = [], set(), set()
    most, longer = long_functions.MAX_FUNCTION_LINES, long_functions.LONGER
    for path in sources(root, "src", "apps", "examples", "python", "tests", "bench", "tools"):
        files.add(path.name)
        for name, line, count in long_functions.functions(path.read_text(encoding="utf-8")):
            if count > most:
                names.add(f"{path.name}: {name}")
                if f"{path.name}: {name}" not in longer:
                    complaints.append(f"{path.relative_to(root)}:{line}: {name} has {count} lines, more than {most}")
    complaints += [f"tests/architecture/long_functions.py:1: {name} is not longer than {most} lines"
                   for name in sorted(set(longer) - names) if name.split(":")[0] in files]
    return complaints


def lines_fit(root):
    """A comment of C++ and the prose of a page are not wider than line_lengths.py allows."""
    complaints = []
    for path in sources(root, "src", "apps", "examples", "python", "tests", "bench", "tools"):
        complaints += line_lengths.comments(path.read_text(encoding="utf-8"), path.relative_to(root))
    for path in [*root.glob("*.md"), *sources(root, "docs", "src", "testdata", suffixes=(".md",))]:
        complaints += line_lengths.prose(path.read_text(encoding="utf-8"), path.relative_to(root))
    return complaints


def cited_pages_exist(root):
    """Every docs/... page and every generator that a source names exists, so that code and derivation stay linked."""
    complaints = []
    for path in sources(root, "src", "apps", "python", "bench", suffixes=(".cc", ".h", ".txt", ".py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for page in re.findall(r"\b(?:docs/[\w/.-]+\.md|tools/golden/\w+\.py)\b", line):
                if not (root / page).is_file():
                    complaints.append(f"{path.relative_to(root)}:{number}: {page} does not exist")
    return complaints


def nothing_is_left_for_later(root):
    """No file has a mark of unfinished work."""
    complaints = []
    marks = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    suffixes = (".cc", ".h", ".py", ".cmake", ".txt", ".md", ".toml")
    folders = ("src", "apps", "python", "tests", "bench", "cmake", "tools", "docs", "plans")
    for path in sources(root, *folders, suffixes=suffixes):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if marks.search(line):
                complaints.append(f"{path.relative_to(root)}:{number}: {marks.search(line).group(1)}")
    return complaints


BLIND_TO_NAN = re.compile(r"\bstd::(?:ranges::)?(max|min|clamp|minmax|fmax|fmin)\s*[(<]")


def comparisons_see_nan(root):
    """The rooms that compute epsilons, and tests/oracle, use the maximum, minimum and clamp of numerics/ordered.h, which
    return NaN if an argument is NaN. std::max and the like may hide a NaN."""
    complaints = []
    rooms = ["numerics", "describe", "composition", "theorems", "accounting", "papers"]
    for path in sources(root, *[f"src/muster/{room}" for room in rooms], "tests/oracle"):
        if path.stem.endswith("_test"):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = BLIND_TO_NAN.search(line.split("//")[0])
            if match:
                complaints.append(f"{path.relative_to(root)}:{number}: a NaN passes std::{match.group(1)}; "
                                  "see numerics/ordered.h")
    return complaints


# For each standard header, the names that it declares, as a pattern.
DECLARED_IN = {
    "array": r"array\b",
    "cstddef": r"size_t\b",
    "cstdint": r"u?int(?:8|16|32|64|max|ptr)_t\b",
    "filesystem": r"filesystem::",
    "functional": r"function<",
    "memory": r"(?:unique_ptr|shared_ptr|make_unique|make_shared)\b",
    "mutex": r"(?:mutex|lock_guard)\b",
    "optional": r"(?:optional|nullopt)\b",
    "span": r"span\b",
    "string": r"(?:string|to_string)\b",
    "string_view": r"string_view\b",
    "utility": r"(?:pair|move|forward|exchange)\b",
    "variant": r"(?:variant|visit|get_if|holds_alternative)\b",
    "vector": r"vector\b",
}
DECLARED = {header: re.compile(r"\bstd::" + names) for header, names in DECLARED_IN.items()}


def headers_include_what_they_name(root):
    """A header includes the standard header of each standard name in it, without relying on other headers."""
    complaints = []
    for path in sources(root, "src", "apps", "python", "tests", "bench", suffixes=(".h",)):
        text = path.read_text(encoding="utf-8")
        lines = [line.split("//")[0] for line in text.splitlines()]
        included = {target for _, target in includes(path)}
        for header, name in DECLARED.items():
            # These other headers declare size_t, too, so <cstddef> is needed only where none of them is
            # included.
            enough = {header} | ({"array", "span", "string", "string_view", "vector"} if header == "cstddef" else set())
            first = next((number for number, line in enumerate(lines, 1) if name.search(line)), None)
            if first is not None and not enough & included:
                complaints.append(f"{path.relative_to(root)}:{first}: {name.search(lines[first - 1]).group(0)} without <{header}>")
    return complaints


PRINTS_OR_EXITS = re.compile(r"\b(?:stdout|stderr|std::cout|std::cerr|std::clog|MPI_Abort)\b"
                             r"|(?:\bfmt::|\bstd::|::|(?<![\w.>]))"
                             r"(?:print|printf|puts|putchar|perror|abort|exit|_exit|_Exit|quick_exit|terminate)\s*\(")

# Ranks::abandon ends all ranks if one fails, and forked_computation.cc ends the child in which a device computes.
MAY_EXIT = {"src/muster/" + path for path in
            ("simulation/ranks.cc", "simulation/ranks_mpi.cc", "service/client/forked_computation.cc")}


def library_neither_prints_nor_exits(root):
    """A room returns text or passes it to a function of its caller. Only the command prints and ends the process."""
    complaints = []
    for path in sources(root, "src"):
        where = str(path.relative_to(root))
        if path.stem.endswith("_test") or where in MAY_EXIT:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = PRINTS_OR_EXITS.search(re.sub(r'"[^"]*"', '""', line).split("//")[0])
            if match:
                complaints.append(f"{where}:{number}: {match.group(0)} prints or ends the process")
    return complaints


# The name of a library in CMake, and the Debian packages that contain it.
PACKAGES = {
    "benchmark": ["libbenchmark-dev"],
    "CLI11": ["libcli11-dev"],
    "Eigen3": ["libeigen3-dev"],
    "fmt": ["libfmt-dev"],
    "GTest": ["libgtest-dev", "libgmock-dev"],
    "libhwy": ["libhwy-dev"],
    "librsvg-2.0": ["librsvg2-dev"],
    "libcrypto": ["libssl-dev"],
    "libcurl": ["libcurl4-openssl-dev"],
    "SQLite3": ["libsqlite3-dev"],
    "libsodium": ["libsodium-dev"],
    "prometheus-cpp-core": ["prometheus-cpp-dev"], "MPI": ["libopenmpi-dev", "openmpi-bin"],
    "nlohmann_json": ["nlohmann-json3-dev"],
    "PkgConfig": ["pkg-config"],
    "PNG": ["libpng-dev"],
    "Python3": ["python3"],
    "Python": ["python3-dev"],
    "pybind11": ["pybind11-dev"],
    "rapidcheck": ["librapidcheck-dev"],
    "Threads": [],
    "muster": [],  # for examples/, which is a project of its own
    "ZLIB": ["zlib1g-dev"],
}

# Libraries that only tests and benchmarks use.
FOR_TESTS = {"benchmark", "GTest", "rapidcheck"}

# The first characters of a library's includes, for libraries that CMake does not look for, because they are
# header-only or linked by name.
HEADERS = {
    "boost/": ["libboost-dev"],
    "toml++/": ["libtomlplusplus-dev"],
    "arb": ["libflint-dev", "libflint-arb-dev"],
    "acb": ["libflint-dev", "libflint-arb-dev"],
    "flint/": ["libflint-dev", "libflint-arb-dev"],
}

LIBRARY_CALL = re.compile(r"find_package\(\s*(\w+)|pkg_check_modules\(\s*\w+\s+(?:(?:REQUIRED|IMPORTED_TARGET|GLOBAL)\s+)*([\w.-]+)")


SLACK = "src/muster/numerics/slack.h"
# The rooms that round bounds outward.
ROUNDING_ROOMS = ("numerics", "describe", "composition", "theorems", "accounting", "gate", "papers")


def slack_has_a_name(root):
    """A factor such as 1 + 1e-12 has a name, and a multiple of a unit round-off has a comment (bare_slack.py)."""
    complaints = []
    for path in sources(root, "src", "apps"):
        where = path.relative_to(root)
        if path.stem.endswith("_test") or str(where) == SLACK:
            continue
        rounds = where.parts[:2] == ("src", "muster") and where.parts[2] in ROUNDING_ROOMS
        complaints += [f"{where}:{line}: {what}"
                       for line, what in bare_slack.found(path.read_text(encoding="utf-8"), rounds)]
    return complaints


def figures_name_their_source(root):
    """A test that expects a figure of six or more digits names the figure's generator or page (stored_figures.py)."""
    folders = [f"src/muster/{room}" for room in ("describe", "composition", "theorems", "accounting", "gate", "papers")]
    return [f"{path.relative_to(root)}:{line}: {figure} names no generator of tools/golden and no page of docs"
            for path in sources(root, *folders, "tests/oracle") if path.stem.endswith("_test")
            for line, figure in stored_figures.without_source(path.read_text(encoding="utf-8"))]


def libraries_are_declared(root):
    """packages.txt lists exactly the libraries that CMake looks for, and each package has a page in docs/decisions. The
    libraries of the rooms and the command are in group demo, so that `make demo` builds the command with all features."""
    listed_in = root / "packages.txt"
    if not listed_in.exists():
        return []
    complaints, needed, built_in = [], set(), set()
    for lists in sorted(root.rglob("CMakeLists.txt")):
        if lists.relative_to(root).parts[0] == "build":
            continue
        for names in LIBRARY_CALL.findall(re.sub(r"#.*", "", lists.read_text(encoding="utf-8"))):
            name = "".join(names)
            if name not in PACKAGES:
                complaints.append(f"{lists.relative_to(root)}:1: {name} is no library of this project")
            needed.update(PACKAGES.get(name, []))
            if lists.relative_to(root).parts[0] in ("src", "apps") and name not in FOR_TESTS:
                built_in.update(PACKAGES.get(name, []))
    for path in sources(root, "src", "apps", "tests", "bench", "tools"):
        for _, target in includes(path):
            for prefix, packages in HEADERS.items():
                if target.startswith(prefix):
                    needed.update(packages)
    words = [line.split() for line in listed_in.read_text(encoding="utf-8").splitlines()]
    listed = {word[1] for word in words if len(word) == 2 and word[0] != "#"}
    known = {package for packages in [*PACKAGES.values(), *HEADERS.values()] for package in packages}
    decisions = "".join(page.read_text(encoding="utf-8") for page in sorted((root / "docs/decisions").glob("*.md")))
    demo = {word[1] for word in words if len(word) == 2 and word[0] == "demo"}
    complaints += [f"packages.txt:1: {package} is built into the command and not in group demo"
                   for package in sorted(built_in & listed - demo)]
    complaints += [f"packages.txt:1: {package} is needed and not listed" for package in sorted(needed - listed)]
    complaints += [f"packages.txt:1: {package} is listed and not needed" for package in sorted(listed & known - needed)]
    complaints += [f"packages.txt:1: {package} has no page in docs/decisions" for package in sorted(listed & known)
                   if package not in decisions]
    return complaints


def python_needs_no_package(root):
    """Scripts import only the standard library and each other (docs/decisions, 25), unless python_imports.py allows
    more."""
    return python_imports.of_scripts(list(sources(root, "tests", "tools", "bench", suffixes=(".py",))), root)


def package_needs_numpy_alone(root):
    """The Python package and its tests import the standard library, themselves, numpy and, for plots, matplotlib."""
    return python_imports.of_package(list(sources(root, "python", suffixes=(".py", ".pyi"))), root)


def implementations_are_in_their_suite(root):
    """Every class that implements an interface of contract_suites.SUITES is in the list of that interface's suite."""
    return contract_suites.missing(root, [path for path in sources(root, "src") if not path.stem.endswith("_test")])


RULES = [
    includes_point_left,
    depends_agree_with_includes,
    every_source_is_built,
    sources_are_no_tests,
    headers_open_with_what_they_are,
    headers_say_what_may_run_concurrently,
    refusals_state_their_reason,
    headers_include_what_they_name,
    files_stay_small,
    functions_stay_short,
    lines_fit,
    cited_pages_exist,
    nothing_is_left_for_later,
    comparisons_see_nan,
    library_neither_prints_nor_exits,
    slack_has_a_name,
    figures_name_their_source,
    libraries_are_declared,
    python_needs_no_package,
    package_needs_numpy_alone,
    implementations_are_in_their_suite,
]


def main(arguments):
    root = pathlib.Path(arguments[1] if len(arguments) > 1 else ".").resolve()
    if not (root / "src" / "muster").is_dir():
        print(f"{root} holds no src/muster", file=sys.stderr)
        return 2
    complaints = [line for rule in RULES for line in rule(root)]
    print("\n".join(complaints) if complaints else f"{len(RULES)} house rules hold")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
