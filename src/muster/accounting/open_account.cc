#include "muster/accounting/open_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "muster/accounting/accountant.h"
#include "muster/accounting/sorted_bounds.h"
#include "muster/accounting/timed.h"
#include "muster/core/error.h"
#include "muster/describe/stage.h"
#include "muster/gate/gate.h"
#include "muster/numerics/ordered.h"
#include "muster/theorems/entry.h"

namespace muster::accounting {
namespace {

struct Kind {
  Mechanism mechanism;
  Participation participation;
  Gate gate;

  bool is_of(const ChargedRounds& rounds) const {
    return mechanism == rounds.mechanism && participation == rounds.participation;
  }
};

View own_view_of(const Kind& kind) { return own_view(kind.participation); }

}  // namespace

// The kinds of round that were charged, in the order of their first charge, and the tables of their curves.
struct OpenAccount::Tables {
  explicit Tables(const std::vector<ChargedRounds>& charges)
      : composed(charges), local(charges, ChargedBy::local_guarantee) {
    for (const ChargedRounds& each : charges) {
      if (std::ranges::none_of(kinds, [&](const Kind& kind) { return kind.is_of(each); })) {
        kinds.push_back({each.mechanism, each.participation,
                         Gate(each.mechanism, {each.participation}, own_view(each.participation))});
      }
    }
    if (kinds.size() == 1) alike.emplace(kinds.front().mechanism, kinds.front().participation);
  }

  View view() const {
    for (const View trusting_most : {View::server_trusted, View::sum_only}) {
      if (std::ranges::find(kinds, trusting_most, own_view_of) != kinds.end()) return trusting_most;
    }
    return View::shuffler_honest;
  }

  // Returns a check that passes an upper value for all rounds through the gate of every kind.
  ComposedRounds::Check check(const char* bound, std::uint64_t rounds, const Question& question) const {
    return [this, bound, rounds, question](double upper, const std::function<double(double)>& delta_at) {
      bool agrees = false;  // whether a gate has already checked that epsilon and delta agree
      for (const Kind& kind : kinds) {
        kind.gate.check(bound, rounds, question, upper, agrees ? std::function<double(double)>() : delta_at);
        agrees = true;
      }
    };
  }

  double floor(const Question& question) const {
    double most = 0;
    for (const Kind& kind : kinds) most = numerics::larger(most, kind.gate.floor(question));
    return most;
  }

  std::vector<Kind> kinds;
  std::optional<Accountant> alike;  // has a value if there is one kind only
  ComposedRounds composed;
  ComposedRounds local;
};

OpenAccount::OpenAccount() = default;

void OpenAccount::charge(const Mechanism& mechanism, const Participation& participation,
                         std::uint64_t rounds) {
  validate_rounds(rounds);
  validate_rounds(rounds_ + rounds);
  if (rounds == 0) return;
  const ChargedRounds charged{mechanism, participation, rounds};
  const bool known = tables_ != nullptr && std::ranges::any_of(tables_->kinds, [&](const Kind& kind) {
                       return kind.is_of(charged);
                     });
  std::vector<ChargedRounds> charges = charges_;
  if (!charges.empty() && charges.back().mechanism == mechanism &&
      charges.back().participation == participation) {
    charges.back().rounds += rounds;
  } else {
    charges.push_back(charged);
  }
  std::shared_ptr<const Tables> tables = known ? tables_ : std::make_shared<const Tables>(charges);
  charges_ = std::move(charges);
  tables_ = std::move(tables);
  rounds_ += rounds;
}

Statement OpenAccount::statement(const Question& question) const {
  if (tables_ == nullptr) {
    Bound nothing;
    nothing.id = "local-composition";
    nothing.validity = Validity::proven;
    nothing.upper = nothing.lower = 0;
    nothing.citation = "the definition of differential privacy alone";
    nothing.assumptions = {"nothing is released"};
    return {question, 0, nothing, 0, 0, {nothing}};
  }
  return tables_->alike ? tables_->alike->account(rounds_, question) : statement_of_different(question);
}

LossTable OpenAccount::losses(Delta least, double spacing) const {
  if (tables_ == nullptr)
    return {.spacing = spacing > 0 ? spacing : 1, .losses = {0}, .masses = {1}, .infinity = 0};
  LossTable pair = tables_->composed.losses(charges_, least, spacing);
  if (spacing > 0 && pair.losses.back() > kMostLosses) {
    const double largest = spacing * static_cast<double>(pair.losses.back());
    throw Error(ErrorCode::plan, Reason::out_of_range, "spacing", fmt::format("{}", spacing),
                fmt::format("number >= {:.3g}", largest / static_cast<double>(kMostLosses)),
                fmt::format("is too small for losses up to {:.3g}", largest));
  }
  // The gates check the pair as they check every other upper value.
  for (const double epsilon : {0.0, pair.spacing * static_cast<double>(pair.losses.back()) / 4}) {
    const Question question{Question::Kind::delta_at_epsilon, epsilon};
    tables_->check("different-rounds", rounds_, question)(divergence_upper(pair, epsilon), {});
  }
  return pair;
}

Statement OpenAccount::statement_of_different(const Question& question) const {
  Statement statement{question, rounds_, {}, std::nullopt, rounds_, {}};
  statement.all.push_back(timed([&] {
    Bound bound;
    bound.id = "different-rounds";
    bound.validity = Validity::proven;
    bound.view = tables_->view();
    bound.citation = fmt::format(
        "each round's smallest proven bound, their dominating pairs composed over {} kinds of round; "
        "docs/theory/composition.md",
        tables_->kinds.size());
    bound.assumptions = {"the rounds are fixed in advance, or chosen without looking at the releases",
                         "each round in its own protocol's view"};
    tables_->composed.answer(bound, charges_, question,
                             tables_->check("different-rounds", rounds_, question));
    return bound;
  }));
  statement.all.push_back(timed([&] {
    Bound bound;
    bound.id = "local-composition";
    bound.validity = Validity::proven;
    bound.view = tables_->view();
    bound.citation = "the local guarantees' dominating pairs composed; docs/theory/local.md";
    bound.assumptions = {kNoAmplification};
    tables_->local.answer(bound, charges_, question, tables_->check("local-composition", rounds_, question));
    bound.lower = tables_->floor(question);
    return bound;
  }));
  statement.local_upper = statement.all.back().upper;
  sort_bounds(statement, lower_of(statement));
  return statement;
}

}  // namespace muster::accounting
