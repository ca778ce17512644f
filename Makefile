# Three commands start everything; each works as the first command typed on a bare Debian 12.
#
#   make demo        installs packages, builds, and trains a model privately for about a minute
#   make demo-deploy installs packages, builds, and runs a whole deployment: all roles, a relay and 2,176 devices
#   make check       installs packages, builds, and runs every test without the label `long`
#
#   make check-all   runs make check, then format, clang-tidy, sanitizers, fuzzers and all long tests
#   make build       builds only the command: build/release/muster
#   make install     installs command, manual, completions and libraries: [DESTDIR=...] [PREFIX=/usr/local]
#   make check-fuzz  runs clang's fuzzer on each reader of files, [FUZZ_SECONDS=600] seconds each
#   make check-peers runs the tests with other people's packages, which pip installs in build/peers
#   make wheel       builds a wheel of the Python package, for any Linux as new as Debian 12, in build/wheel
#   make manual      writes the manual pages of docs/man again
#   make format      rewrites the sources with clang-format
#
# stdout has the steps and their results, and stderr the messages of the tools.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.PHONY: demo demo-deploy build build-all install check check-all check-format check-tidy check-asan check-tsan check-fuzz check-long \
        check-peers wheel manual format
.DEFAULT_GOAL := demo

JOBS ?= $(shell nproc)
export JOBS
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
CODE = $(shell find src apps examples python tests bench tools -name '*.cc' -o -name '*.h')

demo: build
	@echo "train     plans/quickstart.toml: built-in digits, one a client, about a minute"
	@build/release/muster train plans/quickstart.toml --resume

# [KEEP=1] keeps the page up until Ctrl-C; [ROUND_SECONDS=9] is the length of a round.
demo-deploy: build
	@tools/packages install deploy
	@tools/demo-deploy build/release/muster

# Without the packages of group `check` the tests cannot be configured. The demo does not need these packages.
build:
	@tools/packages install demo
	@if tools/packages missing check >/dev/null; then off="-DMUSTER_TESTS=OFF -DMUSTER_BENCH=OFF -DMUSTER_PYTHON=OFF"; fi; \
	  cmake --preset release --log-level=WARNING $${off:-} >&2
	@cmake --build build/release --parallel $(JOBS) --target muster >&2
	@echo "build     build/release/muster"

install: build
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)" >&2
	@echo "install   $(DESTDIR)$(PREFIX)"

# Everything in build/release, with its tests and benchmarks, and the Python package in build/release/python.
build-all:
	@tools/packages install check
	@cmake --preset release --log-level=WARNING -DMUSTER_TESTS=ON -DMUSTER_BENCH=ON -DMUSTER_PYTHON=ON >&2
	@cmake --build build/release --parallel $(JOBS) >&2
	@echo "build     build/release"

check: build-all
	@tools/run-tests build/release -LE long

check-all:
	@tools/packages install extra
	@tools/check-all

check-format:
	@tools/packages install extra
	@clang-format --dry-run --Werror $(CODE)
	@echo "format    $(words $(CODE)) files as clang-format writes them"

check-tidy: build-all
	@tools/packages install extra
	@tools/tidy build/release

# Sanitizer builds run the tests of `check`, but the thread sanitizer only those of the two rooms that start
# many threads, and of the parts of other rooms that start some.
THREADED = tests_learning tests_simulation accounting_privacy_curve_test reporting_stated_epsilon_test \
           http_http_test http_issuer_server_test http_shuffler_server_test http_status_server_test \
           service_learner_test service_shuffler_restart_test deployment_network_test

check-asan:
	@tools/packages install check
	@cmake --preset asan --log-level=WARNING >&2
	@cmake --build build/asan --parallel $(JOBS) >&2
	@tools/run-tests build/asan -LE long

check-tsan:
	@tools/packages install check
	@cmake --preset tsan --log-level=WARNING >&2
	@cmake --build build/tsan --parallel $(JOBS) --target $(THREADED) >&2
	@tools/run-tests build/tsan -LE long -R "^(learning|simulation)\\.|privacy_curve|stated_epsilon|http_test|server_test|learner_test|network_test|shuffler_restart"

check-fuzz:
	@tools/packages install extra
	@cmake --preset fuzz --log-level=WARNING >&2
	@cmake --build build/fuzz --parallel $(JOBS) --target fuzz_targets >&2
	@tools/fuzz $(FUZZ_SECONDS)

check-long: build-all
	@tools/run-tests build/release -L long

# check-peers and wheel are the only targets that need software from outside Debian.
check-peers: build-all
	@tools/packages install peers
	@tools/check-peers

# The wheel is built, repaired and tried with software from outside Debian, in environments below build/.
wheel:
	@tools/packages install wheel
	@tools/wheel

manual: build
	@tools/packages install check
	@tools/manual build/release/muster

format:
	@tools/packages install extra
	@clang-format -i $(CODE)
