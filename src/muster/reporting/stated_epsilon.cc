#include "muster/reporting/stated_epsilon.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <optional>
#include <string>

#include "muster/accounting/accountant.h"
#include "muster/core/error.h"
#include "muster/core/number_text.h"
#include "muster/simulation/ranks.h"

namespace muster::reporting {
namespace {

namespace fs = std::filesystem;
using simulation::Measurement;
using simulation::RunResult;

constexpr double kLastDigits = 1e-9;
constexpr std::chrono::seconds kQuiet{20};  // the time between two notes of progress
// A numerical error larger than this fraction of the value is not tolerated: an error as large as the
// value would let a stated 0 pass.
constexpr double kMaxErrorShare = 0.1;

// Computes the epsilon of each number of rounds, on as many threads as a run uses by default. Reports its
// progress to `notes` every kQuiet.
std::vector<double> epsilons_of(const std::vector<std::uint64_t>& rounds, const EpsilonOfRounds& epsilon,
                                const NoteSink& notes) {
  std::vector<double> values(rounds.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < rounds.size(); i = next.fetch_add(1)) {
      values[i] = epsilon(rounds[i]);
    }
  };
  std::vector<std::future<void>> workers;
  const std::size_t threads = std::min<std::size_t>(simulation::usual_threads(), rounds.size());
  for (std::size_t t = 0; t < threads; ++t) {
    workers.push_back(std::async(std::launch::async, work));
  }
  for (std::future<void>& worker : workers) {
    while (worker.wait_for(kQuiet) != std::future_status::ready) {
      notes(fmt::format("working out the epsilon of {} logged rounds anew, at {}", rounds.size(),
                        std::min(next.load(), rounds.size())));
    }
    worker.get();
  }
  return values;
}

// Compares a stated value with today's. Returns whether it is larger; throws Error(file) if it is too small.
bool is_larger(const protocols::Plan& plan, std::uint64_t rounds, double today, double stated,
               const fs::path& file, const std::string& line) {
  const double digits = std::isfinite(today) ? kLastDigits * today : 0;
  if (stated >= today - digits) {
    return stated > today + digits;
  }
  const double error = std::isfinite(today) ? statement_of(plan, rounds).best.numerical_error : 0;
  if (error <= kMaxErrorShare * today && stated >= today - digits - error) {
    return false;
  }
  throw Error(
      ErrorCode::file, file.string(), fmt::format("{}", stated),
      std::isfinite(today) ? fmt::format("at least {:.9g}", today) : "null: none is proven",
      fmt::format("{}\"epsilon\" is less than {} of this plan cost: edited, or of a version that erred", line,
                  count_text(rounds, plan.has_slots() ? "run" : "round")));
}

}  // namespace

accounting::Statement statement_of(const protocols::Plan& plan, std::uint64_t rounds) {
  const accounting::Question question{accounting::Question::Kind::epsilon_at_delta, plan.delta().value()};
  return accounting::Accountant(plan.mechanism(), plan.stages()).account(rounds, question);
}

std::uint64_t restate(const protocols::Plan& plan, const EpsilonOfRounds& epsilon, const fs::path& file,
                      std::vector<Measurement>& logged, const NoteSink& notes) {
  // The list has each logged number of rounds once, ascending. Slots of the same run have the same number.
  std::vector<std::uint64_t> rounds;
  for (const Measurement& line : logged) {
    if (rounds.empty() || rounds.back() != line.round) {
      rounds.push_back(line.round);
    }
  }
  const std::vector<double> values = epsilons_of(rounds, epsilon, notes);
  std::uint64_t larger = 0;
  for (std::size_t i = 0, at = 0; i < logged.size(); ++i) {
    at += logged[i].round == rounds[at] ? 0 : 1;
    const double today = values[at];
    larger +=
        is_larger(plan, logged[i].round, today, logged[i].epsilon, file, fmt::format(", line {}: ", i + 1))
            ? 1
            : 0;
    logged[i].epsilon = today;
  }
  return larger;
}

std::uint64_t restate(const protocols::Plan& plan, const EpsilonOfRounds& epsilon, const fs::path& file,
                      RunResult& result) {
  const double today = epsilon(result.rounds);
  const bool larger = is_larger(plan, result.rounds, today, result.epsilon, file, ": ");
  result.epsilon = today;
  return larger ? 1 : 0;
}

void check_logged(const protocols::Plan& plan, const EpsilonOfRounds& epsilon, const fs::path& folder,
                  const simulation::Checkpoint& checkpoint, const NoteSink& notes) {
  if (checkpoint.metrics_bytes == 0) {
    return;
  }
  const fs::path file = folder / simulation::kMetricsFile;
  std::vector<Measurement> logged = simulation::read_metrics(file, plan, true, checkpoint.metrics_bytes);
  static_cast<void>(restate(plan, epsilon, file, logged, notes));
}

RunResult finished_result(const protocols::Plan& plan, const EpsilonOfRounds& epsilon, const fs::path& folder,
                          const simulation::Checkpoint& checkpoint, const NoteSink& notes) {
  const fs::path result_file = folder / simulation::kResultFile;
  const fs::path metrics_file = folder / simulation::kMetricsFile;
  std::optional<RunResult> found = simulation::read_result(result_file, plan, checkpoint);
  if (!found) {
    throw Error(ErrorCode::file, result_file.string(), "", "", "is gone");
  }
  RunResult result = *std::move(found);
  std::vector<Measurement> logged = simulation::read_metrics(metrics_file, plan, true);
  std::uint64_t larger = restate(plan, epsilon, result_file, result);
  larger += restate(plan, epsilon, metrics_file, logged, notes);
  if (larger > 0) {
    notes(larger_note(larger));
  }
  return result;
}

}  // namespace muster::reporting
