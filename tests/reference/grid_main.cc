// `reference_grid` checks answers for large losses, point by point: sigma 2^-6 to 1, epsilon0 10 to 60, 1 to
// 10^5 rounds, in all seven protocols. An answer must not lie above the local value, below the epsilon of
// data sets in one round or in all rounds, or below the value of the theorem that it names. The output has
// the answer's ratio to the larger of the theorem's value and the epsilon of data sets.
//
//   --from I --to J   only the points I .. J-1 (of 0 to 419; a point takes a few seconds)
//   --seconds W       no point starts after W processor seconds
// Exit status: 0, or 1 if any value lies above the local value or below a reference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/reference/compare.h"
#include "tests/reference/engine.h"
#include "tests/reference/generator.h"
#include "tests/reference/theorem_value.h"

namespace muster::reference {
namespace {

using protocols::Protocol;
using protocols::RandomizerKind;

constexpr int kPoints = 420;

std::vector<Question> points() {
  std::vector<Question> list;
  Draws draws = draws_of(3, 0, 0);
  for (int i = 0; i < kPoints; ++i) {
    Question q;
    q.protocol = static_cast<Protocol>(i % 7);
    q.randomizer = draws.chance(0.5)   ? RandomizerKind::gaussian
                   : draws.chance(0.5) ? RandomizerKind::pure
                                       : RandomizerKind::ldp_sgd;
    q.sigma = draws.log_uniform(0x1p-6, 1);
    q.epsilon0 = draws.log_uniform(10, 60);
    q.clients = draws.whole(10, 1e6);
    q.rate = draws.log_uniform(0.01, 0.9);
    q.subset = draws.whole(1, static_cast<double>(q.clients) * 0.9);
    q.slots = draws.whole(1, static_cast<double>(q.clients) / 2);
    q.rounds = draws.chance(0.3) ? 1 : draws.whole(1, 1e5);
    q.fixed = 1e-5;
    list.push_back(q);
  }
  return list;
}

// Returns the largest epsilon, to a thousandth, at which the reference certifies delta.
double certified_epsilon(const std::vector<Repetition>& stages, double delta, double upper) {
  double low = 0, high = upper;
  for (int i = 0; i < 12 && high - low > 1e-3 * high; ++i) {
    // The result is expected near the upper value, if the reference certifies delta at all.
    const double middle = i < 6 ? high - (high - low) / (i == 0 ? 200.0 : 4.0) : low + (high - low) / 2;
    (certified_delta(stages, middle, delta) >= delta ? low : high) = middle;
  }
  return low;
}

// Returns a lower bound of the epsilon of the theorem that the
// answer rests on, or 0 where the reference does not evaluate it.
double theorem_value(const std::vector<Repetition>& stages, const Answer& answer, double delta) {
  if (stages.size() != 1 || std::isinf(answer.upper())) return 0;
  return theorem_epsilon(stages.front(), answer.statement.best.id, delta, answer.upper()).value_or(0);
}

struct Slice {
  int from = 0, to = kPoints;
  double seconds = 0;  // processor seconds after which no point starts; 0: no limit
};

int run(const Slice& slice) {
  int failures = 0, asked = 0, by_theorem = 0, within = 0;
  const std::vector<Question> all = points();
  fmt::print("# point upper lower local data-sets theorem ratio seconds of-reference bound command\n");
  for (int i = slice.from; i < std::min(slice.to, kPoints); ++i) {
    if (slice.seconds > 0 && processor_seconds() > slice.seconds) break;
    const Question& q = all[static_cast<std::size_t>(i)];
    Engine engine;
    const Answer answer = engine.ask(q);
    ++asked;
    if (!answer.answered()) {
      fmt::print("{}: {}\n", answer.message, command_line(q));
      failures += answer.kind == Answer::Kind::died ? 1 : 0;
      continue;
    }
    const double before = processor_seconds();
    const std::vector<Repetition> stages = experiments_of(q);
    std::vector<Repetition> one = stages;
    for (Repetition& stage : one) stage.rounds = 1;
    const double upper = answer.upper(), local = answer.statement.local_upper.value_or(INFINITY);
    const bool below =
        !stages.empty() &&
        static_cast<double>(std::max(certified_delta(one, upper, q.fixed),
                                     certified_delta(stages, upper, q.fixed))) > q.fixed * (1 + 1e-12);
    const double theorem = theorem_value(stages, answer, q.fixed);
    // The search for the theorem's value begins at the answer, and ends there if the answer is
    // below that value.
    if (!(upper <= local) || below || theorem >= upper * (1 + 1e-12)) {
      ++failures;
      fmt::print("FALSE: {}\n", command_line(q));
    }
    const double data_sets = stages.empty() || std::isinf(upper) || theorem * 1.01 >= upper
                                 ? 0
                                 : certified_epsilon(stages, q.fixed, upper);
    const double reference = std::max(theorem, data_sets);
    by_theorem += theorem > 0 ? 1 : 0;
    within += upper <= 1.01 * reference ? 1 : 0;
    fmt::print("{} {:.6g} {:.6g} {:.6g} {:.6g} {:.6g} {:.4f} {:.2f} {:.1f} {} {}\n", i, upper, answer.lower(),
               local, data_sets, theorem, reference > 0 ? upper / reference : INFINITY, answer.seconds,
               processor_seconds() - before, answer.statement.best.id, command_line(q));
    std::fflush(stdout);
  }
  fmt::print(
      "{} points, {} of them by a theorem evaluated here, {} within 1 % of the reference, {} failures\n",
      asked, by_theorem, within, failures);
  return failures > 0 ? 1 : 0;
}

}  // namespace
}  // namespace muster::reference

int main(int argc, char** argv) {
  muster::reference::Slice slice;
  for (int i = 1; i + 1 < argc; i += 2) {
    const double value = std::strtod(argv[i + 1], nullptr);
    if (std::strcmp(argv[i], "--seconds") == 0) slice.seconds = value;
    if (std::strcmp(argv[i], "--from") == 0) slice.from = static_cast<int>(value);
    if (std::strcmp(argv[i], "--to") == 0) slice.to = static_cast<int>(value);
  }
  return muster::reference::run(slice);
}
