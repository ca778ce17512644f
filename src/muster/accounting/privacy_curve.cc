#include "muster/accounting/privacy_curve.h"

#include <cmath>
#include <future>

#include "muster/core/error.h"

namespace muster::accounting {
namespace {

constexpr int kStepsADecade = 4;

// Returns a grid around the value that the question fixes. For a fixed delta, the grid has five decades on
// either side, but only between 1e-300 and 1/2. For a fixed epsilon, it reaches from a quarter of this
// epsilon to four times it.
std::vector<double> around(const Question& question) {
  std::vector<double> values;
  if (question.asks_epsilon()) {
    constexpr int kSteps = 5;
    for (int i = -kSteps; i <= kSteps; ++i) {
      const double delta = question.fixed() * std::pow(10.0, i);
      if (i == 0 || (delta < 0.5 && delta > 1e-300)) {
        values.push_back(i == 0 ? question.fixed() : delta);
      }
    }
    return values;
  }
  constexpr int kSteps = 8;
  for (int i = -kSteps; i <= kSteps; ++i) {
    if (i == 0 || question.fixed() > 0) {
      values.push_back(i == 0 ? question.fixed() : question.fixed() * std::pow(2.0, i / 4.0));
    }
  }
  return values;
}

std::vector<std::uint64_t> up_to(std::uint64_t rounds) {
  std::vector<std::uint64_t> counts = {1};
  for (int i = 1;; ++i) {
    const double next = std::round(std::pow(10.0, static_cast<double>(i) / kStepsADecade));
    if (!(next < 0.95 * static_cast<double>(rounds))) {
      break;
    }
    if (next > static_cast<double>(counts.back())) {
      counts.push_back(static_cast<std::uint64_t>(next));
    }
  }
  if (counts.back() < rounds) {
    counts.push_back(rounds);
  }
  return counts;
}

}  // namespace

PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view) {
  if (rounds == 0) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "rounds.count", "0", "integer >= 1",
                "leaves nothing to draw a curve of");
  }
  const auto statement_at = [&](std::uint64_t count, double fixed) {
    return accountant.account(count, {question.kind(), fixed}, view);
  };
  const auto point = [](const Statement& s) -> CurvePoint {
    return {s.rounds, s.question.fixed(), s.best.upper, s.best.lower, s.local_upper};
  };
  const Statement own = statement_at(rounds, question.fixed());
  PrivacyCurves curves{question, rounds, own.best.view, own.best.neighbouring, {}, {}};
  auto by_rounds = std::async(std::launch::async, [&] {
    for (const std::uint64_t count : up_to(rounds)) {
      curves.by_rounds.push_back(point(count == rounds ? own : statement_at(count, question.fixed())));
    }
  });
  for (const double fixed : around(question)) {
    curves.by_fixed.push_back(point(fixed == question.fixed() ? own : statement_at(rounds, fixed)));
  }
  by_rounds.get();
  return curves;
}

}  // namespace muster::accounting
