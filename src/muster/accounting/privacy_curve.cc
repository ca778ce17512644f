#include "muster/accounting/privacy_curve.h"

#include <cmath>
#include <future>

#include "muster/core/error.h"
#include "muster/core/interrupt.h"

namespace muster::accounting {
namespace {

constexpr int kStepsADecade = 4;

CurvePoint point_of(const Statement& s) {
  return {s.rounds, s.question.fixed(), s.best.upper, s.best.lower, s.local_upper};
}

}  // namespace

// For a fixed delta, the grid has five decades on either side, but only between 1e-300 and 1/2. For a fixed
// epsilon, it reaches from a quarter of this epsilon to four times it.
std::vector<double> grid_around(const Question& question) {
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

std::vector<std::uint64_t> grid_up_to(std::uint64_t rounds) {
  if (rounds == 0) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "rounds.count", "0", "integer >= 1",
                "leaves nothing to draw a curve of");
  }
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

PrivacyCurves curve_over_rounds(const Accountant& accountant, const std::vector<std::uint64_t>& counts,
                                const Question& question, std::optional<View> view) {
  PrivacyCurves curves{question, counts.back(), View::shuffler_honest, Neighbouring::replace_one, {}, {}};
  for (const std::uint64_t count : counts) {
    const Statement statement = accountant.account(count, question, view);
    curves.view = statement.best.view;
    curves.neighbouring = statement.best.neighbouring;
    curves.by_rounds.push_back(point_of(statement));
  }
  return curves;
}

PrivacyCurves curve_over_fixed(const Accountant& accountant, std::uint64_t rounds, Question::Kind kind,
                               const std::vector<double>& fixed, std::optional<View> view) {
  PrivacyCurves curves{{kind, fixed.back()},      rounds, View::shuffler_honest,
                       Neighbouring::replace_one, {},     {}};
  for (const double each : fixed) {
    const Statement statement = accountant.account(rounds, {kind, each}, view);
    curves.view = statement.best.view;
    curves.neighbouring = statement.best.neighbouring;
    curves.by_fixed.push_back(point_of(statement));
  }
  return curves;
}

PrivacyCurves privacy_curves(const Accountant& accountant, std::uint64_t rounds, const Question& question,
                             std::optional<View> view) {
  const std::vector<std::uint64_t> counts = grid_up_to(rounds);
  const auto statement_at = [&](std::uint64_t count, double fixed) {
    return accountant.account(count, {question.kind(), fixed}, view);
  };
  const Statement own = statement_at(rounds, question.fixed());
  PrivacyCurves curves{question, rounds, own.best.view, own.best.neighbouring, {}, {}};
  auto by_rounds = std::async(std::launch::async, [&, interrupt = InterruptScope::current()] {
    const InterruptScope scope(interrupt);
    for (const std::uint64_t count : counts) {
      curves.by_rounds.push_back(point_of(count == rounds ? own : statement_at(count, question.fixed())));
    }
  });
  for (const double fixed : grid_around(question)) {
    curves.by_fixed.push_back(point_of(fixed == question.fixed() ? own : statement_at(rounds, fixed)));
  }
  by_rounds.get();
  return curves;
}

}  // namespace muster::accounting
