#include "muster/accounting/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "muster/accounting/sorted_bounds.h"
#include "muster/accounting/timed.h"
#include "muster/accounting/uncovered_rounds.h"
#include "muster/core/error.h"
#include "muster/numerics/ordered.h"
#include "muster/numerics/slack.h"
#include "muster/theorems/entry.h"

namespace muster::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Launch> valid_launches(std::vector<Launch> launches) {
  if (launches.size() < 2) {
    throw Error(ErrorCode::plan, Reason::out_of_range, "launches", fmt::format("{}", launches.size()),
                "two or more", "are too few to be composed");
  }
  return launches;
}

std::vector<Participation> participations(const std::vector<Stage>& stages) {
  std::vector<Participation> played;
  for (const Stage& stage : stages) {
    if (stage.rounds > 0) played.push_back(stage.participation);
  }
  return played;
}

View view_of(const Launch& launch) { return own_view(launch.stages.front().participation); }

}  // namespace

Launches::Launches(std::vector<Launch> launches)
    : launches_(valid_launches(std::move(launches))),
      composed_(rounds_but(launches_.size())),
      local_(rounds_but(launches_.size()), ChargedBy::local_guarantee) {
  std::vector<Stage> all;
  for (const Launch& launch : launches_) {
    accountants_.emplace_back(launch.mechanism, launch.stages);
    gates_.emplace_back(launch.mechanism, participations(launch.stages), view_of(launch));
    all.insert(all.end(), launch.stages.begin(), launch.stages.end());
  }
  rounds_ = total_rounds(all);
}

std::vector<ChargedRounds> Launches::rounds_but(std::size_t left_out) const {
  std::vector<ChargedRounds> rounds;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    if (i == left_out) continue;
    for (const Stage& stage : launches_[i].stages) {
      if (stage.rounds > 0)
        rounds.push_back({launches_[i].mechanism, stage.participation, stage.rounds, i + 1});
    }
  }
  return rounds;
}

void Launches::check_gates(const char* bound, std::size_t left_out, const Question& question, double upper,
                           const std::function<double(double)>& delta_at) const {
  bool agrees = false;  // whether a gate has already checked that epsilon and delta agree
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::uint64_t rounds = total_rounds(launches_[i].stages);
    if (i == left_out || rounds == 0) continue;
    gates_[i].check(bound, rounds, question, upper, agrees ? std::function<double(double)>() : delta_at);
    agrees = true;
  }
}

double Launches::floor(const Question& question) const {
  double most = 0;
  for (const Gate& gate : gates_) most = numerics::larger(most, gate.floor(question));
  return most;
}

View Launches::view() const {
  for (const View trusting_most : {View::server_trusted, View::sum_only}) {
    if (std::ranges::find(launches_, trusting_most, view_of) != launches_.end()) return trusting_most;
  }
  return View::shuffler_honest;
}

std::vector<std::string> Launches::assumptions() const {
  std::vector<std::string> list{"the launches run one after another"};
  for (const Launch& launch : launches_) {
    if (view_of(launch) != view_of(launches_.front())) {
      std::string views;
      for (const Launch& each : launches_) {
        views += fmt::format("{}{}", views.empty() ? "" : ", ", name_of(view_of(each)));
      }
      list.push_back("each launch in its own protocol's view: " + views);
      break;
    }
  }
  return list;
}

Statement Launches::account(const Question& question) const {
  const std::size_t none = launches_.size();
  const std::vector<ChargedRounds> rounds = rounds_but(none);
  Statement statement{question, rounds_, {}, std::nullopt, rounds_, {}};
  statement.all.push_back(timed([&] {
    Bound bound;
    bound.id = "different-rounds";
    bound.validity = Validity::proven;
    bound.view = view();
    bound.citation = fmt::format(
        "each round's smallest proven bound, their dominating pairs composed over {} launches; "
        "docs/theory/composition.md",
        launches_.size());
    bound.assumptions = assumptions();
    bound.assumptions.push_back(
        "all launches are fixed in advance, or chosen without looking at the releases");
    composed_.answer(bound, rounds, question, [&](double upper, const auto& delta_at) {
      check_gates("different-rounds", none, question, upper, delta_at);
    });
    return bound;
  }));
  statement.all.push_back(timed([&] {
    Bound bound;
    bound.id = "local-composition";
    bound.validity = Validity::proven;
    bound.view = view();
    bound.citation = "the local guarantees' dominating pairs composed; docs/theory/local.md";
    bound.assumptions = {kNoAmplification};
    local_.answer(bound, rounds, question, [&](double upper, const auto& delta_at) {
      check_gates("local-composition", none, question, upper, delta_at);
    });
    bound.lower = floor(question);
    return bound;
  }));
  statement.local_upper = statement.all.back().upper;
  sort_bounds(statement, lower_of(statement));
  return statement;
}

Statement Launches::alone(std::size_t launch, const Question& question) const {
  return accountants_.at(launch).account(question);
}

std::optional<double> Launches::upper_without(std::size_t launch, const Question& question) const {
  const std::vector<ChargedRounds> rounds = rounds_but(launch);
  const auto check = [&](double upper, const auto& delta_at) {
    check_gates("different-rounds", launch, question, upper, delta_at);
  };
  return finite(
      numerics::smaller(composed_.upper(rounds, question, check), local_.upper(rounds, question, check)));
}

Question Launches::equal_share(Delta delta) const {
  return {Question::Kind::epsilon_at_delta,
          delta.value() / static_cast<double>(launches_.size()) * (1 - numerics::kThreeRoundings)};
}

Statement Launches::account_adaptive(Delta delta) const {
  const Question all{Question::Kind::epsilon_at_delta, delta.value()};
  const Question share = equal_share(delta);
  double upper = 0, local = 0;
  Bound bound;
  bound.id = "basic-composition";
  bound.validity = Validity::proven;
  bound.view = view();
  bound.citation =
      "basic composition as a privacy filter: Rogers, Roth, Ullman, Vadhan 2016; docs/theory/composition.md";
  bound.assumptions = assumptions();
  bound.assumptions.push_back(
      "launches may be chosen by what earlier ones released, if this total and their number were fixed in "
      "advance");
  for (const std::string& text : uncovered_rounds(rounds_but(launches_.size()))) {
    bound.assumptions.push_back("charged without amplification: " + text);
  }
  for (const Accountant& accountant : accountants_) {
    const Statement each = accountant.account(share);
    upper += each.best.upper.value_or(kInfinity);
    local += each.local_upper.value_or(kInfinity);
    // All launches together release at least what one launch does, so the lower value of one launch at the
    // whole delta is also a lower value for all launches together.
    bound.lower = numerics::larger(bound.lower.value_or(0), accountant.account(all).best.lower.value_or(0));
    bound.numerical_error += each.best.numerical_error;
  }
  // The sum has one rounding for each launch but the first, and the factor and the product add one each.
  const double rounding = 1 + numerics::kUnitRoundoff * static_cast<double>(launches_.size() + 2);
  bound.upper = finite(upper * rounding);
  check_gates("basic-composition", launches_.size(), all, bound.upper.value_or(kInfinity), {});
  Statement statement{all, rounds_, {}, finite(local * rounding), rounds_, {}};
  statement.all.push_back(std::move(bound));
  sort_bounds(statement, lower_of(statement));
  return statement;
}

}  // namespace muster::accounting
