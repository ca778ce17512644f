"""Installs a finished build in a temporary folder and uses it as another project would.

    python3 tests/install/install_test.py --build build/release [--launcher ccache]

Nothing is built again. The installed files must run, be complete, and not refer to the folder of the build.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PREFIX = "opt/muster"
OPTIONS = None


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        stage = pathlib.Path(cls.folder.name) / "stage"
        # Every installed file belongs to CMake's default component, Unspecified. If the component is named, CMake writes
        # its list of installed files to another place, so that the list of `make install` is not overwritten.
        run("cmake", "--install", OPTIONS.build, "--prefix", f"/{PREFIX}", "--component", "Unspecified",
            env={**os.environ, "DESTDIR": stage})
        # The files are moved away from where they were installed, as happens when a package is unpacked.
        cls.root = pathlib.Path(cls.folder.name) / "unpacked"
        stage.rename(cls.root)
        cls.prefix = cls.root / PREFIX
        cls.files = [path for path in cls.root.rglob("*") if path.is_file()]
        cls.command = cls.prefix / "bin/muster"

    def only(self, pattern):
        found = list(self.prefix.glob(pattern))
        self.assertEqual(len(found), 1, (pattern, found))
        return found[0]

    def test_everything_is_below_the_prefix_and_in_its_place(self):
        self.assertEqual([path for path in self.files if not path.is_relative_to(self.prefix)], [])
        for place in ("bin/muster", "share/man/man1/muster.1", "share/man/man1/muster-train.1",
                      "share/bash-completion/completions/muster", "share/doc/muster/LICENSE",
                      "include/muster/accounting/accountant.h", "lib*/**/libmuster_accounting.a",
                      "lib*/**/cmake/muster/muster-config-version.cmake", "share/muster/deploy/shuffler.toml",
                      "lib/systemd/system/muster-shuffler.service"):
            self.only(place)
        self.assertIn("SPDX-License-Identifier: Apache-2.0", self.only("lib*/**/muster-config.cmake").read_text())

    def test_units_start_the_command_where_it_is_installed(self):
        units = list(self.prefix.glob("lib/systemd/system/*.service"))
        self.assertEqual(len(units), 4)
        for unit in units:
            self.assertRegex(unit.read_text(), rf"\nExecStart=/{PREFIX}/bin/muster {unit.stem.removeprefix('muster-')} ")

    def test_the_command_runs(self):
        version = re.search(r"^project\(muster VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
        self.assertRegex(run(self.command, "--version"),
                         f"^muster {re.escape(version)}\nsource: (commit [0-9a-f]{{40}}(, modified)?|not from a git "
                         f"checkout)\nbuild: \\S+ [0-9.]+, \\S+, .+\n$")

    def test_no_file_leads_back_to_the_build(self):
        for path in self.files:
            content = path.read_bytes()
            for folder in (ROOT, OPTIONS.build, self.folder.name):
                named = re.compile(rb"(?<![\w.-])" + re.escape(os.fsencode(folder)) + rb"(?![\w.-])")
                self.assertIsNone(named.search(content), f"{path} names {folder}")

    def test_each_header_finds_the_headers_it_includes(self):
        headers = [path for path in self.files if path.suffix == ".h"]
        self.assertGreater(len(headers), 100)
        for path in headers:
            for name in re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.M):
                self.assertTrue((self.prefix / "include" / name).is_file(), f"{path} includes {name}")
            self.assertNotIn("gtest/gtest.h", path.read_text(), path)

    def test_a_project_that_finds_the_package(self):
        build = pathlib.Path(self.folder.name) / "consumer"
        # Without a build type nothing is optimised, which makes the build faster. All programs must build, and one of
        # them must run. Another test compares the output of all programs with docs/library.md.
        configure = ["cmake", "-S", ROOT / "examples", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=",
                     f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_CXX_COMPILER_LAUNCHER={OPTIONS.launcher}"]
        run(*configure)
        run("cmake", "--build", build)
        cache = (build / "CMakeCache.txt").read_text()
        self.assertIn(f"muster_DIR:PATH={self.prefix}", cache, "another installed muster was found")
        answer = json.loads(run(self.command, "account", "--protocol", "shuffled-check-in", "--clients", "60000", "--rate",
                                "0.1", "--randomizer", "ldp-sgd", "--epsilon0", "2", "--rounds", "6800", "--delta", "1e-5",
                                "--json"))
        told = re.match(r"epsilon is at most (\S+) and at least (\S+)\n", run(build / "1_account"))
        for stated, end, side in zip(told.groups(), ("upper", "lower"), (1, -1)):
            beyond = side * (float(stated) - answer["epsilon"][end])
            self.assertTrue(0 <= beyond <= 1e-5, (end, stated, answer))
        programs = {path.stem for path in (ROOT / "examples").glob("*.cc")}
        self.assertEqual({path.name for path in build.iterdir() if re.match(r"\d_", path.name)}, programs)

    def test_a_room_that_does_not_exist_is_refused(self):
        source = pathlib.Path(self.folder.name) / "wrong"
        source.mkdir()
        (source / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES CXX)\n"
                                               "find_package(muster REQUIRED COMPONENTS accounting kitchen)\n")
        with self.assertRaisesRegex(AssertionError, "kitchen"):
            run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--launcher", default="", help="the compiler's launcher, such as ccache")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[__file__, *rest])
