// Asks random questions and prints the findings:
//     reference_questions --seed 1 --count 2000 --seconds 110
//
//   --seed S --first I --count N   questions I .. I+N-1 of seed S
//   --few-clients                  questions of at most nine clients
//   --normal-check-ins             questions of shuffled check-ins with normal noise
//   --seconds W                    no question starts after W seconds: the output says how many were asked
//   --jobs J                       processes that run at once
//   --limit C                      processor seconds for one question and all its comparisons
//   --relations R                  relations per question, drawn at random; -1: all
//   --slow-fails                   an answer of more than 5 processor seconds fails the run; at the end,
//                                  questions with such an answer are asked again, one at a time, because
//                                  processes that share a core take longer
//   --log FILE                     keeps every verdict; questions that FILE holds are not asked again
//   --show I                       prints the command and the verdict of one question
// Exit status: 0 nothing found, 1 a finding that is not in known_findings.cc, 2 usage.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/reference/check.h"
#include "tests/reference/generator.h"
#include "tests/reference/log.h"
#include "tests/reference/pool.h"
#include "tests/reference/record.h"
#include "tests/reference/tally.h"

namespace muster::reference {
namespace {

struct Options {
  std::uint64_t seed = 1, first = 0, count = 100;
  PoolLimits limits;
  Effort effort;
  bool slow_fails = false;
  Focus focus = Focus::everything;
  std::string log;
  bool show = false;
};

bool read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--few-clients") {
      options.focus = Focus::few_clients;
      continue;
    }
    if (flag == "--normal-check-ins") {
      options.focus = Focus::normal_check_ins;
      continue;
    }
    if (flag == "--slow-fails") {
      options.slow_fails = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const char* value = argv[++i];
    const auto whole = [&] { return std::strtoull(value, nullptr, 10); };
    if (flag == "--seed")
      options.seed = whole();
    else if (flag == "--first")
      options.first = whole();
    else if (flag == "--count")
      options.count = whole();
    else if (flag == "--seconds")
      options.limits.wall_seconds = std::strtod(value, nullptr);
    else if (flag == "--jobs")
      options.limits.jobs = static_cast<int>(whole());
    else if (flag == "--limit")
      options.limits.processor_seconds = static_cast<unsigned>(whole());
    else if (flag == "--relations")
      options.effort.relations = static_cast<int>(std::strtol(value, nullptr, 10));
    else if (flag == "--log")
      options.log = value;
    else if (flag == "--show")
      options.show = true, options.first = whole(), options.count = 1;
    else
      return false;
  }
  return options.limits.jobs > 0;
}

bool is_slow(const Verdict& verdict) {
  return std::ranges::any_of(verdict.findings,
                             [](const Finding& each) { return each.kind == Finding::Kind::slow; });
}

int run(const Options& options) {
  if (options.show)
    fmt::print("{}\n", command_line(random_question(options.seed, options.first, options.focus)));
  Tally tally(options.seed, options.focus);
  bool failed = false;
  const auto count_in = [&](std::uint64_t index, const Verdict& verdict) {
    failed = tally.add(index, verdict, options.slow_fails) || failed;
    for (const Finding& finding : verdict.findings) fmt::print("{}", describe(options.seed, index, finding));
  };
  Log log(options.log, options.seed);
  for (const auto& [index, verdict] : log.before()) count_in(index, verdict);
  const std::uint64_t known = tally.asked();
  std::uint64_t following = options.first;
  const Job ask = [&](std::uint64_t index, int out) {
    const Question question = random_question(options.seed, index, options.focus);
    const auto announce = [&](const std::string& command) { write_all(out, "asking\t" + command + "\n"); };
    write_all(out, text_of(check(question, options.seed, index, options.effort, announce)));
  };
  const auto keep = [&](const Finished& finished) {
    const Verdict verdict = verdict_of(finished, options.limits.processor_seconds);
    log.keep(finished.index, verdict);
    count_in(finished.index, verdict);
    std::fflush(stdout);
  };
  std::vector<std::uint64_t> again;  // questions with an answer that seems to be slow
  run_pool(
      options.limits,
      [&](std::uint64_t& index) {
        while (following < options.first + options.count && log.holds(following)) ++following;
        index = following++;
        return index < options.first + options.count;
      },
      ask,
      [&](const Finished& finished) {
        const bool slow = is_slow(verdict_of(finished, options.limits.processor_seconds));
        if (slow && options.slow_fails && options.limits.jobs > 1) {
          again.push_back(finished.index);
        } else {
          keep(finished);
        }
      });
  std::size_t asked_again = 0;
  run_pool(
      {.jobs = 1, .wall_seconds = 0, .processor_seconds = options.limits.processor_seconds},
      [&](std::uint64_t& index) {
        if (asked_again == again.size()) return false;
        index = again[asked_again++];
        return true;
      },
      ask, keep);
  fmt::print("{}", tally.summary());
  if (tally.asked() < known + options.count && known == 0) {
    fmt::print("{} of {} questions were asked in {} s\n", tally.asked(), options.count,
               options.limits.wall_seconds);
  }
  if (known > 0) fmt::print("{} of them in earlier runs, read from {}\n", known, options.log);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace muster::reference

int main(int argc, char** argv) {
  muster::reference::Options options;
  if (!muster::reference::read_options(argc, argv, options)) {
    std::fprintf(stderr, "usage: the first lines of tests/reference/questions_main.cc\n");
    return 2;
  }
  return muster::reference::run(options);
}
