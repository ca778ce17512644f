// Times the C++ function that `muster.account` of the Python package calls: it makes a statement about a
// plan. bench/python/package_speed.py asks the same questions in Python, and compares the times.
//
//   statement/0   one round of 1,000 clients whose mechanism is only known to be 1-DP: a short question
//   statement/1   6,800 rounds of the papers' network on MNIST: a long one
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "muster/reporting/plan_answers.h"

namespace {

using namespace muster;

using Keys = std::vector<std::pair<std::string, std::string>>;
const Keys kQuestions[] = {{{"population.clients", "1000"},
                            {"participation.protocol", "shuffle"},
                            {"randomizer.kind", "pure"},
                            {"randomizer.epsilon0", "1"},
                            {"rounds.count", "1"},
                            {"privacy.delta", "1e-5"}},
                           {{"population.clients", "60000"},
                            {"participation.protocol", "shuffled-check-in"},
                            {"participation.rate", "0.1"},
                            {"randomizer.kind", "ldp-sgd"},
                            {"randomizer.epsilon0", "2"},
                            {"rounds.count", "6800"},
                            {"privacy.delta", "1e-5"}}};

void statement(benchmark::State& state) {
  protocols::PlanSource source;
  for (const auto& [key, value] : kQuestions[state.range(0)]) source.override_key(key, value);
  const protocols::Plan plan = protocols::Plan::validate(source, protocols::Command::account);
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, 1e-5};
  double upper = 0;
  for ([[maybe_unused]] auto _ : state) {
    upper = *reporting::statement_of(plan, question, std::nullopt, reporting::Papers::left_out).best.upper;
  }
  state.counters["upper"] = upper;
}
BENCHMARK(statement)->DenseRange(0, 1)->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
