#include "muster/accounting/composed_rounds.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "muster/accounting/sorted_bounds.h"
#include "muster/accounting/uncovered_rounds.h"
#include "muster/numerics/ordered.h"
#include "muster/theorems/applicable.h"

namespace muster::accounting {
namespace {

// A smaller delta needs tables that reach further, because losses beyond the last node count as infinite. If
// delta is asked for, tables are first made for kFirstDelta, and then at most kDeeper times again, each time
// for the delta just found. If this delta is less than kFarBelow times the one that the tables were made for,
// most of it may be the losses beyond their last nodes, so the next tables are made for a delta that is as
// many times smaller again, but not below kLeastDelta.
constexpr double kFirstDelta = 1e-12;
constexpr int kDeeper = 4;
constexpr double kFarBelow = 1e-3, kLeastDelta = 1e-300;
// The shares of the allowed work that the tables for the first of these deltas and for each smaller one may
// take. All of them together then take about the work of the tables for a question about epsilon.
constexpr double kShareOfDelta = 0.5, kShareOfDeeper = 0.25;
// Tables are not made again once the answer is more than this share of the previous answer.
constexpr double kSettled = 0.99;

// The table of a pair for several rounds ends where delta is at most kNegligible times the least delta that
// is to be asked for, where it has stopped falling, or at kLargestLoss. It has kNodes nodes, on a lattice of
// at least kLattice points.
constexpr double kNegligible = 1e-9, kStopped = 0.999, kLargestLoss = 1024, kSmallestLoss = 0x1p-40;
constexpr std::int64_t kNodes = 250, kLattice = 2048;

// Returns an epsilon at which the curve `delta_at` is at most `negligible`, or beyond which it hardly falls.
// If `first` is positive, it is an epsilon at which the curve is small but not yet negligible.
double end_of(const std::function<double(double)>& delta_at, double first, double negligible) {
  const bool known = first > kSmallestLoss && first < kLargestLoss;
  double end = known ? first : kSmallestLoss;
  double value = delta_at(end), before = 1;
  while (value > negligible && !(known && value > kStopped * before) && end < kLargestLoss) {
    before = value;
    end *= known ? 1.25 : 2;
    value = delta_at(end);
  }
  return end;
}

void add_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& text : more) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(text);
  }
}

// Returns the number of different kinds of round among these rounds.
std::size_t kinds_of(const std::vector<ChargedRounds>& rounds) {
  std::size_t kinds = 0;
  for (auto each = rounds.begin(); each != rounds.end(); ++each) {
    const bool is_new = std::none_of(rounds.begin(), each, [&](const ChargedRounds& before) {
      return before.mechanism == each->mechanism && before.participation == each->participation;
    });
    kinds += is_new ? 1 : 0;
  }
  return kinds;
}

}  // namespace

ComposedRounds::ComposedRounds(const std::vector<ChargedRounds>& all, ChargedBy by)
    : by_(by), curves_(std::make_shared<RoundKinds>(by, kinds_of(all))) {}

RunningAccountant& ComposedRounds::charged(const std::vector<ChargedRounds>& rounds, Delta delta,
                                           double share) const {
  if (running_ == nullptr || delta_ != delta.value() || share_ != share) {
    running_ = std::make_unique<RunningAccountant>(delta, curves_, share);
    delta_ = delta.value();
    share_ = share;
  }
  running_->restart();
  for (const ChargedRounds& each : rounds) running_->charge(each.mechanism, each.participation, each.rounds);
  return *running_;
}

std::pair<numerics::Enclosure, const RunningAccountant*> ComposedRounds::composed(
    const std::vector<ChargedRounds>& rounds, const Question& question, const Check& check) const {
  const double share = question.asks_epsilon() ? 1 : kShareOfDelta;
  double made_for = question.asks_epsilon() ? question.fixed() : kFirstDelta;
  const RunningAccountant* account = &charged(rounds, Delta::of(made_for), share);
  numerics::Enclosure answer =
      question.asks_epsilon() ? account->epsilon() : account->delta(question.fixed());
  for (int i = 0; i < kDeeper && !question.asks_epsilon() && answer.upper > 0 && answer.upper < made_for;
       ++i) {
    const double fall = answer.upper / made_for;
    made_for = fall < kFarBelow
                   ? numerics::larger(answer.upper * fall, numerics::smaller(answer.upper, kLeastDelta))
                   : answer.upper;
    account = &charged(rounds, Delta::of(made_for), kShareOfDeeper);
    const numerics::Enclosure deeper = account->delta(question.fixed());
    const bool settled = deeper.upper > kSettled * answer.upper;
    answer = {numerics::larger(answer.lower, deeper.lower), numerics::smaller(answer.upper, deeper.upper)};
    if (settled) break;
  }
  check(answer.upper, [&](double epsilon) { return account->delta_upper_as_searched(epsilon); });
  return {answer, account};
}

double ComposedRounds::upper(const std::vector<ChargedRounds>& rounds, const Question& question,
                             const Check& check) const {
  const std::lock_guard lock(mutex_);
  return composed(rounds, question, check).first.upper;
}

void ComposedRounds::answer(Bound& bound, const std::vector<ChargedRounds>& rounds, const Question& question,
                            const Check& check) const {
  if (by_ == ChargedBy::smallest_bound) {
    for (const ChargedRounds& each : rounds) {
      for (const RoundBound& upper : applicable(each.mechanism, each.participation).uppers) {
        if (upper.validity == Validity::proven && !upper.is_dominated)
          add_new(bound.assumptions, upper.assumptions);
      }
    }
    for (const std::string& text : uncovered_rounds(rounds)) {
      bound.assumptions.push_back("charged without amplification: " + text);
    }
  }
  const std::lock_guard lock(mutex_);
  const auto [value, account] = composed(rounds, question, check);
  bound.upper = finite(value.upper);
  bound.lower = value.lower;
  if (bound.upper) {
    const double estimate =
        question.asks_epsilon() ? account->epsilon_estimate() : account->delta_estimate(question.fixed());
    bound.numerical_error = numerics::larger(0.0, *bound.upper - numerics::larger(estimate, value.lower));
  }
}

LossTable ComposedRounds::losses(const std::vector<ChargedRounds>& rounds, Delta least,
                                 double spacing) const {
  const std::lock_guard lock(mutex_);
  const RunningAccountant& account = charged(rounds, least, 1);
  if (const LossDistribution* pair = account.only_round()) {
    const LossTable table = table_of(*pair);
    return spacing > 0 ? on_lattice(table, spacing) : table;
  }
  const auto delta_at = [&](double epsilon) { return account.delta_upper(epsilon); };
  const double end = end_of(delta_at, account.epsilon().upper, kNegligible * least.value());
  const double lattice = spacing > 0 ? spacing : std::exp2(std::floor(std::log2(end / kLattice)));
  const auto last = static_cast<std::int64_t>(std::ceil(end / lattice));
  return table_of_curve(delta_at, lattice, numerics::larger<std::int64_t>(1, last), kNodes);
}

}  // namespace muster::accounting
